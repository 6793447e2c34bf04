"""Meshes: integrals against closed forms and trimesh's own, closedness, files, pictures."""

import zipfile

import numpy as np
import pytest

import sharnir as sr
from sharnir.model.bodies.triangles import Triangles
from sharnir.model.frames import rotation_rpy

trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed (pip install sharnir[mesh])")

SOLIDS = {
    "box": lambda: trimesh.creation.box((0.2, 0.3, 0.5)),
    "cylinder": lambda: trimesh.creation.cylinder(0.1, 0.4, sections=24),
    "torus": lambda: trimesh.creation.torus(0.3, 0.1),
    "two balls": lambda: trimesh.util.concatenate(
        [trimesh.creation.icosphere(2, 0.1), trimesh.creation.icosphere(1, 0.2).apply_translation((1, 0, 0))]
    ),
}
TURN = ((1, 0, 0), (0, 0, -1), (0, 1, 0))


@pytest.fixture
def written(tmp_path):
    def write(mesh, name="part.stl"):
        path = tmp_path / name
        mesh.export(path)
        return path

    return write


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb", "off"])
def test_box_in_every_format(written, suffix):
    path = written(SOLIDS["box"](), f"box.{suffix}")
    body = sr.Body("box", density=1000, shape=sr.Mesh(path))
    block = sr.Body("block", density=1000, shape=sr.Box((0.2, 0.3, 0.5)))
    assert body.mass == pytest.approx(block.mass, rel=1e-6)  # STL and GLB have single precision
    np.testing.assert_allclose(body.com, 0, atol=1e-7)
    np.testing.assert_allclose(body.inertia, block.inertia, rtol=1e-6, atol=1e-7)


def test_text_stl(tmp_path):
    path = tmp_path / "text.STL"
    path.write_text(trimesh.exchange.stl.export_stl_ascii(SOLIDS["box"]()))
    assert sr.Mesh(path).volume == pytest.approx(0.03, rel=1e-6)


@pytest.mark.parametrize(("unit", "metres"), [(' unit="centimeter"', 0.01), (' unit="inch"', 0.0254), ("", 0.001)])
def test_3mf_is_in_metres(unit, metres, tmp_path):
    pytest.importorskip("networkx", reason="networkx is not installed (pip install sharnir[mesh])")
    corners = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    faces = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
    mesh = f"<mesh><vertices>{corners}</vertices><triangles>{faces}</triangles></mesh>"
    text = f"""<model{unit} xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
      <resources><object id="1" type="model">{mesh}</object></resources><build><item objectid="1"/></build></model>"""
    with zipfile.ZipFile(tmp_path / "part.3mf", "w") as archive:
        archive.writestr("3D/3dmodel.model", text)
    assert sr.Mesh(tmp_path / "part.3mf").volume == pytest.approx(metres**3 / 6, rel=1e-12)


@pytest.mark.parametrize("solid", SOLIDS)
def test_integrals_of_a_moved_and_scaled_mesh(written, solid):
    mesh = SOLIDS[solid]().apply_translation((3.0, -2.0, 5.0))
    shape = sr.Mesh(written(mesh, "part.ply"), scale=(2, -1, 0.5), position=(1, 2, 3), rotation=TURN)
    expected = mesh.copy()
    expected.vertices = (expected.vertices * (2, -1, 0.5)) @ np.array(TURN).T + (1, 2, 3)
    expected.invert()
    assert shape.volume == pytest.approx(expected.volume, rel=1e-5)
    np.testing.assert_allclose(shape.center, expected.center_mass, rtol=1e-5)
    J = expected.moment_inertia / expected.volume
    np.testing.assert_allclose(shape.unit_inertia(), J, atol=1e-5 * np.abs(J).max())


def test_integrals_are_exact_far_away():
    rng = np.random.default_rng(3)
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) @ rng.normal(size=(3, 3))
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    near, far = (Triangles(corners + shift, faces, -np.ones(4, int)).integrals() for shift in (0.0, 1e5))
    assert far[0] == pytest.approx(near[0], rel=1e-9)
    np.testing.assert_allclose(far[2], near[2], atol=1e-9 * np.abs(near[2]).max())
    center, second = corners.mean(axis=0), np.cov(corners.T, bias=True) / 5  # of a tetrahedron: Σ (p - c)(p - c)ᵀ / 20
    np.testing.assert_allclose(near[1], center)
    np.testing.assert_allclose(near[2], np.trace(second) * np.eye(3) - second, atol=1e-14)


def test_sizes_are_formulas_of_parameters(written):
    path = written(SOLIDS["box"](), "box.off")
    m = sr.Model()
    s = m.parameter("s", 2.0)
    m.add(sr.Body("b", density=10, shape=sr.Mesh(path, scale=(s, 1, "s/2"), position=(0, 0, s))))
    assert m.bodies["b"].mass == pytest.approx(0.6) and m.bodies["b"].com == pytest.approx((0, 0, 2))
    assert m.with_parameters(s=1).bodies["b"].mass == pytest.approx(0.15)


def test_mesh_from_inside_out_has_the_same_mass(written):
    mesh = SOLIDS["cylinder"]()
    mesh.invert()
    inside_out = sr.Body("b", density=1, shape=sr.Mesh(written(mesh, "turned.ply")))
    right = sr.Body("b", density=1, shape=sr.Mesh(written(SOLIDS["cylinder"](), "right.ply")))
    assert inside_out.mass == pytest.approx(right.mass)
    np.testing.assert_allclose(inside_out.inertia, right.inertia, atol=1e-12)


def test_open_meshes_are_pictures_only(written):
    mesh = SOLIDS["box"]()
    mesh.update_faces(np.arange(len(mesh.faces)) > 0)
    shape = sr.Mesh(written(mesh))
    assert not shape.closed
    with pytest.raises(sr.ModelError, match=r"'part.stl' is not closed \(3 open or crossed edges\).*give the body mass, com"):
        sr.Body("b", density=1, shape=shape)
    with pytest.raises(sr.ModelError, match="not closed"):
        sr.Body("b", mass=1, shape=shape)
    assert sr.Body("b", mass=1, com=(0, 0, 0), inertia=(1, 1, 1), shape=shape).mass == 1
    assert sr.Body("frame", mass=0, shape=shape).com == (0, 0, 0)


def test_one_triangle_that_is_turned_round_is_found(written):
    mesh = SOLIDS["box"]()
    mesh.faces[0] = mesh.faces[0][::-1]
    assert not sr.Mesh(written(mesh)).closed


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("part.step", b"ISO-10303-21;", "must end in one of"),
        ("part.stl", b"", "cannot be read as a mesh|has no triangles"),
        ("part.obj", b"v 1 2", "cannot be read as a mesh|has no triangles"),
        ("part.glb", b"glTF\x02\x00\x00\x00garbage", "cannot be read as a mesh"),
        ("part.dae", b"<COLLADA>", "cannot be read as a mesh"),
        ("part.ply", b"ply\nformat ascii 1.0\nend_header\n", "cannot be read as a mesh|has no triangles"),
    ],
)
def test_wrong_files(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(sr.ModelError, match=words):
        sr.Body("b", density=1, shape=sr.Mesh(path))


def test_wrong_arguments(tmp_path, written):
    with pytest.raises(sr.ModelError, match="no such file"):
        sr.Mesh(tmp_path / "nothing.stl")
    with pytest.raises(sr.ModelError, match="must not contain zero"):
        sr.Mesh(written(SOLIDS["box"]()), scale=(1, 0, 1))
    with pytest.raises(sr.ModelError, match="path of a file"):
        sr.Mesh(3)


def test_a_mesh_turns_with_its_body(written):
    """A pendulum of a mesh moves as one of the same box as a shape."""
    runs = []
    for shape in (sr.Mesh(written(SOLIDS["box"](), "box.off"), position=(0.4, 0, 0)), sr.Box((0.2, 0.3, 0.5), (0.4, 0, 0))):
        m = sr.Model()
        m.add(sr.Body("bob", density=500, shape=shape))
        m.add(sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        runs.append(m.simulate(0.5, tolerance=1e-10)["hinge.q"][-1])
    assert runs[0] == pytest.approx(runs[1], rel=1e-6)


def test_models_with_meshes_are_saved_with_them(tmp_path, written):
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    elsewhere.mkdir(), here.mkdir()
    for folder, solid in ((elsewhere, "box"), (here, "torus")):
        SOLIDS[solid]().export(folder / "part.ply")
    turn = rotation_rpy(0.1, 0.2, 0.3)
    m = sr.Model()
    m.add(sr.Body("a", density=1, shape=(sr.Mesh(elsewhere / "part.ply", 2, rotation=turn), sr.Sphere(1))))
    m.add(sr.Body("b", density=1, shape=sr.Mesh(here / "part.ply", color="red")))
    m.save(here / "model.toml")
    assert 'file = "model.meshes/part.ply"' in (here / "model.toml").read_text()
    assert 'file = "part.ply"' in (here / "model.toml").read_text()
    again = sr.Model.load(here / "model.toml")
    assert again == m
    again.save(here / "model.toml")  # in place
    here.rename(tmp_path / "moved")
    assert sr.Model.load(tmp_path / "moved" / "model.toml") == m
    outside = (tmp_path / "moved" / "model.toml").read_text().replace("model.meshes/", "../elsewhere/")
    (tmp_path / "moved" / "model.toml").write_text(outside)
    with pytest.raises(sr.ModelFileError, match="outside the folder of the model file"):
        sr.Model.load(tmp_path / "moved" / "model.toml")
    assert sr.Model.load(tmp_path / "moved" / "model.toml", allow_outside=True) == m


def test_fine_meshes_are_drawn_coarser(written):
    ball = trimesh.creation.icosphere(6, 0.5)
    shape = sr.Mesh(written(ball, "ball.ply"))
    (record,) = shape.picture()
    assert len(ball.faces) > 50_000 and 2_000 < len(record["faces"]) <= 10_000
    np.testing.assert_allclose(np.linalg.norm(record["vertices"], axis=1), 0.5, atol=0.02)
    assert shape.volume == pytest.approx(ball.volume, rel=1e-6)  # mass is that of the fine mesh


def test_colours_of_the_file(written):
    red, blue = SOLIDS["box"](), SOLIDS["torus"]()
    red.visual.face_colors, blue.visual.face_colors = (255, 0, 0, 255), (0, 0, 255, 255)
    path = written(trimesh.Scene([red, blue]), "two.glb")
    assert sorted(record["color"] for record in sr.Mesh(path).picture()) == ["#0000ff", "#ff0000"]
    assert len(sr.Mesh(path, color="green").picture()) == 1


def test_missing_textures_are_not_logged(tmp_path, caplog):
    """The shape is read; nobody needs the reader's stack traces about pictures on it."""
    pytest.importorskip("collada")
    effect = """<newparam sid="s"><surface type="2D"><init_from>t</init_from></surface></newparam>
      <newparam sid="p"><sampler2D><source>s</source></sampler2D></newparam>
      <technique sid="c"><phong><diffuse><color>1 0 0 1</color></diffuse></phong>
      <extra><technique profile="G"><bump><texture texture="p" texcoord="U"/></bump></technique></extra></technique>"""
    sources = """<source id="v"><float_array id="w" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
      <accessor source="#w" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
      <param name="Z" type="float"/></accessor></technique_common></source>
      <vertices id="x"><input semantic="POSITION" source="#v"/></vertices>
      <triangles material="m" count="1"><input semantic="VERTEX" source="#x" offset="0"/><p>0 1 2</p></triangles>"""
    path = tmp_path / "part.dae"
    path.write_text(f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>
      <library_images><image id="t"><init_from>nowhere.jpg</init_from></image></library_images>
      <library_effects><effect id="e"><profile_COMMON>{effect}</profile_COMMON></effect></library_effects>
      <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
      <library_geometries><geometry id="g"><mesh>{sources}</mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene id="z"><node><instance_geometry url="#g"><bind_material><technique_common>
      <instance_material symbol="m" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene>
      </library_visual_scenes><scene><instance_visual_scene url="#z"/></scene></COLLADA>""")
    assert len(sr.Mesh(str(path)).triangles.faces) == 1
    assert not caplog.records
