"""Jacobian by differences, the reduced solution against the full matrix, and when iterations have converged."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.stiff import TOP_START, spring_top, top_rates, top_tangents
from sharnir.errors import ModelError
from sharnir.integrate import ALL_INTEGRATORS, Run, Settings, integrate, textbook_problem
from sharnir.integrate.newton.difference_jacobian import update_jacobian
from sharnir.integrate.newton.simplified_newton import (
    CONVERGED,
    DIVERGES,
    GO_ON,
    WANTED,
    newton_tolerance,
    recover,
    update_complex_factors,
    update_factors,
    verdict,
)
from sharnir.integrate.newton.simplified_newton import solve as solve_reduced
from sharnir.integrate.newton.simplified_newton import solve_complex as solve_reduced_complex
from sharnir.integrate.stepping import run_memory as memory
from sharnir.kernel import location


def full_jacobian(y):
    """∂f/∂y of `spring_top` by central differences, without ∂q̇/∂q; and its T."""

    def f(state):
        out = np.zeros(8)
        spring_top(0.0, state, out)
        return out

    columns = [(f(y + d) - f(y - d)) / 2e-6 for d in 1e-6 * np.eye(8)]
    J = np.array(columns).T
    J[:4, :4] = 0.0
    return J, J[:4, 4:7]


@pytest.fixture
def run():
    """Memory of a radau5 run of a quaternion, three speeds, and one more state, with its Jacobian."""
    problem = textbook_problem(spring_top, 8, [0], n_q=4, n_v=3, rates=top_rates, tangents=top_tangents)
    y = TOP_START.copy()
    y[:4] = np.array([0.9, 0.01, -0.3, 0.2]) / np.linalg.norm([0.9, 0.01, -0.3, 0.2])
    run = Run(problem, y, [0.0, 1.0], ALL_INTEGRATORS["radau5"](), Settings())
    f0 = np.zeros(8)
    spring_top(0.0, y, f0)
    update_jacobian(run._memory, 0.0, location(y), location(f0))
    run.y, run.f0 = y, f0
    return run


def part(run, place, columns):
    """Matrix that stands at this place, n_w rows."""
    start, column = run._sizes[place], run._sizes[memory.COLUMN]
    return run._matrix[start : start + columns * column].reshape(columns, column)[:, : run._sizes[memory.N_W]].T


def test_jacobian(run):
    J, T = full_jacobian(run.y)
    size = np.abs(J[4:]).max()
    assert np.abs(part(run, memory.M_JACOBIAN, 4) - J[4:, 4:]).max() < 1e-6 * size
    assert np.abs(part(run, memory.M_TANGENT, 3) - J[4:, :4] @ T).max() < 1e-6 * size
    assert run.stats["evaluations"] == 2 * 3 + 1
    assert run.stats["jacobians"] == 1


@pytest.mark.parametrize("gamma", [10.0, 1e3, 1e5])
def test_reduced_solution_is_that_of_the_full_matrix(run, gamma):
    """For right-hand sides in the tangent space, (γ - J)⁻¹ r."""
    J, T = full_jacobian(run.y)
    rng = np.random.default_rng(3)
    right = np.concatenate([T @ rng.normal(size=3), rng.normal(size=4)])
    other = np.concatenate([T @ rng.normal(size=3), rng.normal(size=4)])
    assert update_factors(run._memory, gamma, gamma, 1.0 / gamma)
    x = right.copy()
    solve_reduced(run._memory, 0.0, location(run.y), gamma, location(x))
    expected = np.linalg.solve(gamma * np.eye(8) - J, right)
    assert np.abs(x - expected).max() < 1e-5 * np.abs(expected).max()
    re, im, complex_gamma = right.copy(), other.copy(), gamma * (0.7 - 0.8j)
    assert update_complex_factors(run._memory, complex_gamma.real, complex_gamma.imag)
    solve_reduced_complex(run._memory, 0.0, location(run.y), complex_gamma.real, complex_gamma.imag, location(re), location(im))
    expected = np.linalg.solve(complex_gamma * np.eye(8) - J, right + 1j * other)
    assert np.abs(re + 1j * im - expected).max() < 1e-5 * np.abs(expected).max()


def test_verdict(run):
    m, clock = run._memory, run._clock
    clock[memory.PROSPECT] = 1.0
    assert verdict(m, 1, 7, 1.0, 0.0, 0.01) == GO_ON
    assert verdict(m, 2, 7, 0.1, 1.0, 0.01) == GO_ON  # what is missing: about 0.1 * 0.1 / 0.9
    assert clock[memory.RATE] == pytest.approx(0.1)
    assert verdict(m, 3, 7, 0.01, 0.1, 0.01) == CONVERGED
    assert verdict(m, 2, 7, 2.0, 1.0, 0.01) == DIVERGES
    assert verdict(m, 2, 7, 0.9, 1.0, 0.01) == DIVERGES  # seven iterations will not do
    assert verdict(m, 1, 7, np.nan, 0.0, 0.01) == DIVERGES
    assert verdict(m, 7, 7, 0.3, 1.0, 0.01) == DIVERGES
    clock[memory.PROSPECT] = 1.0
    assert verdict(m, 2, 7, 0.0, 0.0, 0.01) == CONVERGED  # nothing was left to solve


def test_a_failed_iteration_asks_for_a_jacobian_and_then_for_half_the_step(run):
    """An old Jacobian is computed again before the step is blamed."""
    counter, clock = run._counter, run._clock
    counter[memory.CURRENT], clock[memory.DT] = 0, 0.2
    recover(run._memory, 0.2)
    assert (counter[memory.CURRENT], clock[memory.DT], counter[memory.REJECTED]) == (WANTED, 0.2, 0)
    counter[memory.CURRENT] = 1
    recover(run._memory, 0.2)
    assert (counter[memory.CURRENT], clock[memory.DT], counter[memory.REJECTED], counter[memory.FAILURES]) == (1, 0.1, 1, 1)


@pytest.mark.parametrize(("rtol", "expected"), [(1e-2, 0.03), (4e-4, 0.02), (1e-5, math.sqrt(1e-5)), (1e-10, 1e-4)])
def test_newton_goes_as_far_as_the_tolerance_of_the_run_asks_for(rtol, expected):
    """The square root of rtol within bounds (Hairer and Wanner II, IV.8), relative to the tolerance; not below rounding."""
    problem = textbook_problem(spring_top, 8, [0], n_q=4, n_v=3, rates=top_rates, tangents=top_tangents)
    made = Run(problem, TOP_START, [0.0, 1.0], ALL_INTEGRATORS["radau5"](), Settings(rtol=rtol, atol=rtol))
    assert newton_tolerance(made._memory, location(TOP_START)) == pytest.approx(expected, rel=1e-12)
    made._atol[:] = 1e-20
    made._settings[memory.RELATIVE] = 0.0
    size = np.sqrt(np.mean((TOP_START / 1e-20) ** 2))
    assert newton_tolerance(made._memory, location(TOP_START)) == pytest.approx(10.0 * np.finfo(float).eps * size, rel=1e-6)


@pytest.mark.parametrize("name", [name for name, kind in ALL_INTEGRATORS.items() if kind.implicit])
def test_no_problems_side_by_side(name):
    from sharnir.kernel import LANES

    def decay(t, y, yd):
        yd[0] = -1.0 * y[0]

    with pytest.raises(ModelError, match=f"one problem at a time, not lanes = {LANES}"):
        integrate(textbook_problem(decay, 1, lanes=LANES), np.ones((1, LANES)), [0.0, 1.0], name)
