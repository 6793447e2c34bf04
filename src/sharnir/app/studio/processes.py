"""Worker processes as the server sees them: questions with a time limit, messages of runs, and what follows if one dies."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

CHECK_LIMIT = 300.0  # s; the first one may compile kernels
DIED = "the process that computed this has ended unexpectedly; try again"
SLOW = "this took longer than {:g} s and was stopped"


class WorkerProcess:
    """A process that answers questions; it is started again when it has died or hung."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process: Any = None
        self._pipe: Connection | None = None
        self._sending = threading.Lock()

    def start(self) -> None:
        """Start the process, unless it runs."""
        if self._process is not None and self._process.is_alive():
            return
        context = multiprocessing.get_context("spawn")
        self._loop = asyncio.get_running_loop()
        mine, theirs = context.Pipe()
        from sharnir.app.studio.worker import serve

        self._process = context.Process(target=serve, args=(theirs, str(self.folder)), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe = mine
        threading.Thread(target=self._receive, args=(mine, self._loop), daemon=True).start()

    def _receive(self, pipe: Connection, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: hand messages to those who wait for them; tell them if the process ends."""
        while True:
            try:
                number, message = pipe.recv()
            except (EOFError, OSError):
                break
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._deliver, number, message)
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._bury, pipe)

    def _deliver(self, number: int, message: dict[str, Any]) -> None:
        if number in self._waiting:
            self._waiting[number].put_nowait(message)

    def _bury(self, pipe: Connection) -> None:
        """The process has ended, or is about to: those who wait are told, and the next question starts another one."""
        if pipe is not self._pipe:
            return
        for queue in self._waiting.values():
            queue.put_nowait({"error": DIED})
        if self._process is not None:
            self._process.kill()
        self._process = None

    async def ask(self, limit: float = CHECK_LIMIT, **question: Any) -> dict[str, Any]:
        """The answer to a question; a process that does not answer in time is ended."""
        number, queue = self._post(question)
        try:
            return await asyncio.wait_for(queue.get(), limit)
        except TimeoutError:
            self.kill()
            return {"error": SLOW.format(limit)}
        finally:
            self._waiting.pop(number, None)

    def begin(self, **question: Any) -> tuple[int, asyncio.Queue[dict[str, Any]]]:
        """Ask what has many answers, such as a run: the number of the question, and where the answers arrive."""
        return self._post(question)

    def _post(self, question: dict[str, Any]) -> tuple[int, asyncio.Queue[dict[str, Any]]]:
        self.start()
        number = next(self._numbers)
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._waiting[number] = queue
        self._send(number, question)
        return number, queue

    def order(self, number: int, word: str, **given: Any) -> None:
        """Tell a run that goes on to pause, continue, make a step, change, or stop."""
        self._send(number, {"order": word, **given})

    def _send(self, number: int, message: dict[str, Any]) -> None:
        assert self._pipe is not None
        try:
            with self._sending:
                self._pipe.send((number, message))
        except (OSError, ValueError):
            self._bury(self._pipe)

    def done(self, number: int) -> None:
        """Nobody waits for more answers to a question."""
        self._waiting.pop(number, None)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.is_alive()

    def kill(self) -> None:
        """End the process at once; what it had computed is lost, nothing else."""
        if self._process is not None:
            self._process.kill()
            self._process.join(timeout=5)
        if self._pipe is not None:
            self._bury(self._pipe)
            self._pipe.close()
        self._process = self._pipe = None
