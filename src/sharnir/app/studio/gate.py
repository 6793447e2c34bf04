"""Who may ask the studio's server: only the page that it has opened itself, on this machine, with its token."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

MOST_BYTES = 32 << 20  # of a question
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)


class Gate:
    """Lets a request through if host, origin, token and size are right."""

    def __init__(self, app: Any, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.app(scope, self._bounded(receive), self._with_headers(send))

    def refusal(self, scope: Scope) -> Response | None:
        """Why a request is refused; None if it is not."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host") not in self.hosts:
            return PlainTextResponse("wrong host", 403)
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return PlainTextResponse("wrong origin", 403)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("wrong origin", 403)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return JSONResponse({"error": f"a request has at most {MOST_BYTES >> 20} MB"}, 413)
        if scope["path"].startswith("/api/"):
            given = headers.get("x-studio-token", "")
        else:
            query = scope["query_string"].decode("latin-1")
            given = dict(part.partition("=")[::2] for part in query.split("&")).get("token", "")
            if scope["path"] in ("/studio.js", "/studio.css", "/favicon.ico"):
                return None  # the page's own code, the same for everybody
        if not compare_digest(given.encode(), self.token.encode()):
            return JSONResponse({"error": "the token is missing or wrong; open the address that the studio has printed"}, 403)
        return None

    def _bounded(self, receive: Receive) -> Receive:
        read = 0

        async def bounded() -> Any:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MOST_BYTES:  # no length was given, and there is no end
                return {"type": "http.disconnect"}
            return message

        return bounded

    def _with_headers(self, send: Send) -> Send:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *extra]}
            await send(message)

        return with_headers
