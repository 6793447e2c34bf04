"""`sharnir studio`: starts the server on this machine's own address and opens the page."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path

from sharnir.app import terminal
from sharnir.app.studio.gate import new_token
from sharnir.errors import FileError

FIRST_PORT = 8650


def free_socket(port: int) -> socket.socket:
    """A socket on the loopback address: the port that was asked for, or the first free one."""
    for candidate in [port] if port else [*range(FIRST_PORT, FIRST_PORT + 20), 0]:
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
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
    found, token = free_socket(port), new_token()
    number = found.getsockname()[1]
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
