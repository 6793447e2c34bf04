"""A run that is watched: poses and curves are sent while it goes on; it can be paused, stepped, changed, and stopped."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.app.animation.page import page_data
from sharnir.app.report import model_rows, run_rows
from sharnir.app.studio.examination import Document, finite, problem, read_document, run_problems
from sharnir.app.studio.message_links import linked
from sharnir.app.studio.runs.channel_curves import channel_values, curves, thinned_out
from sharnir.app.text_settings import compile_settings
from sharnir.dynamics.system import System
from sharnir.errors import ModelError, SharnirError, SimulationError
from sharnir.model import Model
from sharnir.results import Result
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.model_scene import scene_of
from sharnir.simulate.channels.run_channels import RunChannels
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.events.model_change import NO_CHANGE, Change, words
from sharnir.simulate.recording import available_parts
from sharnir.simulate.simulation import output_times, simulate

SOONEST = 0.1  # s between two pictures of a run that goes on
PATIENCE = 0.05  # s between two looks at orders while the run waits
MOST_AT_ONCE = 400  # points of a curve in one message
UNCHANGEABLE = (
    "it is computed in one piece, since drives determine all its positions or its integrator runs to the end; "
    "run the model again with the new values"
)
Send = Callable[[dict[str, Any]], None]
Orders = Callable[[float], dict[str, Any] | None]  # the next order, if one comes within so many seconds


def run_model(document: Document, folder: Path, parameters: dict[str, float] | None = None) -> Model:
    """The model of a document that can be run; an error that lists what is wrong with it."""
    model, problems = read_document(document, folder)
    problems += [problem(("simulation", key), message) for key, message in run_problems(document)]
    errors = [p for p in problems if p["kind"] == "error"]
    if errors:
        raise ModelError("; ".join(f"{p['path']}: {p['message']}" for p in errors[:3]))
    return model.with_parameters(**parameters) if parameters else model


class LiveRun:
    """One run of a document: `result` is what has been computed, whatever ended it; `changes` what was changed on the way."""

    def __init__(
        self,
        document: Document,
        folder: Path,
        parameters: dict[str, float],
        send: Send,
        orders: Orders,
        kind: str = "motion",
    ) -> None:
        self.model, self.kind = run_model(document, folder, parameters), kind
        self.document, self.folder, self.send, self.orders = document, folder, send, orders
        self.settings = {"t_end": 5.0, **(document.get("simulation") or {})}
        self.result: Result | None = None
        self.changes: list[dict[str, Any]] = []
        self.watched: list[str] = []
        self._loop: EventLoop | None = None
        self._sent, self._last, self._paused, self._single = 0, 0.0, False, False
        self._waiting: list[dict[str, Any]] = []

    def go(self) -> None:
        """Run to the end, or until it is stopped; reports what came out."""
        failure, begun = "", time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                self.result = self._computed()
            except SimulationError as error:
                self.result, failure = error.result, str(error)
        while (order := self.orders(0.0)) is not None:
            self._waiting += [order] if order.get("order") == "change" else []
        for order in self._waiting:
            self._refuse(order, UNCHANGEABLE if self._loop is None else "the run had ended before")
        told = [str(w.message) for w in caught if not issubclass(w.category, DeprecationWarning)]
        seconds = time.perf_counter() - begun
        messages = [linked(text, self.document, "warning") for text in told if not text.startswith("Ctrl-C")]  # the page says it
        messages += [linked(failure, self.document)] if failure else []
        self.send({"kind": "end", "seconds": seconds, "failure": failure, "messages": messages, **self.summary()})

    def _computed(self) -> Result:
        if self.kind != "kinematics":
            return simulate(self.model, **self.settings, progress=self._advance, watch=self._look)
        grid = output_times(self._end, self.settings.get("step"), self.settings.get("output"))
        given = {name: self.settings[name] for name in ("formulation", "initial") if self.settings.get(name) is not None}
        return self.model.kinematics(grid, **given)

    def _advance(self, fraction: float) -> None:
        """A run that is not integrated step by step tells only how far it is."""
        if self._loop is not None:
            return
        now = time.perf_counter()
        if now - self._last > SOONEST:
            self._last = now
            self.send({"kind": "progress", "fraction": float(fraction)})
        self._obey()

    def _look(self, loop: EventLoop) -> None:
        """Send what is new, and obey orders."""
        self._loop = loop
        now = time.perf_counter()
        if loop.stop_at < math.inf:  # on the way to the end of a single step
            return
        if now - self._last > SOONEST or self._single or self._paused:
            self._last = now
            self._send_frames(loop)
        self._obey()

    def _send_frames(self, loop: EventLoop) -> None:
        """Poses and watched curves since the last message, and the state of this moment."""
        parts = available_parts(loop, final=False)
        total = sum(len(t) for _, t, _ in parts)
        new, left = [], self._sent
        for system, t, y in parts:
            rows = min(left, len(t))
            left -= rows
            if rows < len(t):
                new.append((system, t[rows:], np.ascontiguousarray(y[rows:])))
        self._sent = total
        found = [watched_values(system, t, y, self.watched) for system, t, y in new]
        here = (loop.system, np.array([loop.run.t]), loop.run.state[None].copy())
        poses = here[0].observe(here[1], here[2], np.arange(here[0].assembly.count))[0][0, :, :7]
        bodies = list(here[0].tree.bodies)
        message = {"kind": "frames", "bodies": bodies, "t": float(loop.run.t), "poses": poses.astype(np.float32)}
        self.send(message | {"curves": joined_values(found, self.watched)})

    def _obey(self) -> None:
        order = self._next_order(0.0)
        while True:
            word = None if order is None else order.get("order")
            if word == "pause":
                self._paused = True
                if self._loop is not None:
                    self._send_frames(self._loop)
                self.send({"kind": "paused"})
            elif word == "continue":
                self._paused = self._single = False
                self.send({"kind": "running"})
            elif word == "step":
                self._paused, self._single = True, True
                if self._loop is not None:
                    self._loop.stop_at = self._next_output(self._loop.run.t)
                return
            elif word == "stop":
                raise KeyboardInterrupt
            elif word == "watch" and order is not None:
                self._watch([str(name) for name in order.get("channels", ())])
            if not self._paused:
                return
            order = self._next_order(PATIENCE)

    def _next_order(self, patience: float) -> dict[str, Any] | None:
        """The next order; changes are planned at once, and those that came before the run was on its way with them."""
        order = self.orders(patience)
        if order is not None and order.get("order") == "change":
            self._waiting.append(order)
            order = {}
        while self._loop is not None and self._waiting:
            self._plan(self._loop, self._waiting.pop(0))
        return order

    def _plan(self, loop: EventLoop, order: dict[str, Any]) -> None:
        """Change the model at the moment that the run has reached."""
        document, t = order.get("document") or {}, float(loop.run.t)
        try:
            model = run_model(document, self.folder)
        except SharnirError as error:
            return self._refuse(order, str(error))
        if not t < self._end:
            return self._refuse(order, "the run has come to its end")
        if (document.get("simulation") or {}) != (self.document.get("simulation") or {}):
            return self._refuse(order, "the settings of a run cannot change while it is computed")
        before = loop.changes[-1].model if loop.changes else loop.original
        entry = {"t": t, "words": words(before, model), "document": document}
        if entry["words"] == NO_CHANGE:
            return None
        self.changes.append(entry)

        def refused(reason: str) -> None:
            self.changes.remove(entry)
            self._refuse(order, reason)

        loop.changes.append(Change(t, model, exact=False, refused=refused))
        self.send({"kind": "changed", "t": t, "words": entry["words"]})
        return None

    def _refuse(self, order: dict[str, Any], reason: str) -> None:
        self.send({"kind": "refused", "message": linked(reason, order.get("document") or {})})

    def _next_output(self, t: float) -> float:
        """The first time of output after t."""
        grid = output_times(self._end, self.settings.get("step"), self.settings.get("output"))
        return float(grid[min(int(np.searchsorted(grid, t, side="right")), len(grid) - 1)])

    @property
    def _end(self) -> float:
        return float(self.settings["t_end"])

    def _watch(self, names: list[str]) -> None:
        """Other channels are plotted while the run goes on: their values so far."""
        self.watched = names
        if self._loop is not None:
            parts = available_parts(self._loop, final=False)
            found = [watched_values(*part, names) for part in parts if len(part[1])]
            self.send({"kind": "curves", "curves": joined_values(found, names)})

    def summary(self) -> dict[str, Any]:
        """What a page shows of a run: scene and poses, report, events, channels."""
        result = self.result
        nothing = {
            "view": None,
            "report": [],
            "events": [],
            "channels": [],
            "trust": "",
            "known": [],
            "scenes": [],
            "doubts": [],
            "changes": self.changes,
            "complete": False,
        }
        if result is None or len(result.t) == 0:
            return nothing
        rows: list[tuple[str, str]] = []
        try:
            system = self.model.compile(**compile_settings(self.settings))
            rows = model_rows(self.model, system) + run_rows(self.model, system, result, self.settings)
        except SharnirError as error:
            rows = [("model", str(error))]
        channels = [{"name": name, "components": list(result.components(name))} for name in result.channels]
        return nothing | {
            "view": page_data(result, plots=()),
            "report": rows,
            "scenes": self._scenes(),
            "events": finite(list(result.events)),
            "channels": channels,
            "trust": dict(rows).get("trust", ""),
            "known": result.trust.known,
            "doubts": [linked(text, self.document, "warning") for text in result.trust.doubts],
            "complete": bool(result.complete),
        }

    def _scenes(self) -> list[dict[str, Any]]:
        """What is drawn from which time on, if changes have given the bodies other shapes."""
        if not self.changes or self._loop is None:
            return []
        parts = self._loop.parts
        begins = [float(parts[0].run.rows(0, 1)[0][0]), *(part.end[0] for part in parts if part.end is not None)]
        drawn = [scene_of(part.system).to_dict() for part in parts]
        return [{"t": t, **scene} for t, scene in zip(begins, drawn, strict=True)]

    def curves(self, names: list[str], start: float | None = None, end: float | None = None, **given: Any) -> dict[str, Any]:
        """Values of channels over time."""
        return curves(self.result, names, start, end, **given)


def watched_values(system: System, t: np.ndarray, y: np.ndarray, names: list[str]) -> dict[str, Any]:
    """Values of channels at some states of a run that goes on; channels that it has not got are left out."""
    if not names or not len(t):
        return {}
    made = Result(t, RunChannels(Observer(system, t, np.ascontiguousarray(y))))
    found: dict[str, Any] = {}
    for name in names:
        try:
            values, unit = channel_values(made, name)
        except ModelError:
            continue
        found[name] = (t, values, unit)
    return found


def joined_values(parts: list[dict[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    """Curves of parts of a run one after the other, thinned out."""
    joined = []
    for name in names:
        known = [part[name] for part in parts if name in part]
        if known:
            t, x = (np.concatenate([entry[k] for entry in known]) for k in (0, 1))
            times, values = thinned_out(t, x, MOST_AT_ONCE)
            joined.append({"name": name, "unit": known[0][2], "t": times.tolist(), "values": finite(values.tolist())})
    return joined
