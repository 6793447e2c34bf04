"""Whether a run can be trusted, in one line, from its `stats`: energy, constraints, interpolation, steps, reactions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

OPEN = 1e-6  # residual of constraints (m, rad, m/s, rad/s) from which on outputs are not closed
ROUNDING = 1e-11  # of the time of a run: steps so short are near the rounding of t
LIMITED = 0.999  # of max_step: the longest step was cut by it


class Trust(NamedTuple):
    """What is known for the run, and what speaks against it, each with what to do.

    >>> Trust(["energy balances"], []).good, str(Trust([], ["halve the tolerance"]))
    (True, 'look again: halve the tolerance')
    """

    known: list[str]
    doubts: list[str]

    @property
    def good(self) -> bool:
        """Nothing speaks against it."""
        return not self.doubts

    def __str__(self) -> str:
        verdict = "good" if self.good else f"look again: {'; '.join(self.doubts)}"
        return f"{verdict} ({', '.join(self.known)})" if self.known else verdict


def trust_of(stats: Mapping[str, Any]) -> Trust:
    """What the numbers about a run say.

    >>> print(trust_of({"energy_residual": 2e-7, "energy_moved": 4.0, "energy_allowed": 1e-5, "steps": 40, "rejected": 2}))
    good (energy balances to 2e-07 J of 4 J, 5 % of steps rejected)
    >>> print(trust_of({"energy_residual": 0.5, "energy_moved": 4.0, "energy_allowed": 1e-5}))
    look again: 0.5 J of 4 J are unaccounted for, repeat the run with a smaller tolerance
    """
    trust = Trust([], [])
    _energy(stats, trust)
    _constraints(stats, trust)
    _interpolation(stats, trust)
    _steps(stats, trust)
    redundant = stats.get("redundant") or ()
    if redundant:
        trust.known.append(f"{len(redundant)} redundant equation{'s' if len(redundant) > 1 else ''}, reactions of least norm")
    trust.doubts.extend(str(text) for text in stats.get("warnings") or ())
    return trust


def _energy(stats: Mapping[str, Any], trust: Trust) -> None:
    if "energy_residual" not in stats:
        if stats.get("energy_unaudited"):
            trust.known.append(f"no balance of energy: {stats['energy_unaudited']}")
        return
    residual, moved = stats["energy_residual"], stats.get("energy_moved", math.nan)
    if residual <= stats.get("energy_allowed", math.inf):
        trust.known.append(f"energy balances to {residual:.1g} J of {moved:.3g} J")
    else:
        remedy = "shorter steps" if stats.get("fixed_step") else "a smaller tolerance"
        trust.doubts.append(f"{residual:.3g} J of {moved:.3g} J are unaccounted for, repeat the run with {remedy}")


def _constraints(stats: Mapping[str, Any], trust: Trust) -> None:
    if "position_residual" not in stats:
        return
    position, speed = stats["position_residual"], stats["speed_residual"]
    text = f"constraints closed to {position:.0e}, their speeds to {speed:.0e}"
    if position <= OPEN and speed <= OPEN:
        trust.known.append(text)
    else:
        trust.doubts.append(f"{text}, switch their correction on or take a smaller tolerance")


def _interpolation(stats: Mapping[str, Any], trust: Trust) -> None:
    defect = stats.get("defect")
    if isinstance(defect, float) and math.isfinite(defect):
        trust.known.append(f"defect between steps {defect:.1g}")


def _steps(stats: Mapping[str, Any], trust: Trust) -> None:
    steps, rejected = stats.get("steps", 0), stats.get("rejected", 0)
    if stats.get("functions_seen"):
        trust.known.append(
            f"Python functions and curves seen every {stats['functions_seen']:.3g} s, shorter pulses may be missed"
        )
    if steps and stats.get("fixed_step"):
        trust.known.append("fixed steps: errors not estimated")
    if not steps or stats.get("fixed_step") or "rejected" not in stats:
        return
    share = rejected / (steps + rejected)
    trust.known.append(f"{100 * share:.0f} % of steps rejected")  # costs time; those that were accepted met the tolerance
    if stats.get("smallest_step", math.inf) < ROUNDING * stats.get("t_reached", 0.0):
        trust.doubts.append(
            f"steps as short as {stats['smallest_step']:.1g} s, look for a singular position or a force that jumps"
        )
    if stats.get("largest_step", 0.0) >= LIMITED * stats.get("max_step", math.inf):
        trust.known.append("steps as long as max_step lets them")
