"""All of a saved pause as a tree whose branches are made when they are opened: 100,000 variables cost nothing
until they are shown. Each place knows what an edit of it is called (`workbench.core.edits`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from workbench.core.diff import dotted
from workbench.core.edits import MISSING, Document, Place, Plan
from workbench.core.edits.frames import frames_of
from workbench.core.edits.gate import responses
from workbench.core.edits.plan import title_of
from workbench.core.edits.states import edge_words, edges_path, mapping, nodes_path
from workbench.core.edits.targets import FAMILIES, places
from workbench.core.edits.variables import POOL, pool_of
from workbench.errors import BadInputError, NotFoundError
from workbench.records.json_places import OPEN, Path

SECTIONS: Final[Mapping[str, str]] = {
    "variables": "Variables",
    "gate": "Gate",
    "nodes": "Node states",
    "edges": "Edge states",
    "tasks": "Tasks",
    "containers": "Loops and iterations",
    "reasons": "Why it pauses, and its forms",
    "asked": "Query and inputs",
    "run": "Run",
    "outputs": "Outputs so far",
    "entity": "What the generator was called with",
    "raw": "The whole file, as saved",
}
_LAST: Final = {"conversation": 1, "sys": 2, "env": 3}
_SMALL: Final = ("gate", "tasks", "form", "input", "output", "run", "entity")
_QUEUES: Final = {"ready": "ready_queue", "deferred": "deferred_ready_tasks"}


class Spot(NamedTuple):
    """A place in the tree.

    Attributes:
        key: what it is among all places, whatever its value; the keys of its parents begin it.
        kind: "section", "group", "frame", "variable", "value" (a place in a JSON value), "state" (of a node
            or edge), "phase" (of an Answer in the gate), "taken" (edges), or "place" (anything else).
        target: what an edit of it is called, "" where none can be made.
        path: where its value stands in the document; None for a value that is told from several places.
        node: the node that it is about, "" for none.
    """

    key: tuple[Any, ...]
    depth: int
    kind: str
    label: str
    target: str = ""
    path: Path | None = None
    title: str = ""
    node: str = ""


class Tree:
    """The places of one document. Values are read when asked for; branches are kept once they were made."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._read = document.opened
        self._made: dict[tuple[Any, ...], tuple[Spot, ...]] = {}
        self._opened: dict[Path, bool] = {}
        self._small: dict[str, Place] | None = None

    def after(self, document: Document, changed: Sequence[Plan]) -> Tree:
        """The tree of the document after some edits; branches that they did not touch are taken over."""
        tree = Tree(document)
        tree._made = dict(self._made)
        for plan in changed:
            for key in self._stale(plan, tree._made):
                tree._made.pop(key, None)
        return tree

    def _stale(self, plan: Plan, made: Collection[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The branches that may have other entries after an edit."""
        nodes: set[str] = set()
        for step in plan.steps:
            at = next((i for i in range(len(step.path)) if step.path[i : i + 2] == POOL), None)
            if at is not None and "container_frames" not in step.path[:at] and len(step.path) > at + 2:
                nodes.add(str(step.path[at + 2]))
            elif self._pool[: len(step.path)] == step.path:
                return list(made)
        if not _is_structural(plan) and (nodes or plan.where.startswith("state of ")):
            return []
        return [key for key in made if key[0] != "variables" or (len(key) > 1 and key[1] in nodes)] + (
            [("variables",)] if any(step.verb != "set" for step in plan.steps) else []
        )

    def roots(self) -> tuple[Spot, ...]:
        """The sections that this document has."""
        doc = self.document
        there = set(SECTIONS)
        if doc.state_path is None:
            there -= {"variables", "nodes", "edges", "tasks", "containers", "reasons", "run", "outputs"}
        if doc.gate() is None:
            there.discard("gate")
        if doc.entity_path is None:
            there -= {"asked", "entity"}
        return tuple(Spot((name,), 0, "section", SECTIONS[name]) for name in SECTIONS if name in there)

    def children(self, spot: Spot) -> tuple[Spot, ...]:
        """What is below a place."""
        made = self._made.get(spot.key)
        if made is None:
            made = self._made[spot.key] = tuple(self._children(spot))
        return made

    def opens(self, spot: Spot) -> bool:
        """Whether something is below it. Texts that hold JSON count."""
        if spot.kind in ("section", "group", "frame"):
            return True
        if spot.path is None:
            return False
        value = self.value(spot)
        if isinstance(value, dict | list):
            return bool(value)
        return isinstance(value, str) and self._is_json(self._value_path(spot), value)

    def value(self, spot: Spot) -> Any:
        """The value that stands there now, MISSING where none does."""
        if spot.kind in ("section", "group"):
            return MISSING
        if spot.path is None:
            place = self.small().get(spot.target)
            return MISSING if place is None else place.value
        found = self._get(spot.path)
        if spot.kind == "variable" and isinstance(found, dict):
            return found.get("value", MISSING)
        return found

    def type_of(self, spot: Spot) -> str:
        """The type of a variable, "" for anything else."""
        if spot.kind != "variable" or spot.path is None:
            return ""
        found = self._get(spot.path)
        return str(found.get("value_type", "")) if isinstance(found, dict) else ""

    def key_of(self, path: Path) -> tuple[Any, ...] | None:
        """The key of the place whose value a path leads to, None when no place of its own shows it."""
        doc = self.document
        if path[: len(self._pool)] == self._pool and doc.state_path is not None:
            node, rest = path[len(self._pool) : len(self._pool) + 1], path[len(self._pool) + 1 :]
            inner = rest[2:] if rest[1:2] in (("value",), ("value_type",)) else rest[1:]
            return ("variables", *node, *rest[:1], *(step for step in inner if step is not OPEN))
        if doc.state_path is not None:
            for name, base in (("nodes", nodes_path(doc)), ("edges", edges_path(doc))):
                if path[: len(base)] == base and len(path) > len(base):
                    return (name, *path[len(base) :])
        entity = doc.entity_path
        if entity is not None and path[: len(entity)] == entity and len(path) > len(entity):
            rest = path[len(entity) :]
            if rest[0] == "query":
                return ("asked", "query")
            if rest[0] == "inputs" and len(rest) > 1:
                return ("asked", "input", *rest[1:])
            return ("entity", *rest)
        return ("raw", *(step for step in path if step is not OPEN)) if path else None

    def small(self) -> Mapping[str, Place]:
        """The places outside the variables and states, by target."""
        if self._small is None:
            doc = self.document
            found = [place for name in _SMALL for place in FAMILIES[name].places(doc)]
            found += places(doc, "query") if doc.entity_path is not None else []
            self._small = {place.target: place for place in found}
        return self._small

    # making branches -------------------------------------------------------

    def _children(self, spot: Spot) -> Iterator[Spot]:
        if spot.kind == "section":
            yield from getattr(self, f"_{spot.key[0]}")()
        elif spot.kind == "group":
            yield from self._group(spot)
        elif spot.kind == "frame":
            yield from self._frame(spot)
        elif spot.path is not None:
            path, value = self._value_path(spot), self.value(spot)
            if isinstance(value, str):
                path = (*path, OPEN)
                value = self._get(path)
            yield from self._inside(spot.key, spot.depth + 1, path, self.base_of(spot), value, spot.node)

    def base_of(self, spot: Spot) -> str:
        """How the targets of what is inside a place begin."""
        named = spot.kind in ("variable", "value") and not isinstance(self.value(spot), str)
        return spot.target if named or spot.path is None else self._raw_target(self._value_path(spot))

    def _inside(
        self, key: tuple[Any, ...], depth: int, path: Path, prefix: str, value: Any, node: str = ""
    ) -> Iterator[Spot]:
        """The entries of a JSON value."""
        if isinstance(value, dict):
            for name in value:
                at = (*path, name)
                yield Spot((*key, name), depth, "value", name, below(prefix, name), at, "", node)
        elif isinstance(value, list):
            for index in range(len(value)):
                at = (*path, index)
                yield Spot((*key, index), depth, "value", f"[{index}]", below(prefix, index), at, "", node)

    def _variables(self) -> Iterator[Spot]:
        pool = pool_of(self.document, self._pool)
        for node in sorted(pool, key=lambda each: _LAST.get(each, 0)):
            title = title_of(self.document, node)
            yield Spot(("variables", node), 1, "group", node, "", (*self._pool, node), title, node)

    def _group(self, spot: Spot) -> Iterator[Spot]:
        assert spot.path is not None
        yield from self._variables_at(spot.key, spot.depth + 1, spot.path, "", spot.node)

    def _variables_at(
        self, key: tuple[Any, ...], depth: int, path: Path, prefix: str, node: str
    ) -> Iterator[Spot]:
        held = self._get(path)
        if not isinstance(held, dict):
            yield Spot((*key, "held"), depth, "value", "as saved", self._raw_target(path), path, "", node)
            return
        head = f"{prefix}{node}."
        for name, variable in held.items():
            at = (*path, name)
            if isinstance(variable, dict):
                yield Spot((*key, name), depth, "variable", name, head + name, at, "", node)
            else:
                yield Spot((*key, name), depth, "value", name, self._raw_target(at), at, "", node)

    def _nodes(self) -> Iterator[Spot]:
        yield from self._node_states(("nodes",), 1, nodes_path(self.document), "")

    def _node_states(self, key: tuple[Any, ...], depth: int, path: Path, prefix: str) -> Iterator[Spot]:
        doc = self.document
        for node in mapping(doc, path):
            target = f"{prefix}node:{node}"
            yield Spot((*key, node), depth, "state", node, target, (*path, node), title_of(doc, node), node)

    def _edges(self) -> Iterator[Spot]:
        yield from self._edge_states(("edges",), 1, edges_path(self.document), "")

    def _edge_states(self, key: tuple[Any, ...], depth: int, path: Path, prefix: str) -> Iterator[Spot]:
        doc = self.document
        for edge in mapping(doc, path):
            name = doc.dsl_edge(edge)
            target = f"{prefix}edge:{name}"
            yield Spot((*key, edge), depth, "state", name, target, (*path, edge), edge_words(doc, name))

    def _gate(self) -> Iterator[Spot]:
        doc, answers = self.document, set(responses(self.document))
        for place in FAMILIES["gate"].places(doc):
            label = place.target.partition(":")[2]
            kind = "phase" if label in answers else "taken" if label == "taken" else "place"
            node = label if kind == "phase" else label.rpartition(".")[0]
            yield Spot(("gate", label), 1, kind, label, place.target, None, place.title, node)
        assert doc.gate_path is not None
        # The text that holds it, not what is in the text: an edit of the whole stays a text.
        path = doc.gate_path[:-1] if doc.gate_path[-1:] == (OPEN,) else doc.gate_path
        if path:
            yield Spot(("gate", "", "raw"), 1, "value", "as saved", self._raw_target(path), path)

    def _tasks(self) -> Iterator[Spot]:
        doc = self.document
        for target in self.small():
            if target.startswith("tasks:"):
                name = target.partition(":")[2]
                queue = doc.nested(_QUEUES.get(name, ""))
                path = (*queue, "items") if queue is not None else (*self._state, f"{name}_nodes")
                yield Spot(("tasks", name), 1, "place", name, target, path if self._has(path) else None)

    def _containers(self) -> Iterator[Spot]:
        doc = self.document
        runs: Path = (*self._state, "container_runs")
        if self._has(runs):
            yield Spot(("containers", "runs"), 1, "value", "open ones", "state:container_runs", runs)
        for index, (name, path) in enumerate(frames_of(doc)):
            yield Spot(("containers", "frame", index), 1, "frame", f"frame {index}", "", path, name)

    def _frame(self, spot: Spot) -> Iterator[Spot]:
        assert spot.path is not None
        index, data, depth = spot.key[-1], (*spot.path, "runtime_data"), spot.depth + 1
        prefix = f"frame:{index}/"
        yield from self._node_states((*spot.key, "node"), depth, (*data, "graph_node_states"), prefix)
        yield from self._edge_states((*spot.key, "edge"), depth, (*data, "graph_edge_states"), prefix)
        pool = self._get((*data, *POOL))
        for node in pool if isinstance(pool, dict) else ():
            yield from self._variables_at(
                (*spot.key, "variables", node), depth, (*data, *POOL, node), prefix, node
            )
        target = self._raw_target(spot.path)
        yield Spot((*spot.key, "raw"), depth, "value", "as saved", target, spot.path)

    def _reasons(self) -> Iterator[Spot]:
        doc = self.document
        for target, place in self.small().items():
            if target.startswith("form:"):
                yield Spot(("reasons", target), 1, "place", target, target, None, place.title)
        if doc.execution_path is not None:
            path = (*doc.execution_path, "pause_reasons")
            found = self._get(path)
            target = self._raw_target(path)
            yield from self._inside(("reasons", "raw"), 1, path, target, found)

    def _asked(self) -> Iterator[Spot]:
        entity = self.document.entity_path or ()
        for target in self.small():
            if target == "query":
                yield Spot(("asked", "query"), 1, "place", "query", target, (*entity, "query"))
            elif target.startswith("input:"):
                name = target[6:]
                yield Spot(("asked", "input", name), 1, "place", name, target, (*entity, "inputs", name))

    def _run(self) -> Iterator[Spot]:
        for target in self.small():
            if target.startswith("run:"):
                yield Spot(("run", target), 1, "place", target[4:], target)

    def _outputs(self) -> Iterator[Spot]:
        for target in self.small():
            if target.startswith("output:"):
                path = (*self._state, "outputs", target[7:])
                yield Spot(("outputs", target), 1, "place", target[7:], target, path)

    def _entity(self) -> Iterator[Spot]:
        path = self.document.entity_path or ()
        yield from self._inside(("entity",), 1, path, "entity:", self._get(path))

    def _raw(self) -> Iterator[Spot]:
        yield from self._inside(("raw",), 1, (), "context:", self._get(()))

    # reading -----------------------------------------------------------------

    @property
    def _state(self) -> Path:
        return self.document.state_path or ()

    @property
    def _pool(self) -> Path:
        return (*self._state, *POOL)

    def _value_path(self, spot: Spot) -> Path:
        assert spot.path is not None
        return (*spot.path, "value") if spot.kind == "variable" else spot.path

    def _raw_target(self, path: Path) -> str:
        return f"context:{dotted(tuple(step for step in path if isinstance(step, str | int)))}"

    def _get(self, path: Path) -> Any:
        """A value; nested texts on the way are opened once for this tree."""
        for at, step in enumerate(path):
            if step is OPEN and path[:at] not in self._opened:
                try:
                    self._read = self._read.opened(path[: at + 1])
                except (NotFoundError, BadInputError):
                    return MISSING
                self._opened[path[:at]] = True
        try:
            return self._read.get(path)
        except (NotFoundError, BadInputError):
            return MISSING

    def _has(self, path: Path) -> bool:
        return self._get(path) is not MISSING

    def _is_json(self, path: Path, text: str) -> bool:
        if text[:1] not in ("{", "[") or text[-1:] not in ("}", "]"):
            return False
        known = self._opened.get(path)
        if known is None:
            known = isinstance(self._get((*path, OPEN)), dict | list)
            self._opened[path] = known
        return known


def below(prefix: str, step: str | int) -> str:
    """The target of an entry."""
    if isinstance(step, int):
        return f"{prefix}[{step}]"
    spelt = dotted((step,))
    return f"{prefix}{spelt}" if prefix.endswith(":") else f"{prefix}.{spelt}"


def rows(tree: Tree, expanded: Collection[tuple[Any, ...]]) -> list[Spot]:
    """The places that are shown when these ones are open."""
    heads = {key[:size] for key in expanded for size in range(1, len(key))}
    out: list[Spot] = []

    def walk(spots: Sequence[Spot], any_open: bool) -> None:
        if not any_open:
            out.extend(spots)
            return
        for spot in spots:
            out.append(spot)
            if spot.key in expanded:
                walk(tree.children(spot), spot.key in heads)

    walk(tree.roots(), bool(expanded))
    return out


def everything(tree: Tree) -> Iterator[Spot]:
    """Every place that has a name of its own, for a search: all but the insides of values."""
    for section in tree.roots():
        if section.key != ("raw",):
            yield from _named(tree, tree.children(section))


def _named(tree: Tree, spots: Sequence[Spot]) -> Iterator[Spot]:
    for spot in spots:
        if spot.kind in ("group", "frame"):
            yield from _named(tree, tree.children(spot))
        else:
            yield spot


def _is_structural(plan: Plan) -> bool:
    """Whether other places are there afterwards."""
    return any(step.verb != "set" for step in plan.steps) or any(
        value is MISSING
        or isinstance(value, dict | list)
        or (isinstance(value, str) and value[:1] in ("{", "["))
        for value in (plan.before, plan.after)
    )
