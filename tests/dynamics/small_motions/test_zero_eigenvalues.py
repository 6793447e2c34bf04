"""Slow motions beside motions that nothing holds: double zeros are taken out before eigenvalues are found."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import sharnir as sr
from rolling_mechanisms import G, bicycle
from sharnir.dynamics.small_motions.zero_eigenvalues import without_zeros

BOTH = ("joint", "absolute")


def exact_bicycle(speed):
    digits = json.loads((Path(__file__).parents[2] / "reference" / "loop_digits.json").read_text())["bicycle"]
    M, C1, K0, K2 = (np.array(digits[key]) for key in ("M", "C1", "K0", "K2"))
    K, D = np.linalg.solve(M, G * K0 + speed**2 * K2), np.linalg.solve(M, speed * C1)
    return np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -D]]))


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("speed", [5.9, 6.02, 6.024, 6.0243, 6.03, 8.0])
def test_the_bicycle_where_it_begins_to_capsize(formulation, speed):
    """The capsize eigenvalue goes through zero at 6.0243 m/s, beside four motions that nothing holds."""
    modes = bicycle(speed, 0.0).modes(equilibrium=False, formulation=formulation)
    assert len(modes) == 7 and list(modes.eigenvalues[:4]) == [0] * 4
    found, wanted = modes.eigenvalues[4:], [x for x in exact_bicycle(speed) if x.imag >= 0.0]
    order = [sorted(x, key=lambda z: (round(z.real, 3), z.imag)) for x in (found, wanted)]
    assert order[0] == pytest.approx(order[1], rel=1e-7, abs=1e-8)
    assert modes.stable == (speed < 6.0243) or abs(min(wanted, key=abs)) < 1e-5


@pytest.mark.parametrize("formulation", BOTH)
def test_rows_of_carts_with_springs_of_all_kinds(formulation):
    """Nothing holds the row: one zero, the others those of the stiffness matrix, over six orders of magnitude."""
    rng = np.random.default_rng(7)
    for _ in range(6):
        n = int(rng.integers(3, 6))
        masses, springs = rng.uniform(0.5, 2, n), 10.0 ** rng.uniform(-4, 2, n - 1)
        m = sr.Model(gravity=(0, 0, 0))
        for k in range(n):
            m.add(sr.Body(f"cart{k}", mass=masses[k], inertia=(1, 1, 1), position=(k, 0, 0)))
            m.add(sr.Prismatic(f"rail{k}", "ground", f"cart{k}", axis="x"))
        m.add(*(sr.Spring(f"spring{k}", f"cart{k}", f"cart{k + 1}", stiffness=c) for k, c in enumerate(springs)))
        K = np.zeros((n, n))
        for k, c in enumerate(springs):
            K[k : k + 2, k : k + 2] += c * np.array([[1, -1], [-1, 1]])
        wanted = np.sqrt(np.maximum(eigh(K, np.diag(masses), eigvals_only=True)[1:], 0))
        modes = m.modes(formulation=formulation, equilibrium=False)
        assert len(modes) == n and modes.eigenvalues[0] == 0
        assert modes.eigenvalues[1:].imag == pytest.approx(wanted, rel=1e-5)
        assert np.ptp([modes.joint_shapes[f"rail{k}.q"][0].real for k in range(n)]) < 1e-6


def test_double_zeros_do_not_disturb_a_small_eigenvalue():
    rng = np.random.default_rng(2)
    for _ in range(50):
        n, small = int(rng.integers(4, 9)), 10.0 ** rng.uniform(-6, -2) * rng.choice([-1, 1])
        J = np.diag([0.0, 0.0, small, *rng.uniform(-3, -1, n - 3)])
        J[0, 1] = 1.0
        X = np.linalg.qr(rng.normal(size=(n, n)))[0] @ np.diag(rng.uniform(0.5, 2, n))
        A = X @ J @ np.linalg.inv(X) + 1e-13 * rng.normal(size=(n, n))
        found = without_zeros(A, 1e-10)
        assert found.null.shape[1] == 1 and len(found.values) == n - 2
        k = int(np.argmin(np.abs(found.values)))
        assert found.values[k] == pytest.approx(small, abs=1e-11)
        x = found.vectors[:, k]
        assert np.abs(A @ x - found.values[k] * x).max() < 1e-9 * np.abs(x).max()


def test_matrices_of_zeros_and_of_nothing():
    assert without_zeros(np.zeros((3, 3)), 1e-10).null.shape == (3, 3)
    assert len(without_zeros(np.zeros((0, 0)), 1e-10).values) == 0
