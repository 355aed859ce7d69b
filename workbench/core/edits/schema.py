"""A small schema language for what graphon's pydantic models take from JSON, and what they convert silently.

A check is a function (value, where) -> faults. pydantic's lax mode turns "3" into 3 and 1 into true: such a
value is loaded as another one than stands there, which is a fault that is not refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from workbench.core.edits.values import called
from workbench.records.reading import shorten


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a state that an engine does not take as it is.

    Attributes:
        where: its place ("graph_execution.paused", "gate.active_session.index").
        message: a sentence.
        refused: the engine refuses the whole state; else it loads it and goes wrong, or as something else.
    """

    where: str
    message: str
    refused: bool = True


Check = Callable[[Any, str], Iterator[Fault]]

_WHOLE: Final = re.compile(r"\s*[+-]?\d+(_\d+)*(\.0+)?\s*\Z")
_TRUTHS: Final = frozenset({"0", "1", "t", "f", "true", "false", "y", "n", "yes", "no", "on", "off"})


def _not(value: Any, where: str, wanted: str) -> Iterator[Fault]:
    yield Fault(where, f"{where} is {called(value)}, not {wanted}.")


def _converted(value: Any, where: str, wanted: str) -> Iterator[Fault]:
    yield Fault(
        where, f"{where} is {shorten(repr(value), 30)}; the engine reads it as {wanted}.", refused=False
    )


def anything(value: Any, where: str) -> Iterator[Fault]:
    """Takes everything."""
    yield from ()


def text(value: Any, where: str) -> Iterator[Fault]:
    if not isinstance(value, str):
        yield from _not(value, where, "a text")


def flag(value: Any, where: str) -> Iterator[Fault]:
    if isinstance(value, bool):
        return
    is_truth = isinstance(value, str) and value.strip().lower() in _TRUTHS
    if is_truth or (isinstance(value, int | float) and value in (0, 1)):
        yield from _converted(value, where, "true or false")
    else:
        yield from _not(value, where, "true or false")


def whole(value: Any, where: str) -> Iterator[Fault]:
    if isinstance(value, int) and not isinstance(value, bool):
        return
    if _is_almost_whole(value):
        yield from _converted(value, where, "a whole number")
    else:
        yield from _not(value, where, "a whole number")


def _is_almost_whole(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value) and value % 1 == 0
    return isinstance(value, bool) or (isinstance(value, str) and _WHOLE.match(value) is not None)


def count(value: Any, where: str) -> Iterator[Fault]:
    """A whole number, 0 or more."""
    found = list(whole(value, where))
    yield from found
    if not any(fault.refused for fault in found) and _below_zero(value):
        yield Fault(where, f"{where} is below 0.")


def _below_zero(value: Any) -> bool:
    """Whole numbers may be too long for a float; texts that hold one are read by their sign."""
    if isinstance(value, str):
        return value.strip().startswith("-") and re.search("[1-9]", value) is not None
    return bool(value < 0)


def through_int(value: Any, where: str) -> Iterator[Fault]:
    """What Python's `int()` takes, 0 or more."""
    try:
        read = int(value)
    except (TypeError, ValueError, OverflowError):
        yield from _not(value, where, "a whole number")
        return
    if read < 0:
        yield Fault(where, f"{where} is below 0.")
    elif not isinstance(value, int) or isinstance(value, bool):
        yield from _converted(value, where, f"{read}")


def identifier(value: Any, where: str) -> Iterator[Fault]:
    """The id of a form's action."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) or len(value) > 20:
        yield Fault(where, f"{where} is no identifier of at most 20 letters, digits and underscores.")


def number(value: Any, where: str) -> Iterator[Fault]:
    if isinstance(value, bool) or (isinstance(value, str) and _as_float(value) is not None):
        yield from _converted(value, where, "a number")
    elif not isinstance(value, int | float):
        yield from _not(value, where, "a number")


def decimal(value: Any, where: str) -> Iterator[Fault]:
    """A price: a text or a number."""
    if isinstance(value, str):
        found = _as_float(value)
        if found is None or not math.isfinite(found):
            yield from _not(value, where, "a number")
    elif isinstance(value, bool) or not isinstance(value, int | float):
        yield from _not(value, where, "a number")


def moment(value: Any, where: str) -> Iterator[Fault]:
    """A point in time: ISO 8601, or seconds since 1970."""
    if isinstance(value, str):
        try:
            datetime.fromisoformat(value)
        except ValueError:
            if _as_float(value) is None:
                yield from _not(value, where, "a point in time")
    elif isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e20:
        yield from _not(value, where, "a point in time")


def mapping(value: Any, where: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield from _not(value, where, "a mapping")


def each(value: Any, where: str) -> Iterator[Fault]:
    """What Python can go through: a text by its characters, a mapping by its keys."""
    if isinstance(value, str | dict):
        yield from _converted(value, where, "a list")
    elif not isinstance(value, list):
        yield from _not(value, where, "a list")


def one_of(*words: str) -> Check:
    """One of some texts."""

    def check(value: Any, where: str) -> Iterator[Fault]:
        if not isinstance(value, str) or value not in words:
            yield Fault(where, f"{where} is {shorten(repr(value), 30)}; valid: {', '.join(words)}.")

    return check


def optional(inner: Check) -> Check:
    """As `inner`, or null."""

    def check(value: Any, where: str) -> Iterator[Fault]:
        if value is not None:
            yield from inner(value, where)

    return check


def items(inner: Check) -> Check:
    """A list of them."""

    def check(value: Any, where: str) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield from _not(value, where, "a list")
            return
        for index, item in enumerate(value):
            yield from inner(item, f"{where}[{index}]")

    return check


def mapping_of(inner: Check) -> Check:
    """A mapping to them."""

    def check(value: Any, where: str) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield from _not(value, where, "a mapping")
            return
        for key, item in value.items():
            yield from inner(item, f"{where}.{key}")

    return check


def model(
    needed: Mapping[str, Check], more: Mapping[str, Check] | None = None, *, closed: bool = False
) -> Check:
    """A mapping with these keys.

    Args:
        needed: keys that must be there.
        more: keys that may be there.
        closed: no other key is taken.
    """
    others = more or {}

    def check(value: Any, where: str) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield from _not(value, where, "a mapping")
            return
        dot = f"{where}." if where else ""
        for key, inner in needed.items():
            if key in value:
                yield from inner(value[key], f"{dot}{key}")
            else:
                yield Fault(f"{dot}{key}", f"{dot}{key} is missing.")
        for key, inner in others.items():
            if key in value:
                yield from inner(value[key], f"{dot}{key}")
        if closed:
            for key in value:
                if key not in needed and key not in others:
                    yield Fault(f"{dot}{key}", f"{where or 'The state'} takes no key {key!r}.")

    return check


def tagged(key: str, kinds: Mapping[str, Check]) -> Check:
    """A mapping whose `key` says which of some models it is."""

    def check(value: Any, where: str) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield from _not(value, where, "a mapping")
            return
        kind = value.get(key)
        if isinstance(kind, str) and kind in kinds:
            yield from kinds[kind](value, where)
        else:
            yield Fault(
                f"{where}.{key}", f"{where}.{key} is {shorten(repr(kind), 30)}; valid: {', '.join(kinds)}."
            )

    return check


def _as_float(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
