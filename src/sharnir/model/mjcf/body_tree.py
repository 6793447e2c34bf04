"""The bodies of <worldbody>, with frames taken apart: each with its place in its parent, its joints, geoms and sites."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

import numpy as np

from sharnir.errors import ModelError
from sharnir.model.mjcf.default_classes import DefaultClasses
from sharnir.model.mjcf.mjcf_numbers import Pose, euler, number_of, numbers_of, orientation, still, vector_of
from sharnir.model.mjcf.mjcf_source import BESIDE, Source

MOST_BODIES = 100_000
IGNORED = ("light", "camera")  # they belong to the picture only


@dataclass
class Part:
    """A body as the file has it; names of bodies and joints are those of the model."""

    name: str
    parent: int  # among the parts; 0 is the world
    pose: Pose  # in the parent
    element: Element | None = None
    joints: list[dict[str, str]] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[tuple[str, Pose]] = field(default_factory=list)
    inertial: dict[str, str] | None = None
    gravcomp: float = 0.0


@dataclass
class Geom:
    """A geom of a body: its attributes and its place in the body."""

    given: dict[str, str]
    pose: Pose
    size: tuple[float, ...]

    @property
    def kind(self) -> str:
        """Its type."""
        return self.given.get("type", "sphere")


@dataclass(frozen=True)
class Around:
    """What holds for the elements inside of a body or a frame."""

    part: int
    pose: Pose  # of the frame in the body
    inherited: str
    ending: str = ""  # of all names, inside of <replicate>


def named(name: str, around: Around) -> str:
    """The name with the ending that its copies have."""
    return name + around.ending if name else ""


class BodyTree:
    """All parts in the order of the file; the first is the world.

    >>> from sharnir.model.mjcf.mjcf_source import source_of
    >>> text = '<mujoco><worldbody><frame pos="1 0 0"><body name="a"><joint name="j"/></body></frame></worldbody></mujoco>'
    >>> tree = BodyTree(source_of(text))
    >>> [(part.name, part.pose.p.tolist()) for part in tree.parts]
    [('world', [0.0, 0.0, 0.0]), ('a', [1.0, 0.0, 0.0])]
    """

    def __init__(self, source: Source) -> None:
        self.source, self.compiler, self.notes = source, source.compiler, source.notes
        self.defaults = DefaultClasses(source.root)
        self.parts = [Part("world", -1, still())]
        self._names: dict[str, dict[str, str]] = {"body": {}, "joint": {}, "site": {}}
        self._used: dict[str, set[str]] = {"body": {"ground", "world"}, "joint": set()}
        for world in source.root.findall("worldbody"):
            self._walk(world, Around(0, still(), world.get("childclass", "")))
        self.bodies = {name: k for k, name in enumerate(part.name for part in self.parts)}

    def body_called(self, name: str) -> int:
        """Number of the part that the file calls so; 0 is the world."""
        if name == "world":
            return 0
        if name not in self._names["body"]:
            raise ModelError(f"body {name!r} does not exist")
        return self.bodies[self._names["body"][name]]

    def joint_called(self, name: str) -> str:
        """The model's name of a joint of the file."""
        if name not in self._names["joint"]:
            raise ModelError(f"joint {name!r} does not exist")
        return self._names["joint"][name]

    def site_called(self, name: str) -> tuple[int, Pose]:
        """The part that has a site, and the place of the site in it."""
        for k, part in enumerate(self.parts):
            for own, pose in part.sites:
                if own == name:
                    return k, pose
        raise ModelError(f"site {name!r} does not exist")

    def world_poses(self) -> list[Pose]:
        """Where all parts are at first."""
        found: list[Pose] = []
        for part in self.parts:
            found.append(part.pose if part.parent < 0 else found[part.parent] @ part.pose)
        return found

    def _walk(self, element: Element, around: Around) -> None:
        part = self.parts[around.part]
        for child in element:
            if child.tag == "body":
                self._add_body(child, around)
            elif child.tag == "frame":
                self._walk(child, self._framed(child, around))
            elif child.tag == "replicate":
                self._replicate(child, around)
            elif child.tag in ("joint", "freejoint"):
                self._add_joint(child, around)
            elif child.tag == "geom":
                part.geoms.append(self._geom(child, around))
            elif child.tag == "site":
                given = self.defaults.attributes(child, around.inherited)
                part.sites.append((named(given.get("name", ""), around), around.pose @ self._pose(given)))
            elif child.tag == "inertial":
                part.inertial = dict(child.attrib)
            elif child.tag not in IGNORED:
                self.notes.add(f"<{child.tag}> in bodies", part.name)

    def _framed(self, element: Element, around: Around) -> Around:
        pose = around.pose @ self._pose(dict(element.attrib))
        return replace(around, pose=pose, inherited=element.get("childclass", around.inherited))

    def _replicate(self, element: Element, around: Around) -> None:
        """Copies one after the other, each shifted and turned by one step more."""
        count = int(number_of(element.attrib, "count", 0))
        if count > MOST_BODIES:
            raise ModelError(f"<replicate> has count = {count}; the most is {MOST_BODIES}")
        unit = math.pi / 180.0 if self.compiler.degrees else 1.0
        turn = numbers_of(element.get("euler", "0 0 0"), "euler", 3)
        step = Pose(vector_of(element.attrib, "offset"), euler(turn, self.compiler.sequence, unit))
        inner = replace(around, inherited=element.get("childclass", around.inherited))
        for k in range(count):
            ending = f"{element.get('sep', '')}{k:0{len(str(count - 1))}}"
            self._walk(element, replace(inner, ending=ending + inner.ending))
            inner = replace(inner, pose=inner.pose @ step)

    def _add_body(self, element: Element, around: Around) -> None:
        if len(self.parts) > MOST_BODIES:
            raise ModelError(f"there are more than {MOST_BODIES} bodies")
        own = named(element.get("name", ""), around)
        name = self._usable("body", own, f"body_{len(self.parts)}")
        pose = around.pose @ self._pose(dict(element.attrib))
        self.parts.append(Part(name, around.part, pose, element, gravcomp=number_of(element.attrib, "gravcomp", 0.0)))
        if element.get("mocap") == "true":
            self.notes.add("mocap bodies stand still", name)
        self._walk(element, Around(len(self.parts) - 1, still(), element.get("childclass", around.inherited), around.ending))

    def _add_joint(self, element: Element, around: Around) -> None:
        part = self.parts[around.part]
        if around.part == 0:
            raise ModelError("the world has a joint; joints belong to bodies")
        if element.tag == "freejoint":
            given = dict(element.attrib) | {"type": "free"}
        else:
            given = self.defaults.attributes(element, around.inherited)
        plain = "" if len(part.joints) == 0 else f"_{len(part.joints) + 1}"
        given["model name"] = self._usable("joint", named(element.get("name", ""), around), f"{part.name}_joint{plain}")
        if (np.eye(3) != around.pose.R).any() or around.pose.p.any():
            axis = around.pose.R @ vector_of(given, "axis", (0.0, 0.0, 1.0))
            place = around.pose.p + around.pose.R @ vector_of(given, "pos")
            given |= {key: " ".join(map(repr, x.tolist())) for key, x in (("axis", axis), ("pos", place))}
        part.joints.append(given)

    def _usable(self, kind: str, own: str, instead: str) -> str:
        """The name as models allow it, and only once; the file's own names lead to it."""
        name = own.strip().replace(".", "_") or instead
        first, again = name, 1
        while name in self._used[kind] or name in ("ground", "world"):
            again += 1
            name = f"{first}_{again}"
        if own and own in self._names[kind]:
            self.notes.add(f"repeated names of {kind} elements were given a number", name)
        self._used[kind].add(name)
        if own:
            self._names[kind].setdefault(own, name)
        return name

    def _pose(self, given: dict[str, str]) -> Pose:
        return Pose(vector_of(given, "pos"), orientation(given, self.compiler.degrees, self.compiler.sequence))

    def _geom(self, element: Element, around: Around) -> Geom:
        given = self.defaults.attributes(element, around.inherited)
        if "mesh" in given and "type" not in given:
            given["type"] = "mesh"
        size = numbers_of(given["size"], "size", 1, 3) if given.get("size", "").strip() else ()
        if "fromto" not in given:
            return Geom(given, around.pose @ self._pose(given), size)
        ends = np.array(numbers_of(given["fromto"], "fromto", 6)).reshape(2, 3)
        along = ends[0] - ends[1]
        R = orientation({"zaxis": " ".join(map(repr, along.tolist()))}, True, "xyz")
        half = 0.5 * float(np.linalg.norm(along))
        given["type"] = given["type"] if given.get("type") in ("cylinder", "box", "ellipsoid") else "capsule"
        sizes = (size[0], half) if given["type"] in ("capsule", "cylinder") else (size[0], size[0], half)
        return Geom(given, around.pose @ Pose(0.5 * (ends[0] + ends[1]), R), sizes)


def meshes_of(source: Source, defaults: DefaultClasses) -> dict[str, dict[str, str]]:
    """Attributes of all <mesh> assets by name; "place" is the path of the file."""
    found = {}
    for asset in source.root.iter("asset"):
        for element in asset.findall("mesh"):
            given = defaults.attributes(element, "")
            file = given.get("file", "")
            name = given.get("name") or PurePosixPath(file).stem
            if file and source.folder is not None:
                file = PurePosixPath(file).name if source.compiler.strip else file
                place = source.folder / source.compiler.meshes / file
                if BESIDE in given and not place.is_file():
                    place = Path(given[BESIDE]) / source.compiler.meshes / file
                given["place"] = str(place)
            found[name] = given
    return found


def colors_of(source: Source, defaults: DefaultClasses) -> dict[str, tuple[float, ...]]:
    """Colours of all materials by name."""
    found = {}
    for asset in source.root.iter("asset"):
        for element in asset.findall("material"):
            given = defaults.attributes(element, "")
            if "rgba" in given:
                found[given.get("name", "")] = numbers_of(given["rgba"], "rgba", 4)
    return found


def all_of(root: Element, group: str) -> Iterator[Element]:
    """The elements in all groups of this name directly below the root, such as <actuator>."""
    for section in root.findall(group):
        yield from section
