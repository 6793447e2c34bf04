"""SDF files and what they include: their XML with versions and folders, and numbers in the text of elements."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import numpy as np

from sharnir.arguments import file_path
from sharnir.errors import ModelError, ModelFileError
from sharnir.input_file import content, is_file
from sharnir.model.frames import rpy_rows
from sharnir.model.mjcf.mjcf_numbers import NumberError, Pose, numbers_of, turn_of, unit_of
from sharnir.model.urdf.mesh_names import PATHS, mesh_place
from sharnir.model.urdf.urdf_notes import Notes
from sharnir.model.urdf.xml_text import parsed_xml

TEXT = "SDF text"
BLANKS = "\ufeff \t\r\n"
MOST_FILES = 1000
SEARCHED = (*PATHS, "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")
Version = tuple[int, ...]


@dataclass(frozen=True)
class Document:
    """An SDF file: its root, the version that it is written in, its folder (None for a text), and its name in messages."""

    root: Element
    version: Version
    folder: Path | None
    file: str


class Source:
    """The first file and those that it includes.

    >>> Source("<sdf version='1.7'><model name='a'/></sdf>", {}).first.version
    (1, 7)
    """

    def __init__(self, given: str | PathLike[str], packages: Mapping[str, Path]) -> None:
        self.packages, self.notes, self.count = packages, Notes("SDF"), 0
        if isinstance(given, str) and given.lstrip(BLANKS).startswith("<"):
            self.first = self._document(parsed_xml(given.lstrip(BLANKS).encode(), TEXT), None, TEXT)
        else:
            path = file_path(given, "load_sdf", "source")
            self.first = self._document(parsed_xml(content(path), path.name), path.parent, path.name)

    def _document(self, root: Element, folder: Path | None, file: str) -> Document:
        self.count += 1
        if self.count > MOST_FILES:
            raise ModelFileError([("include", f"there are more than {MOST_FILES} included files")], source=file)
        if root.tag not in ("sdf", "gazebo"):
            raise ModelFileError([("", f"begins with <{root.tag}>; an SDF file begins with <sdf>")], source=file)
        text = root.get("version", "1.7")
        if not all(part.isdigit() and len(part) < 4 for part in text.split(".")):
            raise ModelFileError([("", f"has version = {text[:20]!r}, which is not a version, such as 1.9")], source=file)
        return Document(root, tuple(int(part) for part in text.split(".")), folder, file)

    def included(self, uri: str, beside: Path | None, chain: tuple[Path, ...]) -> tuple[Document, Path] | None:
        """The document that a URI means and its place, if it is there; `chain`: the files that it stands in."""
        path = self.place(uri, beside)
        if path is None:
            return None
        real = Path(os.path.realpath(path))
        if real in chain:
            raise ModelError(f"{uri!r} includes itself")
        return self._document(parsed_xml(content(path), path.name), path.parent, path.name), real

    def place(self, uri: str, beside: Path | None) -> Path | None:
        """The SDF file that a URI of a file or of a model's folder means."""
        for ending in ("", "/model.config", "/manifest.xml", "/model.sdf"):
            path = self.file(uri.rstrip("/") + ending, beside)
            if path is not None:
                return listed_file(path) if ending.endswith((".config", ".xml")) else path
        return None

    def file(self, uri: str, beside: Path | None) -> Path | None:
        """The file that a URI means: beside a file, in a folder above it, among the packages, or where the environment says."""
        scheme, colon, rest = uri.partition("://")
        if not colon or scheme not in ("model", "package"):
            return mesh_place(uri, beside, self.packages)
        name, _, inside = unquote(rest).partition("/")
        folders = [self.packages[name] / inside] if name in self.packages else []
        folders += [] if beside is None else [above / name / inside for above in (beside, *beside.resolve().parents)]
        for root in (root for variable in SEARCHED for root in os.environ.get(variable, "").split(os.pathsep) if root):
            folders += [Path(root) / name / inside, Path(root) / "share" / name / inside]
        return next((place for place in folders if is_file(place)), None)


def listed_file(config: Path) -> Path | None:
    """The SDF file of the newest version that a model.config lists."""
    root = parsed_xml(content(config), config.name)
    names: list[tuple[Version, str]] = []
    for element in root.iter("sdf"):
        parts = element.get("version", "0").split(".")
        version = tuple(int(part) if part.isdigit() else 0 for part in parts)
        names.append((version, (element.text or "").strip()))
    name = max(names)[1] if names else "model.sdf"
    path = config.parent / name
    return path if is_file(path) else None


def text_of(element: Element | None, path: str, default: str = "") -> str:
    """The text of an element below another one."""
    found = None if element is None else element.find(path)
    return default if found is None or found.text is None else found.text.strip()


def number_in(element: Element | None, path: str, default: float) -> float:
    """A number, also an infinite one."""
    text = text_of(element, path).strip("\"'")  # some files have a quotation mark too much
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        raise NumberError(f"<{path}> = {text[:80]!r} must be a number") from None
    if math.isnan(value):
        raise NumberError(f"<{path}> = {text[:80]!r} must be a number")
    return value


def vector_in(element: Element | None, path: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """As many numbers as the default has."""
    text = text_of(element, path)
    return numbers_of(text, f"<{path}>", len(default)) if text else default


def yes(element: Element | None, path: str, default: bool = False) -> bool:
    """Whether a flag is set."""
    return text_of(element, path, str(default)).lower() in ("1", "true")


def pose_of(element: Element | None) -> Pose:
    """Position and rotation of a <pose>: roll, pitch, yaw about fixed axes, or a quaternion (x, y, z, w).

    >>> from xml.etree.ElementTree import fromstring
    >>> pose_of(fromstring('<pose degrees="true">1 2 3 0 0 90</pose>')).R.round().astype(int).tolist()
    [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    """
    text = "" if element is None or element.text is None else element.text.strip()
    if element is not None and element.get("rotation_format") == "quat_xyzw":
        x, y, z, *turn = numbers_of(text or "0 0 0 0 0 0 1", "<pose>", 7)
        return Pose(np.array([x, y, z]), turn_of(unit_of(np.array([turn[3], *turn[:3]]), "<pose>")))
    x, y, z, *angles = numbers_of(text or "0 0 0 0 0 0", "<pose>", 6)
    unit = math.pi / 180.0 if element is not None and element.get("degrees") in ("true", "1") else 1.0
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(unit * a), math.sin(unit * a)) for a in angles)
    return Pose(np.array([x, y, z]), np.array(rpy_rows(cr, sr, cp, sp, cy, sy)))
