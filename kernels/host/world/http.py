"""HTTP request nodes: scripted answers (200 with JSON by default) behind graphon's HttpClientProtocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from graphon.http import HttpResponse
from graphon.nodes.http_request.exc import HttpRequestNodeError

from . import replies
from .errors import make_error
from .turns import Turn
from .waiting import Waiter

_REASONS = {
    200: "OK",
    201: "Created",
    204: "No Content",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
}
_REASONS |= {
    404: "Not Found",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


class RequestFailedError(Exception):
    """No answer came: refused, unreachable, too slow, too large."""


class ScriptedHttp:
    """HttpClientProtocol. A request that the script does not speak of goes to `real`, if there is one."""

    def __init__(
        self,
        node_id: str,
        data: Mapping[str, Any],
        waiter: Waiter,
        next_turn: Callable[[], Turn],
        real: Callable[..., HttpResponse] | None = None,
    ) -> None:
        self._node_id, self._data, self._waiter, self._next_turn, self._real = (
            node_id,
            data,
            waiter,
            next_turn,
            real,
        )

    @property
    def max_retries_exceeded_error(self) -> type[Exception]:
        return _NeverRaisedError

    @property
    def request_error(self) -> type[Exception]:
        return RequestFailedError

    def request(self, method: str, url: str, **asked: Any) -> HttpResponse:
        turn = self._next_turn()
        self._waiter.wait(turn.delay)
        if turn.failure is not None:
            raise make_error(HttpRequestNodeError, turn.failure, "HttpRequestNodeError")
        if turn.says("timeout") and turn.entry["timeout"]:
            raise RequestFailedError(f"timed out: {method} {url}")
        if self._real is not None and not turn.says("status", "body", "headers"):
            return self._real(method, url, **asked)
        return self._scripted(turn, method, url)

    def _scripted(self, turn: Turn, method: str, url: str) -> HttpResponse:
        status = int(turn.entry.get("status", 200))
        body = turn.entry["body"] if "body" in turn.entry else replies.http_body(self._data, method, url)
        is_text = isinstance(body, str)
        text = body if is_text else json.dumps(body, ensure_ascii=False)
        headers = {"content-type": "text/plain; charset=utf-8" if is_text else "application/json"}
        headers |= {str(k).lower(): str(v) for k, v in (turn.entry.get("headers") or {}).items()}
        if method == "HEAD" or status == 204:
            text = ""
        return HttpResponse(
            status_code=status,
            headers=headers,
            content=text.encode("utf-8", "replace"),
            url=url,
            reason_phrase=_REASONS.get(status, ""),
            fallback_text=text,
        )

    def get(self, url: str, max_retries: int = 0, **asked: Any) -> HttpResponse:
        return self.request("GET", url, **asked)

    def head(self, url: str, max_retries: int = 0, **asked: Any) -> HttpResponse:
        return self.request("HEAD", url, **asked)

    def post(self, url: str, max_retries: int = 0, **asked: Any) -> HttpResponse:
        return self.request("POST", url, **asked)

    def put(self, url: str, max_retries: int = 0, **asked: Any) -> HttpResponse:
        return self.request("PUT", url, **asked)

    def delete(self, url: str, max_retries: int = 0, **asked: Any) -> HttpResponse:
        return self.request("DELETE", url, **asked)

    def patch(self, url: str, max_retries: int = 0, **asked: Any) -> HttpResponse:
        return self.request("PATCH", url, **asked)


class _NeverRaisedError(Exception):
    """The node asks for 0 retries of the client: graphon's engine retries instead."""
