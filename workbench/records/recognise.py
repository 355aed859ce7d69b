"""What a file is, by its content, never by its name.

Nothing is read here that a record's own module would not read again; the point is the right name for it, a
line about what is in it, and for a broken file the record that it seems to be and where it breaks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from workbench.errors import BadInputError
from workbench.records import gate_state, resumption_context, runtime_state
from workbench.records.bundle_frame import BUNDLE_LIMIT, bundle_line, is_bundle
from workbench.records.eras import origin_of
from workbench.records.looks import (
    app_line,
    app_value_line,
    conversation_line,
    conversation_rows,
    count_of,
    is_surely_app,
    seems,
    session_line,
    sse_line,
)
from workbench.records.reading import STATE_LIMIT, check_size, decode, parse_json
from workbench.records.runtime_state import RuntimeState
from workbench.records.shapes import STATE_VALUES
from workbench.records.sse import read_capture

Kind = Literal[
    "app",
    "resumption-context",
    "runtime-state",
    "stream-filter",
    "sse-capture",
    "conversation",
    "agent-session",
    "bundle",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is.

    Attributes:
        detail: a line about its content.
        error: for "unknown": why nothing could be made of it; else what is wrong in it, or None.
    """

    kind: Kind
    detail: str
    error: str | None = None


def recognise(data: bytes, name: str) -> Recognised:
    """What the bytes of a file are; `name` is only for messages. Never raises."""
    if is_bundle(data):
        return _bundle(data, name)
    try:
        check_size(len(data), name, STATE_LIMIT)
        text = decode(data, name)
    except BadInputError as error:
        return _unknown(error)
    stripped = text.strip()
    if not stripped:
        return Recognised("unknown", "", f"{name} is empty.")
    if stripped[0] in '{["':
        return _json(text, stripped, name)
    return _lines(stripped, name)


def _json(text: str, stripped: str, name: str) -> Recognised:
    try:
        value = parse_json(text, name, max_values=STATE_VALUES)
    except BadInputError as error:
        found = _lines(stripped, name)  # JSON a line, events glued together, a table from the developer tools
        if found.kind != "unknown":
            return found
        guess = seems(stripped)
        return _unknown(error, f"It looks like {guess}." if guess else "")
    try:
        found = _value(value, text, name)
    except BadInputError as error:
        return _unknown(error)
    if found.kind != "unknown":
        return found
    other = _lines(stripped, name)
    return other if other.kind != "unknown" else found


def _value(value: Any, text: str, name: str) -> Recognised:
    if isinstance(value, str):
        guess = seems(value)
        return Recognised(
            "unknown",
            "",
            f"{name} is a text in quotes" + (f" that holds {guess}; take the quotes off." if guess else "."),
        )
    if isinstance(value, Mapping):
        for test, reader in _MAPPINGS:
            if test(value):
                return reader(value, text, name)
    session = session_line(value)
    if session is not None:
        return Recognised("agent-session", session)
    conversation = conversation_line(value)
    if conversation is not None:
        return Recognised("conversation", conversation)
    events = value if isinstance(value, list) else [value]
    if events and all(isinstance(event, Mapping) and isinstance(event.get("event"), str) for event in events):
        line = sse_line("\n".join(f'data: {{"event": {json.dumps(event["event"])}}}' for event in events))
        if line is not None:
            return Recognised("sse-capture", line)
    app = app_value_line(value)
    if app is not None:
        return Recognised("app", app)
    keys = ", ".join(islice(map(str, value), 8)) if isinstance(value, Mapping) else "a list"
    return Recognised("unknown", "", f"{name} is JSON of no known kind ({keys or 'empty'}).")


def _context(_: Mapping[str, Any], text: str, name: str) -> Recognised:
    context = resumption_context.read_resumption_context(text, name)
    parts = [context.origin.sentence, context.entity_type, *_about(context.runtime_state)]
    notes = [*context.notes, *context.runtime_state.notes, *(context.gate.notes if context.gate else ())]
    return Recognised("resumption-context", _joined(parts), _faults(notes))


def _runtime(value: Mapping[str, Any], text: str, name: str) -> Recognised:
    state = runtime_state.runtime_state_of(value, text, name)
    origin = origin_of(state, whole=False)
    return Recognised("runtime-state", _joined([origin.sentence, *_about(state)]), _faults(state.notes))


def _gate(_: Mapping[str, Any], text: str, name: str) -> Recognised:
    gate = gate_state.read_gate_state(text, name)
    active = gate.data["active_session"]
    parts = [
        f"version {gate.version}",
        count_of(len(gate.data["response_nodes"]), "Answer"),
        f"{len(gate.data['pending_sessions'])} locked",
        f"streaming {active['node_id']}" if active else "",
    ]
    return Recognised("stream-filter", _joined(parts), _faults(gate.notes))


def _bundle(data: bytes, name: str) -> Recognised:
    """By its header; whether the whole is sound is for who opens it."""
    try:
        check_size(len(data), name, BUNDLE_LIMIT)
        return Recognised("bundle", bundle_line(data, name))
    except BadInputError as error:
        return Recognised("bundle", "", _unknown(error).error)


_MAPPINGS: tuple[
    tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any], str, str], Recognised]], ...
] = (
    (lambda value: resumption_context.RUNTIME in value, _context),
    (lambda value: len(runtime_state.KEYS & value.keys()) > 1, _runtime),
    (lambda value: value.get("type") in gate_state.TYPES, _gate),
    (lambda value: len(value.keys() & set(gate_state.KEYS)) > 2, _gate),
)


def _lines(stripped: str, name: str) -> Recognised:
    """Text that is not one JSON value: events, JSON a line, YAML."""
    line = None if is_surely_app(stripped) else sse_line(stripped)
    if line is not None:
        with suppress(BadInputError):  # the names of events alone are no events
            return Recognised("sse-capture", line, _faults(read_capture(stripped, name).notes))
    if stripped[0] == "{" and "\n" in stripped:
        line = conversation_rows(stripped)
        if line is not None:
            return Recognised("conversation", line)
    line = app_line(stripped)
    if line is not None:
        return Recognised("app", line)
    guess = seems(stripped)
    advice = f"It seems to be a part of {guess}." if guess else "It is no app, state or recording."
    return Recognised("unknown", "", f"{name}: {advice}")


def _about(state: RuntimeState) -> list[str]:
    count = sum(map(len, state.variables.values()))
    waits = [str(reason.get("node_title") or reason.get("node_id") or "") for reason in state.pause_reasons]
    names = ", ".join(name for name in waits if name)
    return [count_of(count, "variable"), f"waits at {names}" if names else ""]


def _joined(parts: list[str]) -> str:
    return "; ".join(re.sub(r"\s+", " ", part) for part in parts if part)


def _faults(notes: list[str] | tuple[str, ...]) -> str | None:
    shown = " ".join(notes[:5])
    return None if not notes else shown + (f" And {len(notes) - 5} more." if len(notes) > 5 else "")


def _unknown(error: BadInputError, hint: str = "") -> Recognised:
    told = f"{error.title}: {error.cause[:1].lower()}{error.cause[1:]}" if error.cause else f"{error.title}."
    line = " ".join(part for part in (told, error.next_step, hint) if part)
    return Recognised("unknown", "", line.replace("\n", " "))
