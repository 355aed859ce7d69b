"""The shape of every record of a bundle: what each key may hold (docs/bundle.md)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from workbench.errors import BadInputError
from workbench.records.bundle import FACTS, STATES

ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")
CONTENT_ID: Final = re.compile(r"[0-9a-f]{32}")
_KERNEL: Final = re.compile(r"graphon-\d+\.\d+")
_ENDED: Final = ("succeeded", "partial-succeeded", "failed", "paused", "stopped")
_GATES: Final = ("fresh", "restored", "healed")
_PARENTS: Final = ("pause", "file", "path")

Check = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _time(value: Any) -> bool:
    """Seconds since 1970 that a calendar has: up to the year 9999."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value < 253_402_300_000


def _seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _matches(pattern: re.Pattern[str]) -> Check:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _one_of(names: tuple[str, ...]) -> Check:
    return lambda value: isinstance(value, str) and value in names


def _or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _fork(value: Any) -> bool:
    return isinstance(value, Mapping) and _matches(ID)(value.get("run_id")) and _count(value.get("step"))


def _base(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("state"), str)


def _pool(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(names, Mapping)
        and all(isinstance(held, Mapping) and "value" in held and "type" in held for held in names.values())
        for names in value.values()
    )


def _chunks(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(chunk, list) and len(chunk) == 4 and isinstance(chunk[2], str) for chunk in value
    )


def _edits(value: Any) -> bool:
    """A list of edits as an edits file has it; what it holds is checked when it is read as one."""
    return (
        isinstance(value, Mapping)
        and value.keys() == {"name", "edits"}
        and isinstance(value["name"], str)
        and isinstance(value["edits"], list)
        and all(isinstance(edit, Mapping) for edit in value["edits"])
    )


def _reasons(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(reason, Mapping) for reason in value)


APP: Final[Mapping[str, Check]] = {
    "id": _matches(CONTENT_ID), "name": _text, "mode": _text, "dsl_version": _or_null(_text),
}  # fmt: skip
FILE: Final[Mapping[str, Check]] = {
    "id": _matches(CONTENT_ID), "kind": _one_of(STATES), "name": _text, "detail": _text,
}  # fmt: skip
RUN: Final[Mapping[str, Check]] = {
    "id": _matches(ID), "app_id": _matches(CONTENT_ID), "app_name": _text, "mode": _text,
    "status": _one_of(_ENDED), "interrupted": lambda value: isinstance(value, bool),
    "kernel": _matches(_KERNEL), "inputs": _mapping, "system": _mapping, "script": _mapping,
    "options": _mapping, "outputs": _mapping, "answer": _or_null(_text), "error": _or_null(_text),
    "elapsed": _seconds, "total_tokens": _count, "total_steps": _count, "exceptions_count": _count,
    "steps": _count, "created_at": _time, "finished_at": _or_null(_time), "forked_from": _or_null(_fork),
}  # fmt: skip
SEGMENT: Final[Mapping[str, Check]] = {
    "index": _count, "kernel": _matches(_KERNEL), "first_step": _count, "last_step": _count,
    "gate_mode": _one_of(_GATES), "gate": _or_null(_text), "pause_id": _or_null(_matches(ID)),
    "forms": _mapping, "base": _or_null(_base), "script": _mapping, "options": _mapping,
    "status": _one_of(_ENDED), "started_at": _time, "finished_at": _or_null(_time),
}  # fmt: skip
FACT: Final[Mapping[str, Check]] = {"step": _count, "kind": _one_of(FACTS), "value": lambda value: True}
EVENT: Final[Mapping[str, Check]] = {"step": _count, "at": _time, "event": _mapping}
PAUSE: Final[Mapping[str, Check]] = {
    "id": _matches(ID), "segment": _count, "step": _count, "state": _text, "gate": _or_null(_text),
    "reasons": _reasons, "outputs": _mapping, "created_at": _time, "resumed_at": _or_null(_time),
}  # fmt: skip
EDITED: Final[Mapping[str, Check]] = {
    "file": _matches(CONTENT_ID), "parent_kind": _one_of(_PARENTS), "parent_id": _text,
    "run_id": _or_null(_matches(ID)), "step": _count, "app_id": _or_null(_matches(CONTENT_ID)),
    "kernel": _matches(_KERNEL), "name": _text, "edits": _edits,
}  # fmt: skip
FACT_VALUES: Final[Mapping[str, Check]] = {
    "graph": _mapping, "pool": _pool, "note": _text, "stream": _chunks, "stream-error": _text,
}  # fmt: skip


def short(value: Any) -> str:
    """A value as a message shows it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def broken(source: str, number: int, what: str) -> BadInputError:
    """A record of a bundle does not fit."""
    return BadInputError(
        f"{source} is no whole bundle",
        f"Line {number}: {what}.",
        "Export it again; a bundle is not meant to be changed by hand.",
    )
