"""What can still be read of an event that is cut off or is no JSON."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_OUTER: Final = (
    "event", "task_id", "workflow_run_id", "conversation_id", "message_id",
)  # fmt: skip
_INNER: Final = ("id", "node_id", "node_type", "title", "status", "reason", "error", "text")
_WHOLE: Final = ("inputs", "outputs", "process_data", "from_variable_selector", "reasons")
_ANSWER = re.compile(r'"answer"\s*:\s*"')
_ANSWER_END = re.compile(r'"\s*,\s*"from_variable_selector"|"\s*\}+\s*$')
_DECODER = json.JSONDecoder(strict=False)


def salvaged(text: str) -> dict[str, Any]:
    """The frame of a broken event, as far as it can be read.

    Names are taken where they come first; of a text with unescaped quotes all up to the end of its field.
    """
    inside = text.find('"data"')
    head = text if inside < 0 else text[:inside]
    frame: dict[str, Any] = {key: value for key in _OUTER if (value := _text(key, text)) is not None}
    answer = _answer(head)
    if answer is not None:
        frame["answer"] = answer
    if inside >= 0:
        rest = text[inside + len('"data"') :]
        frame["data"] = {key: value for key in _INNER if (value := _text(key, rest)) is not None}
        frame["data"] |= _values(rest)
    else:
        frame |= _values(text)
    return frame


def _text(key: str, text: str) -> str | None:
    found = re.search(rf'"{key}"\s*:\s*"((?:[^"\\]|\\.)*)"', text, re.DOTALL)
    return _unescaped(found[1]) if found else None


def _values(text: str) -> dict[str, Any]:
    found = {}
    for key in _WHOLE:
        place = re.search(rf'"{key}"\s*:\s*', text)
        if place is None:
            continue
        try:
            found[key] = _DECODER.raw_decode(text, place.end())[0]
        except (ValueError, RecursionError):
            continue
    return found


def _answer(text: str) -> str | None:
    begin = _ANSWER.search(text)
    if begin is None:
        return None
    end = _ANSWER_END.search(text, begin.end())
    return _unescaped(
        text[begin.end() : end.start() if end else len(text)].rstrip("\r\n" if end is None else "")
    )


def _unescaped(raw: str) -> str:
    """A JSON string's text; quotes that were not escaped are taken as they are."""
    safe = re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', raw)
    for candidate in (safe, re.sub(r"\\[^\\]{0,5}$", "", safe)):  # an escape may be cut in the middle
        try:
            return str(json.loads(f'"{candidate}"', strict=False))
        except ValueError:
            continue
    return raw
