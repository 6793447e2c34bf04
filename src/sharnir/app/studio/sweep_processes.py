"""Sweeps as the server sees them: the values are shared out among processes, whose messages become one stream."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from sharnir.app.studio.processes import DIED, WorkerProcess

MOST_PROCESSES = 4
SILENCE = 3600.0  # s that one run may take
SLOW = "this run took longer than an hour and was stopped"
Message = dict[str, Any]


class Sweeps:
    """At most one sweep at a time, in processes of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: list[WorkerProcess] = []

    async def messages(self, values: list[float], given: Message) -> AsyncIterator[Message]:
        """What comes out of the runs, in the order in which they end; then {"ok": …}, or {"error": …}."""
        self.stop()
        numbered = list(enumerate(values))
        shares = min(len(numbered), MOST_PROCESSES, max(1, (os.cpu_count() or 2) // 2))
        mine = self._processes = [WorkerProcess(self.folder) for _ in range(shares)]
        queue: asyncio.Queue[Message | None] = asyncio.Queue()
        tasks = [asyncio.create_task(self._share(mine[k], numbered[k::shares], given, queue)) for k in range(shares)]
        try:
            left = shares
            while left:
                message = await queue.get()
                left -= message is None
                if message is not None:
                    yield message
                if message is not None and "error" in message:
                    return
            yield {"ok": {"runs": len(numbered)}}
        finally:
            for task in tasks:
                task.cancel()
            for process in mine:
                process.kill()

    async def _share(
        self, process: WorkerProcess, values: list[Any], given: Message, queue: asyncio.Queue[Message | None]
    ) -> None:
        """The runs of one process; one that ends it is told as failed, and another process goes on."""
        while values and process in self._processes:
            number, answers = process.begin(ask="sweep", values=values, **given)
            message: Message = {}
            while values and "error" not in message:
                try:
                    message = await asyncio.wait_for(answers.get(), SILENCE)
                except TimeoutError:
                    process.kill()
                    message = {"error": SLOW}
                if message.get("kind") == "member":
                    values = values[1:]
                    queue.put_nowait(message)
            process.done(number)
            if "error" in message and message["error"] not in (DIED, SLOW):  # the model is wrong, so all its runs are
                queue.put_nowait(message)
                break
            if values and process in self._processes:
                failure = {"text": message["error"], "kind": "error", "place": []}
                gone = {"kind": "member", "number": values[0][0], "value": values[0][1], "curves": [], "seconds": 0.0}
                queue.put_nowait({**gone, "warnings": [], "failure": failure})
                values = values[1:]
        queue.put_nowait(None)

    def stop(self) -> None:
        """End all its processes; runs that have ended are kept by the page."""
        processes, self._processes = self._processes, []
        for process in processes:
            process.kill()
