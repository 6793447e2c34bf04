"""Contacts on request: geoms against planes of the world, and the pairs that a file names."""

from __future__ import annotations

from typing import Any

from sharnir.model.contact import Friction, Plane
from sharnir.model.forces import Contact
from sharnir.model.mjcf.body_tree import BodyTree, Geom, all_of
from sharnir.model.mjcf.mjcf_numbers import number_of, numbers_of
from sharnir.model.mjcf.mjcf_shapes import touching_shape
from sharnir.model.model import Model

SLIDING = 0.01  # m/s, below which friction is smoothed


def add_contacts(model: Model, tree: BodyTree, law: Any) -> None:
    """Contacts "<body> <geom> floor" with a law, and those of <pair>; the rest is noted."""
    geoms = [(k, j, geom) for k, part in enumerate(tree.parts) for j, geom in enumerate(part.geoms)]
    planes = [(j, geom) for k, j, geom in geoms if k == 0 and geom.kind == "plane" and collides(geom)]
    for k, j, geom in geoms:
        touching = [plane for plane in planes if k > 0 and matches(geom, plane[1])]
        if not touching:
            continue
        shape = touching_shape(geom)
        if shape is None:
            tree.notes.add(
                "contacts of meshes, cylinders and ellipsoids with planes", f"{geom.kind} of body {tree.parts[k].name!r}"
            )
            continue
        for i, plane in touching:
            name = f"{tree.parts[k].name} {geom.given.get('name', j)} on {plane.given.get('name', f'plane {i}')}"
            _add(model, tree, name, (k, geom, shape), (0, plane, _plane(plane)), law)
    named = {geom.given["name"]: (k, geom) for k, _, geom in geoms if "name" in geom.given}
    for element in all_of(tree.source.root, "contact"):
        if element.tag == "pair":
            _add_pair(model, tree, element, named, law)
    if sum(collides(geom) for k, _, geom in geoms if k > 0) > 1:
        tree.notes.add("contacts of geoms with each other, other than <pair>", "use Contact or ContactGroup")


def note_contacts(tree: BodyTree) -> None:
    """Say that geoms do not touch each other."""
    count = sum(collides(geom) for part in tree.parts for geom in part.geoms)
    pairs = sum(element.tag == "pair" for element in all_of(tree.source.root, "contact"))
    if count > 1 or pairs:
        tree.notes.add("contacts (contacts=law takes those with planes)", f"{count} geoms and {pairs} pairs that collide")


def collides(geom: Geom) -> bool:
    """Whether a geom may touch any other one."""
    return number_of(geom.given, "contype", 1.0) != 0.0 or number_of(geom.given, "conaffinity", 1.0) != 0.0


def matches(a: Geom, b: Geom) -> bool:
    """Whether the type of one and the affinity of the other share a bit."""
    types = [int(number_of(x.given, "contype", 1.0)) for x in (a, b)]
    affinities = [int(number_of(x.given, "conaffinity", 1.0)) for x in (a, b)]
    return bool(types[0] & affinities[1] or types[1] & affinities[0])


def _plane(geom: Geom) -> Plane:
    return Plane(tuple(geom.pose.p.tolist()), tuple(geom.pose.R[:, 2].tolist()))


def _friction(a: Geom, b: Geom) -> Friction | None:
    """The larger coefficient of sliding."""
    found = max(numbers_of(x.given.get("friction", "1"), "friction", 1, 5)[0] for x in (a, b))
    return Friction(found, speed=SLIDING) if found > 0.0 and max(number_of(x.given, "condim", 3.0) for x in (a, b)) > 1 else None


def _add(model: Model, tree: BodyTree, name: str, a: Any, b: Any, law: Any) -> None:
    one, two = (model.ground.name if k == 0 else tree.parts[k].name for k in (a[0], b[0]))
    first, again = name, 1
    while name in model.forces:
        again += 1
        name = f"{first} {again}"
    model.add(Contact(name, one, two, a[2], b[2], law=law, friction=_friction(a[1], b[1])))


def _add_pair(model: Model, tree: BodyTree, element: Any, named: dict[str, tuple[int, Geom]], law: Any) -> None:
    ends = [named.get(element.get(key, "")) for key in ("geom1", "geom2")]
    found = []
    for end in ends:
        if end is not None:
            shape = _plane(end[1]) if end[1].kind == "plane" and end[0] == 0 else touching_shape(end[1])
            found.append((*end, shape))
    if len(found) < 2 or any(shape is None for _, _, shape in found) or found[0][0] == found[1][0]:
        tree.notes.add("contact pairs of meshes, cylinders and ellipsoids", f"{element.get('geom1')}, {element.get('geom2')}")
        return
    found.sort(key=lambda x: isinstance(x[2], Plane))
    _add(model, tree, element.get("name") or f"{element.get('geom1')} and {element.get('geom2')}", found[0], found[1], law)
