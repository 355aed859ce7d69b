"""What one invocation of one node answers: the script's entry after rounds, calls and failures are worked
out.

The script was validated by the workbench (workbench/records/script.py); values here are plain JSON of the
right types.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .text import cut


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of streamed text and the seconds to wait before it."""

    text: str
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """How this invocation fails: after how many chunks, with which message and error type (None: the node's
    usual one)."""

    after_chunks: int = 0
    error: str = "failed as scripted"
    error_type: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One invocation.

    Attributes:
        entry: the script's keys that hold for it; empty when the script says nothing.
        attempt: counts from 1 the invocations of this node (within a scripted round: of that round).
        failure: set when this invocation is to fail.
    """

    entry: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1
    failure: Failure | None = None

    @property
    def delay(self) -> float:
        return float(self.entry.get("delay") or 0)

    def says(self, *keys: str) -> bool:
        """True if the script gives this invocation one of these keys."""
        return any(key in self.entry for key in keys)

    def reasoning(self) -> list[Chunk]:
        return _chunks(self.entry.get("reasoning", ()), self.delay)

    def chunks(self, default: str = "") -> list[Chunk]:
        """The text to stream: `chunks`, else `text` cut to pieces, else `default` cut to pieces."""
        if "chunks" in self.entry:
            return _chunks(self.entry["chunks"], self.delay)
        return _chunks(cut(str(self.entry.get("text", default))), self.delay)

    def text(self, default: str = "") -> str:
        return "".join(chunk.text for chunk in self.chunks(default))


def _chunks(given: Any, delay: float) -> list[Chunk]:
    """The delay stands between chunks; before the only one, if there is nothing between."""
    listed = [given] if isinstance(given, str) else given
    made = []
    for index, item in enumerate(listed):
        wait = delay if index or len(listed) == 1 else 0.0
        if isinstance(item, Mapping):
            made.append(Chunk(str(item.get("text", "")), float(item.get("wait", wait))))
        else:
            made.append(Chunk(str(item), wait))
    return made


class Turns:
    """Counts invocations and gives each its Turn. Thread-safe: an iteration may run on several workers."""

    def __init__(self, script: Mapping[str, Any]) -> None:
        nodes, defaults = script.get("nodes"), script.get("defaults")
        self._nodes: Mapping[str, Any] = nodes if isinstance(nodes, Mapping) else {}
        self._defaults: Mapping[str, Any] = defaults if isinstance(defaults, Mapping) else {}
        self._counts: dict[tuple[str, tuple[int, ...]], int] = {}
        self._lock = threading.Lock()

    def entry(self, node_type: str, node_id: str) -> Mapping[str, Any]:
        """The script's own words on a node, rounds and calls not yet worked out."""
        defaults = self._defaults.get(node_type)
        own = self._nodes.get(node_id)
        return {**(defaults or {}), **(own or {})}

    def next(self, node_type: str, node_id: str, rounds: tuple[int, ...] = ()) -> Turn:
        """Count one invocation of a node.

        Args:
            node_type: for the script's defaults.
            node_id: of the node.
            rounds: indexes (from 0) of the containers around it, outermost first; () at the root.
        """
        entry = self.entry(node_type, node_id)
        own = _pick_round(entry.get("rounds"), rounds)
        with self._lock:
            attempt = self._count(node_id, ())
            if own is not None:
                attempt_in_round = self._count(node_id, rounds)
        base = {k: v for k, v in entry.items() if k not in ("rounds", "calls")}
        calls = entry.get("calls")
        if isinstance(calls, Sequence) and calls:
            base = _laid_over(base, calls[min(attempt, len(calls)) - 1])
        if own is not None:
            base = _laid_over({k: v for k, v in base.items() if k != "fail"}, own)
            attempt = attempt_in_round
        return Turn(base, attempt, _failure(base.pop("fail", None), attempt))

    def _count(self, node_id: str, rounds: tuple[int, ...]) -> int:
        key = (node_id, rounds)
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key]


# A round or call that gives one of a group says the whole answer: the others of that group must not shine
# through.
_ANSWERS = ({"chunks", "text", "outputs", "json", "files", "class", "results", "body"}, {"submit", "timeout"})


def _laid_over(base: Mapping[str, Any], layer: Any) -> dict[str, Any]:
    layer = layer if isinstance(layer, Mapping) else {"text": str(layer)}
    hidden = {key for group in _ANSWERS if group & layer.keys() for key in group}
    return {**{k: v for k, v in base.items() if k not in hidden}, **layer}


def _pick_round(given: Any, rounds: tuple[int, ...]) -> Mapping[str, Any] | None:
    """The script's entry for these rounds: "2.0" is outer round 2, inner 0; "0" any outer, inner 0."""
    if not given or not rounds:
        return None
    if isinstance(given, Mapping):
        found = given.get(".".join(map(str, rounds)), given.get(str(rounds[-1])))
    else:
        found = given[rounds[-1]] if rounds[-1] < len(given) else None
    if found is None:
        return None
    return found if isinstance(found, Mapping) else {"text": str(found)}


def _failure(given: Any, attempt: int) -> Failure | None:
    if given is None or given is False:
        return None
    if given is True:
        return Failure()
    if isinstance(given, int):
        given = [given]
    if isinstance(given, Mapping):
        attempts = given.get("attempts", [attempt])
        attempts = [attempts] if isinstance(attempts, int) else attempts
        if attempt not in attempts:
            return None
        return Failure(
            after_chunks=int(given.get("after_chunks", 0)),
            error=str(given.get("error", Failure.error)),
            error_type=given.get("error_type"),
        )
    return Failure() if attempt in given else None


def until_failure(chunks: list[Chunk], failure: Failure | None) -> Iterator[Chunk]:
    """The chunks that still come out before the failure."""
    return iter(chunks if failure is None else chunks[: failure.after_chunks])
