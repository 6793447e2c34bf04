"""The log of events: when which of them happened, and the energy before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate.events.event_memory import EventMemory
from sharnir.model import Event


@dataclass
class EventLog:
    """Entries as `result.events` has them.

    >>> log = EventLog()
    >>> log.take(np.array([[0.5, 0.0, 2.0, 1.0]]), [Event("hit", at=0.5)])
    >>> log.entries
    [{'t': 0.5, 'name': 'hit', 'energy_before': 2.0, 'energy_after': 1.0}]
    """

    entries: list[dict[str, Any]] = field(default_factory=list)
    unweighed: list[tuple[dict[str, Any], str, np.ndarray]] = field(default_factory=list)  # entries that want an energy

    def __len__(self) -> int:
        return len(self.entries)

    def begin(self, t: float, name: str, y: np.ndarray) -> dict[str, Any]:
        """An event happens at a state."""
        entry: dict[str, Any] = {"t": t, "name": name, "energy_before": None, "energy_after": None}
        self.entries.append(entry)
        self.unweighed.append((entry, "energy_before", y.copy()))
        return entry

    def end(self, entry: dict[str, Any], y: np.ndarray) -> None:
        """It has made this state."""
        self.unweighed.append((entry, "energy_after", y.copy()))

    def weigh(self, system: System) -> None:
        """Energies of entries, many at once, with the parameters that hold for all of them."""
        if self.unweighed:
            t, y = np.array([entry["t"] for entry, _, _ in self.unweighed]), np.array([y for _, _, y in self.unweighed])
            energies = system.observe_energy(t, y)[0].sum(axis=1).tolist()
            for (entry, key, _), energy in zip(self.unweighed, energies, strict=True):
                entry[key] = energy
            self.unweighed.clear()

    def take(self, rows: np.ndarray, events: Sequence[Event]) -> None:
        """What compiled actions have noted."""
        for t, i, before, after in rows.tolist():
            self.entries.append({"t": t, "name": events[int(i)].name, "energy_before": before, "energy_after": after})

    def take_passed(self, memory: EventMemory, events: Sequence[Event]) -> None:
        """Events without actions, as the integrator has noted them."""
        for t, i in memory.take_passed():
            self.entries.append({"t": t, "name": events[i].name})
