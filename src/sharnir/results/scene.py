"""What is drawn: plain data about shapes, sticks and springs that follow the poses in a result.

Every item moves with the channels "<name>.position" and "<name>.rotation"; an item without them stands still.
All places are in the axes of the item.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from sharnir.errors import ModelError

Point = tuple[float, float, float]
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

# kind -> the numbers it needs; all kinds may have color, and all but rods center and rotation
KINDS: dict[str, tuple[str, ...]] = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "rod": ("start", "end"),
    "mesh": ("vertices", "faces"),
}
OPTIONAL = ("center", "rotation", "axis", "radius", "color")


@dataclass(frozen=True)
class SceneItem:
    """One thing that moves as a whole.

    Parameters
    ----------
    name : its channels are "<name>.position" (nt, 3) and "<name>.rotation" (nt, 4; w, x, y, z).
    shapes : dicts such as {"kind": "box", "size": (1, 2, 3), "center": (0, 0, 0), "rotation": (1, 0, 0, 0), "color": "#4477aa"};
        or dataclasses Box, Cylinder, Sphere, Rod, Mesh with such fields.
    lines : pairs of points: the stick figure, drawn if there are no shapes.
    pins : pairs (point, axis or None): hinges, drawn as short pins or balls.
    com : centre of mass, drawn in a stick figure; traces follow it.
    color : "#rrggbb"; None takes one from the palette.
    drawn : False for what has no shape and should not be drawn as a stick figure either, such as a mere frame.
    joined : names of items to which joints connect it, towards the ground.

    >>> item = SceneItem("arm", shapes=[{"kind": "sphere", "radius": 0.1}], lines=[((0, 0, 0), (1, 0, 0))])
    >>> item.shapes[0]["radius"], item.lines
    (0.1, (((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),))
    """

    name: str
    shapes: tuple[dict[str, Any], ...] = ()
    lines: tuple[tuple[Point, Point], ...] = ()
    pins: tuple[tuple[Point, Point | None], ...] = ()
    com: Point | None = None
    color: str | tuple[float, ...] | None = None
    drawn: bool = True
    joined: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shapes = [self.shapes] if isinstance(self.shapes, Mapping) or is_dataclass(self.shapes) else self.shapes
        put = object.__setattr__
        put(self, "shapes", tuple(shape_record(shape) for shape in shapes or ()))
        put(self, "lines", tuple((_point(p), _point(q)) for p, q in self.lines))
        put(self, "pins", tuple((_point(p), None if axis is None else _axis(axis)) for p, axis in self.pins))
        put(self, "com", None if self.com is None else _point(self.com))
        put(self, "color", _color(self.color))
        put(self, "joined", tuple(self.joined))


@dataclass(frozen=True)
class SceneSpring:
    """A coil between a point of item `a` and a point of item `b`.

    >>> SceneSpring("return", "ground", "slider", (0, 0, 0), (0.1, 0, 0)).point_b
    (0.1, 0.0, 0.0)
    """

    name: str
    a: str
    b: str
    point_a: Point = (0.0, 0.0, 0.0)
    point_b: Point = (0.0, 0.0, 0.0)
    color: str | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "point_a", _point(self.point_a))
        object.__setattr__(self, "point_b", _point(self.point_b))
        object.__setattr__(self, "color", _color(self.color))


@dataclass(frozen=True)
class Scene:
    """Everything to draw, and which axis points up; `floor`: whether there is a floor, which weightless mechanisms lack.

    >>> scene = Scene([SceneItem("arm")], up="z")
    >>> Scene.from_dict(scene.to_dict()) == scene
    True
    """

    items: tuple[SceneItem, ...] = ()
    springs: tuple[SceneSpring, ...] = ()
    up: str = "z"
    title: str = field(default="")
    floor: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        object.__setattr__(self, "springs", tuple(self.springs))
        if self.up not in AXES:
            raise ModelError(f"Scene: up = {self.up!r} must be 'x', 'y' or 'z'", field="up")
        names = {item.name for item in self.items}
        if len(names) < len(self.items):
            raise ModelError("Scene: two items have the same name", field="items")
        for spring in self.springs:
            for end in (spring.a, spring.b):
                if end not in names:
                    raise ModelError(f"SceneSpring {spring.name!r}: there is no item {end!r}", field="springs")

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and strings, ready for JSON; the numbers of meshes are those of the scene, not copied.

        >>> Scene([SceneItem("arm")]).to_dict()["up"]
        'z'
        """
        items = tuple(_entries(item) | {"shapes": tuple(map(dict, item.shapes))} for item in self.items)
        return _entries(self) | {"items": items, "springs": tuple(map(_entries, self.springs))}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Scene:
        """The scene that `to_dict` described.

        >>> Scene.from_dict({"items": [], "title": "empty"}).title
        'empty'
        """
        items = tuple(SceneItem(**item) for item in record["items"])
        springs = tuple(SceneSpring(**spring) for spring in record.get("springs", ()))
        return cls(items, springs, record.get("up", "z"), record.get("title", ""), bool(record.get("floor", True)))


def _entries(thing: Any) -> dict[str, Any]:
    """The fields of a dataclass."""
    return {one.name: getattr(thing, one.name) for one in fields(thing)}


def shape_record(shape: Any) -> dict[str, Any]:
    """A shape as a plain dict with checked numbers, from such a dict or from a dataclass named like its kind.

    >>> shape_record({"kind": "cylinder", "radius": 1, "length": 2, "axis": "y"})
    {'kind': 'cylinder', 'radius': 1.0, 'length': 2.0, 'axis': (0.0, 1.0, 0.0)}
    """
    if isinstance(shape, Mapping):
        given = dict(shape)
        kind = given.pop("kind", None)
    else:
        kind = type(shape).__name__.lower()
        given = {f.name: getattr(shape, f.name) for f in fields(shape)} if is_dataclass(shape) else {}
    if kind not in KINDS:
        raise ModelError(f"shape kind {kind!r} is unknown; there are {', '.join(KINDS)}", field="shapes")
    record: dict[str, Any] = {"kind": kind}
    for name in KINDS[kind]:
        if given.get(name) is None:
            raise ModelError(f"shape {kind!r} needs {name!r}", field="shapes")
        record[name] = _READ[name](given[name])
    for name in OPTIONAL:
        if name not in record and given.get(name) is not None:
            record[name] = _READ[name](given[name])
    return record


def stick_lines(points: Iterable[Iterable[float]], com: Iterable[float] | None = None) -> tuple[tuple[Point, Point], ...]:
    """Sticks of a body: from its first joint to the others, or to the centre of mass if it has no other.

    >>> stick_lines([(0, 0, 0), (1, 0, 0)])
    (((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),)
    """
    places = [_point(p) for p in points]
    if len(places) < 2 and com is not None:
        places.append(_point(com))
    return tuple((places[0], p) for p in places[1:] if math.dist(places[0], p) > 0.0)


def _point(value: Iterable[float]) -> Point:
    x, y, z = (float(c) for c in value)
    return (x, y, z)


def _axis(value: str | Iterable[float]) -> Point:
    return AXES[value] if isinstance(value, str) else _point(value)


def _color(value: str | Iterable[float] | None) -> str | None:
    """A colour the browser understands: a name or "#rrggbb" as it is, three numbers 0…1 as "#rrggbb"."""
    if value is None or isinstance(value, str):
        return value
    return "#" + "".join(f"{round(255 * min(max(float(c), 0.0), 1.0)):02x}" for c in list(value)[:3])


def _rotation(value: Any) -> tuple[float, float, float, float]:
    """A quaternion (w, x, y, z) from one or from a 3×3 matrix."""
    array = np.asarray(value, dtype=float)
    if array.shape == (3, 3):
        from scipy.spatial.transform import Rotation

        x, y, z, w = Rotation.from_matrix(array).as_quat()
        return (float(w), float(x), float(y), float(z))
    w, x, y, z = (float(c) for c in array)
    return (w, x, y, z)


def _rows(value: Any, number: type) -> list[list[Any]]:
    return [[number(c) for c in row] for row in value]


_READ: dict[str, Any] = {
    "size": _point,
    "center": _point,
    "start": _point,
    "end": _point,
    "axis": _axis,
    "radius": float,
    "length": float,
    "rotation": _rotation,
    "color": _color,
    "vertices": lambda value: _rows(value, float),
    "faces": lambda value: _rows(value, int),
}
