"""The TUI in a browser, on this machine only: what `workbench --web` serves (the extra `web`).

textual-serve starts one TUI for each page that is opened. Whoever reaches a TUI may run apps with the
user's rights: pages need the key in the told address, and a WebSocket comes from our own page or not at all.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import shlex
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError

HOST = "127.0.0.1"
FONT = re.compile(r'<link[^>]*href="https?://fonts[.][^>]*>')
"""textual-serve's page asks Google for a font that textual-serve itself brings."""
OWN_FONT = (
    "<style>@font-face { font-family: 'Roboto Mono'; "
    "src: url('/static/fonts/RobotoMono-VariableFont_wght.ttf'); }</style>"
)
PATIENCE = 10.0
"""Seconds that the programs of open pages have to leave when the server is told to end."""
NOTED = 0.3
"""Seconds for the loop to note that they have left, before it is closed itself."""


def command_of(store: Path) -> str:
    """The shell command that textual-serve runs for each page."""
    return shlex.join([sys.executable, "-m", "workbench.cli", "--store", str(store)])


def serve(store: Path, port: int | None, told: Callable[[str], None]) -> None:
    """Serve the TUI on a store until Ctrl-C or SIGTERM.

    Args:
        port: where; a free one when None.
        told: called with the address, once it answers.

    Raises:
        WorkbenchError: the extra is not installed, or the port is taken.
    """
    try:
        from aiohttp import web
        from textual_serve.server import Server
    except ImportError as error:
        raise WorkbenchError(
            "The TUI in a browser needs textual-serve, which is not installed.",
            str(error),
            "pip install 'answer-workbench[web]', or use `workbench` in a terminal.",
        ) from error
    listening = _listen(port)
    number = listening.getsockname()[1]
    origin, key, cookie = f"http://{HOST}:{number}", secrets.token_urlsafe(24), f"workbench-{number}"
    policy = (
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        f"font-src 'self' data:; img-src 'self' data:; connect-src 'self' ws://{HOST}:{number}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )

    pages: set[asyncio.Task[Any]] = set()

    @web.middleware  # type: ignore[untyped-decorator, unused-ignore]
    async def guard(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        given = request.query.get("key", "")
        known = request.cookies.get(cookie, "")
        foreign = request.headers.get("Origin", origin) != origin or request.host != f"{HOST}:{number}"
        if foreign or not any(compare_digest(each.encode(), key.encode()) for each in (given, known)):
            raise web.HTTPForbidden(text="Open the address that `workbench --web` printed.\n")
        if request.path == "/ws" and "Origin" not in request.headers:
            raise web.HTTPForbidden(text="A page of the workbench is the only way in.\n")
        return await handler(request)

    class Loopback(Server):  # type: ignore[misc, unused-ignore]
        """textual-serve's server behind the guard; its page loads nothing from the net."""

        async def _make_app(self) -> Any:
            app = await super()._make_app()
            app.middlewares.append(guard)
            return app

        async def on_startup(self, app: Any) -> None:
            told(f"{origin}/?key={key}")

        async def handle_websocket(self, request: Any) -> Any:
            task = asyncio.current_task()
            assert task is not None
            pages.add(task)
            try:
                return await super().handle_websocket(request)
            finally:
                pages.discard(task)

        async def on_shutdown(self, app: Any) -> None:
            """Have each page's program leave, as if its page was closed."""
            for task in pages:
                task.cancel()
            if pages:
                await asyncio.wait(set(pages), timeout=PATIENCE)
                await asyncio.sleep(NOTED)

        async def handle_index(self, request: Any) -> Any:
            page = await super().handle_index(request)
            page.text = FONT.sub(OWN_FONT, page.text)
            page.headers["Content-Security-Policy"] = policy
            page.headers["Referrer-Policy"] = "no-referrer"
            page.set_cookie(cookie, key, httponly=True, samesite="Strict")
            return page

    server = Loopback(command_of(store), host=HOST, port=number, title="Answer Workbench", public_url=origin)
    loop = asyncio.new_event_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, server.request_exit)
    web.run_app(
        server._make_app(),
        sock=listening,
        handle_signals=False,
        loop=loop,
        print=lambda *_: None,
        access_log=None,
        shutdown_timeout=1.0,
    )


def _listen(port: int | None) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port or 0))
        listening.listen()
    except OSError as error:
        listening.close()
        raise WorkbenchError(
            f"Port {port} of this machine can't be used.",
            error.strerror or str(error),
            "Give another one with --port, or none: a free one is taken.",
        ) from error
    return listening
