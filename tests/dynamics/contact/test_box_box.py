"""Two boxes: stacks, a block over an edge, edges that cross, impacts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr

g = 9.81


def outputs(law: object, **place: object) -> np.ndarray:
    """Numbers that the contact of a box with one at the origin tells, at the start."""
    m = sr.Model("boxes", gravity=(0, 0, 0))
    m.add(
        sr.Body("a", density=1000, shape=sr.Box((0.2, 0.2, 0.1)), **place),
        sr.Body("b", density=1000, shape=sr.Box((0.2, 0.2, 0.1))),
    )
    m.add(sr.Contact("c", "a", "b", law=law))
    s = m.compile()
    out = np.zeros((1, 10))
    s.observe_work(np.zeros(1), s.y0[None], s.assembly.force_outputs["c"], out)
    return out[0]


def test_faces_touch_as_a_polygon() -> None:
    """Four laws on a common rectangle, at its middle, however the boxes are turned about the normal."""
    law, depth = sr.LinearLaw(1e6), 1e-4
    for angle in (0.0, 1e-12, 0.3, math.pi / 4, math.pi / 2):
        out = outputs(law, position=(0, 0, 0.1 - depth), rotation=sr.rotation_about("z", angle))
        assert out[:2] == pytest.approx([depth, 4 * 1e6 * depth], rel=1e-9)
        assert out[7:] == pytest.approx([0, 0, 0.05 - depth / 2], abs=1e-12)
    shifted = outputs(law, position=(0.05, 0.02, 0.1 - depth))
    assert shifted[7:] == pytest.approx([0.025, 0.01, 0.05 - depth / 2], abs=1e-12)
    assert shifted[1] == pytest.approx(4 * 1e6 * depth, rel=1e-9)


def test_edges_that_cross_touch_at_one_point() -> None:
    """Two bars on edge, crossed at a right angle: the gap is the distance of the edges."""
    turn_a, turn_b = sr.rotation_about("x", math.pi / 4), sr.rotation_about("y", math.pi / 4)
    height = 2 * 0.1 / math.sqrt(2) - 1e-4
    m = sr.Model("bars", gravity=(0, 0, 0))
    m.add(sr.Body("a", density=1000, shape=sr.Box((1, 0.1, 0.1)), rotation=turn_a, position=(0.1, 0.05, height)))
    m.add(sr.Body("b", density=1000, shape=sr.Box((0.1, 1, 0.1)), rotation=turn_b))
    m.add(sr.Contact("c", "a", "b", law=sr.LinearLaw(1e6)))
    s = m.compile()
    out = np.zeros((1, 10))
    s.observe_work(np.zeros(1), s.y0[None], s.assembly.force_outputs["c"], out)
    assert out[0, :2] == pytest.approx([1e-4, 100.0], rel=1e-6)
    assert out[0, 7:] == pytest.approx([0.0, 0.05, height / 2], abs=1e-9)


def test_a_stack_of_equal_boxes_stands() -> None:
    m, law, rub = sr.Model("stack"), sr.HuntCrossley(1e7, damping=5), sr.Friction(0.5)
    weight = 0.2 * 0.2 * 0.1 * 1000 * g
    for k in range(4):
        m.add(sr.Body(f"b{k}", density=1000, shape=sr.Box((0.2, 0.2, 0.1)), position=(0.01 * k, 0, 0.05 + 0.1 * k)))
        below = sr.Plane() if k == 0 else None
        m.add(sr.Contact(f"c{k}", f"b{k}", "ground" if k == 0 else f"b{k - 1}", shape_b=below, law=law, friction=rub))
    r = m.simulate(1.0, step=0.01, integrator="radau5", tolerance=1e-6)
    for k in range(4):
        assert r[f"c{k}.force"][-1] == pytest.approx((4 - k) * weight, rel=5e-4)
        assert np.abs(r[f"b{k}.velocity"][-1]).max() < 1e-4
    assert r["b3.position"][-1] == pytest.approx([0.03, 0, 0.35], abs=2e-3)


def test_block_slides_over_an_edge() -> None:
    """A smooth block leaves a table: level and at its speed until its centre passes the edge, then it tips over it."""
    m = sr.Model("edge")
    law, table = sr.HuntCrossley(1e7, damping=3), sr.Box((1.0, 1.0, 0.1), center=(-0.5, 0, -0.05))
    m.add(sr.Body("block", mass=1, shape=sr.Box((0.2, 0.1, 0.05)), position=(-0.2, 0, 0.025 - 4e-5), velocity=(1, 0, 0)))
    m.add(sr.Contact("table", "block", "ground", shape_b=table, law=law))
    r = m.simulate(0.5, step=0.001)
    x, tilt = r["block.position"][:, 0], 2 * r["block.rotation"][:, 2]
    before = x < -0.005
    assert before.sum() > 180
    assert np.abs(tilt[before]).max() < 2e-3
    assert r["block.velocity"][before, 0] == pytest.approx(1.0, abs=2e-3)
    assert r["table.force"][before][20:].mean() == pytest.approx(g, rel=0.02)
    assert r["block.angular_velocity"][-1, 1] > 0.2 and r["table.force"][-1] == 0.0  # it turns, and flies
    energy = r["energy.total"]
    assert energy[-1] < energy[0] + 1e-4


def test_boxes_that_collide_keep_momenta() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        m = sr.Model("collision", gravity=(0, 0, 0))
        turn = rng.normal(size=4)
        m.add(
            sr.Body(
                "a", density=100, shape=sr.Box((0.3, 0.2, 0.1)), rotation=turn, position=(0.02, 0.03, 0.45), velocity=(0, 0, -2)
            )
        )
        m.add(sr.Body("b", density=200, shape=sr.Box((0.4, 0.5, 0.2)), angular_velocity=(0.5, 1, 0)))
        m.add(sr.Contact("c", "a", "b", law=sr.HuntCrossley(1e6, damping=0.2), friction=sr.Friction(0.3, speed=0.01)))
        r = m.simulate(0.5, step=0.001, tolerance=1e-8)
        assert r["c.force"].max() > 10
        for quantity in ("system.momentum", "system.angular_momentum"):
            assert np.abs(r[quantity] - r[quantity][0]).max() < 1e-7
        assert r["energy.total"][-1] < r["energy.total"][0]
        assert r["c.depth"][-1] < 0.0


def elastic_impact(seed: int, stiffness: float, tolerance: float = 1e-9) -> tuple[float, float]:
    """Largest elastic energy of a random impact and the energy gained by it, over the energy before."""
    rng = np.random.default_rng(seed)
    turns = (rng.normal(size=4), sr.rotation_about(tuple(rng.normal(size=3)), 0.03), sr.rotation_about("z", rng.uniform(0, 3)))
    place, velocity = (*rng.uniform(-0.3, 0.3, 2), 0.3), (*rng.uniform(-2, 2, 2), -2.0)
    m = sr.Model("impact", gravity=(0, 0, 0))
    m.add(
        sr.Body("a", density=100, shape=sr.Box((0.3, 0.2, 0.1)), rotation=turns[seed % 3], position=place, velocity=velocity),
        sr.Body("b", density=200, shape=sr.Box((0.4, 0.5, 0.2)), angular_velocity=tuple(2 * rng.normal(size=3))),
    )
    m.add(sr.Contact("c", "a", "b", law=sr.Hertz(stiffness)))
    r = m.simulate(0.3, output=1e-3, tolerance=tolerance, max_step=1e-3)  # a short touch in a long step can be missed
    energy = r["energy.total"]
    return float(r["c.energy"].max() / energy[0]), float(np.abs(energy / energy[0] - 1).max())


@pytest.mark.parametrize(("stiffness", "usual", "most"), [(1e6, 0.005, 0.25), (1e7, 0.002, 0.12)])
def test_elastic_impacts_keep_energy_in_part(stiffness: float, usual: float, most: float) -> None:
    """At corners, edges and faces, flat and askew, beside the edge and over it; every moment counts, not only the end.

    The choice of the axis and the weights of corners depend on the position, and the force is not the gradient in them.
    """
    stored, gained = np.array([elastic_impact(seed, stiffness) for seed in range(90)]).T
    assert (stored > 0.02).sum() >= 30
    assert np.median(gained) < usual and gained.max() < most


def test_a_box_that_lands_flat_over_an_edge_tips() -> None:
    """The impulse acts between the edge and the middle of what is common, x from -0.04 to 0, not at the middle of the box."""
    m = sr.Model("edge", gravity=(0, 0, 0))
    m.add(sr.Body("box", mass=1, shape=sr.Box((0.2, 0.1, 0.1)), position=(0.06, 0, 0.05 + 1e-6), velocity=(0, 0, -1)))
    table = sr.Box((1.0, 1.0, 0.1), center=(-0.5, 0, -0.05))
    m.add(sr.Contact("table", "box", "ground", shape_b=table, law=sr.Hertz(1e9)))
    r = m.simulate(0.002, output=1e-5, tolerance=1e-9)
    v, w = r["box.velocity"][-1, 2], r["box.angular_velocity"][-1, 1]
    inertia = (0.2**2 + 0.1**2) / 12
    assert 0.06 < inertia * w / (v + 1) < 0.08
    assert v**2 + inertia * w**2 == pytest.approx(1.0, rel=1e-3)
