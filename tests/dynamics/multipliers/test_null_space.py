"""Partitioned speeds: loops whose equations are redundant but for rounding move as with the other solvers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sharnir as sr
from dynamics.initial.test_lasting_speeds import parallelogram


def tilted_loop(rng: np.random.Generator, bars: int = 4, slides: bool = False, ternary: bool = False) -> sr.Model:
    """A planar ring of bars, drawn in a plane with any direction; every body has axes of its own."""
    turn = Rotation.random(random_state=rng).as_matrix()
    angles = np.sort(rng.uniform(0, 2 * np.pi, bars)) + np.arange(bars) * 0.4
    corners = np.stack([np.cos(angles), np.sin(angles), np.zeros(bars)], 1) * rng.uniform(0.5, 2, (bars, 1))
    corners = corners @ turn.T + rng.normal(size=3)
    axis = turn[:, 2]
    m = sr.Model(gravity=tuple(rng.normal(size=3) * 5))
    names = ["ground", *(f"bar{k}" for k in range(1, bars))]
    for k in range(1, bars):
        middle = 0.5 * (corners[k] + corners[(k + 1) % bars])
        quaternion = Rotation.random(random_state=rng).as_quat(scalar_first=True)
        J = tuple(rng.uniform(0.1, 0.15, 3))
        m.add(sr.Body(names[k], mass=rng.uniform(0.5, 2), inertia=J, position=tuple(middle), rotation=tuple(quaternion)))
    for k in range(bars):
        a, b = names[k], names[(k + 1) % bars]
        at = corners[(k + 1) % bars]
        if slides and k == bars - 1:
            across = turn @ np.array([np.cos(1.0), np.sin(1.0), 0.0])
            m.add(sr.Prismatic(f"J{k}", a, b, axis=tuple(across), at=tuple(at)))
        else:
            m.add(sr.Revolute(f"J{k}", a, b, axis=tuple(axis), at=tuple(at)))
    if ternary:  # a second loop on the first
        m.add(sr.Body("leg", mass=1, inertia=(0.1, 0.12, 0.15), position=tuple(corners[1] + turn @ np.array([0.3, 0.2, 0]))))
        m.add(sr.Revolute("K0", "bar1", "leg", axis=tuple(axis), at=tuple(corners[1] + turn @ np.array([0.4, 0.5, 0]))))
        m.add(
            sr.Revolute("K1", f"bar{bars - 1}", "leg", axis=tuple(-axis), at=tuple(corners[0] + turn @ np.array([0.3, -0.5, 0])))
        )
    return m


CASES = [(seed, bars, slides, bars > 4) for seed in range(6) for bars in (4, 5, 6) for slides in (False, True)]


@pytest.mark.parametrize(("seed", "bars", "slides", "ternary"), CASES)
def test_tilted_planar_loops_move_as_with_the_dense_solver(seed, bars, slides, ternary):
    m = tilted_loop(np.random.default_rng(seed), bars, slides, ternary)
    for formulation in ("joint", "absolute"):
        found = {}
        for solver in ("dense", "sparse", "null-space"):
            s = m.compile(formulation, solver=solver)
            found[solver] = s.accelerations(s.q0, s.v0)
        size = np.abs(found["dense"]).max()
        assert size > 1e-3
        np.testing.assert_allclose(found["null-space"], found["dense"], atol=1e-8 * size)
        np.testing.assert_allclose(found["sparse"], found["dense"], atol=1e-8 * size)


def test_a_singular_start_on_either_branch():
    """A four-bar linkage that starts in line: the partition of the start has a rank too low for what follows.

    Cranks of 1 m, 2 m apart: as a parallelogram they turn alike, D = A = t; as an antiparallelogram tan(D/2) = -3 tan(A/2).
    """
    for formulation in ("joint", "absolute"):
        for ratio in (1.0, -3.0):
            m = parallelogram({"A": 1.0, "D": ratio})
            r = m.simulate(1.5, output=0.25, tolerance=1e-10, formulation=formulation, solver="null-space")
            a, d = r["A.q"], r["D.q"]
            wanted = a if ratio == 1.0 else 2 * np.arctan(-3 * np.tan(a / 2))
            np.testing.assert_allclose(d, wanted, atol=1e-8)
            assert a[-1] > 1.4
            np.testing.assert_allclose(r["energy.kinetic"], r["energy.kinetic"][0], rtol=1e-6)
            if ratio == 1.0:
                np.testing.assert_allclose(a, r.t, atol=1e-8)
