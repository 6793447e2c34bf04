"""Solvers that know no distance from singular positions: a run that leaves its branch at one says so."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import sharnir as sr
from fuzz.mechanisms import verdict
from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.integrate import integrate
from sharnir.simulate.audit.passed_singularities import passed_singular_position


def parallelogram(cranks: float) -> sr.Model:
    """Cranks of 1 m and another length, coupler and base of 2 m, upright at the start; with equal cranks it has dead points."""
    m = sr.Model("parallelogram", gravity=(0, 0, 0))
    corners = np.array([(0, 0, 0), (0, 0, 1.0), (2, 0, cranks), (2, 0, 0)])
    names = ("ground", "a", "k", "b")
    for k, name in enumerate(names[1:]):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=tuple(0.5 * (corners[k] + corners[k + 1]))))
    for k in range(4):
        speed = {"v": 2.0} if k == 0 else {}
        m.add(sr.Revolute(f"j{k}", names[k], names[(k + 1) % 4], at=tuple(corners[k]), axis="y", **speed))
    return m


def states(solver, step):
    """A system and its motion over 1.2 s; the cranks are in line after 0.785 s."""
    system = keep_constraints(parallelogram(1.0).compile(solver=solver))
    grid = np.arange(0.0, 1.2 + 0.5 * step, step)
    return system, grid, integrate(system.problem(), system.y0, grid, "dop853").y


@pytest.mark.parametrize("step", [0.01, 0.08, 0.3, 0.6])
@pytest.mark.parametrize("solver", ["sparse", "null-space"])
def test_another_branch_behind_a_dead_point_is_reported(solver, step):
    """The second crank turns back behind it; where both solvers go the same way nothing is said."""
    system, t, y = states(solver, step)
    assert passed_singular_position(system, t, y) == ""
    other = y.copy()
    other[t > 0.8, system.n_q + system.n_v - 1] *= -1.0
    said = passed_singular_position(system, t, other)
    assert re.search(rf"near a singular position.*t = 0\.7[0-9]* s.*solver='{solver}'.*solver='dense'", said)


@pytest.mark.parametrize("seed", [257, 2331])
def test_a_run_that_loses_its_branch_says_so(seed):
    """The null space of parallelograms: 1e-6 rad beside the dead point at the start, and far from it at all outputs."""
    found = verdict("singular", seed)
    assert found.what == "warned" and "near a singular position" in found.words and "solver='null-space'" in found.words


@pytest.mark.parametrize("solver", ["sparse", "null-space"])
def test_a_dead_point_passed_on_the_same_branch_needs_no_word(solver):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = parallelogram(1.0).simulate(1.2, output=0.01, solver=solver)
    assert result.trust.good
    assert result["j3.v"] == pytest.approx(-result["j0.v"], abs=1e-6)


def finished(m, reason, **settings):
    """The result of a run, or None where it ended for this reason."""
    try:
        return m.simulate(1.2, **settings)
    except sr.SimulationError as error:
        if reason not in str(error):
            raise
        return None


@pytest.mark.parametrize("lean", [0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("settings", [{}, {"formulation": "absolute"}, {"formulation": "absolute", "tolerance": 1e-10}])
def test_a_start_in_line_and_a_passage_half_a_turn_later(lean, settings):
    """Both cranks go on side by side, at constant speed; where they start says nothing of pivots elsewhere."""
    m = sr.Model("cranks", gravity=(0, 0, 0))
    x, z = np.cos(lean), np.sin(lean)
    corners = [(0, 0, 0), (x, 0, z), (2 + x, 0, z), (2, 0, 0)]
    names = ("ground", "a", "k", "b")
    for k, name in enumerate(names[1:]):
        middle = tuple(0.5 * (np.array(corners[k]) + corners[k + 1]))
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=middle))
    for k in range(4):
        m.add(sr.Revolute(f"j{k}", names[k], names[(k + 1) % 4], at=corners[k], axis="y", **({"v": -4.0} if k == 0 else {})))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if settings.get("tolerance") == 1e-10:  # rounding may end a run near the limit of the accuracy, with the reason
            result = finished(m, "singular position", **settings)
            if result is None:
                return
        else:
            result = m.simulate(1.2, **settings)
    assert result.stats["solver"] == "dense"
    for name in ("j0.q", "j2.q"):
        assert np.ptp(result[name] + 4.0 * result.t) < 1e-6


@pytest.mark.parametrize(("cranks", "solver"), [(1.5, "sparse"), (1.5, "null-space"), (1.0, "auto")])
def test_nothing_is_said_without_need(cranks, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parallelogram(cranks).simulate(1.0, output=0.01, solver=solver).trust.good
