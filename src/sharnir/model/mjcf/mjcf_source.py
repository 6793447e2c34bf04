"""The XML of an MJCF file with everything that it includes, and its settings."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from sharnir.arguments import file_path
from sharnir.errors import ModelFileError
from sharnir.input_file import content
from sharnir.model.mjcf.mjcf_numbers import NumberError, numbers_of
from sharnir.model.urdf.urdf_notes import Notes
from sharnir.model.urdf.xml_text import parsed_xml

TEXT = "MJCF text"
MOST_FILES, MOST_ELEMENTS, DEEPEST = 200, 500_000, 300
BESIDE = "folder of the file"  # attribute of meshes that an included file names
BLANKS = "\ufeff \t\r\n"


@dataclass(frozen=True)
class Compiler:
    """Settings of <compiler>: what angles mean, where meshes are, how masses follow."""

    degrees: bool = True
    sequence: str = "xyz"
    autolimits: bool = True
    meshes: str = ""
    strip: bool = False
    from_geoms: str = "auto"
    groups: tuple[float, float] = (0.0, 5.0)
    balance: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float = -1.0


@dataclass(frozen=True)
class Source:
    """A file that has been read: its tree with all includes, its folder and short name, its settings."""

    root: Element
    folder: Path | None
    file: str
    compiler: Compiler
    notes: Notes

    def problem(self, where: str, what: str) -> ModelFileError:
        """The error that names a place in the file."""
        return ModelFileError([(where, what)], source=self.file)


def source_of(given: str | PathLike[str]) -> Source:
    """A file, or text that begins with "<".

    >>> source_of("<mujoco><compiler angle='radian'/></mujoco>").compiler.degrees
    False
    """
    if isinstance(given, str) and given.lstrip(BLANKS).startswith("<"):
        folder, file, root = None, TEXT, parsed_xml(given.lstrip(BLANKS).encode(), TEXT)
    else:
        path = file_path(given, "load_mjcf", "source")
        folder, file, root = path.parent, path.name, parsed_xml(content(given), path.name)
    if root.tag not in ("mujoco", "mujocoinclude"):
        raise ModelFileError([("", f"begins with <{root.tag}>; an MJCF file begins with <mujoco>")], source=file)
    _Includes(folder, file).expand(root)
    notes = Notes("MJCF")
    return Source(root, folder, file, _compiler(root, file), notes)


class _Includes:
    """Files in the place of <include>; each once, all of them below the folder of the first one."""

    def __init__(self, folder: Path | None, file: str) -> None:
        self.folder, self.file, self.seen, self.count = folder, file, set[str](), 0

    def expand(self, element: Element, beside: Path | None = None, depth: int = 0) -> None:
        """Replace the includes below an element; `beside`: the folder of the file that it stands in, if it is another one."""
        self.count += len(element)
        if self.count > MOST_ELEMENTS:
            raise ModelFileError([("", f"has more than {MOST_ELEMENTS} elements with what it includes")], source=self.file)
        if depth > DEEPEST:
            raise ModelFileError([("", f"has elements nested more than {DEEPEST} deep with what it includes")], source=self.file)
        k = 0
        while k < len(element):
            child = element[k]
            if child.tag == "include":
                path = self.place(child.get("file", ""), beside)
                root = self.included(child.get("file", ""), path)
                for mesh in root.iter("mesh"):
                    mesh.set(BESIDE, str(path.parent))
                self.expand(root, path.parent, depth)
                element[k : k + 1] = list(root)
                k += len(root)
            else:
                self.expand(child, beside, depth + 1)
                k += 1

    def place(self, name: str, beside: Path | None) -> Path:
        """Where an included file is: below the folder of the first file, named from there or from the file that includes it."""
        if self.folder is None:
            raise self.error(
                name, "cannot be found, since a model given as text has no folder; give the path of the file instead"
            )
        home = Path(os.path.realpath(self.folder))
        path = Path(os.path.realpath(self.folder / name))
        if beside is not None and not path.is_file():
            path = Path(os.path.realpath(beside / name))
        if not name or not path.is_relative_to(home):
            raise self.error(name, f"lies outside the folder of {self.file}; move it there")
        return path

    def included(self, name: str, path: Path) -> Element:
        """The root of a file that is included."""
        if str(path) in self.seen:
            raise self.error(name, "is included more than once, or includes itself; include it in one place")
        self.seen.add(str(path))
        if len(self.seen) > MOST_FILES:
            raise self.error(name, f"is one of more than {MOST_FILES} files; put them into one")
        root = parsed_xml(content(path), path.name)
        if root.tag not in ("mujoco", "mujocoinclude"):
            raise self.error(name, f"begins with <{root.tag}>; an included file begins with <mujoco> or <mujocoinclude>")
        return root

    def error(self, name: str, what: str) -> ModelFileError:
        return ModelFileError([(f"include {name!r}", what)], source=self.file)


def _compiler(root: Element, file: str) -> Compiler:
    """All <compiler> elements together; later ones win."""
    found: dict[str, str] = {}
    for element in root.iter("compiler"):
        found |= element.attrib

    def yes(key: str, default: bool) -> bool:
        return found.get(key, str(default)).lower() == "true"

    def one(key: str, default: float) -> float:
        return numbers_of(found[key], f"compiler {key}", 1)[0] if key in found else default

    try:
        groups: Any = (
            numbers_of(found["inertiagrouprange"], "compiler inertiagrouprange", 2) if "inertiagrouprange" in found else None
        )
        return Compiler(
            degrees=found.get("angle", "degree") != "radian",
            sequence=found.get("eulerseq", "xyz"),
            autolimits=yes("autolimits", True),
            meshes=found.get("meshdir", found.get("assetdir", "")),
            strip=yes("strippath", False),
            from_geoms=found.get("inertiafromgeom", "auto"),
            groups=groups or (0.0, 5.0),
            balance=yes("balanceinertia", False),
            least_mass=one("boundmass", 0.0),
            least_inertia=one("boundinertia", 0.0),
            total_mass=one("settotalmass", -1.0),
        )
    except NumberError as error:
        raise ModelFileError([("compiler", str(error))], source=file) from None
