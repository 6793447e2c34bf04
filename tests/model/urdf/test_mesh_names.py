"""Meshes of robot descriptions: where they are, how they are placed, and what is said of those that are not there."""

import numpy as np
import pytest

from sharnir.errors import ModelWarning
from sharnir.model import Mesh, Sphere
from sharnir.model.urdf import load_urdf
from sharnir.model.urdf.mesh_names import mesh_place

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


@pytest.fixture
def package(tmp_path):
    """A package whose folder is called as it happened to be cloned."""
    folder = tmp_path / "clone" / "urdf"
    folder.mkdir(parents=True)
    (tmp_path / "clone" / "meshes").mkdir()
    (tmp_path / "clone" / "meshes" / "a part.obj").write_text(TRIANGLE)
    return tmp_path / "clone"


def test_places(package, tmp_path, monkeypatch):
    part, folder = package / "meshes" / "a part.obj", package / "urdf"
    for name in (
        "package://arm/meshes/a part.obj",
        "package://arm/meshes/a%20part.obj",
        "../meshes/a part.obj",
        f"file://{part}",
        str(part),
    ):
        assert mesh_place(name, folder, {}).resolve() == part
    assert mesh_place("package://arm/meshes/b.obj", folder, {}) is None
    assert mesh_place("package://arm/a part.obj", None, {"arm": package / "meshes"}) == part
    assert mesh_place("package://clone/meshes/a part.obj", None, {}) is None
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path}")
    assert mesh_place("package://clone/meshes/a part.obj", None, {}) == part


def test_package_of_the_name_comes_before_the_own_folder(package, tmp_path):
    """Two packages have a file of the same name; a package that is named is not taken for the own one."""
    other = tmp_path / "hand" / "meshes"
    other.mkdir(parents=True)
    (other / "a part.obj").write_text(TRIANGLE)
    assert mesh_place("package://hand/meshes/a part.obj", package / "urdf", {}).resolve() == other / "a part.obj"


def robot(*visuals):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    return f'<robot name="r"><link name="a">{inertial}{"".join(visuals)}</link></robot>'


def test_all_visuals_of_a_link(package):
    pytest.importorskip("trimesh")
    mesh = '<geometry><mesh filename="package://arm/meshes/a part.obj" scale="0.001 -0.001 0.001"/></geometry>'
    even = mesh.replace("0.001 -0.001 0.001", "0.1")
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    first = f'<visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>{mesh}{red}</visual>'
    second = '<visual><geometry><sphere radius="2"/></geometry></visual>'
    (package / "urdf" / "arm.urdf").write_text(robot(first, second, f"<visual>{even}</visual>"))
    body = load_urdf(package / "urdf" / "arm.urdf").bodies["a"]
    assert [type(shape) for shape in body.shape] == [Mesh, Sphere, Mesh]
    np.testing.assert_allclose(body.shape[0].triangles.vertices.max(axis=0), (1.001, 2.001, 3.001))
    assert body.shape[0].volume == pytest.approx(1e-9 / 6)
    assert body.shape[2].volume == pytest.approx(1e-3 / 6)
    assert body.shape[0].picture()[0]["color"] == (1.0, 0.0, 0.0, 1.0)
    assert body.com == (0, 0, 0) and body.inertia[:3] == (1, 1, 1)


def test_meshes_that_are_missing_or_damaged(package):
    pytest.importorskip("trimesh")
    (package / "meshes" / "bad.stl").write_bytes(b"solid")
    visuals = [
        f'<visual><geometry><mesh filename="package://arm/meshes/{x}"/></geometry></visual>' for x in ("no.stl", "bad.stl")
    ]
    (package / "urdf" / "arm.urdf").write_text(robot(*visuals))
    with pytest.warns(ModelWarning) as caught:
        body = load_urdf(package / "urdf" / "arm.urdf").bodies["a"]
    said = " ".join(str(entry.message) for entry in caught)
    assert "files are not there are not drawn" in said and "no.stl of link 'a'" in said
    assert "cannot be read are not drawn" in said and "bad.stl of link 'a'" in said
    assert body.shape is None and body.mass == 1
