"""Explicit runs that crawl: steps as short as stability requires, where an implicit integrator would take much longer ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sharnir.integrate import ALL_INTEGRATORS, Solution
from sharnir.integrate.stepping.problem import Problem
from sharnir.simulate.events.stiffness_switch import IMPLICIT, MOST_SPEEDS, pays

LONG = 200_000  # evaluations from which on a run is worth a trial
SHARE = 0.02  # of them that the trial may cost


def note_crawling(problem: Problem, solution: Solution, settings: dict[str, Any]) -> None:
    """Put the sentence about a run that crawls into the stats of its solution, under "crawls"."""
    told = "" if settings["integrator"] == "auto" else crawling(problem, solution, settings)
    if told:
        solution.stats["crawls"] = told


def crawling(problem: Problem, solution: Solution, settings: dict[str, Any]) -> str:
    """A sentence about an explicit run whose last part an implicit integrator covers with much less work; "" if none would."""
    stats = solution.stats
    kind = ALL_INTEGRATORS.get(str(stats.get("integrator")))
    evaluations, n = stats.get("evaluations", 0), problem.n - problem.n_q
    if kind is None or kind.implicit or stats.get("fixed_step") or evaluations < LONG or n > MOST_SPEEDS or len(solution.t) < 2:
        return ""
    begin, span = float(solution.t[-2]), float(solution.t[-1] - solution.t[0])
    stretch = min(SHARE * span, float(solution.t[-1]) - begin)
    work = evaluations * stretch / span
    given: dict[str, Any] = {name: settings[name] for name in ("rtol", "atol", "max_step") if name in settings}
    quiet = replace(problem, balance=None, events=None, directions=(), passing=(), stopping=(), actions=None, history=None)
    if not stretch > 0.0 or not pays(quiet, np.array(solution.y[-2]), begin, begin + stretch, work, given):
        return ""
    return (
        f"integrator '{stats['integrator']}' crawls: {stats['steps']} steps, about {span / stats['steps']:.1g} s each, because "
        f"the model is stiff; use integrator='{IMPLICIT}' or 'auto', which cover t = {begin:.4g} … {begin + stretch:.4g} s with "
        "less than half the work"
    )
