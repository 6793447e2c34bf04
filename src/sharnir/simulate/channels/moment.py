"""One moment of a run: any channel at one time."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.results.channel import UnknownChannelError
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.joined_channels import absent_value


class Moment:
    """What callbacks and steppers see: `now.t`, and `now["O.q"]` for every channel that a result would have.

    Channels of a joint that has come apart, or has not taken hold yet, are not-a-number, as in a result.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> seen = []
    >>> _ = m.simulate(1.0, callback=lambda now: seen.append((now.t, now["hinge.q"])), communication=0.5)
    >>> len(seen), seen[0]
    (3, (0.0, 0.0))
    """

    def __init__(self, system: System, t: float, y: np.ndarray) -> None:
        self.t = t
        self._system, self._y = system, y.copy()
        self._channels: Any = None
        self._signals: np.ndarray | None = None

    def __getitem__(self, name: str) -> Any:
        """The value of a channel, or of one of its components: a number, or an array."""
        program = self._system.assembly.program
        if program is not None and name in self._system.model.signals:
            if self._signals is None:
                out = np.zeros((1, len(program.signals)))
                self._system.observe_work(np.array([self.t]), self._y[None], self._system.first_signal, out)
                self._signals = out[0]
            return float(self._signals[program.signals.index(name)])
        if self._channels is None:
            from sharnir.results import Result
            from sharnir.simulate.channels.run_channels import RunChannels

            times = np.array([self.t])
            self._channels = Result(times, RunChannels(Observer(self._system, times, self._y[None])))
        try:
            values = np.asarray(self._channels[name])[0]
        except UnknownChannelError:
            absent = absent_value(self._system.model.original, name)
            if absent is None:
                raise
            return absent
        return float(values) if np.ndim(values) == 0 else values
