"""YAML from strangers, in one pass over libyaml's events: no recursion, no alias bombs, nothing but data.

Values are those of `yaml.safe_load`, which Dify uses to import an app, with three differences: a date stays
the text that stands in the file (Dify can't store one), a lone `=` is text, keys become strings as in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from workbench.errors import BadInputError
from workbench.records.reading import MAX_DEPTH, decode, shorten, too_deep, too_many, truncated

MAX_VALUES = 250_000
"""Most values of one document with its aliases expanded; the largest public app has about 10,000."""

MAX_CHARACTERS = 40_000_000
"""Most characters of all texts with their aliases expanded."""

MAX_NUMBER = 1000
"""Longer plain scalars are text: reading 1:59:59:... as a number takes time with the square of its length."""

Path = tuple[str | int, ...]

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


@dataclass(slots=True)
class _Frame:
    """A list or mapping that is being read."""

    value: list[Any] | dict[str, Any]
    path: Path
    anchor: str | None
    before: tuple[int, int]  # totals of values and characters when it began
    key: str | None = None
    waits_for_value: bool = False
    merges: list[Any] = field(default_factory=list)


def read_yaml(data: bytes | str, source: str, *, lines: bool = False) -> YamlDocument:
    """Read one document; `BadInputError` names line and column of what is wrong."""
    text = decode(data, source) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    if not text or text.isspace():
        raise BadInputError(f"{source} is empty", "There is no text in it.", "Export or copy it again.")
    builder = _Builder(source, lines)
    try:
        builder.feed(_Loader(text))
    except yaml.YAMLError as error:
        raise _syntax(error, text, source) from error
    except (ValueError, KeyError) as error:  # `!!int twelve`, `!!bool perhaps`
        cause, advice = f"{error}.", "Correct the value behind the tag."
        raise BadInputError(f"{source} is not valid YAML", cause, advice) from error
    return YamlDocument(builder.result, builder.lines, tuple(builder.repeated))


class _Builder:
    """Turns events into values; keeps its own stack, and counts what aliases would expand to."""

    def __init__(self, source: str, lines: bool) -> None:
        self.source, self.wants_lines = source, lines
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int, int]] = {}
        self.values = self.characters = 0
        self.result: Any = None
        self.documents = 0
        self.lines: dict[Path, int] = {}
        self.repeated: list[tuple[Path, int]] = []

    def feed(self, loader: Any) -> None:
        scalar, mapping, sequence = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
        ends, get = (yaml.MappingEndEvent, yaml.SequenceEndEvent), loader.get_event
        while (event := get()) is not None:
            if isinstance(event, scalar):
                value, is_merge = self.scalar(event)
                self.characters += len(event.value)
                self.add(value, event, is_merge)
            elif isinstance(event, (mapping, sequence)):
                self.open(event, {} if isinstance(event, mapping) else [])
            elif isinstance(event, ends):
                self.close()
            elif isinstance(event, yaml.AliasEvent):
                self.alias(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                self.documents += 1
                if self.documents > 1:
                    raise self.bad(event, "a second document begins", "Keep one document in the file.")
            elif isinstance(event, yaml.StreamEndEvent):
                return

    def bad(self, event: Any, cause: str, advice: str) -> BadInputError:
        place = f"line {event.start_mark.line + 1}, column {event.start_mark.column + 1}"
        return BadInputError(f"{self.source} can't be read as plain data", f"{place}: {cause}.", advice)

    def bad_tag(self, event: Any) -> BadInputError:
        return self.bad(event, f"the tag {shorten(event.tag)} asks for an object", "Write plain values.")

    def bad_key(self, event: Any) -> BadInputError:
        return self.bad(event, "a list or mapping stands where a key is needed", "Use a text as key.")

    def scalar(self, event: Any) -> tuple[Any, bool]:
        """The value of a scalar, and whether it is the merge key `<<`."""
        text: str = event.value
        tag: str | None = event.tag
        if tag is None or tag == "!":
            if (tag is None and not event.implicit[0]) or len(text) > MAX_NUMBER:
                return text, False
            rules = _RESOLVERS.get(text[0] if text else "", ())
            tag = next((name for name, pattern in rules if pattern.match(text)), None)
            if tag is None:
                return text, False
        if tag == _MERGE:
            return text, True
        construct = _SCALARS.get(tag)
        if construct is None:
            raise self.bad_tag(event)
        return construct(yaml.ScalarNode(tag, text)), False

    def open(self, event: Any, value: list[Any] | dict[str, Any]) -> None:
        if event.tag not in (None, "!", _PREFIX + "map", _PREFIX + "seq"):
            raise self.bad_tag(event)
        if len(self.stack) >= MAX_DEPTH:
            raise too_deep(self.source, MAX_DEPTH + 1)
        self.count(1, 0)
        path = self.next_path() if self.stack else ()
        if self.wants_lines:
            self.lines[path] = event.start_mark.line + 1
        frame = _Frame(value, path, event.anchor, (self.values - 1, self.characters))
        if event.anchor is not None:
            self.anchors[event.anchor] = (frame, 0, 0)
        self.stack.append(frame)
        holder = self.stack[-2] if len(self.stack) > 1 else None
        if holder is not None and isinstance(holder.value, dict) and not holder.waits_for_value:
            raise self.bad_key(event)

    def next_path(self) -> Path:
        """Where the next value will stand. Only lines and repeated keys need it."""
        frame = self.stack[-1]
        last = len(frame.value) if isinstance(frame.value, list) else frame.key
        return (*frame.path, last if last is not None else "")

    def close(self) -> None:
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
        self.put(frame.value, None)

    def alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            raise self.bad(event, f"the alias *{shorten(event.anchor)} has no anchor", "Write the value out.")
        value, values, characters = self.anchors[event.anchor]
        if isinstance(value, _Frame):
            raise self.bad(event, f"the alias *{shorten(event.anchor)} holds itself", "Write the value out.")
        self.count(values - 1, characters)
        self.add(value, event, False)

    def count(self, values: int, characters: int) -> None:
        self.values += values
        self.characters += characters
        if self.values > MAX_VALUES:
            raise too_many(self.source, self.values, MAX_VALUES)
        if self.characters > MAX_CHARACTERS:
            raise BadInputError(
                f"{self.source} expands to too much text",
                f"Its aliases make more than {MAX_CHARACTERS:,} characters of it.",
                "No Dify file is like that: it was made to harm.",
            )

    def add(self, value: Any, event: Any, is_merge: bool) -> None:
        """A scalar or an alias: a key, or a value."""
        self.count(1, 0)
        anchor = getattr(event, "anchor", None)
        if anchor is not None and not isinstance(event, yaml.AliasEvent):
            self.anchors[anchor] = (value, 1, len(event.value))
        frame = self.stack[-1] if self.stack else None
        if frame is not None and isinstance(frame.value, dict) and not frame.waits_for_value:
            self.key(frame, value, event, is_merge)
            return
        if self.wants_lines:
            self.lines[self.next_path() if self.stack else ()] = event.start_mark.line + 1
        self.put(value, event)

    def key(self, frame: _Frame, value: Any, event: Any, is_merge: bool) -> None:
        if isinstance(value, (list, dict)):
            raise self.bad_key(event)
        frame.waits_for_value = True
        frame.key = None if is_merge else _key_text(value)
        if frame.key is not None and frame.key in frame.value:
            self.repeated.append(((*frame.path, frame.key), event.start_mark.line + 1))

    def put(self, value: Any, event: Any) -> None:
        if not self.stack:
            self.result = value
            return
        frame = self.stack[-1]
        if isinstance(frame.value, list):
            frame.value.append(value)
            return
        frame.waits_for_value = False
        if frame.key is not None:
            frame.value[frame.key] = value
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


def path_text(path: Path) -> str:
    """`workflow.graph.nodes[3].data` for people."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{shorten(part, 30)}" for part in path)
    return text.removeprefix(".") or "the top"


def _syntax(error: yaml.YAMLError, text: str, source: str) -> BadInputError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    if mark is None:  # the reader's own errors: a character that YAML forbids
        position = getattr(error, "position", None)
        where = f"line {text.count(chr(10), 0, position) + 1}: " if isinstance(position, int) else ""
        char = getattr(error, "character", None)
        what = f"the control character {char:#06x}" if isinstance(char, int) else problem
        return BadInputError(
            f"{source} is not valid YAML",
            f"{where}{what} is not allowed.",
            "Remove it: it often comes from copying out of a terminal or a web page.",
        )
    if "maximum nesting depth" in problem:
        return too_deep(source, MAX_DEPTH + 1)
    place = f"line {mark.line + 1}, column {mark.column + 1}"
    line = text.split("\n", mark.line + 1)[mark.line : mark.line + 1]
    around = f" Near: {shorten(line[0])!r}" if line and line[0].strip() else ""
    at_end = "expected" in problem and not text[_offset(text, mark) :].strip()
    if at_end or "found unexpected end of stream" in problem:
        return truncated(source, f"{place} ({problem})")
    if "'\\t'" in problem or (line and "\t" in line[0][: len(line[0]) - len(line[0].lstrip())]):
        return BadInputError(
            f"{source} is not valid YAML",
            f"{place}: a tab stands where only spaces may indent.{around}",
            "Replace the tabs by spaces.",
        )
    quotes = "cannot start any token" in problem or "mapping values are not allowed" in problem
    return BadInputError(
        f"{source} is not valid YAML",
        f"{place}: {problem}.{around}",
        "Put the text there in quotes, or export the app again from Dify."
        if quotes
        else "Correct that place, or export the app again from Dify.",
    )


def _offset(text: str, mark: yaml.Mark) -> int:
    """Where a mark stands in the text (libyaml's own index counts bytes)."""
    start = 0
    for _ in range(mark.line):
        start = text.find("\n", start) + 1
        if start == 0:
            return len(text)
    return start + int(mark.column)
