"""HTTP requests for real (`real_http`): httpx with limits on time, size and redirects, and an abort that
does not wait."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

import httpx
from graphon.http import HttpResponse

from .http import RequestFailedError
from .waiting import Waiter

MOST_BYTES = 10_000_000
MOST_SECONDS = 60.0
MOST_REDIRECTS = 10
_TIMEOUT = (10.0, 60.0, 60.0)


def host_of(url: str) -> str:
    """Scheme, host and port of a URL, without user, path or query: they may hold secrets."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an invalid URL"
    return f"{parts.scheme}://{parts.hostname or ''}{port}"


class HttpClient:
    """Used by several threads; each request has a connection of its own."""

    def __init__(self, waiter: Waiter, seconds: float = MOST_SECONDS) -> None:
        self._waiter, self._seconds = waiter, seconds

    def request(self, method: str, url: str, **asked: Any) -> HttpResponse:
        """Send one request with the arguments that graphon's HTTP node gives its client.

        Raises:
            RequestFailedError: no answer, or one that is too large or too slow.
            StoppedError: the run was aborted meanwhile.
        """
        try:
            return self._waiter.call(lambda: self._send(method, url, asked))
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError) as error:
            reason = str(error) or type(error).__name__
            raise RequestFailedError(f"{method} {host_of(url)}: {reason}") from error

    def _send(self, method: str, url: str, asked: dict[str, Any]) -> HttpResponse:
        connect, read, write = asked.get("timeout") or _TIMEOUT
        timeout = httpx.Timeout(
            connect=min(connect, _TIMEOUT[0]),
            read=min(read, self._seconds),
            write=min(write, self._seconds),
            pool=5.0,
        )
        deadline = time.monotonic() + self._seconds
        verify = asked.get("ssl_verify")
        body = {
            k: asked[k] for k in ("data", "files", "json", "content", "headers", "params") if asked.get(k)
        }
        with (
            httpx.Client(
                timeout=timeout,
                verify=True if verify is None else bool(verify),
                follow_redirects=bool(asked.get("follow_redirects", True)),
                max_redirects=MOST_REDIRECTS,
            ) as client,
            client.stream(method, url, **body) as response,
        ):
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > MOST_BYTES:
                    raise RequestFailedError(
                        f"the answer is larger than {MOST_BYTES // 1_000_000} MB: {host_of(url)}"
                    )
                if time.monotonic() > deadline:
                    raise RequestFailedError(
                        f"the answer took longer than {self._seconds:g} seconds: {host_of(url)}"
                    )
                self._waiter.check()
            return HttpResponse(
                status_code=response.status_code,
                headers=dict(response.headers),
                content=bytes(content),
                url=str(response.url),
                reason_phrase=response.reason_phrase,
            )
