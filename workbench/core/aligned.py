"""Two things side by side: one row for each fact, aligned by what it is (a node's second time is in one row).

The rows say the same as `core.diff` on the same two values: they are all equal just when there is no change.
Rows that are not counted (timing, findings, and the gate at the end of a run) stand beside them: they follow
from the rest, or are new in each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal

from workbench.core.diff import Change, Path, dotted, same
from workbench.core.places import Place, Places

Kind = Literal["status", "text", "output", "path", "node", "variable", "gate", "finding", "timing", "content"]
KINDS: Final[tuple[Kind, ...]] = (
    "status",
    "text",
    "output",
    "path",
    "node",
    "variable",
    "gate",
    "finding",
    "timing",
    "content",
)


SAVED: Final = "saved"
"""Of a step's view, where both sides are files: what they hold beside it (`core.compare.rest_view`)."""


class Absent(Enum):
    """A side has no such thing."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Row:
    """One fact of both sides.

    Attributes:
        what: what it is, for people; text from outside.
        before, after: the values, ABSENT where a side has none.
        counted: False for what is told beside the differences and makes nothing unequal.
        path: where `core.diff` finds it.
        occurrence: of a node: 0 the first time it ran.
        places: where each side's value came about.
    """

    kind: Kind
    what: str
    before: Any
    after: Any
    equal: bool
    counted: bool = True
    path: Path = ()
    node_id: str | None = None
    occurrence: int | None = None
    places: tuple[Place | None, Place | None] = (None, None)


@dataclass(frozen=True)
class Facts:
    """What is known of a side beside its values.

    Attributes:
        titles, edges: nodes and edges in words, by id.
        timing: as `core.compare.timing_view` gives it.
        findings: (code, node id, message) and where it shows.
        answers: of a run: where each Answer stood at its end, in words of the gate.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    edges: Mapping[str, str] = field(default_factory=dict)
    places: Places = field(default_factory=Places)
    timing: Mapping[str, Any] | None = None
    findings: Sequence[tuple[tuple[str, str, str], Place | None]] = ()
    answers: Mapping[str, Any] | None = None


def rows(
    view: str,
    before: Any,
    after: Any,
    changes: Sequence[Change],
    facts: tuple[Facts, Facts] = (Facts(), Facts()),
) -> tuple[Row, ...]:
    """All facts of both sides, aligned.

    Args:
        view: as in `verbs.diff`: "run", "step", "app", or anything else for the content of a file.
    """
    sides = _Sides(before, after, facts)
    found = {"run": _run, "step": _step, "app": _app}.get(view)
    if found is not None:
        return (*found(sides), *_saved(changes))
    return tuple(_content(before, after, changes))


class _Sides:
    """Both values with what is known beside them."""

    def __init__(self, before: Any, after: Any, facts: tuple[Facts, Facts]) -> None:
        self.values = before, after
        self.facts = facts

    def row(self, kind: Kind, what: str, path: Path, **more: Any) -> Row:
        """The row of the values at a path."""
        before, after = (_at(value, path) for value in self.values)
        return _row(kind, what, before, after, path=path, **more)

    def keys(self, *path: str | int) -> list[Any]:
        """The keys below a path, those of the first side first."""
        found: dict[Any, None] = {}
        for value in self.values:
            below = _at(value, path)
            if isinstance(below, Mapping):
                found |= dict.fromkeys(below)
        return list(found)

    def title(self, node: str) -> str:
        return self.facts[0].titles.get(node) or self.facts[1].titles.get(node) or node

    def edge(self, edge: str) -> str:
        return self.facts[0].edges.get(edge) or self.facts[1].edges.get(edge) or edge

    def places(self, of: Any) -> tuple[Place | None, Place | None]:
        """`of` gives a place of one side's `Places`."""
        return of(self.facts[0].places), of(self.facts[1].places)


def _run(sides: _Sides) -> Iterator[Row]:
    end = sides.places(lambda known: known.last)
    yield sides.row("status", "status", ("status",), places=end)
    yield from _broken_stream(sides, end)
    yield from _texts(sides)
    yield sides.row("text", "pieces of the stream", ("chunks",), places=_text_places(sides))
    for name in sides.keys("outputs"):
        yield sides.row("output", str(name), ("outputs", name), places=end)
    yield from _taken(sides)
    yield from _nodes(sides)
    yield from _variables(sides)
    yield from _answers(sides, end)
    yield from _findings(sides)
    yield from _timing(sides)


def _step(sides: _Sides) -> Iterator[Row]:
    end = sides.places(lambda known: known.last)
    yield from _texts(sides)
    yield from _broken_stream(sides, end)
    for edge in sides.keys("edges"):
        where = sides.places(lambda known, edge=edge: known.taken.get(edge))
        yield sides.row("path", sides.edge(edge), ("edges", edge), places=where)
    for node in list(dict.fromkeys([*sides.keys("nodes"), *sides.keys("status")])):
        pair = [{key: _at(value, (key, node)) for key in ("nodes", "status")} for value in sides.values]
        before, after = ({k: v for k, v in each.items() if v is not ABSENT} or ABSENT for each in pair)
        where = sides.places(lambda known, node=node: _latest(known, node))
        yield _row("node", sides.title(node), before, after, path=("nodes", node), node_id=node, places=where)
    yield from _variables(sides)
    for answer in sides.keys("answers"):
        yield sides.row("gate", sides.title(answer), ("answers", answer), node_id=answer, places=end)
    for key in sides.keys("gate"):
        yield sides.row("gate", str(key), ("gate", key), places=end)


def _app(sides: _Sides) -> Iterator[Row]:
    for key in ("name", "mode"):
        yield sides.row("content", key, (key,))
    for node in sides.keys("nodes"):
        yield sides.row("node", sides.title(node), ("nodes", node), node_id=node)
    for edge in sides.keys("edges"):
        yield sides.row("path", sides.edge(edge), ("edges", edge))
    for key in ("environment_variables", "conversation_variables"):
        yield sides.row("variable", key.replace("_", " "), (key,))
    for key in sides.keys("features"):
        yield sides.row("content", f"features.{key}", ("features", key))


def _saved(changes: Sequence[Change]) -> Iterator[Row]:
    """What differs in two files beside what a step tells."""
    for change in changes:
        if change.path[0] == SAVED:
            yield _changed("content", dotted(change.path[1:]) or "everything", change)


def _changed(kind: Kind, what: str, change: Change) -> Row:
    old = ABSENT if change.op == "add" else change.before
    new = ABSENT if change.op == "remove" else change.after
    return Row(kind, what, old, new, False, path=change.path)


def _content(before: Any, after: Any, changes: Sequence[Change]) -> Iterator[Row]:
    """What changed, and the parts at the top in which nothing did."""
    touched = {change.path[0] for change in changes if change.path}
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in before:
            if key not in touched and key in after:
                yield _row(_kind_of((key,)), str(key), before[key], after[key], path=(key,))
    elif not changes:
        yield _row("content", "everything", before, after)
    for change in changes:
        yield _changed(_kind_of(change.path), dotted(change.path) or "everything", change)


def _kind_of(path: Path) -> Kind:
    words = set(map(str, path))
    if words & {"variable_pool", "variable_dictionary", "user_inputs", "system_variables"}:
        return "variable"
    if words & {"serialized_response_stream_filter_state", "response_coordinator", "paths_map"}:
        return "gate"
    return "content"


def _broken_stream(sides: _Sides, end: tuple[Place | None, Place | None]) -> Iterator[Row]:
    row = sides.row("status", "broken stream", ("stream_error",), places=end)
    if row.before or not row.equal:
        yield row


# the parts ---------------------------------------------------------------------


def _texts(sides: _Sides) -> Iterator[Row]:
    yield sides.row("text", "streamed text", ("streamed",), places=_text_places(sides))


def _text_places(sides: _Sides) -> tuple[Place | None, Place | None]:
    """Where each side streamed the first character in which they differ."""
    texts = [str(_at(value, ("streamed",))) for value in sides.values]
    shared = shared_beginning(*texts)
    return sides.places(lambda known: known.of_text(shared))


def shared_beginning(before: str, after: str) -> int:
    """How many characters two texts share at their beginning."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _taken(sides: _Sides) -> Iterator[Row]:
    paths = [list(_at(value, ("path",))) for value in sides.values]
    order = [_in_time(path, facts) for path, facts in zip(paths, sides.facts, strict=True)]
    for edge in merged(*order):
        before, after = ("taken" if edge in path else "not taken" for path in paths)
        where = sides.places(lambda known, edge=edge: known.taken.get(edge))
        yield _row("path", sides.edge(edge), before, after, path=("path",), places=where)
    if set(paths[0]) == set(paths[1]) and not same(*paths):  # two versions of an app list edges otherwise
        yield _row("path", "order of the edges", *paths, path=("path",))


def _in_time(path: Sequence[str], facts: Facts) -> list[str]:
    """The edges as they were taken, those of unknown time last."""
    when = {edge: at for at, edge in enumerate(facts.places.taken)}
    return sorted(path, key=lambda edge: when.get(edge, len(when)))


def _nodes(sides: _Sides) -> Iterator[Row]:
    ran = []
    for value, facts in zip(sides.values, sides.facts, strict=True):
        occurrences = {
            (node, at): None for node, entries in _at(value, ("nodes",)).items() for at in range(len(entries))
        }
        known = [each for each in facts.places.nodes if each in occurrences]
        ran.append(list(dict.fromkeys([*known, *occurrences])))
    often = {node for node, at in (*ran[0], *ran[1]) if at}
    for node, at in merged(*ran):
        name = f"{sides.title(node)} #{at + 1}" if node in often else sides.title(node)
        where = sides.places(lambda known, key=(node, at): known.nodes.get(key))
        yield sides.row("node", name, ("nodes", node, at), node_id=node, occurrence=at, places=where)


def _variables(sides: _Sides) -> Iterator[Row]:
    for node in sides.keys("variables"):
        for name in sides.keys("variables", node):
            where = sides.places(lambda known, key=(node, name): known.written.get(key))
            path = ("variables", node, name)
            yield sides.row("variable", f"{sides.title(node)}.{name}", path, node_id=node, places=where)
        if not sides.keys("variables", node):  # a node without any variable, on one side only
            yield sides.row("variable", sides.title(node), ("variables", node), node_id=node)


def _answers(sides: _Sides, end: tuple[Place | None, Place | None]) -> Iterator[Row]:
    known = [facts.answers for facts in sides.facts]
    if known[0] is None or known[1] is None:
        return
    for answer in merged(list(known[0]), list(known[1])):
        pair = (each.get(answer, ABSENT) for each in known if each is not None)
        yield _row("gate", sides.title(answer), *pair, counted=False, node_id=answer, places=end)


def _findings(sides: _Sides) -> Iterator[Row]:
    told = [dict(facts.findings) for facts in sides.facts]
    for finding in merged(list(told[0]), list(told[1])):
        code, node, message = finding
        pair = [message if finding in each else ABSENT for each in told]
        name = f"{code} {sides.title(node)}" if node else code
        where = told[0].get(finding), told[1].get(finding)
        yield _row("finding", name, *pair, counted=False, node_id=node or None, places=where)


LITTLE: Final = 0.05
"""Seconds, and the share of the longer time, by which two times may differ and still count as the same."""


def _timing(sides: _Sides) -> Iterator[Row]:
    spent = [facts.timing for facts in sides.facts]
    if spent[0] is None or spent[1] is None:
        return
    pair = [{"seconds": each["seconds"], "tokens": each["tokens"]} for each in spent if each]
    end = sides.places(lambda known: known.last)
    yield _spent("the whole run", pair[0], pair[1], places=end)
    nodes = [
        {(node, at): entry for node, entries in each["nodes"].items() for at, entry in enumerate(entries)}
        for each in spent
        if each
    ]
    often = {node for node, at in (*nodes[0], *nodes[1]) if at}
    for node, at in merged(list(nodes[0]), list(nodes[1])):
        name = f"{sides.title(node)} #{at + 1}" if node in often else sides.title(node)
        where = sides.places(lambda known, key=(node, at): known.nodes.get(key))
        values = [each.get((node, at), ABSENT) for each in nodes]
        yield _spent(name, *values, node_id=node, occurrence=at, places=where)


def _spent(what: str, before: Any, after: Any, **more: Any) -> Row:
    if before is ABSENT or after is ABSENT:
        return Row("timing", what, before, after, False, counted=False, **more)
    a, b = float(before["seconds"] or 0), float(after["seconds"] or 0)
    alike = abs(a - b) <= max(LITTLE, max(a, b) * LITTLE) and before["tokens"] == after["tokens"]
    return Row("timing", what, before, after, alike, counted=False, **more)


# helpers -----------------------------------------------------------------------


def merged[T](first: Sequence[T], second: Sequence[T]) -> list[T]:
    """Both lists in one, without doubles: what only the second has stands behind what it follows there."""
    own = set(first)
    after: dict[T | None, list[T]] = {}
    anchor: T | None = None
    for each in second:
        if each in own:
            anchor = each
        else:
            after.setdefault(anchor, []).append(each)
    out = list(after.get(None, ()))
    for each in first:
        out += [each, *after.get(each, ())]
    return list(dict.fromkeys(out))


def _latest(known: Places, node: str) -> Place | None:
    return next((place for (each, _), place in reversed([*known.nodes.items()]) if each == node), None)


def _row(kind: Kind, what: str, before: Any, after: Any, **more: Any) -> Row:
    equal = before is after if ABSENT in (before, after) else same(before, after)
    return Row(kind, what, before, after, equal, **more)


def _at(value: Any, path: Iterable[str | int]) -> Any:
    for step in path:
        if isinstance(value, Mapping):
            if step not in value:
                return ABSENT
        elif not (isinstance(value, Sequence) and isinstance(step, int) and step < len(value)):
            return ABSENT
        value = value[step]
    return value
