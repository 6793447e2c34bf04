"""A run that will never come to its end is given up, and only that."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sharnir.errors import ModelError
from sharnir.integrate import Run, Settings, integrate, integrator_named, textbook_problem
from sharnir.integrate.run_end import PATIENCE, Pace


def spiral(t, y, yd):
    """A circle at the rate 1/(1 - t)²: infinitely many turns before t = 1."""
    rate = 1.0 / (1.0 - t) ** 2 if t < 1.0 else math.inf
    yd[0] = -rate * y[1]
    yd[1] = rate * y[0]


def near_miss(t, y, yd):
    """The same, but only 600 turns."""
    rate = 1.0 / ((1.0 - t) ** 2 + 1e-6)
    yd[0] = -rate * y[1]
    yd[1] = rate * y[0]


def evaluations_until(time_after, end=10.0, most=10**9):
    """Evaluations at which a run of this progress is given up, or None if it comes to its end."""
    pace = Pace(0.0, end, most)
    while pace.mark < 2**40:
        mark = pace.mark
        if time_after(mark) >= end:
            return None
        pace.look(mark, time_after(mark))
        if pace.stalled:
            return mark
    return None


def test_progress_of_singularities():
    """t* - t = N^-p for some p."""
    for power in (0.3, 1.0, 3.0):
        assert evaluations_until(lambda n, p=power: 5.0 - float(n) ** -p) == PATIENCE


def test_progress_that_gets_on():
    assert evaluations_until(lambda n: 1e-8 * n) is None  # evenly, however slowly
    assert evaluations_until(lambda n: 0.36 * math.log2(n)) is None  # exponentially stiffer, but the end is near enough
    # a thousand times slower from one moment on, four times over: contacts that close one by one
    assert evaluations_until(lambda n: min(1e-4 * n, 5.0 + 1e-7 * n)) is None
    assert evaluations_until(lambda n: sum(min(2.5, 2.5 * n / 10.0 ** (4 + 1.5 * k)) for k in range(4))) is None


def test_progress_that_fades():
    """Every doubling brings hardly more than the one before; a rotor that spins up evenly brings √2 of it."""
    for growth in (1.0, 1.1, 1.25):
        assert evaluations_until(lambda n, g=growth: 1e-3 * sum(g**k for k in range(int(math.log2(n))))) == PATIENCE
    assert evaluations_until(lambda n: 4e-4 * math.sqrt(n)) is None


def test_crawling():
    """At this pace 10¹³ evaluations are missing; whoever allows them may have them."""
    assert evaluations_until(lambda n: 1e-12 * n) == PATIENCE
    assert evaluations_until(lambda n: 1e-12 * n, most=10**14) is None


@pytest.mark.parametrize("name", ["dopri5", "radau5", "bdf"])
def test_a_run_into_a_singularity(name):
    """Steps shrink like (1 - t)²: 10⁸ turns would come before a step is lost in the rounding of t."""
    t = np.linspace(0.0, 2.0, 201)
    solution = integrate(textbook_problem(spiral, 2), [1.0, 0.0], t, name, 1e-6, 1e-8)
    assert solution.status == "stalled"
    assert PATIENCE <= solution.stats["evaluations"] < 8 * PATIENCE
    assert 0.99 < solution.stats["t_reached"] < 1.0 and len(solution.t) == 100
    assert "would not pass t = 1" in solution.message and "max_evaluations (1e+09)" in solution.message
    angle = 1.0 / (1.0 - solution.stats["t_reached"]) - 1.0
    assert angle > 300.0 and np.hypot(*solution.end) == pytest.approx(1.0, abs=0.2 if name == "bdf" else 0.05)


def test_pieces_do_not_matter():
    problem, ends = textbook_problem(spiral, 2), []
    for piece in (12_345, 10**9):
        run = Run(problem, [1.0, 0.0], [0.0, 2.0], integrator_named("dopri5"), Settings(1e-6, 1e-8))
        while not run.done:
            run.advance(piece)
        ends.append((run.stats, run.solution().status, run.solution().end.tolist()))
    assert ends[0] == ends[1]


def test_a_near_miss_is_passed():
    solution = integrate(textbook_problem(near_miss, 2), [1.0, 0.0], [0.0, 2.0], "dopri5", 1e-8, 1e-10)
    angle = 2e3 * math.atan(1e3)
    assert solution.success
    assert solution.y[-1] == pytest.approx([math.cos(angle), math.sin(angle)], abs=1e-3)


def test_limits_are_set_with_the_options():
    problem = textbook_problem(near_miss, 2)
    solution = integrate(problem, [1.0, 0.0], [0.0, 2.0], "radau5", options={"max_evaluations": 1e4})
    assert solution.status == "too many evaluations" and 1e4 <= solution.stats["evaluations"] < 1.1e4
    for wrong in (0, -5.0, math.nan, math.inf, "many"):
        with pytest.raises(ModelError, match=r"max_evaluations = .* must be a positive number"):
            integrate(problem, [1.0, 0.0], [0.0, 2.0], options={"max_evaluations": wrong})
