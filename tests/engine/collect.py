"""A sink that keeps what it is given."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


class Collect:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.notes: list[str] = []

    def graph(self, message: Mapping[str, Any]) -> None:
        self.calls.append(("graph", message["root"]))

    def pool(self, variables: Mapping[str, Any]) -> None:
        self.calls.append(("pool", variables))

    def event(self, n: int, at: float, event: Mapping[str, Any]) -> None:
        self.calls.append(("event", n, event["kind"]))

    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None:
        self.calls.append(("stream", n, [list(chunk) for chunk in chunks], error))

    def note(self, text: str) -> None:
        self.notes.append(text)

    def told(self, position: int) -> Any:
        """The JSON in a note."""
        return json.loads(self.notes[position])
