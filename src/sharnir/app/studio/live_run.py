"""A run that is watched: poses are sent while it goes on, and it can be paused, taken step by step, and stopped."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.app.animation.page import page_data
from sharnir.app.report import model_rows, run_rows
from sharnir.app.settings import compile_settings
from sharnir.app.studio.examination import Document, finite, problem, read_document, run_problems
from sharnir.errors import ModelError, SharnirError, SimulationError
from sharnir.model import Model
from sharnir.results import Result
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.recording import available_parts
from sharnir.simulate.run import simulate

SOONEST = 0.1  # s between two pictures of a run that goes on
PATIENCE = 0.05  # s between two looks at orders while the run waits
MOST_CURVE = 4000  # points of a curve that are sent; more are thinned out
Send = Callable[[dict[str, Any]], None]
Orders = Callable[[float], str | None]  # the next order, if one comes within so many seconds


class LiveRun:
    """One run of a document: `result` is what has been computed, whatever ended it."""

    def __init__(self, document: Document, folder: Path, parameters: dict[str, float], send: Send, orders: Orders) -> None:
        model, problems = read_document(document, folder)
        problems += [problem(("simulation", key), message) for key, message in run_problems(document)]
        errors = [p for p in problems if p["kind"] == "error"]
        if errors:
            raise ModelError("; ".join(f"{p['path']}: {p['message']}" for p in errors[:3]))
        self.model: Model = model.with_parameters(**parameters) if parameters else model
        self.settings = {"t_end": 5.0, **(document.get("simulation") or {})}
        self.send, self.orders = send, orders
        self.result: Result | None = None
        self._sent, self._last, self._paused, self._single = 0, 0.0, False, False

    def go(self) -> None:
        """Run to the end, or until it is stopped; tells what came out."""
        failure, begun = "", time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                self.result = simulate(self.model, **self.settings, progress=self._advance, watch=self._look)
            except SimulationError as error:
                self.result, failure = error.result, str(error)
        words = [str(w.message) for w in caught if not issubclass(w.category, DeprecationWarning)]
        self.send(
            {"kind": "end", "seconds": time.perf_counter() - begun, "failure": failure, "warnings": words, **self.summary()}
        )

    def _advance(self, fraction: float) -> None:
        self._obey()
        now = time.perf_counter()
        if now - self._last > SOONEST:
            self.send({"kind": "progress", "fraction": float(fraction)})

    def _look(self, loop: EventLoop) -> None:
        """Send what is new, and obey orders."""
        now = time.perf_counter()
        if now - self._last > SOONEST or self._single or self._paused:
            self._last = now
            self._send_frames(loop)
        self._obey()

    def _send_frames(self, loop: EventLoop) -> None:
        parts = available_parts(loop, final=False)
        total = sum(len(t) for _, t, _ in parts)
        if total <= self._sent:
            return
        system, t, y = parts[-1]
        rows = max(0, len(t) - (total - self._sent))
        poses = system.observe(t[rows:], np.ascontiguousarray(y[rows:]), np.arange(system.assembly.count))[0][:, :, :7]
        self._sent = total
        self.send(
            {
                "kind": "frames",
                "bodies": list(system.tree.bodies),
                "times": t[rows:].tolist(),
                "poses": poses.astype(np.float32),
            }
        )

    def _obey(self) -> None:
        order = self.orders(0.0)
        while True:
            if order == "pause":
                self._paused = True
                self.send({"kind": "paused"})
            elif order == "continue":
                self._paused = self._single = False
                self.send({"kind": "running"})
            elif order == "step":
                self._paused, self._single = True, True
                return
            elif order == "stop":
                raise KeyboardInterrupt
            if not self._paused:
                return
            order = self.orders(PATIENCE)

    def summary(self) -> dict[str, Any]:
        """What a page shows of a run: scene and poses, report, events, channels."""
        result = self.result
        if result is None or len(result.t) == 0:
            return {"view": None, "report": [], "events": [], "channels": [], "trust": ""}
        rows: list[tuple[str, str]] = []
        try:
            system = self.model.compile(**compile_settings(self.settings))
            rows = model_rows(self.model, system) + run_rows(self.model, system, result, self.settings)
        except SharnirError as error:
            rows = [("model", str(error))]
        channels = [{"name": name, "components": list(result.components(name))} for name in result.channels]
        return {
            "view": page_data(result, plots=()),
            "report": rows,
            "events": finite(list(result.events)),
            "channels": channels,
            "trust": dict(rows).get("trust", ""),
            "complete": bool(result.complete),
        }

    def curves(self, names: list[str], start: float | None = None, end: float | None = None) -> dict[str, Any]:
        """Values of channels over time, thinned out to what a screen shows: least and largest of every interval."""
        if self.result is None:
            raise ModelError("the run has no results")
        t = self.result.t
        chosen = (t >= (t[0] if start is None else start)) & (t <= (t[-1] if end is None else end))
        found = []
        for name in names:
            values = np.asarray(self.result[name], float)
            channel = self.result.channel(name.split("[")[0])
            times, thinned = thinned_out(t[chosen], values[chosen])
            found.append({"name": name, "unit": channel.unit, "t": times.tolist(), "values": finite(thinned.tolist())})
        return {"curves": found}


def thinned_out(t: np.ndarray, x: np.ndarray, most: int = MOST_CURVE) -> tuple[np.ndarray, np.ndarray]:
    """At most so many points, with the least and the largest value of every interval: no peak is lost.

    >>> t = np.linspace(0, 1, 100_001)
    >>> x = np.zeros(100_001)
    >>> x[777] = 5.0
    >>> times, values = thinned_out(t, x, 100)
    >>> len(times) <= 100, float(values.max())
    (True, 5.0)
    """
    if len(t) <= most:
        return t, x
    edges = np.linspace(0, len(t), most // 2 + 1).astype(int)
    rows: list[int] = []
    for a, b in pairwise(edges):
        part = np.where(np.isfinite(x[a:b]), x[a:b], 0.0)
        rows += sorted({a + int(np.argmin(part)), a + int(np.argmax(part))})
    kept = np.array(rows)
    return t[kept], x[kept]
