"""Constraints for speeds that contradict each other or a drive are errors, at the start and on the way, in any direction."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.flexible import Section, reduce, straight_beam


def axes(seed):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]


def sledge(motion, seed):
    """A cart driven along one axis, a slide across it on the cart, and a knife edge that forbids the drive's direction."""
    A = np.eye(3) if seed is None else axes(seed)
    m = sr.Model("sledge", gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Prismatic("S", "ground", "cart", axis=tuple(A[0]), motion=motion))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "cart", "b", axis=tuple(A[1])))
    m.add(sr.KnifeEdge("edge", "b", direction=tuple(A[0])))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("seed", [None, 0, 1, 2, 3, 4])
def test_a_drive_against_a_knife_edge_is_refused_at_the_start(seed, formulation):
    with pytest.raises(sr.ModelError, match=r"no speeds satisfy all constraints at t = 0: what 'S' prescribes .*edge: sideways"):
        sledge("2*t", seed).simulate(1.0, formulation=formulation)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_one_that_begins_at_rest_fails_when_it_begins_to_move(seed, formulation):
    with pytest.raises(
        sr.SimulationError, match=r"cannot be brought onto the constraints .*; what 'S' prescribes .*edge: sideways"
    ) as e:
        sledge("t^2", seed).simulate(1.0, formulation=formulation)
    assert e.value.result.stats["t_reached"] < 1e-4


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_no_speed_is_left_that_could_give_way(seed, formulation):
    """A driven slide and a knife edge across it, and nothing else: nothing is integrated, and it fails all the same."""
    A = np.eye(3) if seed is None else axes(seed)
    for direction, contrary in ((A[0] + 0.3 * A[1], True), (A[1], False)):
        m = sr.Model("slide", gravity=(0, 0, 0))
        m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("S", "ground", "b", axis=tuple(A[0]), motion="t^2"))
        m.add(sr.KnifeEdge("edge", "b", direction=tuple(direction)))
        if not contrary:
            assert m.simulate(1.0, formulation=formulation).stats["speed_residual"] < 1e-9
            continue
        with pytest.raises(sr.SimulationError, match=r"at t = 0.002 s .*'S'") as e:
            m.simulate(1.0, formulation=formulation)
        assert not e.value.result.complete


def test_drives_that_pull_a_rod_apart():
    """Two driven slides and a rod between them: nothing is free, and the rod would have to stretch."""
    for second, contrary in (("2*t^2", True), ("t^2", False)):
        m = sr.Model("slides", gravity=(0, 0, 0))
        for name, x, motion in (("a", 0.0, "t^2"), ("b", 1.0, second)):
            m.add(sr.Body(name, mass=1, inertia=(1, 1, 1), position=(x, 0, 0)))
            m.add(sr.Prismatic(f"S{name}", "ground", name, axis="x", motion=motion))
        m.add(sr.Distance("rod", "a", "b"))
        if contrary:
            with pytest.raises(sr.SimulationError, match="what 'Sa' and 'Sb' prescribe contradicts 'rod'"):
                m.simulate(1.0)
        else:
            assert m.simulate(1.0).complete


def test_a_knife_edge_along_the_drive_lets_it_pass():
    A = axes(1)
    m = sr.Model("skate", gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Prismatic("S", "ground", "cart", axis=tuple(A[0]), motion="t^2"))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "cart", "b", axis=tuple(A[1])))
    m.add(sr.KnifeEdge("edge", "b", direction=tuple(A[1])))
    result = m.simulate(1.0)
    assert result.complete and np.abs(result["P.v"]).max() < 1e-9 and result.stats["speed_residual"] < 1e-9


@pytest.mark.parametrize("rate", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_vibrations_do_not_hide_a_contradiction(formulation, rate):
    """A beam on the slide rings at any speed: the drive against the knife edge is found all the same; without it nothing is."""
    beam = reduce(straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.02), elements=3), interfaces={"a": 0, "b": 3}, modes=2)
    for motion, contrary in (("t^2", True), ("0", False)):
        m = sledge(motion, None)
        m.add(
            sr.FlexibleBody("beam", reduced=beam),
            sr.Ball("A", "b", "beam:a"),
            sr.PointOnPlane("floor", "ground", "beam:b", normal="z"),
        )
        s = m.compile(formulation)
        _, first, count = s.assembly.coordinates.elastic["beam"]
        y, out = s.y0, np.zeros(8)
        rows = s.constraint_jacobian(s.q0)[:, first : first + count]
        ringing = np.linalg.svd(rows)[2][-1]  # a vibration that the floor does not feel
        assert np.abs(rows @ ringing).max() < 1e-9
        y[s.n_q + first : s.n_q + first + count] = rate * ringing
        call_once(PROJECTION.address, 0.05, y, out, s.table, s.params, s.work)
        assert bool(out[3]) == contrary
