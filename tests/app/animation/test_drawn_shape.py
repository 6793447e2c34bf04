"""What is drawn of flexible bodies: ranges of displacements, what is left out, colours."""

from __future__ import annotations

import numpy as np
import pytest

from app.animation.motions import flexible
from sharnir.app.animation.color_map import COLORS
from sharnir.app.animation.drawn_shape import DrawnShape


def some_shapes(n=7, h=3, **options):
    random = np.random.default_rng(5)
    return flexible("b", random.normal(size=(n, 3)), random.normal(size=(n, 3, h)), **options)


def test_ranges_are_the_extremes_of_all_nodes_at_all_times(monkeypatch):
    shape, w = some_shapes(), np.random.default_rng(6).normal(size=(50, 3))
    u = np.einsum("nch,th->tnc", shape.shapes, w)
    expected = {"magnitude": (0.0, np.linalg.norm(u, axis=2).max())}
    expected |= {axis: (u[:, :, c].min(), u[:, :, c].max()) for c, axis in enumerate("xyz")}
    for chunk in (1, 100, 10**6):
        monkeypatch.setattr("sharnir.app.animation.drawn_shape.BLOCK", chunk)
        found = DrawnShape.of(shape).ranges(w)
        for name, range_ in expected.items():
            assert found[name] == pytest.approx(range_, rel=1e-5)


def test_what_is_drawn_keeps_its_places():
    whole = some_shapes(9, lines=[[1, 3]], faces=[[3, 5, 8]], interfaces={"tip": 6})
    drawn = DrawnShape.of(whole)
    assert len(drawn.nodes) == 5  # 1, 3, 5, 6, 8
    np.testing.assert_array_equal(drawn.nodes[drawn.lines], whole.nodes[whole.lines].astype(np.float32))
    np.testing.assert_array_equal(drawn.shapes[drawn.faces], whole.shapes[whole.faces].astype(np.float32))
    np.testing.assert_array_equal(drawn.nodes[drawn.marks["b:tip"]], whole.nodes[6].astype(np.float32))
    assert len(DrawnShape.of(some_shapes(9, interfaces={"tip": 6})).nodes) == 9  # without lines and faces all nodes are points


def test_the_inside_of_a_solid_is_left_out():
    from flexible.boxes import box
    from sharnir.flexible import solid

    block = solid(box("hexahedron", counts=(4, 4, 4)))
    drawn = DrawnShape.of(flexible("block", block.nodes, np.zeros((125, 3, 1)), faces=block.faces, interfaces={"wall": 62}))
    assert len(drawn.nodes) == 5**3 - 3**3 + 1  # and the interface, in the very middle


def oklab(color: str) -> np.ndarray:
    """Lightness and two opponent colours (Ottosson 2020)."""
    srgb = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    opponents = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return opponents @ np.cbrt(cones @ linear)


def test_equal_steps_of_colour_look_equally_large():
    path = np.array([oklab(color) for color in COLORS])
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert steps == pytest.approx(np.full(len(steps), steps.mean()), rel=0.05)
    assert np.all(np.diff(path[:, 0]) > 0.5 * np.diff(path[:, 0]).mean())  # lighter all the way, for eyes without colours
