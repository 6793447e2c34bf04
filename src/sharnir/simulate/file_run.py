"""Runs that write their channels while they are computed: blocks to a journal, and at the end one result file.

Memory does not grow with the number of outputs: states that have been written are given back, and the result that comes out reads
channels from the file when they are asked for. A process that is killed leaves the journal, which `Result.load` reads.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from sharnir.arguments import file_path
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate import Solution
from sharnir.results import Result
from sharnir.results.hdf5 import h5py_for
from sharnir.results.journal import Journal, journal_path, read_journal
from sharnir.simulate.audit.energy_balance import EnergyBalance, balance_of_solution, finish_part, take_part
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.model_scene import scene_of
from sharnir.simulate.channels.run_channels import RunChannels
from sharnir.simulate.channels.statistics import Extremes, statistics
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.recording import available_parts

SUFFIXES = (".h5", ".hdf5")
BLOCK_BYTES = 1 << 22  # channels that are computed and written at a time; computing them takes some times as much
PATIENCE = 5.0  # seconds after which a block is written although it is small


class FileRun:
    """The file of a run. `look` writes what has been computed, `result` puts everything into the result file."""

    def __init__(self, file: Any, system: System) -> None:
        self.path: Path = file_path(file, "simulate", "file")
        if self.path.suffix.lower() not in SUFFIXES:
            raise ModelError(f"file = {str(self.path)!r}: a run is written as HDF5; use the suffix .h5", field="file")
        h5py_for("writing a run as it goes")
        self.system = system
        empty = RunChannels(Observer(system, np.zeros(0), np.zeros((0, len(system.y0)))))
        self.journal = Journal(journal_path(self.path), system.model.name, scene_of(system), empty.flexible.shapes)
        self.extremes, self.balance = Extremes(), EnergyBalance()
        self._rows = 1  # of a block; the first one gives the width of a row
        self._part = self._row = self._noted = 0  # what has been written: parts, rows of the next one, events
        self._last = perf_counter()

    def look(self, loop: EventLoop) -> None:
        """Write what has been computed if it is enough for a block or time has passed."""
        waiting = loop.run.outputs - (self._row if self._part == len(loop.parts) - 1 else 0)
        if waiting > self._rows or perf_counter() - self._last > PATIENCE:
            self.write(loop, final=False)

    def write(self, loop: EventLoop, final: bool) -> None:
        """Write all outputs; while the run goes on, all but the last, which may still change at this moment."""
        parts = available_parts(loop, final)
        for k in range(self._part, len(parts)):
            part, (system, t, y) = loop.parts[k], parts[k]
            loop.clocks.hand_over(part.system)
            first = self._row if k == self._part else 0
            take_part(self.balance, part, first, t, y, part.run.integrals(part.first, part.first + len(t)))
            if k < len(parts) - 1:
                finish_part(self.balance, part)
            self._write_rows(system, t, y, first)
            self._part, self._row = k, max(first, len(t))
            part.run.release(part.first + self._row - 1)
        events = [entry for entry in loop.log.entries[self._noted :] if entry.get("energy_after", 0.0) is not None]
        if events and not final:
            self.journal.note(events)
            self._noted += len(events)
        self._last = perf_counter()

    def _write_rows(self, system: System, t: np.ndarray, y: np.ndarray, first: int) -> None:
        while first < len(t):
            end = min(len(t), first + self._rows)
            observer = Observer(system, t[first:end], y[first:end])
            channels = RunChannels(observer)
            made = [channels[name] for name in channels]
            width = sum(max(1, len(channel.labels)) for channel in made)
            self.journal.append(made, t[first:end])
            self.extremes.take(observer)
            self._rows = max(1, BLOCK_BYTES // (8 * max(1, width)))
            first = end

    def solved(self, solution: Solution) -> None:
        """States of a run that was not integrated step by step: a driven mechanism, an external integrator."""
        self.balance = balance_of_solution(self.system, solution)
        self._write_rows(self.system, solution.t, solution.y, 0)

    def result(self, counts: dict[str, Any], seconds: float, failure: str | None, loop: EventLoop | None) -> Result:
        """The finished file as a result."""
        if loop is not None:
            self.write(loop, final=True)
        nothing = Observer(self.system, np.zeros(0), np.zeros((0, len(self.system.y0))))
        stats = statistics([nothing], counts, seconds) | self.extremes.stats() | self.balance.stats(counts)
        events = [] if loop is None else loop.log.entries
        if loop is not None and self.system.model.events:
            stats |= {"events": len(events)} | ({"stopped": loop.message} if loop.message else {})
        self.journal.finish(stats, events, failure)
        self.journal.close()
        found = read_journal(self.journal.path)
        found.scene = scene_of(self.system if loop is None else loop.system)
        found.save(self.path)
        self.journal.remove()
        return Result.load(self.path)
