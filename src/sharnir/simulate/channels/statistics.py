"""Numbers about a run: what was solved, how, and how well the laws hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation.stabilization import drift_of
from sharnir.simulate.channels.channel_groups import Observer

MANY = 2000  # equations; of more, redundant ones are looked for only if a person asks the system
COUNTED = 300  # equations whose rank costs a run nothing; of more, ask System.redundant
BEFORE = {"position_residual": "position_residual_before", "speed_residual": "speed_residual_before"}


def statistics(observers: list[Observer], counts: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The `stats` of a result, whose parts are observed one by one; `counts` are those of the integrator."""
    system = observers[0].system
    methods = dict.fromkeys(o.system.method for o in observers)
    stats: dict[str, Any] = {"formulation": system.formulation, "method": " → ".join(methods)}
    if system.constrained:
        stats |= {"solver": system.solver, "equations": system.n_equations}
        stats |= {name: getattr(system, name) for name in ("freedoms", "redundant") if system.n_equations <= MANY}
        stats["stabilization"], stats["correction"] = drift_of(system)
    # the integrator measures residuals before it corrects them, the outputs are measured as they are
    stats |= {BEFORE.get(name, name): value for name, value in counts.items()}
    stats["seconds"] = seconds
    if not len(observers[0].t):
        return stats
    held = [o for o in observers if o.system.constrained]
    if held:
        worst = np.max([o.residuals().max(axis=0) for o in held], axis=0)
        stats["position_residual"], stats["speed_residual"] = float(worst[0]), float(worst[1])
    total = np.concatenate([o.energy()[0].sum(axis=1) for o in observers])
    known = bool(np.isfinite(total).all())  # a force such as 1/q has no potential that starts at zero
    stats["energy_change"] = float(np.abs(total - total[0]).max()) if known else float("nan")
    return stats


class Extremes:
    """What `statistics` finds in all outputs together, taken from one block of them after the other."""

    def __init__(self) -> None:
        self._residuals: np.ndarray | None = None
        self._energy: float | None = None  # at the beginning
        self._change = 0.0

    def take(self, observer: Observer) -> None:
        """Look at the outputs of a block."""
        if not len(observer.t):
            return
        if observer.system.constrained:
            worst = observer.residuals().max(axis=0)
            self._residuals = worst if self._residuals is None else np.maximum(worst, self._residuals)
        total = observer.energy()[0].sum(axis=1)
        self._energy = float(total[0]) if self._energy is None else self._energy
        # one that is not finite makes the whole unknown
        self._change = float(np.maximum(self._change, np.abs(total - self._energy).max()))

    def stats(self) -> dict[str, Any]:
        """The entries of `stats`."""
        found = {} if self._energy is None else {"energy_change": self._change if np.isfinite(self._change) else float("nan")}
        if self._residuals is not None:
            found |= {"position_residual": float(self._residuals[0]), "speed_residual": float(self._residuals[1])}
        return found


SUMS = ("steps", "rejected", "evaluations", "jacobians", "factorizations", "corrections")
EXTREMES: dict[str, Callable[..., float]] = {
    "smallest_step": np.fmin,
    "largest_step": np.fmax,
    "position_residual": max,
    "speed_residual": max,
}


def joined_stats(counts: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts of several runs, one behind the other, as those of one.

    >>> joined_stats([{"steps": 3, "largest_step": 0.5}, {"steps": 4, "largest_step": 0.2}])
    {'steps': 7, 'largest_step': 0.5}
    """
    stats = dict(counts[-1])
    for other in counts[:-1]:
        for name, value in other.items():
            if name in SUMS:
                stats[name] = stats.get(name, 0) + value
            elif name in EXTREMES:
                stats[name] = float(EXTREMES[name](stats.get(name, value), value))
    names = dict.fromkeys(other["integrator"] for other in counts if "integrator" in other)
    return stats | ({"integrator": " → ".join(names)} if len(names) > 1 else {})
