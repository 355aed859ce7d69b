"""How records look that are recognised without being read whole: apps, streams, conversations, sessions."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any

from workbench.errors import BadInputError
from workbench.records.reading import parse_json

EVENTS = frozenset(
    {
        "workflow_started", "workflow_finished", "workflow_paused", "node_started", "node_finished",
        "node_retry", "message", "message_end", "message_replace", "message_file", "agent_message",
        "agent_thought", "agent_log", "text_chunk", "text_replace", "reasoning_chunk",
        "iteration_started", "iteration_next", "iteration_completed", "loop_started", "loop_next",
        "loop_completed", "tts_message", "tts_message_end", "human_input_required",
        "human_input_form_filled", "human_input_form_timeout", "error", "ping",
    }
)  # fmt: skip
"""Names of Dify's server-sent events (facts: dify-pause-resume.md, 5)."""

_APP_KEYS = ("app", "workflow", "nodes", "edges", "model_config")
_APP_PAIRS = ({"nodes", "edges"}, {"app", "workflow"}, {"app", "model_config"})
_MODE = r"""[ \t]*["']?(advanced-chat|workflow|agent-chat|chat|completion|rag-pipeline)\b"""
_APP_HEAD = re.compile(r"""^kind:[ \t]*["']?app\b|^workflow:[ \t]*$""", re.MULTILINE)
_EVENT = re.compile(r'"event"\s*:\s*"([a-z_]+)"')
_EVENT_LINE = re.compile(r"^event:[ \t]*([a-z_]+)", re.MULTILINE)
_STREAM = re.compile(r'^(?:data|event):|\bdata: *\{|^[ \t]*"?\{?"event"\s*:\s*"', re.MULTILINE)
_SAMPLE = 100
_ROW = ("query", "answer")


def count_of(count: int, what: str) -> str:
    """ "1 event", "2 events"."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def sse_line(text: str) -> str | None:
    """A line about a recorded event stream, None when the text is none.

    It may be the stream itself, pretty-printed, glued together, below a curl command, or a table pasted from
    the developer tools; the names of the events decide.
    """
    if "event" not in text or not _STREAM.search(text):
        return None
    names = [name for name in _EVENT.findall(text) if name in EVENTS - {"ping"}]
    names = names or [name for name in _EVENT_LINE.findall(text) if name in EVENTS - {"ping"}]
    counts = Counter(names)
    if not counts or (set(counts) == {"error"} and "data:" not in text):
        return None
    runs = counts["workflow_started"]
    parts = [count_of(len(names), "event"), f"{runs} starts" if runs > 1 else "", f"ends with {names[-1]}"]
    return ", ".join(part for part in parts if part)


def is_surely_app(text: str) -> bool:
    """Whether a YAML text begins like an exported app, whatever its templates and code hold."""
    return _APP_HEAD.search(text[:1_000_000]) is not None


def app_line(text: str) -> str | None:
    """A line about an exported app in YAML, None when the text is none."""
    head = text[:1_000_000]
    if head[:1] in {"{", "["}:
        return None
    found = {name for name in _APP_KEYS if re.search(_key(name), head, re.MULTILINE)}
    if not _APP_HEAD.search(head) and not any(pair <= found for pair in _APP_PAIRS):
        return None
    mode = re.search(_key("mode") + _MODE, head, re.MULTILINE)
    version = re.search(_key("version") + r"""[ \t]*["']?(\d+\.\d+\.\d+)""", head, re.MULTILINE)
    return _app_words(mode[1] if mode else "", version[1] if version else "")


def app_value_line(value: Any) -> str | None:
    """A line about an exported app in JSON, None when the value is none."""
    if not isinstance(value, Mapping):
        return None
    head = value.get("app")
    graph = value.get("graph", value)
    is_graph = isinstance(graph, Mapping) and all(
        isinstance(graph.get(key), list) for key in ("nodes", "edges")
    )
    if not (is_graph or value.get("kind") == "app" or isinstance(value.get("workflow"), Mapping)):
        return None
    mode = head.get("mode") if isinstance(head, Mapping) else None
    return _app_words(str(mode or ""), str(value.get("version") or ""))


def _key(name: str) -> str:
    return rf"^[ \t]*[\"']?{name}[\"']?[ \t]*:"


def _app_words(mode: str, version: str) -> str:
    return ", ".join(part for part in (mode, f"DSL {version}" if version else "") if part) or "exported app"


def conversation_line(value: Any) -> str | None:
    """A line about a conversation: rows with query and answer, or a list of Dify's service API."""
    rows = value
    if isinstance(value, Mapping):
        rows = value.get("data", value.get("messages", [value]))
    if not isinstance(rows, list) or not rows:
        return None
    messages = [row for row in rows if isinstance(row, Mapping) and all(key in row for key in _ROW)]
    roles = [row for row in rows if isinstance(row, Mapping) and {"role", "content"} <= row.keys()]
    if len(messages) * 2 > len(rows):
        more = isinstance(value, Mapping) and value.get("has_more") is True
        return count_of(len(messages), "message") + (", the list goes on (has_more)" if more else "")
    return f"{count_of(len(roles), 'message')} by role" if len(roles) * 2 > len(rows) else None


def conversation_rows(text: str) -> str | None:
    """A line about messages written one JSON object a line; the first hundred lines decide."""
    rows: list[Any] = []
    for line in islice((line for line in io.StringIO(text) if line.strip()), _SAMPLE):
        try:
            rows.append(parse_json(line, "a line"))
        except BadInputError:
            rows.append(None)
    found = conversation_line(rows)
    if found is None or len(rows) < _SAMPLE:
        return found
    return count_of(text.count("\n") + 1, "line") + " of messages"


def session_line(value: Any) -> str | None:
    """A line about an Agent's session: `{schema_version, layers: [{name, lifecycle_state, ...}]}`."""
    if isinstance(value, Mapping) and "session_snapshot" in value and "layers" not in value:
        return _session_row(value["session_snapshot"])
    if not isinstance(value, Mapping) or not isinstance(value.get("layers"), list):
        return None
    layers = [layer for layer in value["layers"] if isinstance(layer, Mapping)]
    layers = [layer for layer in layers if isinstance(layer.get("name"), str)]
    if not any("runtime_state" in layer or "state" in layer for layer in layers):
        return None
    count = sum(_messages(layer) for layer in layers)
    return f"layers {', '.join(layer['name'] for layer in layers)}; {count_of(count, 'message')}"


def _session_row(snapshot: Any) -> str | None:
    """A database row that holds the snapshot as a text."""
    if isinstance(snapshot, str):
        try:
            snapshot = parse_json(snapshot, "session_snapshot")
        except BadInputError:
            return None
    return session_line(snapshot)


def _messages(layer: Mapping[str, Any]) -> int:
    state = layer.get("runtime_state", layer.get("state"))
    messages = state.get("messages") if isinstance(state, Mapping) else None
    return len(messages) if isinstance(messages, list) else 0


_MARKS: tuple[tuple[str, str], ...] = (
    ("serialized_graph_runtime_state", "a saved pause"),
    ("variable_dictionary", "a runtime state"),
    ("ResponseStreamFilter", "a gate state"),
    ("paths_map", "a gate state"),
    ("lifecycle_state", "an Agent's session"),
    ("has_more", "a list of messages"),
    ("graph_node_states", "a runtime state"),
    ("graph_execution", "a runtime state"),
    ("sourceHandle", "an exported app"),
)


def seems(text: str) -> str | None:
    """What a broken text seems to be."""
    return next((what for mark, what in _MARKS if mark in text), None)
