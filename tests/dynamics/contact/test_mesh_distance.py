"""Contacts of meshes: distances by search over all triangles, motions against those of boxes, energy, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from dynamics.contact.test_distance_fields import depths

trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed (pip install sharnir[mesh])")

SIZE = (0.4, 0.3, 0.2)
STIFF = sr.Hertz(1e7)


def written(folder: Path, name: str, vertices: np.ndarray, faces: np.ndarray) -> sr.Mesh:
    """A mesh with all digits."""
    path = folder / f"{name}.obj"
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, float).tolist()]
    path.write_text("\n".join([*lines, *(f"f {a} {b} {c}" for a, b, c in (np.asarray(faces) + 1).tolist())]))
    return sr.Mesh(path)


def block(folder: Path, size: tuple = SIZE) -> sr.Mesh:
    box = trimesh.creation.box(size).subdivide()
    return written(folder, "block", box.vertices, box.faces)


def star(folder: Path) -> sr.Mesh:
    """Hills and valleys."""
    ball = trimesh.creation.icosphere(2, 0.3)
    x, y = ball.vertices[:, :1] / 0.3, ball.vertices[:, 1:2] / 0.3
    return written(folder, "star", ball.vertices * (1 + 0.3 * np.sin(7 * x)) * (1 + 0.3 * np.cos(9 * y)), ball.faces)


def by_search(mesh: sr.Mesh, x: np.ndarray) -> float:
    """Distance to all triangles and edges; inside, where the solid angles of all triangles are a full turn, below zero."""
    a, b, c = (mesh.triangles.vertices[mesh.triangles.faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=1)[:, None]
    height = np.einsum("ij,ij->i", n, x - a)
    foot, above, found = x - height[:, None] * n, np.ones(len(a), bool), []
    for p, q in ((a, b), (b, c), (c, a)):
        e = q - p
        s = np.clip(np.einsum("ij,ij->i", e, x - p) / np.einsum("ij,ij->i", e, e), 0, 1)
        found.append(np.linalg.norm(p + s[:, None] * e - x, axis=1).min())
        above &= np.einsum("ij,ij->i", np.cross(n, e), foot - p) >= 0
    found.append(np.abs(height[above]).min(initial=np.inf))
    A, B, C = a - x, b - x, c - x
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (A, B, C))
    dots = [np.einsum("ij,ij->i", *pair) for pair in ((A, B), (B, C), (C, A))]
    angle = 2 * np.arctan2(np.einsum("ij,ij->i", A, np.cross(B, C)), la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)
    return -min(found) if angle.sum() > 2 * np.pi else min(found)


def test_distances_of_a_block(tmp_path: Path) -> None:
    """Faces, edges and corners, inside and outside, turned and moved, also if all triangles are listed from inside."""
    places = np.random.default_rng(1).uniform(-0.3, 0.3, (200, 3))
    expected = depths(sr.Sphere(0.05), sr.Box(SIZE), places)
    mesh = block(tmp_path)
    assert depths(sr.Sphere(0.05), mesh, places) == pytest.approx(expected, abs=1e-14)
    turned = written(tmp_path, "inside_out", mesh.triangles.vertices, mesh.triangles.faces[:, ::-1])
    assert depths(turned, sr.Sphere(0.05), -places) == pytest.approx(expected, abs=1e-14)
    moved, rotation = (0.1, 0.2, 0.3), ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    scaled = written(tmp_path, "scaled", 10 * mesh.triangles.vertices, mesh.triangles.faces).file
    found = depths(sr.Sphere(0.05), sr.Mesh(scaled, scale=0.1, position=moved, rotation=rotation), places)
    assert found == pytest.approx(depths(sr.Sphere(0.05), sr.Box(SIZE, moved, rotation=rotation), places), abs=1e-14)


def test_distances_of_hills_and_valleys(tmp_path: Path) -> None:
    mesh = star(tmp_path)
    places = np.random.default_rng(2).uniform(-0.6, 0.6, (300, 3))
    expected = [0.05 - by_search(mesh, x) for x in places]
    assert min(expected) < -0.1 and max(expected) > 0.12, "places inside and outside"
    assert depths(sr.Sphere(0.05), mesh, places) == pytest.approx(expected, abs=1e-14)


def test_triangles_without_area(tmp_path: Path) -> None:
    """A face whose edge has one more vertex in its middle: the triangle there is a line."""
    mesh = trimesh.creation.box(SIZE)
    a, b, c = mesh.faces[0]
    vertices = np.vstack([mesh.vertices, 0.5 * (mesh.vertices[a] + mesh.vertices[b])])
    faces = np.vstack([mesh.faces[1:], [[a, 8, c], [8, b, c], [a, b, 8]]])
    places = np.random.default_rng(3).uniform(-0.3, 0.3, (200, 3))
    found = depths(sr.Sphere(0.05), written(tmp_path, "line", vertices, faces), places)
    assert found == pytest.approx(depths(sr.Sphere(0.05), sr.Box(SIZE), places), abs=1e-14)


@pytest.mark.parametrize("friction", [None, 0.3])
def test_a_ball_on_a_block(tmp_path: Path, friction: float | None) -> None:
    """It bounces, rolls over an edge and falls: as on a box."""

    def run(shape: object) -> sr.Result:
        m = sr.Model("ball")
        m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.05), position=(0, 0.02, 0.2), velocity=(0.5, 0.4, 0)))
        law = sr.HuntCrossley(1e6, damping=0.3) if friction else STIFF
        m.add(sr.Contact("c", "ball", "ground", shape_b=shape, law=law, friction=friction))
        return m.simulate(1.0, step=0.01, tolerance=1e-10)

    mesh, box = run(block(tmp_path)), run(sr.Box(SIZE))
    assert box["c.force"].max() > 100.0 and box["ball.position"][-1, 2] < 0.0, "it must bounce and fall"
    for channel in ("ball.position", "ball.velocity", "ball.angular_velocity"):
        assert mesh[channel] == pytest.approx(box[channel], abs=1e-6)
    if not friction:
        assert np.ptp(mesh["energy.total"]) < 1e-7


@pytest.mark.parametrize("friction", [None, 0.3])
def test_corners_of_the_hull_on_a_plane(tmp_path: Path, friction: float | None) -> None:
    """A block with a dent in its lower face stands on the corners of the block."""
    box = trimesh.creation.box(SIZE).subdivide()
    vertices = np.where((np.abs(box.vertices[:, :2]) < 0.01).all(axis=1)[:, None], 0.5 * box.vertices, box.vertices)

    def run(shape: object) -> sr.Result:
        m = sr.Model("cube")
        m.add(sr.Body("cube", mass=1, inertia=(0.02, 0.03, 0.04), position=(0, 0, 0.4), angular_velocity=(1, 2, 3)))
        m.add(sr.Contact("c", "cube", "ground", shape, sr.Plane(), law=sr.Hertz(1e5), friction=friction))
        return m.simulate(0.6, step=0.01, tolerance=1e-10)

    mesh, solid = run(written(tmp_path, "dented", vertices, box.faces)), run(sr.Box(SIZE))
    assert solid["c.force"].max() > 10.0
    assert mesh["cube.position"] == pytest.approx(solid["cube.position"], abs=1e-7)
    assert mesh["c.depth"] == pytest.approx(solid["c.depth"], abs=1e-7)


def test_elastic_impacts_keep_energy_and_momenta(tmp_path: Path) -> None:
    """A ball between hills of a free body, over edges, corners and folds."""
    m = sr.Model("pair", gravity=(0, 0, 0))
    m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.1), position=(0.1, 0.05, 0.6), velocity=(0, 0, -1)))
    m.add(sr.Body("star", density=100, shape=star(tmp_path), angular_velocity=(1, 2, 3)))
    m.add(sr.Contact("touch", "ball", "star", law=sr.Hertz(2e5)))
    r = m.simulate(1.0, step=0.01, tolerance=1e-11)
    assert r["touch.depth"].max() > 1e-3
    assert np.ptp(r["energy.total"]) < 1e-7 * r["energy.total"][0]
    assert np.ptp(r["system.momentum"], axis=0).max() < 1e-9
    assert np.ptp(r["system.angular_momentum"], axis=0).max() < 1e-8


@pytest.mark.parametrize("hollow", [False, True])
def test_a_fast_ball_does_not_pass_a_thin_plate(tmp_path: Path, hollow: bool) -> None:
    """5 mm at 200 m/s, a step would be a metre; the plate is convex, or the wall of something that is not."""
    plate = trimesh.creation.box((1.0, 1.0, 0.005)).subdivide()
    vertices, faces = plate.vertices, plate.faces
    if hollow:
        vertices = np.concatenate([vertices, vertices * (1, 1, 50) + (0, 0, -3)])
        faces = np.concatenate([faces, faces + len(plate.vertices)])
    m = sr.Model("plate", gravity=(0, 0, 0))
    m.add(sr.Body("ball", mass=0.1, shape=sr.Sphere(0.02), position=(0.1, 0.07, 4.0), velocity=(0, 0, -200)))
    m.add(sr.Contact("c", "ball", "ground", shape_b=written(tmp_path, "plate", vertices, faces), law=sr.Hertz(1e12)))
    r = m.simulate(0.04, output=0.01)
    assert r["ball.velocity"][-1, 2] == pytest.approx(200.0, rel=1e-4)
    assert r["ball.position"][:, 2].min() > 0.0


def test_walls_of_a_group(tmp_path: Path) -> None:
    """The same accelerations as one contact for each ball, bit by bit."""
    mesh, systems = star(tmp_path), []
    for together in (True, False):
        m = sr.Model("group")
        for k in range(6):
            m.add(sr.Body(f"b{k}", mass=1, shape=sr.Sphere(0.05), position=(0.3 * np.cos(k), 0.3 * np.sin(k), 0.04 * k)))
        law = sr.HuntCrossley(1e5, damping=0.2)
        if together:
            m.add(sr.ContactGroup("all", walls=mesh, law=law, friction=0.2))
        else:
            m.add(*(sr.Contact(f"c{k}", f"b{k}", "ground", shape_b=mesh, law=law, friction=0.2) for k in range(6)))
        systems.append(m.compile())
    rng = np.random.default_rng(4)
    touched = 0
    for _ in range(20):
        q, v = systems[0].q0 + 0.05 * rng.normal(size=systems[0].q0.size), rng.normal(size=systems[0].v0.size)
        one, other = (system.accelerations(q, v) for system in systems)
        assert np.array_equal(one, other)
        touched += np.abs(one).max() > 100.0
    assert touched > 5


def test_files_keep_meshes_of_contacts(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    mesh = block(tmp_path / "one")
    m = sr.Model("files")
    m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.05)))
    m.add(sr.Contact("c", "ball", "ground", shape_b=mesh, law=STIFF), sr.ContactGroup("g", walls=[sr.Plane(), mesh], law=STIFF))
    m.save(tmp_path / "two" / "model.toml")
    (tmp_path / "one" / "block.obj").unlink()
    read = sr.Model.load(tmp_path / "two" / "model.toml")
    assert read.forces["c"] == m.forces["c"] and read.forces["g"] == m.forces["g"]
    assert read.forces["c"].shape_b.volume == pytest.approx(0.024)
    assert "model.meshes" in read.forces["g"].walls[1].file


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    mesh = block(tmp_path)
    open_one = written(tmp_path, "open", mesh.triangles.vertices, mesh.triangles.faces[1:])
    flat = written(tmp_path, "flat", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])

    def refused(shape_a: object, shape_b: object, words: str) -> None:
        m = sr.Model("bad")
        m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)))
        m.add(sr.Contact("c", "a", "ground", shape_a, shape_b, law=STIFF))
        with pytest.raises(sr.ModelError, match=words):
            m.compile()

    refused(sr.Sphere(0.1), open_one, r"Contact 'c': mesh 'open.obj' is not closed \(3 open or crossed edges\)")
    refused(flat, sr.Plane(), "flat.obj.*one plane")
    refused(mesh, sr.Box(SIZE), "contact of Mesh and Box is not implemented; available pairs are .*Mesh-Plane.*Sphere-Mesh")
    assert depths(open_one, sr.Plane(), np.array([[0.0, 0.0, 0.05]])) == pytest.approx([0.05])  # a hull needs no inside
