"""Recorded event streams of Dify, in every shape in which people keep them, as a list of events.

The shapes: the stream as it came (with bare `event: ping` lines, `id:` and `event:` fields), events glued
together or pretty-printed, the table of a browser's developer tools (also begun in the middle of an event),
a curl command above the stream, a JSON list, streams cut off at either end, texts with raw line breaks or
unescaped quotes. The frames are found by their JSON, not by their lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.errors import BadInputError
from workbench.records.looks import EVENTS
from workbench.records.sse_salvage import salvaged

MOST_TOLD: Final = 3
"""Broken events of which each is told by itself."""

_NEXT = re.compile(
    r"""^[ \t]*event:[ \t]*(?P<name>[a-z_]+)[ \t]*\r?$|^[ \t]*(?P<middle>"event"[ \t]*:)|(?P<brace>\{)""",
    re.MULTILINE,
)
_FRAME_END = re.compile(
    r"""\n[ \t]*\r?\n|\n(?=[ \t]*(?:data:|event:|id:|\{?"event"[ \t]*:))|[ \t](?=data:[ \t]*\{)"""
)
_BLANK = re.compile(r"\n[ \t]*\r?\n")
_MORE_DATA = re.compile(r"\n[ \t]*data: ?")
_LEAST_SPARE: Final = 1_000_000
_DEEP: Final = 20_000
"""Characters that an attempt counts for which ends in nesting."""
_NAME = re.compile(r'"event"\s*:\s*"([a-z_]+)"')
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event.

    Attributes:
        name: Dify's name of it ("node_finished").
        line: 1-based line where it begins.
        frame: the whole JSON object; of a broken one what could be read.
        broken: it is cut off, or is no JSON.
    """

    name: str
    line: int
    frame: Mapping[str, Any] = field(default_factory=dict)
    broken: bool = False

    @property
    def data(self) -> Mapping[str, Any]:
        """What workflow events hold under `data`; empty where there is none."""
        found = self.frame.get("data")
        return found if isinstance(found, Mapping) else {}

    def text(self, key: str) -> str | None:
        """A text by its name, from `data` or beside it."""
        for place in (self.data, self.frame):
            if isinstance(place.get(key), str):
                return str(place[key])
        return None


@dataclass(frozen=True, slots=True)
class Capture:
    """A recorded stream.

    Attributes:
        events: in their order; pings are not among them.
        notes: what is broken in it, for people.
    """

    name: str
    events: tuple[SseEvent, ...]
    pings: int = 0
    notes: tuple[str, ...] = ()


def read_capture(text: str, name: str) -> Capture:
    """Read a recorded stream.

    Args:
        name: the file's name, for messages.

    Raises:
        BadInputError: there is no event of Dify in it.
    """
    events: list[SseEvent] = []
    pings = 0
    for event in _frames(text):
        if event.name == "ping":
            pings += 1
        else:
            events.append(event)
    if not any(event.name in EVENTS for event in events):
        raise BadInputError(
            f"{name} holds no SSE events",
            "Not one `data: {...}` with an event of Dify is in it"
            + (f", only {pings} pings." if pings else "."),
            "Save the response of chat-messages, workflows/run or workflow/{id}/events as it came.",
        )
    return Capture(name, tuple(events), pings, tuple(_notes(events)))


def _notes(events: list[SseEvent]) -> Iterator[str]:
    broken = [event for event in events if event.broken]
    for event in broken[:MOST_TOLD]:
        yield (
            f"Line {event.line}: this {event.name} is cut off, or holds unescaped characters; "
            "what could be read of it is used."
        )
    if len(broken) > MOST_TOLD:
        yield f"{len(broken) - MOST_TOLD} more events are broken in the same way."


def _frames(text: str) -> Iterator[SseEvent]:
    scanner = _Scanner(text)
    at, line, counted, field_name = 0, 1, 0, None
    while match := _NEXT.search(text, at):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        if match["name"]:
            at, field_name = match.end(), match["name"]
            if field_name == "ping":
                field_name = None
                yield SseEvent("ping", line)
            continue
        event, at = scanner.frame(match, line, field_name)
        field_name = None
        if event is not None:
            yield event


class _Scanner:
    """Reads frames out of one text.

    What can't be read is tried again in other ways, and a broken frame may reach far into those after it;
    `_spare` bounds the characters that this costs, so that a text made of broken frames is read in linear
    time.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._spare = _LEAST_SPARE + 4 * len(text)

    def frame(self, match: re.Match[str], line: int, field_name: str | None) -> tuple[SseEvent | None, int]:
        """The event that begins here, None for JSON that is no event, and where to look on."""
        text, middle = self._text, bool(match["middle"])
        start = match.start("middle") if middle else match.start("brace")
        value, end = (None, start) if middle or self._spare < 0 else self._decoded(text, start)
        if value is None:
            stop = _FRAME_END.search(text, start)
            end = stop.start() if stop else len(text)
            value, end = self._repaired(start, end, glued="{" if middle else "")
        if isinstance(value, Mapping):
            name = value.get("event") or field_name
            return (SseEvent(name, line, value) if isinstance(name, str) else None), end
        found = _NAME.search(text, start, end)
        name = found[1] if found else field_name
        if name not in EVENTS:
            return None, end
        return SseEvent(name, line, salvaged(text[start:end]), broken=True), end

    def _decoded(self, text: str, start: int) -> tuple[Any, int]:
        try:
            return _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            self._spare -= error.pos - start
        except RecursionError:
            self._spare -= _DEEP
        return None, start

    def _repaired(self, start: int, end: int, *, glued: str) -> tuple[Any, int]:
        """JSON that lacks its opening brace, or came as several `data:` lines; None where it is neither."""
        text = self._text
        if glued or self._spare < 0:
            value, used = self._decoded(glued + text[start:end], 0)
            return (value, start + used - len(glued)) if value is not None else (None, end)
        if _MORE_DATA.match(text, end) is None:
            return None, end
        stop = _BLANK.search(text, start)
        last = stop.start() if stop else len(text)
        self._spare -= last - start
        joined = _MORE_DATA.sub("\n", text[start:last])
        value, used = self._decoded(joined, 0)
        return (value, last) if value is not None and not joined[used:].strip() else (None, end)
