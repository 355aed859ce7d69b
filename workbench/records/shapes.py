"""Reading values of unsure shape: what is missing or of the wrong type is named, never raised.

A saved state may come from any version and through any hand; a part that is damaged must not hide the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.errors import BadInputError
from workbench.records.reading import parse_json

_NAMES: Mapping[type, str] = {
    bool: "true or false",
    str: "a text",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a mapping",
}


def kind_of(value: Any) -> str:
    """What a JSON value is, for a message."""
    return _NAMES.get(type(value), "null")


STATE_VALUES = 1_200_000
"""Most list items and mapping entries of a saved state: 100,000 variables are 900,000."""

MAX_NOTES = 200


class Notes(list[str]):
    """What is wrong with a record, one sentence each; at most 200, the rest are counted."""

    def __init__(self) -> None:
        super().__init__()
        self._more = 0

    def append(self, sentence: str) -> None:
        if len(self) < MAX_NOTES:
            super().append(sentence)
        else:
            self._more += 1

    def told(self) -> tuple[str, ...]:
        """All of them, for good."""
        return (*self, f"And {self._more:,} more.") if self._more else tuple(self)


class Shape:
    """A mapping that is read key by key; `notes` collects what is wrong, one sentence each.

    Args:
        where: how messages call it ("graph_execution").
    """

    def __init__(self, data: Mapping[str, Any], where: str, notes: Notes) -> None:
        self.data, self.where, self.notes = data, where, notes

    def mapping(self, key: str, *, needed: bool = True) -> dict[str, Any]:
        """A mapping; {} when it is not there."""
        value = self._value(key, dict, "a mapping", needed)
        return value if value is not None else {}

    def items(self, key: str, *, needed: bool = True) -> list[Any]:
        """A list; [] when it is not there."""
        value = self._value(key, list, "a list", needed)
        return value if value is not None else []

    def text(self, key: str, *, needed: bool = True) -> str | None:
        value: str | None = self._value(key, str, "a text", needed)
        return value

    def integer(self, key: str, *, needed: bool = True) -> int:
        """A whole number; 0 when it is not there."""
        value = self._value(key, (int, float), "a number", needed)
        try:
            return 0 if value is None or isinstance(value, bool) else int(value)
        except (ValueError, OverflowError):
            self.note(f"{self.where}.{key} is no whole number")
            return 0

    def number(self, key: str, *, needed: bool = True) -> float | None:
        value = self._value(key, (int, float), "a number", needed)
        try:
            return None if value is None else float(value)
        except OverflowError:
            self.note(f"{self.where}.{key} is larger than any floating-point number")
            return None

    def flag(self, key: str, *, needed: bool = True) -> bool:
        return bool(self._value(key, bool, "true or false", needed))

    def names(self, key: str, *, needed: bool = True) -> tuple[str, ...]:
        """A list of texts; others in it are left out."""
        found = self.items(key, needed=needed)
        kept = tuple(item for item in found if isinstance(item, str))
        if len(kept) != len(found):
            self.note(f"{self.where}.{key} holds {len(found) - len(kept)} items that are no text")
        return kept

    def texts(self, key: str, *, needed: bool = True) -> dict[str, str]:
        """A mapping from text to text; others in it are left out."""
        found = self.mapping(key, needed=needed)
        kept = {name: value for name, value in found.items() if isinstance(value, str)}
        if len(kept) != len(found):
            self.note(f"{self.where}.{key} holds {len(found) - len(kept)} values that are no text")
        return kept

    def nested(self, key: str, *, needed: bool = True) -> Shape:
        """JSON inside a text (or the mapping itself); an empty shape when it can't be read."""
        value = self.data.get(key)
        if isinstance(value, str):
            value = self._parsed(key, value)
        elif value is None and needed:
            self.note(f"{self.where}.{key} is missing")
        elif value is not None and not isinstance(value, dict):
            self.note(f"{self.where}.{key} is {kind_of(value)}, not JSON in a text")
        return Shape(value if isinstance(value, dict) else {}, key, self.notes)

    def note(self, sentence: str) -> None:
        self.notes.append(f"{sentence}.")

    def _parsed(self, key: str, text: str) -> Any:
        try:
            value = parse_json(text, f"{self.where}.{key}", max_values=STATE_VALUES)
        except BadInputError as error:
            self.note(f"{error.title}: {error.cause}".rstrip(".: "))
            return None
        if not isinstance(value, dict):
            self.note(f"{self.where}.{key} holds {kind_of(value)}, not a mapping")
        return value

    def _value(self, key: str, types: type | tuple[type, ...], wanted: str, needed: bool) -> Any:
        value = self.data.get(key)
        if value is None:
            if needed:
                self.note(f"{self.where}.{key} is missing")
            return None
        if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
            self.note(f"{self.where}.{key} is {kind_of(value)}, not {wanted}")
            return None
        return value


def mappings(values: Sequence[Any], where: str, notes: Notes) -> list[dict[str, Any]]:
    """The mappings of a list; what else is in it is named."""
    kept = [value for value in values if isinstance(value, dict)]
    if len(kept) != len(values):
        notes.append(f"{where} holds {len(values) - len(kept)} items that are no mapping.")
    return kept


def top_mapping(value: Any, source: str, expected: str) -> dict[str, Any]:
    """The outermost JSON value of a record.

    Raises:
        BadInputError: it is no mapping.
    """
    if isinstance(value, dict):
        return value
    raise BadInputError(
        f"{source} is not {expected}",
        f"It holds {kind_of(value)}; {expected} is a mapping.",
        "Check that the right file, and all of it, was given.",
    )
