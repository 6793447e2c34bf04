"""MJCF import against MuJoCo itself: mass matrix, bias, and accelerations with springs, tendons and actuators."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from model.mjcf.mujoco_models import ACTUATORS, TREES, driven, one

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (pip install mujoco)")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its log into the current folder."""
    monkeypatch.chdir(tmp_path)


PLACE = Path(__file__).parents[3] / "benchmarks/menagerie.py"
SPEC = importlib.util.spec_from_file_location("menagerie_comparison", PLACE)
assert SPEC is not None and SPEC.loader is not None
menagerie = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(menagerie)


def compared(text, tmp_path, **files):
    for name, content in files.items():
        (tmp_path / name.replace("_xml", ".xml")).write_text(content)
    path = tmp_path / "model.xml"
    path.write_text(text)
    return menagerie.compare(path)


@pytest.mark.parametrize("name", TREES)
def test_mass_matrix_and_bias(name, tmp_path):
    row = compared(TREES[name], tmp_path)
    assert row.speeds > 0
    assert row.mass < 1e-11
    assert row.bias < 1e-11


def test_includes(tmp_path):
    """Files in the place of elements, also inside of each other."""
    text = '<mujoco><include file="classes.xml"/><worldbody><include file="robot.xml"/></worldbody></mujoco>'
    robot = '<mujocoinclude><body><joint axis="0 1 0"/><include file="hand.xml"/></body></mujocoinclude>'
    files = {"classes_xml": '<mujoco><default><joint armature="2"/></default></mujoco>', "robot_xml": robot}
    hand = '<mujocoinclude><geom size="0.1"/><body pos="1 0 0"><joint/><geom size="0.2"/></body></mujocoinclude>'
    row = compared(text, tmp_path, **files, hand_xml=hand)
    assert row.speeds == 2
    assert max(row.mass, row.bias) < 1e-12


def polyhedron(seed, mirrored):
    """OBJ text: a bent prism of seven corners with its caps as one face each, quadrilaterals around it, and a second object."""
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, 7))
    radii = rng.uniform(0.3, 1.0, 7)
    ring = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]) + rng.normal(size=2)
    points = np.vstack([np.column_stack([ring, z + 0.2 * rng.normal(size=7)]) for z in (0.0, 1.0)])
    points[:, 0] *= -1.0 if mirrored else 1.0
    faces = [list(range(7, 14)), list(range(6, -1, -1)), *([k, (k + 1) % 7, (k + 1) % 7 + 7, k + 7] for k in range(7))]
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in points] + ["o first"]
    lines += ["f " + " ".join(str(k + 1) for k in (face[::-1] if mirrored else face)) for face in faces]
    return "\n".join([*lines, "o second", "v 9 0 0", "v 9 1 0", "v 9 0 1", "f 15 16 17", ""])


@pytest.mark.parametrize("mirrored", [False, True])
def test_objects_in_obj_files(mirrored, tmp_path):
    """MuJoCo reads the first object, divides its faces in its own way, and counts overlapping tetrahedra twice."""
    for seed in range(12):  # MuJoCo keeps files by their names
        model = f"""<mujoco><compiler inertiafromgeom="true"/><asset><mesh name="m" file="{seed}.obj"/></asset>
          <worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
        (tmp_path / "model.xml").write_text(model)
        (tmp_path / f"{seed}.obj").write_text(polyhedron(seed, mirrored))
        peer = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
        (body,) = (x for x in sr.load_mjcf(tmp_path / "model.xml", meshes=False).bodies.values() if x.name != "ground")
        assert body.mass == pytest.approx(peer.body_mass[1], rel=1e-12), seed


@pytest.mark.parametrize("rule", ["legacy", "exact", "convex", "shell"])
def test_inertia_of_meshes(rule, tmp_path):
    """A body that is not convex, from the numbers of the file: an L of two boxes' corners."""
    corners = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]
    vertices = [(x, y, z) for z in (0.0, 0.5) for x, y in corners]
    flat = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(c, b, a) for a, b, c in flat] + [(a + 6, b + 6, c + 6) for a, b, c in flat]
    for a in range(6):
        b = (a + 1) % 6
        faces += [(a, b, b + 6), (a, b + 6, a + 6)]
    listed = [" ".join(str(x) for row in rows for x in row) for rows in (vertices, faces)]
    mesh = f'<asset><mesh name="L" inertia="{rule}" scale="0.1 0.2 0.1" vertex="{listed[0]}" face="{listed[1]}"/></asset>'
    body = '<body pos="0 0 1"><joint axis="1 2 3"/><geom type="mesh" mesh="L" pos="0.1 0 0" euler="30 0 0"/></body>'
    row = compared(one(body, mesh), tmp_path)
    assert max(row.mass, row.bias) < 1e-11


@pytest.mark.parametrize("name", ACTUATORS)
def test_accelerations_with_springs_and_actuators(name, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(driven(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = sr.load_mjcf(path, keyframe="up", stops=None)
    s = m.compile()
    peer = mujoco.MjModel.from_xml_path(str(path))
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(peer)
    data.ctrl[:] = 0.8
    q, v = menagerie.random_state(s, 4)
    T, _ = menagerie.conversion(s, peer, m, data, q, v)
    data.qvel[:] = T @ v
    mujoco.mj_forward(peer, data)
    assert T @ s.accelerations(q, v) == pytest.approx(data.qacc, rel=1e-9, abs=1e-9)
