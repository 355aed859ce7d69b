"""A JSON text opened for many changes: nested JSON strings are opened once, changed in place, and spelt back
only when the whole text is asked for.

A value is frozen: a change gives a new one that shares what it did not touch. What is not changed keeps its
bytes: `text()` of an unchanged one is the text it was opened with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.errors import BadInputError, NotFoundError
from workbench.records.json_literal import json_text
from workbench.records.json_places import OPEN, Path, locate, spell
from workbench.records.reading import parse_json
from workbench.records.shapes import STATE_VALUES
from workbench.records.splice import Splice, insertion, read, removal, replacement, respelt

_BLANKS = '": '


@dataclass(frozen=True)
class Opened:
    """A JSON text, its value, and the changes since it was opened.

    Attributes:
        own: the text with its own changes; those inside nested texts are not in it yet.
        data: the value of `own`, nested texts as they were opened.
        splices: its own changes, in order.
        nested: the texts inside it that were opened, by their path (without OPEN).
    """

    own: str = field(repr=False)
    data: Any = field(repr=False)
    splices: tuple[Splice, ...] = ()
    nested: Mapping[Path, Opened] = field(default_factory=dict, repr=False)

    @property
    def is_changed(self) -> bool:
        return bool(self.splices) or any(inner.is_changed for inner in self.nested.values())

    def text(self) -> str:
        """The whole text, with all changes."""
        text = self.own
        for splice in self._spelt_back():
            text = splice.apply(text)
        return text

    def get(self, path: Path) -> Any:
        """The value at `path` (OPEN allowed).

        Raises:
            NotFoundError: there is no such place.
            BadInputError: a text on the way holds no JSON.
        """
        own, rest = _split(path)
        if rest is None:
            return _at(self.data, own)
        return self._inside(own).get(rest)

    def has(self, path: Path) -> bool:
        """Whether there is a value at `path`."""
        try:
            self.get(path)
        except (NotFoundError, BadInputError):
            return False
        return True

    def opened(self, path: Path) -> Opened:
        """The same, with the nested text at `path` (ends with OPEN) opened for good. Raises as `get`."""
        own, rest = _split(path)
        if rest is None:
            return self
        inner = self._inside(own).opened(rest)
        return replace(self, nested={**self.nested, own: inner})

    def set(self, path: Path, value: Any) -> Opened:
        """With the value at `path` replaced; the place must be there. Raises as `get`."""

        def change(own: Opened, at: Path) -> Opened:
            splice = replacement(own.own, at, own._spelt(value))
            kept = {place: inner for place, inner in own.nested.items() if place[: len(at)] != at}
            return own._spliced(splice, _put(own.data, at, value), kept)

        return self._change(path, change)

    def add(self, path: Path, value: Any) -> Opened:
        """With a new member or list item at `path`; an item pushes those behind it. Raises as `get`."""

        def change(own: Opened, at: Path) -> Opened:
            own = own._settled(at[:-1])
            key: Any = at[-1]
            splice = insertion(own.own, at[:-1], key, own._spelt(value))
            return own._spliced(splice, _insert(own.data, at, value), own.nested)

        return self._change(path, change)

    def remove(self, path: Path) -> Opened:
        """Without the member or item at `path`. Raises as `get`."""

        def change(own: Opened, at: Path) -> Opened:
            own = own._settled(at[:-1])
            kept = {place: inner for place, inner in own.nested.items() if place[: len(at)] != at}
            own = own._spliced(removal(own.own, at), _without(own.data, at), kept)
            while isinstance(at[-1], str) and _stands(own.own, at):  # a key that was there twice
                own = own._spliced(removal(own.own, at), own.data, own.nested)
            return own

        return self._change(path, change)

    def put(self, path: Path, value: Any) -> Opened:
        """`set` where there is something, else `add`."""
        return self.set(path, value) if self.has(path) else self.add(path, value)

    def _change(self, path: Path, change: Callable[[Opened, Path], Opened]) -> Opened:
        own, rest = _split(path)
        if rest is None:
            _at(self.data, own[:-1])  # a clear error where the way there does not exist
            return change(self, own)
        inner = self._inside(own)._change(rest, change)
        return replace(self, nested={**self.nested, own: inner})

    def _spliced(self, splice: Splice, data: Any, nested: Mapping[Path, Opened]) -> Opened:
        return Opened(splice.apply(self.own), data, (*self.splices, splice), nested)

    def _settled(self, holder: Path) -> Opened:
        """The same, without opened texts below a list whose items are about to move."""
        moving = isinstance(_at(self.data, holder), list)
        if not moving or not any(place[: len(holder)] == holder for place in self.nested):
            return self
        back = tuple(self._spelt_back())
        text, data = self.text(), self.data
        for place in self.nested:
            data = _put(data, place, read(text, place))
        return Opened(text, data, (*self.splices, *back))

    def _spelt(self, value: Any) -> str:
        """A value in the spelling of this text: blanks and escapes as its beginning has them."""
        return json_text(value, ascii_only=self.own.isascii(), blanks=_BLANKS in self.own[:400])

    def _inside(self, own: Path) -> Opened:
        if own in self.nested:
            return self.nested[own]
        text = _at(self.data, own)
        if not isinstance(text, str):
            raise NotFoundError(
                f"{spell(own)} is no text that could hold JSON", f"It is {type(text).__name__}."
            )
        return open_text(text, spell(own))

    def _spelt_back(self) -> list[Splice]:
        """The changes inside nested texts, as splices one after another in `own`."""
        out: list[Splice] = []
        text = self.own
        for path, inner in self.nested.items():
            if not inner.is_changed:
                continue
            place = locate(text, path)
            literal = respelt(text[place.start : place.end], (*inner.splices, *inner._spelt_back()))
            out.append(Splice(place.start, place.end, literal))
            text = out[-1].apply(text)
        return out


def open_text(text: str, source: str = "state") -> Opened:
    """Open a JSON text.

    Raises:
        BadInputError: it is no JSON, or too large.
    """
    return Opened(text, parse_json(text, source, max_values=STATE_VALUES))


def _split(path: Path) -> tuple[Path, Path | None]:
    for i, step in enumerate(path):
        if step is OPEN:
            return path[:i], path[i + 1 :]
    return path, None


def _stands(text: str, path: Path) -> bool:
    try:
        locate(text, path)
    except NotFoundError:
        return False
    return True


def _is_index(step: Any, items: list[Any]) -> bool:
    return isinstance(step, int) and 0 <= step < len(items)


def _at(data: Any, path: Path) -> Any:
    for depth, step in enumerate(path):
        fits = step in data if isinstance(data, dict) else isinstance(data, list) and _is_index(step, data)
        if fits and isinstance(step, str if isinstance(data, dict) else int):
            data = data[step]
        else:
            raise NotFoundError(
                f"There is no {spell(path[: depth + 1])} in this state",
                f"{spell(path[:depth])} has no {step!r}.",
            )
    return data


def _put(data: Any, path: Path, value: Any) -> Any:
    """A copy along the path, everything else shared."""
    if not path:
        return value
    step: Any = path[0]
    twin = data.copy()
    twin[step] = _put(data[step], path[1:], value)
    return twin


def _insert(data: Any, path: Path, value: Any) -> Any:
    step: Any = path[0]
    twin = data.copy()
    if len(path) > 1:
        twin[step] = _insert(data[step], path[1:], value)
    elif isinstance(twin, list):
        twin.insert(step, value)
    else:
        twin[step] = value
    return twin


def _without(data: Any, path: Path) -> Any:
    step: Any = path[0]
    twin = data.copy()
    if len(path) > 1:
        twin[step] = _without(data[step], path[1:])
    else:
        del twin[step]
    return twin
