"""Large meshes in a page: as bytes, equal ones once, and drawn where a ball of the same size would be."""

import base64

import numpy as np
import pytest

from app.animation.browser import CHROMIUM, Browser
from sharnir.app.animation.packed_meshes import take_out_meshes
from sharnir.app.animation.page import animate
from sharnir.results import Channel, Result, Scene, SceneItem


def ball(radius=1.0, n=24):
    """A sphere of triangles by longitude and latitude."""
    a, b = np.meshgrid(np.linspace(0, 2 * np.pi, n, endpoint=False), np.linspace(0, np.pi, n), indexing="ij")
    vertices = radius * np.stack([np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)], axis=-1).reshape(-1, 3)
    faces = []
    for i in range(n):
        for j in range(n - 1):
            p, q = i * n + j, (i + 1) % n * n + j
            faces += [[p, p + 1, q], [q, p + 1, q + 1]]
    return {"kind": "mesh", "vertices": vertices.tolist(), "faces": faces, "color": "#ff0000"}


def test_numbers_survive():
    large, small = ball(), {"kind": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]]}
    items = [{"shapes": [large, small]}, {"shapes": [ball() | {"color": "#00ff00"}]}, {"shapes": [ball(2.0)]}]
    meshes = take_out_meshes(items)
    assert [shape.get("mesh") for item in items for shape in item["shapes"]] == [0, None, 0, 1]
    assert items[0]["shapes"][1] == small
    assert items[1]["shapes"][0] == {"kind": "mesh", "color": "#00ff00", "mesh": 0}
    vertices = np.frombuffer(base64.b64decode(meshes[1]["vertices"]), "<f4").reshape(-1, 3)
    np.testing.assert_allclose(vertices, ball(2.0)["vertices"], atol=1e-6)
    faces = np.frombuffer(base64.b64decode(meshes[1]["faces"]), "<u4").reshape(-1, 3)
    np.testing.assert_array_equal(faces, ball(2.0)["faces"])


@pytest.mark.chromium
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_mesh_looks_like_the_ball_that_it_is(tmp_path):
    t = np.array([0.0, 1.0])
    channels = [Channel("ball.position", np.zeros((2, 3)), "m"), Channel("ball.rotation", np.tile([1.0, 0, 0, 0], (2, 1)))]
    red = []
    with_browser = Browser(tmp_path / "profile", (500, 400))
    try:
        for name, shape in (("mesh", ball(n=64)), ("sphere", {"kind": "sphere", "radius": 1.0, "color": "#ff0000"})):
            result = Result(t, channels, scene=Scene([SceneItem("ball", [shape])]))
            with_browser.open(animate(result, tmp_path / f"{name}.html", plots=(), autoplay=False))
            picture = with_browser.picture()
            red.append((picture[..., 0] > 90) & (picture[..., 1] < 70) & (picture[..., 2] < 70))
        assert not with_browser.errors
    finally:
        with_browser.close()
    both, one = (red[0] & red[1]).sum(), (red[0] | red[1]).sum()
    assert both > 5000
    assert both > 0.85 * one  # lines on the ball, and a camera that stands a little nearer
