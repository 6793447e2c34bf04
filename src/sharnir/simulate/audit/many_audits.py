"""The checks of a run for each of many runs, with one warning for all of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation.power_balance import exchanges_energy
from sharnir.dynamics.system import System
from sharnir.errors import RunWarning
from sharnir.integrate import Solution
from sharnir.simulate.audit.deep_contacts import contact_remarks
from sharnir.simulate.audit.energy_balance import EnergyBalance, balance_of_loop, balance_of_solution, imbalance_of
from sharnir.simulate.audit.impact_energy import created_energy
from sharnir.simulate.audit.sliding import sliding
from sharnir.simulate.events.event_loop import EventLoop

NAMED = 3  # runs in the warning
IN_REGISTERS = "runs in vector registers do not integrate the power"


class ManyAudits:
    """Sentences and numbers by the number of the run.

    >>> audits = ManyAudits()
    >>> audits.add(3, ["bodies went deep into each other"])
    >>> audits.warnings
    {3: ['bodies went deep into each other']}
    """

    def __init__(self) -> None:
        self.remarks: dict[int, list[str]] = {}
        self.losses: dict[int, str] = {}  # of energy, which stats tell too
        self.stats: dict[int, dict[str, Any]] = {}

    @property
    def warnings(self) -> dict[int, list[str]]:
        """All that is to be said, run by run."""
        found = {i: list(texts) for i, texts in self.remarks.items()}
        for i, text in self.losses.items():
            found.setdefault(i, []).append(text)
        return dict(sorted(found.items()))

    def add(self, i: int, texts: list[str]) -> None:
        """What else is to be said of a run."""
        if any(texts):
            self.remarks.setdefault(i, []).extend(text for text in texts if text)

    def take(self, i: int, system: System, solution: Solution, work: np.ndarray, fixed: bool) -> None:
        """A run that has ended, with its memory; fixed : its steps were given."""
        self.add(i, [sliding(system, work), *contact_remarks([(system, work)], fixed)])
        self._balance(i, balance_of_solution(system, solution), solution.stats)

    def take_loop(self, i: int, loop: EventLoop, fixed: bool) -> dict[str, Any]:
        """A run with events; returns the numbers about its energy."""
        runs = [(part.system, part.run.problem.work) for part in loop.parts]
        others = [*runs, (loop.system, loop.system.work)]
        self.add(i, [*dict.fromkeys(sliding(system, work) for system, work in others), *contact_remarks(runs, fixed)])
        balance = balance_of_loop(loop)
        self.add(i, [created_energy(loop, balance.scale)])
        self._balance(i, balance, loop.stats(), loop.log.entries)
        return self.stats[i]

    def take_states(self, i: int, system: System, t: np.ndarray, y: np.ndarray, steps: int) -> None:
        """A run of which nothing but states is known; its energy balances only if no force takes or gives any."""
        balance = EnergyBalance()
        if exchanges_energy(system.table):
            balance.reason = IN_REGISTERS
        else:
            balance.begin(system, float(t[0]), y[0])
            balance.take(system, t[1:], y[1:], None)
        self._balance(i, balance, {"steps": steps, "fixed_step": True})

    def _balance(self, i: int, balance: EnergyBalance, counts: Mapping[str, Any], events: Sequence[dict[str, Any]] = ()) -> None:
        self.stats[i] = balance.stats(counts) | {key: counts[key] for key in ("steps", "fixed_step") if key in counts}
        lost = imbalance_of(balance, self.stats[i], list(events))
        if lost:
            self.losses[i] = lost

    def warn(self, count: int) -> None:
        """One warning that names the first runs with something to say."""
        found = self.warnings
        if not found:
            return
        first = list(found)
        told = "; ".join(f"run {i}: {'; '.join(found[i])}" for i in first[:NAMED])
        more = f"; and {len(first) - NAMED} more runs (see .warnings of the ensemble)" if len(first) > NAMED else ""
        warnings.warn(
            f"simulate_many: {len(first)} of {count} runs deserve a second look: {told}{more}", RunWarning, stacklevel=3
        )
