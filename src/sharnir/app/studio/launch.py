"""`sharnir studio`: starts the server on this machine's own address and opens the page."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import webbrowser
from pathlib import Path

from sharnir.app import terminal
from sharnir.app.studio.gate import new_token
from sharnir.errors import FileError

FIRST_PORT = 8650
SESSION = ".studio-session"
SHORTEST_TOKEN = 32


def free_socket(port: int) -> socket.socket:
    """A socket on the loopback address: the port that was asked for, or the first free one."""
    for candidate in [port] if port else [*range(FIRST_PORT, FIRST_PORT + 20), 0]:
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":  # connections of a killed studio may linger
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(("127.0.0.1", candidate))
            return found
        except OSError as error:
            found.close()
            if port:
                raise FileError(f"port {port} cannot be used: {error.strerror}; choose another one, or none") from None
    raise FileError("no free port was found on this machine")


def start(model: Path | None, port: int = 0, open_page: bool = True) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    from sharnir.app.studio.server import Studio, application

    folder, name = (Path(), None) if model is None else (model.parent, model.name)
    if model is not None and not model.is_file():
        raise FileError(f"{model}: there is no such file; leave the name out to begin with an empty model")
    folder = folder.resolve()
    found, token = taken_up(folder, port) if not port else (free_socket(port), new_token())
    number = found.getsockname()[1]
    note_session(folder, number, token)
    studio = Studio(folder, name)
    address = f"http://127.0.0.1:{number}/?token={token}"
    terminal.plain(f"sharnir studio: {address}")
    terminal.say(
        "Models and results are in the folder [bold]" + str(studio.workspace.folder) + "[/bold]. Ctrl-C ends the studio."
    )
    if open_page:
        webbrowser.open(address)
    config = uvicorn.Config(application(studio, token, number), log_level="warning", lifespan="off", access_log=False)
    try:
        uvicorn.Server(config).run(sockets=[found])
    finally:
        studio.close()
        (folder / SESSION).unlink(missing_ok=True)


def taken_up(folder: Path, port: int) -> tuple[socket.socket, str]:
    """The address of a studio of this folder that was killed, so that its page finds the new one; else a new address."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, FileError):
        kept = json.loads((folder / SESSION).read_text())
        if len(kept["token"]) >= SHORTEST_TOKEN and 1024 <= kept["port"] <= 65535:
            return free_socket(int(kept["port"])), str(kept["token"])
    return free_socket(port), new_token()


def note_session(folder: Path, port: int, token: str) -> None:
    """Keep the address in a file that only its owner reads; it goes when the studio ends in order."""
    with contextlib.suppress(OSError):  # a folder that cannot be written to
        (folder / SESSION).unlink(missing_ok=True)
        with os.fdopen(os.open(folder / SESSION, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"port": port, "token": token}, file)
