"""The studio's server: questions of the page, answered by worker processes. It computes nothing itself.

    GET  /                      the page                        GET  /api/catalogue         elements, fields, settings
    POST /api/check             problems, picture, graph        POST /api/drag              a mechanism that is pulled
    POST /api/rename            another name                    POST /api/equations         equations of motion
    POST /api/analysis          equilibrium, modes, linear      POST /api/export            a file in the folder
    POST /api/run               a run, as a stream              POST /api/run/{name}/{order}  pause, continue, step, stop
    POST /api/run/{name}/curves values of channels              DELETE /api/run/{name}      forget a run
    POST /api/sweep             many runs, as a stream          POST /api/sweep/stop        end them
    GET  /api/files             files of the folder             POST /api/files/{what}      open, save, autosave, forget, import
    GET  /api/gallery           demos                           GET  /api/gallery/{name}    the document of a demo
    GET  /gallery.webp          renderings of the demos

All questions and answers are JSON, a run is a stream of lines of JSON; `protocol` is their version.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from sharnir.app.animation.page import MissingViewerError
from sharnir.app.studio.catalogue import catalogue
from sharnir.app.studio.gallery import demo_document, gallery, pictures
from sharnir.app.studio.gate import Gate
from sharnir.app.studio.processes import WorkerProcess
from sharnir.app.studio.runs.sweep import sweep_values
from sharnir.app.studio.sweep_processes import Sweeps
from sharnir.app.studio.workspace import Workspace
from sharnir.errors import SharnirError

PROTOCOL = 1
RUN_SILENCE = 3600.0  # s without a word from a run, after which it is given up
MOST_RUNS = 8
# what a question may hold; docs/guide/studio-server.md describes them
KEYS = {
    "check": ("document",),
    "rename": ("document", "section", "old", "new"),
    "equations": ("document", "letters"),
    "analysis": ("document", "kind", "most", "amplitude"),
    "drag": ("document", "state", "joint", "freedom", "value", "body", "point", "target"),
    "export": ("document", "form", "path", "run", "image", "kind"),
    "curves": ("channels", "start", "end", "most"),
    "run": ("document", "name", "kind", "channels", "parameters"),
    "sweep": ("document", "parameter", "low", "high", "count", "spacing", "channels"),
    "open": ("name",),
    "save": ("name", "document", "changed"),
    "autosave": ("name", "document"),
    "forget": ("name",),
    "import": ("name",),
}
RUN_KINDS = ("motion", "kinematics")
FILE_ORDERS = ("open", "save", "autosave", "forget", "import")
ORDERS = {"pause": (), "continue": (), "step": (), "stop": (), "change": ("document",), "watch": ("channels",)}


class Runs:
    """Runs by name, each in a process of its own; one process is ready for the next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept: dict[str, tuple[WorkerProcess, int]] = {}
        self._spare: WorkerProcess | None = None

    def prepare(self) -> None:
        """Have a process ready."""
        if self._spare is None or not self._spare.alive:
            self._spare = WorkerProcess(self.folder)
            self._spare.start()

    def take(self, name: str) -> WorkerProcess:
        """The process for a new run; the oldest of too many runs is forgotten."""
        self.forget(name)
        while len(self.kept) >= MOST_RUNS:
            self.forget(next(iter(self.kept)))
        self.prepare()
        process, self._spare = self._spare, None
        assert process is not None
        return process

    def forget(self, name: str) -> None:
        """End the process of a run."""
        if name in self.kept:
            self.kept.pop(name)[0].kill()

    def close(self) -> None:
        """End all processes."""
        for name in list(self.kept):
            self.forget(name)
        if self._spare is not None:
            self._spare.kill()


class Studio:
    """The questions of the page, and what answers them."""

    def __init__(self, folder: Path, opened: str | None = None) -> None:
        self.workspace = Workspace(folder)
        self.opened = opened
        self.exported: set[str] = set()  # files that may be written again
        self.checker = WorkerProcess(self.workspace.folder)
        self.dragger = WorkerProcess(self.workspace.folder)
        self.runs = Runs(self.workspace.folder)
        self.sweeps = Sweeps(self.workspace.folder)

    def routes(self) -> list[Route]:
        """All addresses."""
        ask = {name: self._asked(name) for name in ("check", "rename", "equations", "analysis")}
        return [
            Route("/", self.page),
            Route("/studio.js", self.code),
            Route("/favicon.ico", lambda request: Response(status_code=204)),
            Route("/api/catalogue", self.catalogue),
            *(Route(f"/api/{name}", endpoint, methods=["POST"]) for name, endpoint in ask.items()),
            Route("/api/drag", self.drag, methods=["POST"]),
            Route("/api/export", self.export, methods=["POST"]),
            Route("/api/run", self.run, methods=["POST"]),
            Route("/api/run/{name}", self.forget_run, methods=["DELETE"]),
            Route("/api/run/{name}/curves", self.curves, methods=["POST"]),
            Route("/api/run/{name}/{order}", self.order, methods=["POST"]),
            Route("/api/sweep", self.sweep, methods=["POST"]),
            Route("/api/sweep/stop", self.stop_sweep, methods=["POST"]),
            Route("/api/files", self.files),
            Route("/api/files/{what}", self.file, methods=["POST"]),
            Route("/api/gallery", self.gallery),
            Route("/gallery.webp", self.gallery_pictures),
            Route("/api/gallery/{name}", self.demo),
        ]

    @cached_property
    def _bundle(self) -> str:
        bundle = files("sharnir.app.studio") / "page" / "bundle.js"
        if not bundle.is_file():
            raise MissingViewerError
        return bundle.read_text(encoding="utf-8")

    async def page(self, request: Request) -> Response:
        """The page itself; everything else is in its code."""
        return HTMLResponse((files("sharnir.app.studio") / "page" / "page.html").read_text(encoding="utf-8"))

    async def code(self, request: Request) -> Response:
        """The page's code."""
        return PlainTextResponse(self._bundle, media_type="text/javascript")

    async def catalogue(self, request: Request) -> Response:
        """What can be added, and how each field looks."""
        from sharnir import __version__

        about = {"protocol": PROTOCOL, "version": __version__, "opened": self.opened, "recovered": self.workspace.recovered()}
        self.runs.prepare()
        return JSONResponse({**catalogue(), **about})

    def _asked(self, name: str) -> Any:
        async def endpoint(request: Request) -> Response:
            return answered(await self.checker.ask(ask=name, **known_keys(name, await body(request))))

        return endpoint

    async def drag(self, request: Request) -> Response:
        """A step of dragging, in a process of its own, so that nothing waits for a long check."""
        return answered(await self.dragger.ask(ask="drag", **known_keys("drag", await body(request))))

    async def export(self, request: Request) -> Response:
        """Write a file; what shows a run is written by the process of that run."""
        question = known_keys("export", await body(request))
        self.workspace.path(str(question.get("path", "")))
        process = self.runs.kept[question["run"]][0] if question.get("run") in self.runs.kept else self.checker
        answer = await process.ask(ask="export", limit=300.0, mine=sorted(self.exported), **question)
        if "ok" in answer:
            self.exported.add(answer["ok"]["name"])
        return answered(answer)

    async def run(self, request: Request) -> Response:
        """Begin a run; its messages follow as lines."""
        question = known_keys("run", await body(request))
        name, kind = str(question.get("name", "A")), str(question.get("kind", "motion"))
        if "document" not in question or kind not in RUN_KINDS:
            raise QuestionError(f"a run needs 'document', and its kind is one of {', '.join(RUN_KINDS)}")
        process = self.runs.take(name)
        given = {key: question.get(key) for key in ("parameters", "channels")}
        number, queue = process.begin(ask="run", document=question["document"], name=name, kind=kind, **given)
        self.runs.kept[name] = (process, number)
        self.runs.prepare()
        return StreamingResponse(self._messages(process, number, queue), media_type="application/x-ndjson")

    async def _messages(self, process: WorkerProcess, number: int, queue: asyncio.Queue[dict[str, Any]]) -> AsyncIterator[str]:
        while True:
            try:
                message = await asyncio.wait_for(queue.get(), RUN_SILENCE)
            except TimeoutError:
                message = {"error": "the run has sent nothing for an hour and was stopped"}
                process.kill()
            yield json.dumps(message, default=packed) + "\n"
            if "ok" in message or "error" in message:
                process.done(number)
                return

    async def sweep(self, request: Request) -> Response:
        """Runs for many values of a parameter; their results follow as lines."""
        question = known_keys("sweep", await body(request))
        for key in ("document", "parameter", "channels", "low", "high", "count"):
            if key not in question:
                raise QuestionError(f"a sweep needs {key!r}")
        try:
            low, high, count = float(question["low"]), float(question["high"]), int(question["count"])
        except (TypeError, ValueError, OverflowError):
            raise QuestionError("the ends of a sweep are numbers, and the count of its runs is a whole number") from None
        values = sweep_values(low, high, count, str(question.get("spacing", "linear")))
        given = {key: question[key] for key in ("document", "parameter", "channels")}
        lines = (json.dumps(message, default=packed) + "\n" async for message in self.sweeps.messages(values, given))
        return StreamingResponse(lines, media_type="application/x-ndjson")

    async def stop_sweep(self, request: Request) -> Response:
        """End the sweep that goes on."""
        self.sweeps.stop()
        return JSONResponse({"ok": True})

    async def order(self, request: Request) -> Response:
        """Pause, continue, step, change, stop."""
        name, word, given = request.path_params["name"], request.path_params["order"], await body(request)
        if word not in ORDERS or name not in self.runs.kept:
            return JSONResponse({"error": f"there is no run {name!r} that could be told to {word}"}, 404)
        process, number = self.runs.kept[name]
        process.order(number, word, **{key: given[key] for key in ORDERS[word]})
        return JSONResponse({"ok": True})

    async def curves(self, request: Request) -> Response:
        """Curves of a run."""
        name = request.path_params["name"]
        if name not in self.runs.kept:
            return JSONResponse({"error": f"run {name!r} is no longer kept; run the model again"}, 404)
        return answered(await self.runs.kept[name][0].ask(ask="curves", run=name, **known_keys("curves", await body(request))))

    async def forget_run(self, request: Request) -> Response:
        """Forget a run."""
        self.runs.forget(request.path_params["name"])
        return JSONResponse({"ok": True})

    async def files(self, request: Request) -> Response:
        """The files of the folder."""
        return JSONResponse({"ok": self.workspace.files(), "folder": self.workspace.folder.name})

    async def file(self, request: Request) -> Response:
        """Open, save, keep, forget, import."""
        what = request.path_params["what"]
        if what not in FILE_ORDERS:
            return JSONResponse({"error": f"files cannot be told to {what!r}"}, 404)
        question = known_keys(what, await body(request))
        name = str(question["name"])
        known: dict[str, Any] = {
            "open": lambda: self.workspace.open(name),
            "save": lambda: self.workspace.save(name, question["document"], question.get("changed")),
            "autosave": lambda: self.workspace.autosave(name, question["document"]),
            "forget": lambda: self.workspace.forget(name),
        }
        if what == "import":  # reading may take long, so a process does it
            self.workspace.path(name)
            return answered(await self.checker.ask(ask="import", name=name))
        try:
            return JSONResponse({"ok": await asyncio.to_thread(known[what])})
        except SharnirError as error:
            return JSONResponse({"error": str(error)}, 422)

    async def gallery(self, request: Request) -> Response:
        """Demos that can be opened as documents."""
        return JSONResponse({"ok": gallery()})

    async def gallery_pictures(self, request: Request) -> Response:
        """Renderings of the demos, side by side."""
        return Response(pictures(), media_type="image/webp")

    async def demo(self, request: Request) -> Response:
        """The document of a demo."""
        try:
            found = await asyncio.to_thread(demo_document, request.path_params["name"], self.workspace.folder)
        except SharnirError as error:
            return JSONResponse({"error": str(error)}, 422)
        return JSONResponse({"ok": {"document": found}})

    def close(self) -> None:
        """End all processes."""
        self.checker.kill()
        self.dragger.kill()
        self.runs.close()
        self.sweeps.stop()


async def body(request: Request) -> dict[str, Any]:
    """The question as a table; anything else is refused."""
    try:
        found = await request.json()
    except ClientDisconnect:
        raise QuestionError("the request is too large") from None
    except (ValueError, RecursionError):
        raise QuestionError("a request must be JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("document", {}), dict):
        raise QuestionError("a request must be a JSON object, and so must a document")
    return found


def known_keys(name: str, question: dict[str, Any]) -> dict[str, Any]:
    """A question with keys that it may have; others are refused, as a mistake in one would go unnoticed."""
    unknown = [key for key in question if key not in KEYS[name]]
    if unknown:
        raise QuestionError(f"{name}: {unknown[0]!r} is unknown; there are {', '.join(KEYS[name])}")
    return question


class QuestionError(Exception):
    """A question that cannot be understood."""


def answered(answer: dict[str, Any]) -> Response:
    """An answer of a worker; problems in words have the status 422."""
    return Response(json.dumps(answer, default=packed), 422 if "error" in answer else 200, media_type="application/json")


def packed(value: Any) -> Any:
    """Arrays as base64 text of their bytes."""
    if isinstance(value, np.ndarray):
        return {"shape": list(value.shape), "bytes": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value)} is not plain data")


def application(studio: Studio, token: str, port: int) -> Any:
    """The whole server behind its gate."""

    async def told(request: Request, error: Exception) -> Response:
        text = f"the request needs {error}" if isinstance(error, KeyError) else str(error)
        return JSONResponse({"error": text}, 400)

    async def refused(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": str(error)}, 422)

    handlers: dict[Any, Any] = {QuestionError: told, KeyError: told, TypeError: told, SharnirError: refused}
    return Gate(Starlette(routes=studio.routes(), exception_handlers=handlers), token, port)
