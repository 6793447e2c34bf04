"""GLB files, read by another program: solids are closed and have their volumes, nodes are where bodies are, and they move."""

import io
import json
import struct

import numpy as np
import pytest

import sharnir as sr
from sharnir.app.animation.gltf import glb
from sharnir.app.animation.poses import item_poses
from sharnir.app.animation.solid_surfaces import surface

trimesh = pytest.importorskip("trimesh")


def machine():
    m = sr.Model("machine")
    m.add(sr.Body("crank", mass=1, shape=sr.Box((0.4, 0.1, 0.05), center=(0.2, 0, 0)), color="red"))
    m.add(sr.Body("wheel", mass=1, shape=sr.Cylinder(0.2, 0.05, axis="y"), position=(0.4, 0, 0)))
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.4, 0, -0.5)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", q=0.3), sr.Revolute("A", "crank", "wheel", axis="y", v=5.0))
    m.add(sr.Ball("B", "wheel", "bob", at=(0.4, 0, 0)))
    return m


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        ({"kind": "box", "size": (1, 2, 3), "center": (1, 0, 0), "rotation": (0.6, 0.8, 0, 0)}, 6.0),
        ({"kind": "cylinder", "radius": 0.5, "length": 2.0, "axis": (1, 2, 3)}, 0.5 * np.pi),
        ({"kind": "sphere", "radius": 1.0, "center": (0, 0, 5)}, 4 / 3 * np.pi),
        ({"kind": "rod", "start": (0, 0, 0), "end": (1, 1, 0), "radius": 0.1}, np.pi * 0.01 * (2**0.5 + 4 / 3 * 0.1)),
        (
            {
                "kind": "mesh",
                "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
                "faces": [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)],
            },
            1 / 6,
        ),
    ],
)
def test_surfaces_are_closed_and_face_outward(shape, volume):
    made = surface(shape, 1.0)
    solid = trimesh.Trimesh(made.vertices, made.triangles)
    assert solid.is_watertight and solid.volume == pytest.approx(volume, rel=0.02)
    corners = made.vertices[made.triangles]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", outward, made.normals[made.triangles].mean(axis=1)) > 0).all()
    assert np.allclose(np.linalg.norm(made.normals, axis=1), 1.0)


def test_another_reader_finds_the_bodies_where_they_are():
    result = machine().simulate(0.5, step=0.05)
    poses = {item.name: item_poses(result, item.name) for item in result.scene.items}
    data = glb(result.scene.to_dict(), poses, result.t)
    scene = trimesh.load(io.BytesIO(data), file_type="glb")
    assert scene.bounds is not None and {"crank", "wheel", "bob"} <= set(scene.graph.nodes)
    for name in ("crank", "wheel", "bob"):
        place = scene.graph.get(name)[0][:3, 3]
        x, y, z = result[f"{name}.position"][0]
        assert np.allclose(place, [x, z, -y], atol=1e-6)  # z points up here, y there
    wheel = next(g for name, g in scene.geometry.items() if name.startswith("wheel"))
    assert wheel.volume == pytest.approx(np.pi * 0.04 * 0.05, rel=0.02)


def numbers(content, binary, index):
    """The numbers of an accessor, as the specification of glTF says."""
    accessor = content["accessors"][index]
    view = content["bufferViews"][accessor["bufferView"]]
    kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    assert view["byteOffset"] % 4 == 0 and accessor["count"] * width * 4 == view["byteLength"]
    found = np.frombuffer(binary, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
    if "min" in accessor:
        assert accessor["min"] == found.min(axis=0).tolist() and accessor["max"] == found.max(axis=0).tolist()
    return found


def test_the_animation_is_the_motion_of_the_run():
    result = machine().simulate(3.0, step=0.05)
    poses = {item.name: item_poses(result, item.name) for item in result.scene.items}
    data = glb(result.scene.to_dict(), poses, result.t)
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<I4s", data, 12)
    content = json.loads(data[20 : 20 + size])
    count, other = struct.unpack_from("<I4s", data, 20 + size)
    binary = data[28 + size :]
    assert kind == b"JSON" and other == b"BIN\0" and count == len(binary) and content["buffers"][0]["byteLength"] <= count
    animation, seen = content["animations"][0], set()
    for channel in animation["channels"]:
        name, path = content["nodes"][channel["target"]["node"]]["name"], channel["target"]["path"]
        sampler = animation["samplers"][channel["sampler"]]
        times, values = (numbers(content, binary, sampler[key]) for key in ("input", "output"))
        assert np.allclose(times[:, 0], result.t)
        if path == "translation":
            assert np.allclose(values, result[f"{name}.position"], atol=1e-6)
        else:
            assert np.allclose(np.abs(np.sum(values[:, [3, 0, 1, 2]] * result[f"{name}.rotation"], axis=1)), 1.0, atol=1e-6)
            assert (np.sum(values[1:] * values[:-1], axis=1) > 0).all()  # no detour between two frames
        seen.add((name, path))
    assert {("crank", "rotation"), ("wheel", "translation"), ("bob", "rotation")} <= seen
