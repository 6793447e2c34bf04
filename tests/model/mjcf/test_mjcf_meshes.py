"""Meshes of MJCF files as MuJoCo reads them: how faces become triangles, reference frames, what is kept of the inertia."""

import warnings

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError
from sharnir.model.frames import rotation_matrix
from sharnir.model.mjcf.first_object import MOST_CORNERS, object_of
from sharnir.model.mjcf.kept_inertia import kept_inertia

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (pip install mujoco)")

BIPYRAMID = [(1, 0, 0), (-0.5, 0.8, 0), (-0.4, -0.9, 0.1), (0, 0.1, 1), (0.1, 0, -1.2)]
OUTSIDE = [(0, 1, 3), (1, 2, 3), (2, 0, 3), (1, 0, 4), (2, 1, 4), (0, 2, 4)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its log into the current folder."""
    monkeypatch.chdir(tmp_path)


def obj(points, faces):
    lines = ["v " + " ".join(f"{x:.9g}" for x in point) for point in points]
    return "\n".join([*lines, *("f " + " ".join(str(k + 1) for k in face) for face in faces), ""])


def model_of(asset, geom=""):
    return f"""<mujoco><asset><mesh name="m" {asset}/></asset>
      <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" {geom}/></body></worldbody></mujoco>"""


def both(tmp_path, asset, geom=""):
    """The body's mass, centre, inertia: MuJoCo's, then ours."""
    path = tmp_path / "model.xml"
    path.write_text(model_of(asset, geom))
    peer = mujoco.MjModel.from_xml_path(str(path))
    R = np.array(rotation_matrix(tuple(peer.body_iquat[1])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sr.ModelWarning)
        body = sr.load_mjcf(path, meshes=False).bodies["b"]
    theirs = [peer.body_mass[1], peer.body_ipos[1], (R * peer.body_inertia[1]) @ R.T]
    return theirs, [body.mass, np.array(body.com), np.array(body.inertia_matrix)]


def agree(theirs, ours, tolerance=1e-13):
    for a, b in zip(theirs, ours, strict=True):
        assert np.abs(np.array(b) - a).max() < tolerance * max(np.abs(a).max(), 1e-2)


def polygon(rng, kind, corners):
    """Corners around a centre: in a plane, in a plane away from the origin, small, or anywhere."""
    if kind == "anywhere":
        return rng.normal(size=(corners, 3))
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, corners))
    radii = rng.uniform(0.2, 1.0, corners)
    flat = np.column_stack([radii * np.cos(angles), radii * np.sin(angles), np.zeros(corners)])
    flat = flat + (0.0 if kind == "plane" else rng.normal(size=3))
    turned = flat @ np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    return turned * 10 ** rng.uniform(-5, -3) if kind == "small" else turned


def triangles_of_mujoco(text):
    model = model_of('file="m.obj"', 'contype="0" conaffinity="0" mass="1"')
    return mujoco.MjModel.from_xml_string(model, {"m.obj": text.encode()}).mesh_face.tolist()


@pytest.mark.parametrize("kind", ["plane", "away", "small", "anywhere"])
def test_faces_become_the_same_triangles(kind):
    """Also where the ears that can be cut off end before the face does."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        corners = int(rng.integers(4, 14))
        points = np.vstack([BIPYRAMID, polygon(rng, kind, corners)])
        text = obj(points, [*OUTSIDE, range(5, 5 + corners)])
        assert object_of(text, "m.obj").faces.tolist() == triangles_of_mujoco(text)


@pytest.mark.parametrize("corners", [MOST_CORNERS, MOST_CORNERS + 1, 215])
def test_faces_of_more_than_a_hundred_corners_are_left_out(corners):
    angles = np.arange(corners) * 2.0 * np.pi / corners
    ring = np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
    text = obj(np.vstack([BIPYRAMID, ring]), [*OUTSIDE, range(5, 5 + corners), *OUTSIDE[:1]])
    found = object_of(text, "m.obj").faces.tolist()
    assert found == triangles_of_mujoco(text)
    assert len(found) == 7 + (corners - 2 if corners <= MOST_CORNERS else 0)


def test_files_that_are_none_are_refused():
    for text in ("", "f 1 2 3\n", "v 0 0\nf 1 1 1\n", "v 0 0 0\nf 1 2 3\n", "v a b c\n"):
        with pytest.raises(ModelError, match=r"m\.obj"):
            object_of(text, "m.obj")


FRAMES = {
    "reference frame": 'refpos="0.3 -0.2 0.5" refquat="0.7 0.1 -0.5 0.3"',
    "scale": 'scale="0.2 1.5 0.7"',
    "scale and place": 'scale="0.2 1.5 0.7" refpos="0.3 -0.2 0.5"',
    "scale and frame": 'scale="0.2 1.5 0.7" refpos="0.3 -0.2 0.5" refquat="0.7 0.1 -0.5 0.3"',
    "mirror": 'scale="1 -1 1" refpos="0.3 -0.2 0.5" refquat="0.7 0.1 -0.5 0.3"',
}


@pytest.mark.parametrize("source", ["file", "numbers", "corners"])
@pytest.mark.parametrize("name", FRAMES)
def test_reference_frames_and_scales(name, source, tmp_path):
    """The reference frame comes before the scale; vertices without faces stand for their convex hull."""
    (tmp_path / "m.obj").write_text(obj(BIPYRAMID, OUTSIDE))
    vertices, faces = (" ".join(str(x) for row in rows for x in row) for rows in (BIPYRAMID, OUTSIDE))
    given = {"file": 'file="m.obj"', "numbers": f'vertex="{vertices}" face="{faces}"', "corners": f'vertex="{vertices}"'}[source]
    theirs, ours = both(tmp_path, f'{given} inertia="exact" {FRAMES[name]}', 'pos="1 2 3" euler="20 30 40"')
    agree(theirs, ours)


@pytest.mark.parametrize("rule", ["legacy", "exact", "convex", "shell"])
@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_small_products_of_inertia_are_dropped(rule, size, tmp_path):
    """A mesh turned so little that MuJoCo takes it as it lies, and others that need one or more turns."""
    rng = np.random.default_rng(5)
    box = np.array([(x, y, z) for z in (-1.5, 1.5) for x, y in ((-1, -2), (1, -2), (1, 2), (-1, 2))]) * 0.5 * size
    faces = [(3, 2, 1, 0), (4, 5, 6, 7), *((k, (k + 1) % 4, (k + 1) % 4 + 4, k + 4) for k in range(4))]
    for k, angle in enumerate((1e-8, 1e-7, 3e-7, 1e-6, 1e-4, 0.3)):
        w = angle * rng.normal(size=3)
        skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        turned = box @ (np.eye(3) + skew + 0.5 * skew @ skew).T + size * rng.normal(size=3)
        (tmp_path / f"{k}.obj").write_text(obj(turned, faces))
        theirs, ours = both(tmp_path, f'file="{k}.obj" inertia="{rule}"')
        agree(theirs, ours, 1e-11)


def test_what_is_dropped_is_small_and_turning_does_not_change_moments():
    rng = np.random.default_rng(8)
    for _ in range(50):
        A = rng.normal(size=(3, 3))
        J = A @ A.T
        kept = kept_inertia(J)
        assert np.abs(kept - J).max() < 2e-7 * np.abs(J).max()
        assert np.linalg.eigvalsh(kept) == pytest.approx(np.linalg.eigvalsh(J), rel=1e-9, abs=1e-12)
        assert kept_inertia(np.diag([3.0, 2.0, 1.0])).diagonal().tolist() == [3.0, 2.0, 1.0]


@pytest.mark.parametrize("name", FRAMES)
def test_pictures_lie_where_mujoco_draws_them(name, tmp_path):
    """Scales along turned axes would shear a mesh; such ones are named and not drawn."""
    (tmp_path / "m.obj").write_text(obj(BIPYRAMID, OUTSIDE))
    path = tmp_path / "model.xml"
    path.write_text(model_of(f'file="m.obj" inertia="exact" {FRAMES[name]}', 'pos="1 2 3" euler="20 30 40"'))
    sheared = name in ("scale and frame", "mirror")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shapes = sr.load_mjcf(path).bodies["b"].shape
    assert sheared == any("turned and then scaled" in str(x.message) for x in caught)
    if sheared:
        assert not shapes
        return
    peer = mujoco.MjModel.from_xml_path(str(path))
    R = np.array(rotation_matrix(tuple(peer.geom_quat[0])))
    theirs = peer.mesh_vert @ R.T + peer.geom_pos[0]
    (shape,) = shapes if isinstance(shapes, tuple) else (shapes,)
    ours = shape.triangles.vertices
    distances = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
    assert distances.min(axis=0).max() < 1e-6
    assert distances.min(axis=1).max() < 1e-6
