"""The parts of the world that are real for one run: code, HTTP, a model. Made when first needed, and told
about."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from graphon.http import HttpResponse

from .waiting import Waiter

Note = Callable[[str], None]


class RealWorld:
    """What `options` of the protocol ask to be real; each part is None when it is not.

    Attributes:
        code: (language, code, inputs) -> outputs.
        http: (method, url, **arguments of graphon's HTTP client) -> HttpResponse.
        model: an Endpoint.
    """

    def __init__(self, options: Mapping[str, Any], waiter: Waiter, note: Note) -> None:
        self._waiter, self._note = waiter, note
        self._noted: set[str] = set()
        self._lock = threading.Lock()
        self._sandbox: Any = None
        self._client: Any = None
        self.code = self._run_code if options.get("real_code") else None
        self.http = self._request if options.get("real_http") else None
        model = options.get("model")
        self.model: Any = None
        if isinstance(model, Mapping) and model.get("url"):
            from .endpoint import Endpoint

            self.model = Endpoint(model, waiter)
            self.note_once(
                f"Models are called for real, at {self.model.shown_url}; agent nodes stay scripted."
            )

    def note_once(self, text: str) -> None:
        with self._lock:
            is_new = text not in self._noted
            self._noted.add(text)
        if is_new:
            self._note(text)

    def _run_code(self, language: str, code: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        from .probe import isolation
        from .sandbox import Sandbox

        with self._lock:
            if self._sandbox is None:
                held = isolation()
                self._sandbox = Sandbox(self._waiter, wrapper=held.wrapper)
                self._note(held.told())
        result: Mapping[str, Any] = self._sandbox.execute(language, code, inputs)
        return result

    def _request(self, method: str, url: str, **asked: Any) -> HttpResponse:
        from .client import HttpClient, host_of

        with self._lock:
            if self._client is None:
                self._client = HttpClient(self._waiter)
        self.note_once(f"HTTP requests go out for real: {host_of(url)}.")
        response: HttpResponse = self._client.request(method, url, **asked)
        return response
