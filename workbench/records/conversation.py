"""Conversations: the message rows that Dify's memory reads, from every form in which somebody may have them.

JSON lines (a row a line), a JSON list, Dify's service API (`GET /messages`), rows of its database, or a
message list as OpenAI's chat API takes it. What memory reads of a row: `id`, `parent_message_id`,
`created_at`, `query`, `answer`, `answer_tokens`, `status`, `files`, `workflow_run_id` (facts: dify-memory.md,
1.1 and 11).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from workbench.errors import BadInputError
from workbench.records.reading import STATE_LIMIT, check_size, decode, parse_json

NIL = "00000000-0000-0000-0000-000000000000"
"""The parent of every message that came through the service API (`UUID_NIL`)."""

ROW_LIMIT = 200_000
"""Most rows of one conversation."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file of a message. `belongs_to` is "user" (also when the row has none) or "assistant"."""

    kind: str
    belongs_to: str = "user"
    size: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A message row: a question and its answer.

    Attributes:
        parent_message_id: None is the root of a thread; `NIL` what the service API writes.
        created_at: seconds since 1970.
        answer_tokens: None when the source does not tell; then an empty answer counts as none.
        running_id: id of the workflow run that made it, None where the source does not tell.
        file_config_missing: its files can't be read any more (the run's rows are gone): memory raises.
    """

    id: str
    query: str
    answer: str
    created_at: float = 0.0
    parent_message_id: str | None = None
    answer_tokens: int | None = None
    status: str = "normal"
    files: tuple[MemoryFile, ...] = ()
    running_id: str | None = None
    file_config_missing: bool = False


@dataclass(frozen=True)
class Conversation:
    """A conversation's rows, oldest first, and what had to be guessed.

    Attributes:
        form: "jsonl", "list", "service-api" or "messages".
        notes: what is missing or was guessed, one sentence each.
    """

    rows: tuple[Row, ...]
    form: str
    notes: tuple[str, ...] = ()


def read_conversation(data: bytes, source: str = "conversation") -> Conversation:
    """Read a conversation.

    Raises:
        BadInputError: it is none; a wrong line is named by its number, a wrong row by its place.
    """
    check_size(len(data), source, STATE_LIMIT)
    text = decode(data, source)
    if not text.strip():
        return _finish([], "jsonl", source)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if text.lstrip().startswith("{") and _one_a_line(lines):
        return _finish(
            [(f"line {number}", _line(number, line, source)) for number, line in lines], "jsonl", source
        )
    value = parse_json(text, source)
    if isinstance(value, Mapping) and isinstance(value.get("data"), Sequence):
        return _finish(_placed(value["data"]), "service-api", source)
    if isinstance(value, Mapping) and isinstance(value.get("messages"), Sequence):
        value = value["messages"]
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, list):
        raise _wrong(source, "it is no list of rows")
    if value and all(isinstance(item, Mapping) and "role" in item and "query" not in item for item in value):
        return _from_messages(value, source)
    return _finish(_placed(value), "list", source)


def _one_a_line(lines: Sequence[tuple[int, str]]) -> bool:
    """Whether this is a row a line: the first line is a whole row, or most lines begin one."""
    try:
        first = json.loads(lines[0][1])
    except ValueError:
        return len(lines) > 1 and sum(line.lstrip().startswith("{") for _, line in lines) * 2 > len(lines)
    except RecursionError:
        return False
    return isinstance(first, Mapping) and (len(lines) > 1 or "query" in first or "answer" in first)


def _line(number: int, line: str, source: str) -> Any:
    try:
        return parse_json(line, source)
    except BadInputError as error:
        raise BadInputError(
            f"{source}, line {number} is no row", error.cause or str(error), "Each line is one JSON object."
        ) from error


def _placed(values: Sequence[Any]) -> list[tuple[str, Any]]:
    return [(f"row {place}", value) for place, value in enumerate(values, start=1)]


def _finish(values: Sequence[tuple[str, Any]], form: str, source: str) -> Conversation:
    if len(values) > ROW_LIMIT:
        raise _wrong(source, f"it has {len(values):,} rows; at most {ROW_LIMIT:,} are read")
    rows: list[Row] = []
    notes: list[str] = []
    seen: set[str] = set()
    for place, value in values:
        row = _row(value, place, source, len(rows))
        if row.id in seen:
            raise _wrong(source, f"{place}: the id {row.id!r} is there twice")
        seen.add(row.id)
        rows.append(row)
    timed = all(isinstance(v, Mapping) and v.get("created_at") not in (None, "") for _, v in values)
    if not rows:
        notes.append("It holds no rows.")
    elif not timed:
        notes.append("Rows without created_at: the order of the file is taken.")
        rows = [replace(row, created_at=float(place)) for place, row in enumerate(rows)]
    elif len({row.created_at for row in rows}) < len(rows):
        notes.append(
            "Rows with the same created_at: Dify's query has no second order, here the file's order decides."
        )
    newest_first = form == "service-api" and len(rows) > 1 and rows[0].created_at > rows[-1].created_at
    ordered = sorted(reversed(rows) if newest_first else rows, key=lambda row: row.created_at)
    return Conversation(tuple(ordered), form, tuple(notes))


def _row(value: Any, place: str, source: str, number: int) -> Row:
    if not isinstance(value, Mapping):
        raise _wrong(source, f"{place} is no object")
    if "query" not in value and "answer" not in value:
        raise _wrong(source, f"{place} has neither query nor answer")
    tokens = value.get("answer_tokens")
    if tokens is not None and (not isinstance(tokens, int) or isinstance(tokens, bool)):
        raise _wrong(source, f"{place}: answer_tokens is no whole number")
    parent = value.get("parent_message_id")
    return Row(
        id=_text(value.get("id"), f"row-{number + 1}"),
        query=_text(value.get("query")),
        answer=_text(value.get("answer")),
        created_at=_time(value.get("created_at"), place, source),
        parent_message_id=None if parent in (None, "") else str(parent),
        answer_tokens=tokens,
        status=_text(value.get("status"), "normal"),
        files=tuple(_files(value, place, source)),
        running_id=_text(value.get("workflow_run_id")) or None,
        file_config_missing=value.get("workflow_run_id", "") is None and bool(value.get("files")),
    )


def _text(value: Any, missing: str = "") -> str:
    if value is None:
        return missing
    return value if isinstance(value, str) else str(value)


def _files(value: Mapping[str, Any], place: str, source: str) -> list[MemoryFile]:
    given = value.get("files") if value.get("files") is not None else value.get("message_files")
    if given is None:
        return []
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise _wrong(source, f"{place}: files is no list")
    found: list[MemoryFile] = []
    for file in given:
        if isinstance(file, Mapping):
            size = file.get("size")
            kind = _text(file.get("kind") or file.get("type"), "file")
            found.append(
                MemoryFile(kind, _text(file.get("belongs_to"), "user"), size if isinstance(size, int) else 0)
            )
        else:
            found.append(MemoryFile(_text(file, "file")))
    return found


def _time(value: Any, place: str, source: str) -> float:
    """Seconds since 1970: a number (milliseconds are told by their size) or an ISO date."""
    if value is None or value == "":
        return 0.0
    if isinstance(value, bool):
        raise _wrong(source, f"{place}: created_at is no time")
    if isinstance(value, int | float):
        number = float(value)
        if not math.isfinite(number):
            raise _wrong(source, f"{place}: created_at is no time")
        return number / 1000 if number > 1e11 else number
    try:
        read = datetime.fromisoformat(str(value).strip())
    except ValueError:
        try:
            return float(str(value))
        except ValueError:
            raise _wrong(source, f"{place}: created_at {str(value)[:40]!r} is no time") from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _from_messages(values: Sequence[Mapping[str, Any]], source: str) -> Conversation:
    """Turns of a message list: a user message and the assistant's after it; others are left out, and said."""
    rows: list[Row] = []
    left: dict[str, int] = {}
    query: str | None = None

    def add(query: str, answer: str, answered: bool) -> None:
        rows.append(
            Row(f"turn-{len(rows) + 1}", query, answer, float(len(rows)), NIL, None if answered else 0)
        )

    for value in values:
        role, text = str(value.get("role")), _content(value.get("content"))
        if role == "user":
            if query is not None:
                add(query, "", False)
            query = text
        elif role == "assistant":
            add(query or "", text, True)
            query = None
        else:
            left[role] = left.get(role, 0) + 1
    if query is not None:
        add(query, "", False)
    notes = [
        f"{count} {role} message{'s'[: count > 1]} left out: memory has none." for role, count in left.items()
    ]
    return Conversation(tuple(rows), "messages", tuple(notes))


def _content(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    if isinstance(value, Sequence):
        parts = (part.get("text") for part in value if isinstance(part, Mapping))
        return "".join(part for part in parts if isinstance(part, str))
    return str(value)


def _wrong(source: str, cause: str) -> BadInputError:
    return BadInputError(
        f"{source} is no conversation that can be read",
        f"{cause[:1].upper()}{cause[1:]}.",
        "A row has id, parent_message_id, created_at, query, answer, answer_tokens, status and files.",
    )
