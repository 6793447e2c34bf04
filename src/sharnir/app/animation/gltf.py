"""A mechanism as a binary glTF file (.glb), with the motion of a run as an animation.

glTF 2.0, https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html: one node for each item, below a root that turns the upward
axis of the scene into that of glTF, +Y. Lengths are metres, times seconds; rotations are (x, y, z, w) there.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sharnir.app.animation.solid_surfaces import Surface, stick_surface, surface
from sharnir.results.figure import PALETTE

FLOAT, UNSIGNED = 5126, 5125  # component types
ARRAY, ELEMENTS = 34962, 34963  # targets of buffer views
MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
HALF = 0.5**0.5
TURNS = {"z": (-HALF, 0.0, 0.0, HALF), "y": (0.0, 0.0, 0.0, 1.0), "x": (0.0, 0.0, HALF, HALF)}  # (x, y, z, w): to +Y
STILL = "#9aa5b1"


def glb(scene: Mapping[str, Any], poses: Mapping[str, np.ndarray], times: Sequence[float] = ()) -> bytes:
    """The bytes of a .glb file.

    scene : as `Scene.to_dict` gives it.   poses : rows (x, y, z, qw, qx, qy, qz) of each item that has some, one for each of
    the times; of one row, the item stands there.

    >>> ball = {"name": "ball", "shapes": [{"kind": "sphere", "radius": 0.1}], "lines": [], "com": None, "color": None}
    >>> data = glb({"items": [ball], "up": "z", "title": "ball"}, {"ball": np.array([[0, 0, 1.0, 1, 0, 0, 0]])})
    >>> data[:4], len(data) == int.from_bytes(data[8:12], "little")
    (b'glTF', True)
    """
    writer = Writer()
    size = extent(scene, poses)
    moving = [item["name"] for item in scene["items"] if item["name"] in poses]
    for item in scene["items"]:
        name = item["name"]
        rows = np.asarray(poses.get(name, [[0.0, 0, 0, 1, 0, 0, 0]]), float)
        fallback = PALETTE[moving.index(name) % len(PALETTE)] if name in moving else STILL
        writer.add_item(item, rows, size, item.get("color") or fallback)
        if len(rows) > 1 and len(rows) == len(times):
            writer.animate(len(writer.nodes) - 1, np.asarray(times, float), rows)
    return writer.bytes(str(scene.get("title") or "mechanism"), TURNS[str(scene.get("up", "z"))])


def extent(scene: Mapping[str, Any], poses: Mapping[str, np.ndarray]) -> float:
    """How large the mechanism is: sticks are as thick as suits it."""
    points = [np.asarray(rows, float)[0, :3] for rows in poses.values()] or [np.zeros(3)]
    reach = max((float(np.linalg.norm(p)) for item in scene["items"] for line in item["lines"] for p in line), default=0.0)
    return max(float(np.ptp(np.array(points), axis=0).max(initial=0.0)) + reach, 0.1)


class Writer:
    """Collects nodes, meshes and numbers, each equal surface and colour once."""

    def __init__(self) -> None:
        self.binary = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self._known: dict[Any, int] = {}

    def add_item(self, item: Mapping[str, Any], rows: np.ndarray, size: float, color: str) -> None:
        """The node of an item, where it is at first."""
        shapes = item["shapes"] or []
        parts = [(surface(shape, size), shape.get("color") or color) for shape in shapes]
        if not shapes:
            parts = [(stick_surface(p, q, size), color) for p, q in item["lines"]]
        node = {"name": item["name"], "translation": rows[0, :3].tolist(), "rotation": xyzw(rows[:1])[0].tolist()}
        drawn = [(part, colour) for part, colour in parts if len(part.triangles)]
        if drawn:
            node["mesh"] = len(self.meshes)
            self.meshes.append({"name": item["name"], "primitives": [self.primitive(part, colour) for part, colour in drawn]})
        self.nodes.append(node)

    def primitive(self, part: Surface, color: str) -> dict[str, Any]:
        """A surface with its colour."""
        attributes = {
            "POSITION": self.numbers(part.vertices, "VEC3", ARRAY, True),
            "NORMAL": self.numbers(part.normals, "VEC3", ARRAY),
        }
        return {
            "attributes": attributes,
            "indices": self.numbers(part.triangles.ravel(), "SCALAR", ELEMENTS),
            "material": self.material(color),
        }

    def material(self, color: str) -> int:
        """A colour, "#rrggbb" or a name, as glTF has it: linear, not sRGB."""
        if color not in self._known:
            from matplotlib.colors import is_color_like, to_rgb

            levels = to_rgb(color if is_color_like(color) else STILL)
            linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in levels]
            roughness = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.5}
            self._known[color] = len(self.materials)
            self.materials.append({"name": color, "pbrMetallicRoughness": roughness})
        return self._known[color]

    def numbers(self, values: np.ndarray, kind: str, target: int | None = None, bounds: bool = False) -> int:
        """An accessor of numbers: integers as 32 bits, others in single precision."""
        whole = values.dtype.kind in "iu"
        packed = np.ascontiguousarray(values, "<u4" if whole else "<f4")
        key = (kind, target, packed.tobytes())
        if key in self._known:
            return self._known[key]
        self.binary += b"\0" * (-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": packed.nbytes} | ({"target": target} if target else {})
        self.binary += packed.tobytes()
        entry = {"bufferView": len(self.views), "componentType": UNSIGNED if whole else FLOAT, "count": len(packed), "type": kind}
        if bounds:
            rows = packed.reshape(len(packed), -1)
            entry |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.views.append(view)
        self.accessors.append(entry)
        self._known[key] = len(self.accessors) - 1
        return self._known[key]

    def animate(self, node: int, times: np.ndarray, rows: np.ndarray) -> None:
        """The motion of a node: linear in position, spherical in rotation."""
        moments = self.numbers(times - times[0], "SCALAR", None, True)
        for path, values, kind in (("translation", rows[:, :3], "VEC3"), ("rotation", xyzw(rows), "VEC4")):
            self.samplers.append({"input": moments, "output": self.numbers(values, kind), "interpolation": "LINEAR"})
            self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def bytes(self, title: str, turn: tuple[float, ...]) -> bytes:
        """The file: header, JSON, numbers."""
        root = {"name": title, "rotation": list(turn), "children": list(range(len(self.nodes)))}
        content: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "sharnir"},
            "scene": 0,
            "scenes": [{"nodes": [len(self.nodes)]}],
        }
        content |= {"nodes": [*self.nodes, root], "accessors": self.accessors, "bufferViews": self.views}
        content |= {"meshes": self.meshes, "materials": self.materials, "buffers": [{"byteLength": len(self.binary)}]}
        if self.channels:
            content["animations"] = [{"name": "motion", "samplers": self.samplers, "channels": self.channels}]
        content = {key: value for key, value in content.items() if value != []}
        if not self.binary:
            del content["buffers"]
        text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        binary = bytes(self.binary) + b"\0" * (-len(self.binary) % 4)
        chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
        chunks += struct.pack("<II", len(binary), BINARY_CHUNK) + binary if binary else b""
        return struct.pack("<III", MAGIC, VERSION, 12 + len(chunks)) + chunks


def xyzw(rows: np.ndarray) -> np.ndarray:
    """Unit quaternions (x, y, z, w) of poses, each on the side of the one before it, so that viewers take the shorter way.

    >>> turned = np.array([[0, 0, 0, 1.0, 0, 0, 0], [0, 0, 0, -1.0, 0, 0, 0]])
    >>> xyzw(turned)[:, 3]
    array([1., 1.])
    """
    found = rows[:, [4, 5, 6, 3]] / np.linalg.norm(rows[:, 3:7], axis=1, keepdims=True)
    signs = np.where(np.sum(found[1:] * found[:-1], axis=1) < 0.0, -1.0, 1.0)
    found[1:] *= np.cumprod(signs)[:, None]
    return found + 0.0
