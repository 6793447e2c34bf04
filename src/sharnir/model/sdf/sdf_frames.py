"""Worlds, models and what has a place in them: frames that are given in others, whatever their order in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from sharnir.errors import ModelError
from sharnir.model.mjcf.mjcf_numbers import Pose, still
from sharnir.model.sdf.sdf_source import Document, Source, pose_of, text_of, yes
from sharnir.model.urdf.elements import usable_name

GROUND = ("world", "__root__")
DEEPEST = 50  # models inside each other
AXES_OF_MODEL = (1, 4)  # versions up to this one give axes of joints in the model's axes


@dataclass(eq=False)
class Place:
    """A frame: its pose in another one, and what it moves with. Names are looked up in its scope.

    body : name in the model; "ground" for what stands still; None if `moves_with` says it.
    set_by : the frame inside of a model that its pose is for, if it is not the model's own.
    """

    label: str
    scope: Scope
    pose: Pose
    relative_to: str | Place | None = None  # None: the world
    moves_with: str | Place | None = None
    body: str | None = None
    set_by: str = ""


@dataclass(eq=False)
class Scope:
    """A world or a model with the names in it."""

    label: str
    document: Document
    path: tuple[str, ...]  # in names of bodies and joints
    outer: Scope | None
    static: bool = False
    names: dict[str, Place] = field(default_factory=dict)
    models: dict[str, Scope] = field(default_factory=dict)
    place: Place = field(init=False)

    @property
    def axes_of_model(self) -> bool:
        """Whether axes of joints are along the model's axes, as in old versions."""
        return self.document.version <= AXES_OF_MODEL

    def find(self, name: str) -> Place:
        """The frame of a name in this scope: `link`, `model::link`, `__model__`, `world`."""
        if name in GROUND:
            return self.root.place
        if name in self.names:
            return self.names[name]
        if name == "__model__":
            return self.place
        head, inside, rest = name.partition("::")
        if inside and head in self.models:
            return self.models[head].find(rest)
        known = ", ".join(list(self.names)[:12]) or "none"
        raise ModelError(f"{self.label} has no link, joint, frame or model {name!r}; there are {known}")

    @property
    def root(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


@dataclass(frozen=True)
class Found:
    """A link or joint of the file, with its place, and its name in the model."""

    element: Element
    place: Place
    name: str


class Frames:
    """All scopes, links and joints of a file.

    >>> model = "<model name='m'><pose>0 0 1 0 0 0</pose><link name='a'><pose>1 0 0 0 0 0</pose></link></model>"
    >>> frames = Frames(Source(f"<sdf version='1.7'>{model}</sdf>", {}))
    >>> frames.in_world(frames.links[0].place).p.tolist()
    [1.0, 0.0, 1.0]
    """

    def __init__(self, source: Source) -> None:
        self.source, self.notes = source, source.notes
        self.links: list[Found] = []
        self.joints: list[Found] = []
        self._used: dict[str, set[str]] = {"link": {"ground"}, "joint": set()}
        self._known: dict[int, Pose] = {}
        document = source.first
        self.world = document.root.find("world")
        if len(document.root.findall("world")) > 1:
            self.notes.add("worlds other than the first", f"{len(document.root.findall('world')) - 1} more")
        self.scope = Scope("the world", document, (), None)
        self.scope.place = Place("the world", self.scope, still(), body="ground")
        top = document.root if self.world is None else self.world
        self.alone = sum(element.tag in ("model", "include") for element in top) == 1
        self._fill(top, self.scope, ())

    def in_world(self, place: Place, asking: tuple[Place, ...] = ()) -> Pose:
        """Where a frame is in the drawing."""
        if id(place) not in self._known:
            base = self._base(place, asking)
            self._known[id(place)] = still() if base is None else self.in_world(base, (*asking, place)) @ self._own(place)
        return self._known[id(place)]

    def body_of(self, place: Place) -> str:
        """The body that a frame moves with."""
        seen: list[Place] = []
        while place.body is None:
            if place in seen:
                way = f", through {', '.join(other.label for other in seen[1:])}" if seen[1:] else ""
                raise ModelError(f"{place.label} is attached to itself{way}")
            seen.append(place)
            target = place.scope.place if place.moves_with is None else place.moves_with
            place = place.scope.find(target) if isinstance(target, str) else target
        return place.body

    def within(self, element: Element, place: Place) -> Pose:
        """The pose of an element that belongs to a place, such as a visual, in that place."""
        pose = element.find("pose")
        other = relative(pose)
        if not other:
            return pose_of(pose)
        return self.in_world(place).inverse() @ self.in_world(place.scope.find(other)) @ pose_of(pose)

    def _base(self, place: Place, asking: tuple[Place, ...]) -> Place | None:
        if place in asking:
            ring = asking[asking.index(place) :]
            way = f", through {', '.join(other.label for other in ring[1:])}" if ring[1:] else ""
            raise ModelError(f"{place.label} is placed relative to itself{way}")
        base = place.relative_to
        return place.scope.find(base) if isinstance(base, str) else base

    def _own(self, place: Place) -> Pose:
        """The pose in its base; that of a model whose pose is for a frame inside follows from the frame's place in it."""
        if not place.set_by:
            return place.pose
        inside, found, asked = place.scope, still(), list[Place]()
        inner = next((s for s in inside.models.values() if s.place is place), None)
        frame: Place | None = place if inner is None else inner.find(place.set_by)
        while frame is not place:
            if frame is None:
                raise ModelError(f"{place.label}: placement_frame = {place.set_by!r} is not placed inside of the model")
            found = self._own(frame) @ found
            asked.append(frame)
            frame = self._base(frame, tuple(asked[:-1]))
        return place.pose @ found.inverse()

    def _fill(self, element: Element, scope: Scope, chain: tuple[Path, ...]) -> None:
        """Everything inside of a world or model."""
        for child in element:
            if child.tag == "model":
                self._add_model(child, scope, scope.document, chain, child)
            elif child.tag == "include":
                self._include(child, scope, chain)
            elif child.tag in ("link", "joint", "frame"):
                self._add(child, scope)
            elif child.tag in ("plugin", "population", "actor", "state", "gripper", "road", "wind"):
                self.notes.add(f"<{child.tag}>", child.get("name") or child.get("filename") or scope.label)

    def _include(self, element: Element, scope: Scope, chain: tuple[Path, ...]) -> None:
        uri = text_of(element, "uri")
        found = self.source.included(uri, scope.document.folder, chain)
        if found is None:
            self.notes.add("what is included and not there (packages={name: folder} says where models are)", uri)
            return
        document, path = found
        models = document.root.findall("model")
        if not models:
            return  # a light, an actor
        self._add_model(models[0], scope, document, (*chain, path), element)

    def _add_model(self, model: Element, outer: Scope, document: Document, chain: tuple[Path, ...], given: Element) -> None:
        """A model; `given`: it, or the <include> that says otherwise."""
        name = text_of(given, "name") if given is not model else ""
        name = name or model.get("name", "")
        if len(chain) + self._depth(outer) > DEEPEST:
            raise ModelError(f"models are nested more than {DEEPEST} deep")
        static = outer.static or yes(given, "static", yes(model, "static"))
        merged = given is not model and given.get("merge") in ("true", "1")
        path = outer.path if merged or (self.alone and outer.outer is None) else (*outer.path, name)
        scope = Scope(f"model {name!r}", document, path, outer, static)
        pose = given.find("pose") if given.find("pose") is not None else model.find("pose")
        set_by = model.get("placement_frame", "")
        if given is not model:
            set_by = text_of(given, "placement_frame", set_by)
        scope.place = Place(scope.label, outer, pose_of(pose), relative(pose) or outer.place, set_by=set_by)
        if static:
            scope.place.body = "ground"
        if name in outer.names:
            raise ModelError(f"{outer.label} has two elements {name!r}; names must differ")
        outer.models[name] = scope
        if not merged:
            outer.names[name] = scope.place
        self._fill(model, scope, chain)
        scope.place.moves_with = self._leading(model, scope)
        for inner, place in scope.names.items() if merged else ():
            if inner in outer.names:
                raise ModelError(
                    f"{outer.label} has two elements {inner!r}, one of them from {scope.label}, which is merged into it"
                )
            outer.names[inner] = place
            outer.models |= {inner: scope.models[inner]} if inner in scope.models else {}

    def _depth(self, scope: Scope) -> int:
        depth, outer = 0, scope.outer
        while outer is not None:
            depth, outer = depth + 1, outer.outer
        return depth

    def _leading(self, model: Element, scope: Scope) -> Place | None:
        """What the frame of a model moves with: its canonical link, its first link, or its first model."""
        named = model.get("canonical_link", "")
        if named:
            return scope.find(named)
        links = (place for place in scope.names.values() if place.body is not None and place not in _models(scope))
        return next(links, next(_models(scope), None))

    def _add(self, element: Element, scope: Scope) -> None:
        """A link, a joint or a frame."""
        name, tag = element.get("name", ""), element.tag
        if not name.strip():
            raise ModelError(f"a <{tag}> of {scope.label} has no name")
        pose = element.find("pose")
        place = Place(f"{tag} {name!r}", scope, pose_of(pose), relative(pose))
        if tag == "link":
            place.relative_to = place.relative_to or scope.place
            own = self._name("link", name, scope)
            place.body = own
            self.links.append(Found(element, place, own))
        elif tag == "joint":
            child = text_of(element, "child")
            place.relative_to, place.moves_with = place.relative_to or child, child
            self.joints.append(Found(element, place, self._name("joint", name, scope)))
        else:
            attached = element.get("attached_to", "")
            place.relative_to = place.relative_to or attached or scope.place
            place.moves_with = attached or scope.place
        if name in scope.names:
            if scope.document.version >= (1, 7) or {tag, scope.names[name].label.partition(" ")[0]} != {"link", "joint"}:
                raise ModelError(f"{scope.label} has two elements {name!r}; names must differ")
            if tag == "joint":
                return  # old versions permit a link and a joint of one name; the link is meant
        scope.names[name] = place

    def _name(self, tag: str, name: str, scope: Scope) -> str:
        """The name in the model: with those of the models that it is in, unless there is only one."""
        plain = usable_name("_".join((*scope.path, *name.split("::"))))
        found, again = plain, 1
        while found in self._used[tag]:
            again += 1
            found = f"{plain}_{again}"
        self._used[tag].add(found)
        if found != "_".join((*scope.path, *name.split("::"))):
            self.notes.add("names that are others in the model", f"{tag} {name!r} of {scope.label} is {found!r}")
        return found


def _models(scope: Scope) -> Iterator[Place]:
    return (inner.place for inner in scope.models.values())


def relative(pose: Element | None) -> str:
    """The name of the frame that a <pose> is given in; "" for the usual one."""
    return "" if pose is None else pose.get("relative_to") or pose.get("frame") or ""
