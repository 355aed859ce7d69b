"""Adding to and taking from lists of a YAML or JSON file without touching anything else in it.

Comments, order, quoting and line ends of all that stays are kept: items go as whole lines (or as pieces of a
flow list), new ones are written behind the last one. Where a file does not allow that (the list is an alias,
an item that goes holds an anchor), the whole file is written anew, and that is told.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from workbench.errors import WorkbenchError
from workbench.records import splice
from workbench.records.reading import parse_json
from workbench.records.yaml_reading import MAX_VALUES, read_yaml
from workbench.records.yaml_writing import yaml_text

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_WIDTH = 1000

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListChange:
    """What is to change in the list at `path`.

    Attributes:
        remove: positions of the items to take away.
        add: items to write behind the last one.
    """

    path: Path
    remove: tuple[int, ...] = ()
    add: tuple[Mapping[str, Any], ...] = ()


def change_lists(text: str, source: str, changes: Sequence[ListChange]) -> tuple[str, bool]:
    """The changed text, and whether everything else in it stayed as it was written."""
    is_json = text.lstrip()[:1] == "{"
    before = parse_json(text, source, max_values=MAX_VALUES) if is_json else read_yaml(text, source).value
    wanted = copy.deepcopy(before)
    for change in changes:
        items = _at(wanted, change.path)
        items[:] = [item for place, item in enumerate(items) if place not in change.remove]
        items.extend(copy.deepcopy(dict(item)) for item in change.add)
    try:
        made = _in_json(text, changes) if is_json else _in_yaml(text, changes)
        after = parse_json(made, source, max_values=MAX_VALUES) if is_json else read_yaml(made, source).value
    except (WorkbenchError, yaml.YAMLError, ValueError):
        after = made = None
    if made is not None and after == wanted:
        return made, True
    return (json.dumps(wanted, ensure_ascii=False, indent=1) if is_json else yaml_text(wanted)), False


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _in_json(text: str, changes: Sequence[ListChange]) -> str:
    for change in changes:
        count = len(splice.read(text, change.path))
        for place, item in enumerate(change.add):
            text = splice.insert(text, change.path, count + place, json.dumps(item, ensure_ascii=False))
        for place in sorted(change.remove, reverse=True):
            text = splice.remove(text, (*change.path, place))
    return text


@dataclass
class _List:
    """Where a list stands: `items` are (start, end of the last thing written in it)."""

    start: int
    column: int
    flow: bool
    end: int = 0
    items: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _Open:
    """A list or mapping that is being read."""

    path: Path | None
    is_mapping: bool
    flow: bool
    found: _List | None = None
    key: str | None = None
    waits: bool = True  # of a mapping: the next scalar is a key


def _in_yaml(text: str, changes: Sequence[ListChange]) -> str:
    lists = _find(text, {change.path for change in changes})
    pieces: list[tuple[int, int, str]] = []
    for change in changes:
        found = lists.get(change.path)
        if found is None:
            raise ValueError("the list is not written there")
        pieces += _of_flow(text, found, change) if found.flow else _of_block(text, found, change)
    for start, end, new in sorted(pieces, key=lambda piece: (piece[0], piece[1]), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _find(text: str, wanted: set[Path]) -> dict[Path, _List]:
    """The lists at these paths; the last one where a key stands twice, as everywhere."""
    found: dict[Path, _List] = {}
    stack: list[_Open] = []
    last = 0
    loader = _Loader(text)
    event: Any
    begin: Any
    end: Any
    while (event := loader.get_event()) is not None:
        begin, end = event.start_mark, event.end_mark
        if isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            path = _begin(stack, begin.index)
            one = _Open(path, isinstance(event, yaml.MappingStartEvent), bool(event.flow_style))
            if not one.is_mapping and path is not None and path in wanted:
                one.found = _List(begin.index, begin.column, one.flow)
                found[path] = one.found
            stack.append(one)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            one = stack.pop()
            if one.flow:
                last = end.index
            if one.found is not None:
                one.found.end = end.index
            _ends(stack, last)
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            top = stack[-1] if stack else None
            last = end.index
            if top is not None and top.is_mapping and top.waits:
                top.key = event.value if isinstance(event, yaml.ScalarEvent) else None
                top.waits = False
                continue
            _begin(stack, begin.index)
            _ends(stack, last)
    return found


def _begin(stack: list[_Open], at: int) -> Path | None:
    """A value begins in the innermost list or mapping; its path, None where it has none of names alone."""
    if not stack:
        return ()
    top = stack[-1]
    if top.found is not None:
        top.found.items.append((at, at))
    if not top.is_mapping or top.waits or top.path is None or top.key is None:
        return None
    return (*top.path, top.key)


def _ends(stack: list[_Open], last: int) -> None:
    """The value that began last in the innermost list or mapping is over."""
    if not stack:
        return
    top = stack[-1]
    top.waits = True
    if top.found is not None:
        top.found.items[-1] = (top.found.items[-1][0], last)


def _of_flow(text: str, found: _List, change: ListChange) -> list[tuple[int, int, str]]:
    keeps = [place for place in range(len(found.items)) if place not in change.remove]
    told = [text[start:end] for start, end in (found.items[place] for place in keeps)]
    told += [json.dumps(item, ensure_ascii=False) for item in change.add]
    if not change.remove and found.items:
        at = found.items[-1][1]
        return [(at, at, "".join(f", {piece}" for piece in told[len(keeps) :]))]
    return [(found.start + 1, found.end - 1, ", ".join(told))]


def _of_block(text: str, found: _List, change: ListChange) -> list[tuple[int, int, str]]:
    pieces = []
    for place in change.remove:
        start, end = found.items[place]
        pieces.append((_dash(text, start, found.column), _line_end(text, end), ""))
    if change.add:
        at = _line_end(text, found.items[-1][1])
        new = _written(text, found.column, change.add)
        pieces.append((at, at, new if not at or _BREAK.fullmatch(text[at - 1]) else _newline(text) + new))
    return pieces


def _dash(text: str, at: int, column: int) -> int:
    """The beginning of the line with the dash of the item whose value begins at `at`."""
    while True:
        start = _line_start(text, at)
        if text[start + column : start + column + 1] == "-" and not text[start : start + column].strip(" "):
            return start
        if start == 0:
            raise ValueError("no dash before the item")
        at = start - 1


def _line_start(text: str, at: int) -> int:
    while at > 0 and not _BREAK.fullmatch(text[at - 1]):
        at -= 1
    return at


def _line_end(text: str, at: int) -> int:
    """Behind the line in which a value ends; a block text ends at the beginning of the next one."""
    if at and _BREAK.fullmatch(text[at - 1]):
        return at
    found = _BREAK.search(text, at)
    return found.end() if found else len(text)


def _newline(text: str) -> str:
    found = _BREAK.search(text)
    return found.group() if found else "\n"


def _written(text: str, column: int, items: Sequence[Mapping[str, Any]]) -> str:
    made = yaml.dump(
        [dict(item) for item in items], Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH
    )
    newline = _newline(text)
    lines = made.rstrip("\n").split("\n")
    return "".join(f"{' ' * column if line else ''}{line}{newline}" for line in lines)
