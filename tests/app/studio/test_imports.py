"""Imports: FE models become bodies that can be run; what cannot be imported says so."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.app.studio.examination import examine
from sharnir.app.studio.imports import imported
from sharnir.flexible import Section, reduce, straight_beam


def test_a_reduced_model_becomes_a_body(tmp_path):
    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.02), elements=6)
    reduce(beam, interfaces={"root": 0, "tip": 6}, modes=3).save(tmp_path / "my beam.npz")
    found = imported(tmp_path / "my beam.npz", "my beam.npz")
    assert found == {"body": "my_beam", "entry": {"type": "flexible-body", "reduced": "my beam.npz"}}
    checked = examine({"bodies": {found["body"]: found["entry"]}}, tmp_path)
    assert [p for p in checked["problems"] if p["kind"] == "error"] == [] and checked["freedoms"] > 6


def test_a_mesh_of_solids_becomes_a_body_with_tied_ends(tmp_path):
    meshio = pytest.importorskip("meshio")
    points = np.array([[x, y, z] for x in (0, 0.5, 1) for y in (0, 0.1) for z in (0, 0.1)], float)
    cells = [[0, 2, 3, 1, 4, 6, 7, 5], [4, 6, 7, 5, 8, 10, 11, 9]]
    meshio.Mesh(points, {"hexahedron": cells}).write(tmp_path / "bar.vtk")
    found = imported(tmp_path / "bar.vtk", "bar.vtk")
    entry = found["entry"]["reduced"]
    assert entry["fe"] == {"type": "solid", "mesh": "bar.vtk", "material": "steel"} and len(entry["ties"]) == 2
    hinge = {"type": "revolute", "parent": "ground", "child": "bar:first", "axis": "y"}
    checked = examine({"bodies": {"bar": found["entry"]}, "joints": {"O": hinge}}, tmp_path)
    assert [p for p in checked["problems"] if p["kind"] == "error"] == [] and checked["freedoms"] > 1


TETRAHEDRON = {"v": [(0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3)], "f": [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]}


@pytest.mark.parametrize("faces", [4, 3])
def test_a_surface_becomes_the_shape_of_a_body(tmp_path, faces):
    lines = [f"{word} {' '.join(map(str, row))}" for word, rows in TETRAHEDRON.items() for row in rows]
    (tmp_path / "part.obj").write_text("\n".join(lines[: 4 + faces]))
    entry = imported(tmp_path / "part.obj", "part.obj")["entry"]
    assert entry["shape"] == {"type": "mesh", "file": "part.obj"}
    checked = examine({"bodies": {"part": entry}}, tmp_path)
    assert [p for p in checked["problems"] if p["kind"] == "error"] == [] and checked["freedoms"] == 6
    if faces == 4:
        assert sr.Body("part", density=entry["density"], shape=sr.Mesh(tmp_path / "part.obj")).mass == pytest.approx(
            7850 * 0.3**3 / 6
        )
    else:  # it is open: only a picture
        assert entry["mass"] == 1 and entry["com"] == pytest.approx([0.15] * 3)


@pytest.mark.parametrize(("name", "words"), [("a.step", "write the part as a mesh"), ("a.docx", "cannot be imported; there are")])
def test_other_files_are_refused_in_words(tmp_path, name, words):
    (tmp_path / name).write_text("solid")
    with pytest.raises(sr.ModelError, match=words):
        imported(tmp_path / name, name)


MJCF = """<mujoco model="swing"><worldbody><body name="bob"><joint name="hinge" axis="0 1 0"/>
  <geom type="sphere" size="0.1" pos="0 0 -1"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="swing"><link name="bob">
  <inertial><mass>2</mass><pose>0 0 -1 0 0 0</pose></inertial></link>
  <joint name="hinge" type="revolute"><parent>world</parent><child>bob</child><axis>
  <xyz>0 1 0</xyz></axis></joint></model></sdf>"""
URDF = """<robot name="swing"><link name="base"/><link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="continuous">
  <parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.mark.parametrize(("name", "text"), [("swing.xml", MJCF), ("swing.sdf", SDF), ("swing.urdf", URDF)])
def test_robots_become_documents(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    found = imported(tmp_path / name, name)
    document = found["document"]
    assert "bob" in document["bodies"] and document["joints"]["hinge"]["type"] == "revolute"
    checked = examine(document, tmp_path)
    assert [p for p in checked["problems"] if p["kind"] == "error"] == [] and checked["freedoms"] == 1


def test_meshes_of_a_robot_are_named_from_the_folder_of_the_studio(tmp_path):
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    lines = [f"{word} {' '.join(map(str, row))}" for word, rows in TETRAHEDRON.items() for row in rows]
    (tmp_path / "arm" / "meshes" / "part.obj").write_text("\n".join(lines))
    mesh = '<visual><geometry><mesh filename="package://arm/meshes/part.obj"/></geometry></visual>'
    (tmp_path / "arm" / "swing.urdf").write_text(URDF.replace('<link name="bob">', f'<link name="bob">{mesh}'))
    document = imported(tmp_path / "arm" / "swing.urdf", "arm/swing.urdf")["document"]
    assert document["bodies"]["bob"]["shape"]["file"] == "arm/meshes/part.obj"
    checked = examine(document, tmp_path)
    assert [p for p in checked["problems"] if p["kind"] == "error"] == []
