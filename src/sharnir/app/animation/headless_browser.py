"""Chromium or Chrome without a window, driven through its debugging pipe: no further package is needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from sharnir.errors import MissingProgramError, SharnirError

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
PLACES = (  # macOS has no commands for them
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FLAGS = [
    "--headless",
    "--no-sandbox",  # pages are our own, and containers have no sandbox
    "--enable-unsafe-swiftshader",  # where there is no graphics card
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


def browser_path() -> str | None:
    """Where Chromium or Chrome is, if it is installed."""
    return next((path for path in map(shutil.which, (*COMMANDS, *PLACES)) if path), None)


class HeadlessBrowser:
    """One page: `open`, `evaluate` JavaScript, `screenshot`; `requests` and `errors` are collected.

    folder : for the browser's own files.   size : of the page.   flags : more of the command line.   timeout : of an answer [s].
    """

    def __init__(
        self, folder: Path, size: tuple[int, int] = (1100, 700), flags: Sequence[str] = (), timeout: float = 240.0
    ) -> None:
        path = browser_path()
        if path is None:
            raise MissingProgramError("Chromium or Chrome", "Debian: apt-get install chromium")
        try:
            import fcntl
        except ImportError:
            raise MissingProgramError("a browser that can be driven", "this works on Linux and macOS only") from None
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        command = [path, *FLAGS, *flags, f"--window-size={size[0]},{size[1]}", f"--user-data-dir={folder}", "about:blank"]
        # Chromium reads commands from descriptor 3 and answers on 4; first out of the way of these numbers
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_browser, from_browser)]
        actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
            *((os.POSIX_SPAWN_OPEN, own, os.devnull, os.O_WRONLY, 0) for own in (1, 2)),
            *((os.POSIX_SPAWN_DUP2, end, own) for own, end in zip((3, 4), ends, strict=True)),
        ]
        self._process = os.posix_spawn(path, command, os.environ, file_actions=actions)
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        self._timeout, self._number, self._buffer = timeout, 0, b""
        self._session: str | None = None
        self.requests: list[str] = []
        self.errors: list[str] = []
        target = next(t for t in self._pages() if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)

    def __enter__(self) -> HeadlessBrowser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _pages(self) -> list[dict[str, Any]]:
        for _ in range(100):
            targets: list[dict[str, Any]] = self.call("Target.getTargets")["targetInfos"]
            if any(t["type"] == "page" for t in targets):
                return targets
            time.sleep(0.02)
        raise SharnirError("the browser opened no page")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the DevTools protocol and its answer; events that come before are noted."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise SharnirError(f"the browser refuses {method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], self._timeout)
            chunk = os.read(self._read, 1 << 20) if ready else b""
            if not chunk:
                raise SharnirError("the browser does not answer")
            self._buffer += chunk
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(parameters["exceptionDetails"].get("exception", {}).get("description", "error"))
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])

    def open(self, path: Path, after: str = "", ready: str = "window.sharnir && window.sharnir.ready") -> None:
        """Load a file and wait until it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.errors.clear()
        self.call("Page.navigate", url=path.resolve().as_uri() + after)
        self.wait_for(ready)

    def wait_for(self, condition: str) -> None:
        """Wait until a JavaScript condition holds, however slow the machine is; an error if it does not in time."""
        end = time.monotonic() + self._timeout
        while not self.evaluate(f"Boolean({condition})"):
            if self.errors or time.monotonic() > end:
                raise SharnirError(f"the page did not come to {condition!r}: {self.errors}")
            time.sleep(0.02)

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SharnirError(answer["exceptionDetails"].get("exception", {}).get("description", "script failed"))
        return answer["result"].get("value")

    def screenshot(self) -> bytes:
        """What the window shows, as a PNG file."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        """End the browser."""
        try:
            self._session = None
            self.call("Browser.close")
        except (OSError, SharnirError):
            os.kill(self._process, signal.SIGTERM)
        end = time.monotonic() + 60.0
        while os.waitpid(self._process, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(self._process, signal.SIGKILL)
            time.sleep(0.01)
        os.close(self._write)
        os.close(self._read)
