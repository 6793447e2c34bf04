"""The seam between the loop and an integrator: a method in six functions has step control, dense output, events, chunks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sharnir.integrate import ALL_INTEGRATORS, Run, Settings, integrate, textbook_problem
from sharnir.integrate.run import called_functions
from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.integrator import Integrator, Layout
from sharnir.integrate.stepping.run_memory import BLOCKS, DT, FLIP, Memory
from sharnir.integrate.stepping.state_rows import restore_quaternions, row, scaled_rms, update_derivative
from sharnir.integrate.stepping.step_control import is_controlled
from sharnir.integrate.stepping.step_functions import StepFunctions, step_functions
from sharnir.kernel import doubles, ints, lanes

SCRATCH, ERROR, DENSE = 4, 5, 6  # rows; 0, 1 state, 2, 3 derivative at both ends


def restart(m: Memory) -> None:
    pass


def attempt(m: Memory, t: float, dt: float, t1: float) -> float:
    """Euler's step, and the trapezoidal rule with its end; their difference is the error."""
    flip = ints(m.counter)[FLIP]
    y0, y1, f0, f1 = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, 2 + flip)), lanes(row(m, 3 - flip))
    estimate, blocks = lanes(row(m, ERROR)), ints(m.sizes)[BLOCKS]
    for e in range(blocks):
        y1[e] = y0[e] + dt * f0[e]
    update_derivative(m, t1, row(m, 1 - flip), row(m, 3 - flip))
    for e in range(blocks):
        estimate[e] = 0.5 * dt * (f1[e] - f0[e])
        y1[e] = y1[e] + estimate[e]
    restore_quaternions(m, row(m, 1 - flip))
    error = scaled_rms(m, row(m, ERROR), row(m, flip), row(m, 1 - flip))
    return error if is_controlled(m) or not error < math.inf else 0.0


def polynomial(m: Memory, t: float, dt: float, t1: float) -> None:
    """y(t + x dt) = F0 + x (F1 + x F2)"""
    flip, blocks = ints(m.counter)[FLIP], ints(m.sizes)[BLOCKS]
    y0, y1, f0, rows = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, 2 + flip)), lanes(row(m, DENSE))
    for e in range(blocks):
        rows[e] = 1.0 * y0[e]
        rows[blocks + e] = dt * f0[e]
        rows[2 * blocks + e] = y1[e] - y0[e] - dt * f0[e]


def interpolate(m: Memory, goal: float, t: float, dt: float, t1: float) -> None:
    x, blocks = (goal - t) / dt, ints(m.sizes)[BLOCKS]
    rows, state = lanes(row(m, DENSE)), lanes(row(m, SCRATCH))
    for e in range(blocks):
        state[e] = rows[e] + x * (rows[blocks + e] + x * rows[2 * blocks + e])
    restore_quaternions(m, row(m, SCRATCH))


def accept(m: Memory, dt: float, error: float) -> None:
    doubles(m.clock)[DT] = dt * min(4.0, max(0.2, 0.9 / math.sqrt(max(error, 1e-10))))


def reject(m: Memory, dt: float, error: float) -> None:
    doubles(m.clock)[DT] = dt * max(0.1, 0.9 / math.sqrt(error)) if error < math.inf else 0.1 * dt


FUNCTIONS = step_functions(restart, attempt, polynomial, interpolate, accept, reject)


class Heun(Integrator):
    name, order, orders, adaptive, dense_order = "heun", 2, (2,), True, 2
    one_step = True
    description, source = "Heun's method with the error of Euler's", "Heun (1900)"

    def layout(self, problem):
        sizes = {run_memory.SCRATCH: SCRATCH, run_memory.ERROR: ERROR, run_memory.DENSE: DENSE, run_memory.DENSE_ROWS: 3}
        sizes |= {run_memory.FIRST_SLOPE: 2, run_memory.TRIAL_SLOPE: 3, run_memory.FIRST_ORDER: 2}
        sizes |= {run_memory.LAST_SLOPE: 3, run_memory.LAST_SLOPE + 1: 2}
        return Layout(9, np.zeros(0), np.zeros(0, np.int64), sizes)

    @property
    def step_functions(self) -> StepFunctions:
        return FUNCTIONS

    def states(self, header, rows, t):
        x = ((t - header[0]) / (header[1] - header[0]))[:, None]
        return rows[0] + x * (rows[1] + x * rows[2])


def circle(t, y, yd):
    yd[0], yd[1] = y[1], -y[0]


def first(t, y, g):
    g[0] = y[0]


def test_a_method_in_six_functions():
    """Error and dense output follow the tolerance; pieces of a run give the same bits."""
    grid, problem = np.linspace(0.0, 5.0, 40), textbook_problem(circle, 2)
    errors = []
    for tolerance in (1e-5, 1e-7):
        solution = integrate(problem, [1.0, 0.0], grid, Heun(), tolerance, tolerance, dense=True)
        assert solution.status == "finished"
        t = np.linspace(0.1, 4.9, 33)
        between = np.abs(np.array([solution(x) for x in t])[:, 0] - np.cos(t)).max()
        errors.append(max(np.abs(solution.y[:, 0] - np.cos(grid)).max(), between))
    assert errors[0] < 1e-2
    assert errors[1] < 0.2 * errors[0]
    run = Run(problem, [1.0, 0.0], grid, Heun(), Settings(1e-7, 1e-7))
    while not run.done:
        run.advance(7)
    assert np.array_equal(run.solution().y, solution.y)


def test_it_has_fixed_steps():
    """Even steps, without control: order 2."""
    ends = [
        integrate(textbook_problem(circle, 2), [1.0, 0.0], [0.0, 1.0], Heun(), step=step, control=False).y[-1, 0]
        for step in (0.02, 0.01)
    ]
    errors = np.abs(np.array(ends) - math.cos(1.0))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_it_has_events():
    """They are found on its polynomial, to the accuracy of the run."""
    problem = textbook_problem(circle, 2, events=first, directions=(0,), passing=(True,))
    solution = integrate(problem, [1.0, 0.0], [0.0, 7.0], Heun(), 1e-9, 1e-9)
    assert [i for _, i in solution.passed] == [0, 0]
    assert [t for t, _ in solution.passed] == pytest.approx([0.5 * math.pi, 1.5 * math.pi], abs=1e-5)


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_only_what_a_problem_needs_is_compiled(name):
    """No search without events, no relaxation without constraints or for explicit integrators."""
    integrator = ALL_INTEGRATORS[name]()
    plain = called_functions(textbook_problem(circle, 2), integrator)
    assert {key for key, function in plain.items() if function is None} == {"relax", "search", "act"}
    held = called_functions(textbook_problem(circle, 2, projection=circle, events=first, directions=(0,)), integrator)
    assert held["search"] is not None
    assert (held["relax"] is not None) == integrator.implicit
