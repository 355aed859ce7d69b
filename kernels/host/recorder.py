"""Every event of a run: recorded, shown to the real filter, held against the limits; while the engine
stands still.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from .brake import Brake
from .events import Encoder
from .outbox import Outbox, encode
from .values import largest

CHUNK = "NodeRunStreamChunkEvent"
BURST = 256
BURST_SECONDS = 0.02
_ROUNDS = frozenset({"NodeRunLoopNextEvent", "NodeRunIterationNextEvent"})
_RESULTS = frozenset({"NodeRunSucceededEvent", "NodeRunExceptionEvent", "NodeRunFailedEvent"})


class Stream:
    """The real ResponseStreamFilter, driven event by event. An error in it ends the stream, never the run."""

    def __init__(self, real_filter: Any, chunk_type: type) -> None:
        self.real = real_filter
        self._on_event = real_filter.on_event
        self._chunk_type = chunk_type
        self.broken = False

    def feed(self, event: Any) -> tuple[list[Any], str | None]:
        """The chunks that the filter lets through because of this event, and how it failed if it did."""
        if self.broken:
            return [], None
        return self._collect(self._on_event, event)

    def flush(self) -> tuple[list[Any], str | None]:
        """What it still holds at the end of a run."""
        return ([], None) if self.broken else self._collect(self.real.flush)

    def _collect(self, produce: Callable[..., Any], *arguments: Any) -> tuple[list[Any], str | None]:
        chunks: list[Any] = []
        kind = self._chunk_type
        try:
            for passed in produce(*arguments):
                if passed.__class__ is kind:
                    chunks.append(passed)
        except Exception as error:
            self.broken = True
            return chunks, str(error) or type(error).__name__
        return chunks, None

    def dumps(self) -> str | None:
        try:
            return self.real.dumps()
        except Exception:
            if not self.broken:
                raise
            return None


class Recorder:
    """Takes events one after another, from one thread at a time.

    Args:
        before: edge events, with their rounds, that graphon keeps from its own stream and that happened just
            before this event.

    Attributes:
        last: graphon's final GraphRun* event, None before.
        failure: an error of the host itself.
    """

    def __init__(
        self,
        outbox: Outbox,
        encoder: Encoder,
        stream: Stream | None,
        brake: Brake,
        gate_every_event: bool,
        before: Callable[[Any], Iterable[tuple[Any, int]]],
    ) -> None:
        self._outbox = outbox
        self._encoder = encoder
        self._stream = stream
        self._brake = brake
        self._gates = gate_every_event and stream is not None
        self._before = before
        self._streamed: dict[str, int] = {}
        self._emptied = 0
        self._turn = threading.Event()
        self.n = 0
        self.last: Any = None
        self.failure: BaseException | None = None

    def await_turn(self) -> None:
        """Called by the thread that empties graphon's queue, for each event that it got: while text streams
        it may rest until there is more to empty.
        """
        self._emptied += 1
        if self._emptied >= self.n and not self._turn.is_set():
            self._turn.wait(BURST_SECONDS)

    def take(self, event: Any) -> None:
        """graphon swallows what a layer raises: an error is kept, and the run stopped."""
        try:
            self._take(event)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            self.failure = self.failure or error
            self._brake.abort(f"The host failed: {error}", "host")

    def _take(self, event: Any) -> None:
        for edge, index in self._before(event):
            self.n += 1
            self._send_event(self._encoder.encode_edge(edge, index))
        self.n += 1
        name = event.__class__.__name__
        if name == CHUNK:
            self._take_chunk(event)
        else:
            self._turn.set()
            self._record(event, name)
            if self._stream is not None:
                self._send_stream(*self._stream.feed(event))
        if self._gates and self._stream is not None:
            self._outbox.later(encode({"msg": "gate", "n": self.n, "state": self._stream.dumps()}))

    def _take_chunk(self, event: Any) -> None:
        if event.is_final or self.n % BURST == 0:
            self._turn.set()
        else:
            self._turn.clear()
        line, source, text = self._encoder.chunk(self.n, event)
        chunks, error = ([], None) if self._stream is None else self._stream.feed(event)
        if len(chunks) == 1 and chunks[0] is event and error is None:
            line += f'{{"msg":"stream","n":{self.n},"chunks":[[{source},{text}]]}}\n'
            chunks = []
        self._outbox.later(line)
        self._send_stream(chunks, error)
        self._count_text(event)

    def _record(self, event: Any, name: str) -> None:
        told = self._encoder.encode(event)
        if name in _RESULTS:
            self._check_size(event, told)
        elif name in _ROUNDS:
            self._check_round(event)
        self._send_event(told)
        if name.startswith("GraphRun") and name != "GraphRunStartedEvent":
            self.last = event

    def _send_event(self, told: dict[str, Any]) -> None:
        self._outbox.later(encode({"msg": "event", "n": self.n, "at": round(time.time(), 6), "event": told}))

    def _check_round(self, event: Any) -> None:
        limit = self._brake.limits.max_loop_rounds
        if event.index >= limit and self._encoder.has_round(event.node_id, event.index):
            self._brake.exceed("max_loop_rounds", f"{event.node_id} goes past {limit} rounds.")

    def _count_text(self, event: Any) -> None:
        size = self._streamed[event.node_id] = self._streamed.get(event.node_id, 0) + len(event.chunk)
        if size > self._brake.limits.max_output_bytes:
            self._too_large(event.node_id, "text")

    def _check_size(self, event: Any, told: dict[str, Any]) -> None:
        for part in ("inputs", "process_data", "outputs"):
            if part in told and largest(told[part]) > self._brake.limits.max_output_bytes:
                told[part] = {
                    "__cut": f"larger than max_output_bytes ({self._brake.limits.max_output_bytes})"
                }
                self._too_large(event.node_id, part)

    def _too_large(self, node_id: str, part: str) -> None:
        limit = self._brake.limits.max_output_bytes
        self._brake.exceed("max_output_bytes", f"the {part} of {node_id} is larger than {limit} bytes.")

    def finish(self) -> None:
        """After the last event of a run that graphon ended itself: the filter gives what it still holds."""
        if self._stream is not None:
            self._send_stream(*self._stream.flush())

    def _send_stream(self, chunks: list[Any], error: str | None) -> None:
        if chunks:
            told = [[chunk.node_id, list(chunk.selector), chunk.chunk, chunk.is_final] for chunk in chunks]
            self._outbox.later(encode({"msg": "stream", "n": self.n, "chunks": told}))
        if error is not None:
            self._outbox.later(encode({"msg": "stream", "n": self.n, "error": error}))
