"""What the rules of the loaders share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a state that an engine does not take.

    Attributes:
        where: its place in words.
        message: a sentence.
        refused: the engine refuses the whole state; else it loads it and goes wrong, or drops that part.
    """

    where: str
    message: str
    refused: bool = True


@dataclass(frozen=True, slots=True)
class Holder:
    """A mapping whose keys are checked.

    Args:
        prefix: "graph_execution." before its keys in messages.
        strict: a missing key is a fault.
    """

    data: Mapping[str, Any]
    prefix: str
    strict: bool

    def flag(self, key: str) -> Iterator[Fault]:
        yield from self._check(key, isinstance(self.data.get(key), bool), "true or false")

    def whole(self, key: str) -> Iterator[Fault]:
        yield from self._check(key, is_whole(self.data.get(key)), "a whole number")

    def count(self, key: str) -> Iterator[Fault]:
        value: Any = self.data.get(key)
        yield from self._check(key, is_whole(value) and value >= 0, "a whole number, 0 or more")

    def number(self, key: str) -> Iterator[Fault]:
        value: Any = self.data.get(key)
        fits = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e308
        yield from self._check(key, fits and math.isfinite(value), "a number")

    def mapping(self, key: str) -> Iterator[Fault]:
        yield from self._check(key, isinstance(self.data.get(key), dict), "a mapping")

    def items(self, key: str) -> Iterator[Fault]:
        yield from self._check(key, isinstance(self.data.get(key), list), "a list")

    def texts(self, key: str) -> Iterator[Fault]:
        value = self.data.get(key)
        fits = isinstance(value, list) and all(isinstance(item, str) for item in value)
        yield from self._check(key, fits, "a list of texts")

    def _check(self, key: str, fits: bool, wanted: str) -> Iterator[Fault]:
        name = f"{self.prefix}{key}"
        if key not in self.data:
            if self.strict:
                yield Fault(name, f"{name} is missing.")
        elif not fits:
            yield Fault(name, f"{name} is not {wanted}.")


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number (true and false are none)."""
    return isinstance(value, int) and not isinstance(value, bool)
