"""Where the meshes of a robot description are: `package://name/…`, `file://…`, `model://…`, or beside the description."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

from sharnir.input_file import is_file

PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")


def mesh_place(name: str, folder: Path | None, packages: Mapping[str, Path]) -> Path | None:
    """The file that a name means, if it is there.

    folder : of the description; None for a text.
    packages : folders of packages by their names.

    A package is looked for among `packages`, then beside and above the description, then in the folders that ROS names in the
    environment, and at last above the description, whatever the name of its folder.
    """
    scheme, colon, rest = name.partition("://")
    if not colon:
        rest = name
    rest = unquote(rest)
    if not colon or scheme == "file":
        return _first([Path(rest), *([folder / rest] if folder is not None else [])])
    package, _, inside = rest.partition("/")
    places = [packages[package] / inside] if package in packages else []
    above = [] if folder is None else [folder, *folder.resolve().parents]
    places += [place / package / inside for place in above]
    for root in (root for variable in PATHS for root in os.environ.get(variable, "").split(os.pathsep) if root):
        places += [Path(root) / package / inside, Path(root) / "share" / package / inside]
    places += [place / inside for place in above]  # the package's folder may have another name
    return _first(places)


def _first(places: list[Path]) -> Path | None:
    return next((place for place in places if is_file(place)), None)
