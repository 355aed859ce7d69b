"""A tiny local server: an OpenAI-compatible endpoint and some HTTP pages, with what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Server:
    """`answer` is called with the handler for each request; `hold` is set when the server goes down."""

    url: str
    answer: Callable[[Any], None]
    asked: list[Asked] = field(default_factory=list)
    hold: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(answer: Callable[[Any], None]) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {k.lower(): v for k, v in self.headers.items()}
            server.asked.append(Asked(self.command, self.path, headers, body))
            self.workbench = server
            server.answer(self)

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = handle_any  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Tests are quiet."""

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    server = Server(f"http://127.0.0.1:{listener.server_port}", answer)
    thread = threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.hold.set()
        listener.shutdown()
        listener.server_close()


def send(
    handler: Any, status: int, body: bytes | str, kind: str = "application/json", **headers: str
) -> None:
    data = body.encode() if isinstance(body, str) else body
    handler.send_response(status)
    handler.send_header("content-type", kind)
    handler.send_header("content-length", str(len(data)))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(data)


def chunk(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
USAGE = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}}


def stream(handler: Any, *events: Any) -> None:
    """A server-sent event stream of chat completion chunks."""
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.end_headers()
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event)
        handler.wfile.write(f": comment\ndata: {data}\n\n".encode())
        handler.wfile.flush()
    handler.wfile.write(b"data: [DONE]\n\n")
