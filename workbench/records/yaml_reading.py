"""YAML from strangers, in one pass over libyaml's events: no recursion, no alias bombs, nothing but data.

Values are those of `yaml.safe_load`, which Dify uses to import an app, with three differences: a date stays
the text that stands in the file (Dify can't store one), a lone `=` is text, keys become strings as in JSON.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from workbench.errors import BadInputError
from workbench.records.reading import MAX_DEPTH, decode, shorten, too_deep, too_many, value_limit
from workbench.records.yaml_errors import Path, path_text, syntax_error

__all__ = ["MAX_VALUES", "Path", "YamlDocument", "path_text", "read_yaml"]

MAX_VALUES = 200_000
"""Most list items and mapping entries of one document, aliases expanded; 15,000 in the largest public app."""

MAX_CHARACTERS = 40_000_000
"""Most characters of all texts with their aliases expanded."""

MAX_NUMBER = 1000
"""Longer plain scalars are text: reading 1:59:59:... as a number takes time with the square of its length."""

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVERS: Mapping[str | None, list[tuple[str, Any]]] = yaml.SafeLoader.yaml_implicit_resolvers
_PREFIX = "tag:yaml.org,2002:"
_MERGE = _PREFIX + "merge"
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_SCALARS: Mapping[str, Callable[[yaml.ScalarNode], Any]] = {
    _PREFIX + "null": lambda node: None,
    _PREFIX + "bool": _CONSTRUCTOR.construct_yaml_bool,
    _PREFIX + "int": _CONSTRUCTOR.construct_yaml_int,
    _PREFIX + "float": _CONSTRUCTOR.construct_yaml_float,
    _PREFIX + "str": lambda node: node.value,
    _PREFIX + "timestamp": lambda node: node.value,
    _PREFIX + "value": lambda node: node.value,
}


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A YAML document.

    Attributes:
        value: plain Python data; parts that the file repeats by alias are the same object.
        lines: 1-based line of every value by its path (keys and list positions); empty unless asked for.
        repeated: (path, line) of keys that stand twice in one mapping; the last one counts, as in Dify.
    """

    value: Any
    lines: Mapping[Path, int]
    repeated: tuple[tuple[Path, int], ...]


class _NoKey:
    """Stands for "the next scalar is a key"."""


_NO_KEY, _MERGE_KEY = _NoKey(), _NoKey()


@dataclass(slots=True)
class _Frame:
    """A list or mapping that is being read; `key` is where its next value goes."""

    value: list[Any] | dict[str, Any]
    path: Path
    anchor: str | None
    before: tuple[int, int]  # totals of values and characters when it began
    is_mapping: bool
    key: str | _NoKey = _NO_KEY
    merges: list[Any] = field(default_factory=list)


def read_yaml(data: bytes | str, source: str, *, lines: bool = False) -> YamlDocument:
    """Read one document; `BadInputError` names line and column of what is wrong."""
    text = decode(data, source) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    if not text or text.isspace():
        raise BadInputError(f"{source} is empty", "There is no text in it.", "Export or copy it again.")
    builder = _Builder(source, lines)
    collects = gc.isenabled()
    gc.disable()  # a third of the time would go into looking for cycles that can't be
    try:
        builder.feed(_Loader(text))
    except yaml.YAMLError as error:
        raise syntax_error(error, text, source) from error
    except (ValueError, KeyError) as error:  # `!!int twelve`, `!!bool perhaps`
        cause, advice = f"{error}.", "Correct the value behind the tag."
        raise BadInputError(f"{source} is not valid YAML", cause, advice) from error
    finally:
        if collects:
            gc.enable()
    return YamlDocument(builder.result, builder.lines, tuple(builder.repeated))


class _Builder:
    """Turns events into values; keeps its own stack, and counts what aliases would expand to."""

    def __init__(self, source: str, lines: bool) -> None:
        self.source, self.wants_lines = source, lines
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int, int]] = {}
        self.plain: dict[str, Any] = {}  # plain scalars that were resolved before: names repeat a lot
        self.values = self.characters = 0
        self.max_values = value_limit(MAX_VALUES)
        self.result: Any = None
        self.documents = 0
        self.lines: dict[Path, int] = {}
        self.repeated: list[tuple[Path, int]] = []

    def feed(self, loader: Any) -> None:
        take: Mapping[Any, Callable[[Any], None]] = {
            yaml.ScalarEvent: self.scalar,
            yaml.MappingStartEvent: self.open,
            yaml.SequenceStartEvent: self.open,
            yaml.MappingEndEvent: self.close,
            yaml.SequenceEndEvent: self.close,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.document,
        }
        get, nothing = loader.get_event, lambda event: None
        while (event := get()) is not None:
            take.get(event.__class__, nothing)(event)

    def document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise self.bad(event, "a second document begins", "Keep one document in the file.")

    def bad(self, event: Any, cause: str, advice: str) -> BadInputError:
        place = f"line {event.start_mark.line + 1}, column {event.start_mark.column + 1}"
        return BadInputError(f"{self.source} can't be read as plain data", f"{place}: {cause}.", advice)

    def bad_tag(self, event: Any) -> BadInputError:
        return self.bad(event, f"the tag {shorten(event.tag)} asks for an object", "Write plain values.")

    def bad_key(self, event: Any) -> BadInputError:
        return self.bad(event, "a list or mapping stands where a key is needed", "Use a text as key.")

    def scalar(self, event: Any) -> None:
        text: str = event.value
        self.characters += len(text)
        if event.tag is None and event.implicit[0]:
            value = self.plain.get(text, _NO_KEY)
            if value is _NO_KEY:
                value = self.plain[text] = self.resolve(event)
        else:
            value = self.resolve(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1, len(text))
        self.add(value, event)

    def resolve(self, event: Any) -> Any:
        """The value of a scalar; `_MERGE_KEY` for `<<`."""
        text: str = event.value
        tag: str | None = event.tag
        if tag is None or tag == "!":
            if (tag is None and not event.implicit[0]) or len(text) > MAX_NUMBER:
                return text
            rules = _RESOLVERS.get(text[0] if text else "", ())
            tag = next((name for name, pattern in rules if pattern.match(text)), None)
            if tag is None:
                return text
        if tag == _MERGE:
            return _MERGE_KEY
        construct = _SCALARS.get(tag)
        if construct is None:
            raise self.bad_tag(event)
        return construct(yaml.ScalarNode(tag, text))

    def open(self, event: Any) -> None:
        is_mapping = event.__class__ is yaml.MappingStartEvent
        if event.tag not in (None, "!", _PREFIX + "map", _PREFIX + "seq"):
            raise self.bad_tag(event)
        if len(self.stack) >= MAX_DEPTH:
            raise too_deep(self.source, MAX_DEPTH + 1)
        path = self.next_path()
        if self.stack and self.stack[-1].is_mapping and self.stack[-1].key is _NO_KEY:
            raise self.bad_key(event)
        self.count(1, 0)
        if self.wants_lines:
            self.lines[path] = event.start_mark.line + 1
        value: list[Any] | dict[str, Any] = {} if is_mapping else []
        frame = _Frame(value, path, event.anchor, (self.values - 1, self.characters), is_mapping)
        if event.anchor is not None:
            self.anchors[event.anchor] = (frame, 0, 0)
        self.stack.append(frame)

    def next_path(self) -> Path:
        """Where the next value will stand."""
        if not self.stack:
            return ()
        frame = self.stack[-1]
        last = frame.key if isinstance(frame.key, str) else "" if frame.is_mapping else len(frame.value)
        return (*frame.path, last)

    def close(self, event: Any) -> None:
        frame = self.stack.pop()
        if frame.merges and isinstance(frame.value, dict):
            own = dict(frame.value)
            frame.value.clear()
            for merge in reversed(frame.merges):
                frame.value.update(merge)
            frame.value.update(own)
        if frame.anchor is not None:
            weight = (self.values - frame.before[0], self.characters - frame.before[1])
            self.anchors[frame.anchor] = (frame.value, *weight)
        self.put(frame.value)

    def alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            raise self.bad(event, f"the alias *{shorten(event.anchor)} has no anchor", "Write the value out.")
        value, values, characters = self.anchors[event.anchor]
        if isinstance(value, _Frame):
            raise self.bad(event, f"the alias *{shorten(event.anchor)} holds itself", "Write the value out.")
        self.count(values - 1, characters)
        self.add(value, event)

    def count(self, values: int, characters: int) -> None:
        self.values += values
        self.characters += characters
        if self.values > self.max_values:
            raise too_many(self.source, self.values, self.max_values)
        if self.characters > MAX_CHARACTERS:
            raise BadInputError(
                f"{self.source} expands to too much text",
                f"Its aliases make more than {MAX_CHARACTERS:,} characters of it.",
                "No Dify file is like that: it was made to harm.",
            )

    def add(self, value: Any, event: Any) -> None:
        """A scalar or an alias: a key, or a value."""
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.is_mapping and frame.key is _NO_KEY:
            if value is _MERGE_KEY:
                frame.key = _MERGE_KEY
                return
            if isinstance(value, (list, dict)):
                raise self.bad_key(event)
            key = frame.key = value if isinstance(value, str) else _key_text(value)
            if key in frame.value:
                self.repeated.append(((*frame.path, key), event.start_mark.line + 1))
            return
        self.count(1, 0)
        if self.wants_lines:
            self.lines[self.next_path()] = event.start_mark.line + 1
        self.put("<<" if value is _MERGE_KEY else value)

    def put(self, value: Any) -> None:
        if not self.stack:
            self.result = value
            return
        frame = self.stack[-1]
        if isinstance(frame.value, list):
            frame.value.append(value)
            return
        key, frame.key = frame.key, _NO_KEY
        if isinstance(key, str):
            frame.value[key] = value
            return
        merged = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in merged):
            raise BadInputError(
                f"{self.source} is not valid YAML",
                f"At {path_text(frame.path)}: what `<<` merges is no mapping.",
                "Write the values out.",
            )
        frame.merges.extend(merged)


def _key_text(value: Any) -> str:
    """A key as JSON writes it; Dify stores graphs as JSON."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
