"""The process that computes for the studio: it looks documents over, drags mechanisms, and makes runs.

Questions come through a pipe as pairs of a number and a dict, answers go back with the same number. A run sends further messages
while it goes on. The process knows one folder, and ends when its pipe does.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from hashlib import sha256
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.app.studio import examination
from sharnir.app.studio.examination import Document, finite
from sharnir.errors import ModelError, SharnirError


class Worker:
    """What one process has in memory: the last system that was dragged, and its runs."""

    def __init__(self, pipe: Connection, folder: Path) -> None:
        self.pipe, self.folder = pipe, folder
        self.runs: dict[str, Any] = {}
        self._dragged: tuple[str, Any] | None = None
        self._waiting: list[tuple[int, dict[str, Any]]] = []

    def serve(self) -> None:
        """Answer questions until the pipe is closed."""
        while True:
            try:
                number, question = self._waiting.pop(0) if self._waiting else self.pipe.recv()
            except (EOFError, OSError, KeyboardInterrupt):
                return
            if "order" in question:  # for a run that has ended meanwhile
                continue
            try:
                self.pipe.send((number, self.answer(number, question)))
            except (EOFError, BrokenPipeError, ConnectionResetError):  # the server has gone, and with it who asked
                return

    def answer(self, number: int, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question; what goes wrong is told in words."""
        try:
            known: dict[str, Callable[..., Any]] = {
                "check": self.check,
                "drag": self.drag,
                "run": lambda **given: self.run(number, **given),
                "sweep": lambda **given: self.sweep(number, **given),
                "curves": self.curves,
                "analysis": self.analysis,
                "export": self.export,
                "rename": self.rename,
                "import": self.imported,
                "equations": self.equations,
            }
            return {"ok": finite(known[question.pop("ask")](**question))}
        except SharnirError as error:
            return told(error, question.get("document"))
        except MemoryError:
            return {"error": "there is not enough memory for this"}
        except RecursionError:
            return {"error": "the document is nested too deeply"}
        except (EOFError, BrokenPipeError):  # the server has gone
            raise
        except Exception as error:  # a question of the wrong form, or a mistake of ours: the process and its runs live on
            traceback.print_exc()
            return {"error": f"this request cannot be carried out ({type(error).__name__}: {error})"}

    def check(self, document: Document) -> dict[str, Any]:
        """Problems, picture, graph, channels."""
        return examination.examine(document, self.folder)

    def drag(self, document: Document, state: list[float] | None = None, **pull: Any) -> dict[str, Any]:
        """Pull a point of a body or a coordinate of a joint; the new state and the poses of all bodies."""
        from sharnir.app.studio.dragging import coordinates, drag_joint, drag_point

        system = self._system(document)
        y = system.y0.copy() if state is None else np.array(state, float)
        if y.shape != system.y0.shape:
            raise ModelError("drag: the state belongs to another mechanism; begin again")
        if "joint" in pull:
            y = drag_joint(system, y, pull["joint"], int(pull.get("freedom", 0)), float(pull["value"]))
        elif "body" in pull:
            y = drag_point(system, y, pull["body"], pull["point"], pull["target"])
        q = coordinates(system, y, document.get("joints", {}))
        return {"state": y.tolist(), "poses": examination.poses_of(system, y), "q": q}

    def _system(self, document: Document) -> Any:
        """The system of a document; the last one is kept."""
        key = sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
        if self._dragged is None or self._dragged[0] != key:
            model, _ = examination.read_document(document, self.folder)
            system, failure = examination.compiled(model, document)
            if system is None:
                raise failure or ModelError("the model has no equations yet")
            self._dragged = (key, system)
        return self._dragged[1]

    def run(self, number: int, document: Document, name: str, kind: str = "motion", **given: Any) -> dict[str, Any]:
        """Make a run; messages go out while it goes on, with the values of the given channels."""
        from sharnir.app.studio.runs.live_run import LiveRun

        live = LiveRun(document, self.folder, given.get("parameters") or {}, self._sender(number), self._orders, kind)
        live.watched = [str(channel) for channel in given.get("channels") or ()]
        live.go()
        self.runs[name] = live
        return {"name": name}

    def sweep(self, number: int, document: Document, parameter: str, values: list[Any], channels: list[str]) -> dict[str, Any]:
        """Runs for many values of a parameter; each is told when it has ended."""
        from sharnir.app.studio.runs.sweep import sweep

        sweep(document, self.folder, parameter, values, channels, self._sender(number))
        return {"runs": len(values)}

    def _sender(self, number: int) -> Callable[[dict[str, Any]], None]:
        """What sends messages that belong to a question."""
        return lambda message: self.pipe.send((number, message))

    def _orders(self, seconds: float) -> dict[str, Any] | None:
        """The next order to the run that goes on, if there is one within some time; questions wait until it has ended."""
        if not self.pipe.poll(seconds):
            return None
        number, message = self.pipe.recv()
        if "order" in message:
            return dict(message)
        self._waiting.append((number, message))
        return None

    def curves(self, run: str, channels: list[str], **given: Any) -> dict[str, Any]:
        """Curves of a run that is kept."""
        return self._kept(run).curves(channels, **given)

    def _kept(self, run: str) -> Any:
        if run not in self.runs:
            raise ModelError(f"run {run!r} is no longer kept; run the model again")
        return self.runs[run]

    def analysis(self, document: Document, kind: str, **given: Any) -> dict[str, Any]:
        """Equilibrium, modes, linear equations of a document."""
        from sharnir.app.studio.runs.analyses import analysis

        return analysis(self._system(document), kind, **given)

    def equations(self, document: Document, letters: bool = False) -> dict[str, Any]:
        """The equations of motion as MathML."""
        model, _ = examination.read_document(document, self.folder)
        found = model.equations(letters)
        return {"text": str(found), "html": found.html()}

    def export(
        self, form: str, path: str, document: Document, run: str | None = None, mine: tuple[str, ...] = (), **given: Any
    ) -> dict[str, Any]:
        """Write a file in the folder; `mine`: names of files that were exported before and may be replaced."""
        from sharnir.app.studio.written_files import export

        return export(self, form, self.folder / path, document, run, mine, **given)

    def imported(self, name: str) -> dict[str, Any]:
        """A document, or a body, from a file of another program."""
        from sharnir.app.studio.imports import imported

        return imported(self.folder / name, name)

    def rename(self, document: Document, section: str, old: str, new: str) -> dict[str, Any]:
        """The document with another name for an element, in all places that refer to it."""
        from sharnir.app.studio.renaming import renamed

        return {"document": renamed(document, section, old, new)}


def told(error: SharnirError, document: Any) -> dict[str, Any]:
    """What went wrong, in words, and its place in the document."""
    from sharnir.app.studio.message_links import linked

    found = linked(str(error), document if isinstance(document, dict) else {}, field=getattr(error, "field", None))
    return {"error": found["text"], "place": found["place"]}


def serve(pipe: Connection, folder: str) -> None:
    """The life of a worker process."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends it, not the terminal
    Worker(pipe, Path(folder)).serve()
