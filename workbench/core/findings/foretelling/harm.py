"""Which Answers go silent or are repeated after a form, when its pause is resumed with a fresh gate.

All ways through the app are walked where there are few; else the ways that lead through each form to each
Answer behind it, and some at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from workbench.core.blocking import Scope
from workbench.core.findings.foretelling.walk import FORM, Walk, Walker
from workbench.core.findings.handles import possible_handles
from workbench.core.findings.lost import lost_edges_of
from workbench.core.graph import Graph

MOST_WALKS: Final = 300
MOST_NODES: Final = 20_000
"""Nodes visited over all walks: under a second, with those that try a change."""
MOST_VISITS: Final = 100_000
"""Nodes told to gates over all walks, where an app has many forms: under a second."""
LEAST_WALKS: Final = 4
_TRIES: Final = 3


@dataclass
class Harm:
    """What a fresh gate does after one form.

    Attributes:
        silent: Answers that stay silent, or lose their rest, each with the lost edges.
        again: Answers that are streamed again.
        ways: for each of those the decisions of a run in which it happens; empty when it does in all that
            come so far.
        always: whether the form comes in every run.
    """

    form: str
    silent: dict[str, tuple[str, ...]] = field(default_factory=dict)
    again: dict[str, None] = field(default_factory=dict)
    ways: dict[str, Mapping[str, str]] = field(default_factory=dict)
    always: bool = True

    def __bool__(self) -> bool:
        return bool(self.silent or self.again)


def harms(graph: Graph, scope: Scope, walked: list[Walk] | None = None) -> dict[str, Harm]:
    """The harm after every form of the app that can be reached; forms without harm too.

    Args:
        walked: the `walks` of the graph, where they are known.
    """
    found: dict[str, Harm] = {}
    walked = list(walks(graph, scope)) if walked is None else walked
    for walk in walked:
        for pause in walk.pauses:
            harm = found.setdefault(pause.answered, Harm(pause.answered))
            _judge(scope, walk, harm)
    for form, harm in found.items():
        harm.always = all(form in walk.ran for walk in walked)
        _only_where_it_varies(walked, harm)
    return found


def unjudged(scope: Scope, found: Mapping[str, Harm]) -> list[str]:
    """Forms that can come in a run and that no walk judged: the app has more pauses, or ways, than are
    walked.
    """
    seen, todo = {scope.root}, [scope.root]
    while todo:
        node = todo.pop()
        known = possible_handles(scope.nodes[node]) if node in scope.nodes else None
        ends = [each.target for each in scope.out.get(node, ()) if known is None or each.handle in known]
        todo += [end for end in dict.fromkeys(ends) if end not in seen]
        seen.update(ends)
    return [n for n, node in scope.nodes.items() if node.type == FORM and n in seen and n not in found]


def _judge(scope: Scope, walk: Walk, harm: Harm) -> None:
    for pause in walk.pauses:
        if pause.answered != harm.form:
            continue
        fresh_silent = []
        for response in scope.responses:
            whole, before = walk.texts.get(response, ""), pause.before.get(response, "")
            fresh = pause.texts.get(response, "")
            if before and fresh and response not in harm.again:
                harm.again[response] = None
                harm.ways.setdefault(response, walk.decisions)
            if whole == before or response in harm.silent:
                continue
            if not fresh or (walk.is_done(walk.gate, response) and not walk.is_done(pause.gate, response)):
                fresh_silent.append(response)
        lost = lost_edges_of(pause.gate, walk.edges, fresh_silent, arrived=True)
        for response in fresh_silent:
            harm.silent[response] = lost[response] or ()
            harm.ways.setdefault(response, walk.decisions)


def _only_where_it_varies(walked: list[Walk], harm: Harm) -> None:
    """Of the ways only the decisions that matter: other than in some run through the same form without it."""
    through = [walk for walk in walked if any(pause.answered == harm.form for pause in walk.pauses)]
    harmed = [_harmed(walk, harm) for walk in through]
    handles: dict[frozenset[int], dict[str, set[str | None]]] = {}
    for response, way in harm.ways.items():
        others = frozenset(place for place, those in enumerate(harmed) if response not in those)
        if others not in handles:
            handles[others] = _handles([through[place].decisions for place in others])
        known = handles[others]
        gone = {None} if others else set()
        harm.ways[response] = {
            node: handle for node, handle in way.items() if known.get(node, gone) - {handle}
        }


def _handles(decisions: list[dict[str, str]]) -> dict[str, set[str | None]]:
    """The handles that each node took in some runs; None where it took none in one of them."""
    found: dict[str, set[str | None]] = {}
    counts: dict[str, int] = {}
    for each in decisions:
        for node, handle in each.items():
            found.setdefault(node, set()).add(handle)
            counts[node] = counts.get(node, 0) + 1
    for node, count in counts.items():
        if count < len(decisions):
            found[node].add(None)
    return found


def _harmed(walk: Walk, harm: Harm) -> set[str]:
    """The Answers of those that the form harms which it harms in this run."""
    found = set()
    for pause in walk.pauses:
        if pause.answered != harm.form:
            continue
        for response in harm.ways:
            whole, before = walk.texts.get(response, ""), pause.before.get(response, "")
            fresh = pause.texts.get(response, "")
            if (before and fresh) or (whole != before and not fresh):
                found.add(response)
    return found


def walks(graph: Graph, scope: Scope) -> Iterator[Walk]:
    """Ways through the app: all of them, or a choice of telling ones."""
    walker = Walker(graph, scope)
    most = max(20, min(MOST_WALKS, MOST_NODES // max(len(scope.nodes), 1)))
    made: list[Walk] = []
    visits = 0
    for walk in _all(walker):
        if len(made) == most or (visits > MOST_VISITS and len(made) >= LEAST_WALKS):
            break
        made.append(walk)
        visits += visits_of(walk)
    else:
        yield from made
        return
    yield from made[: max(len(made) // 4, 1)]
    visits = 0
    for place, walk in enumerate(_chosen(walker, scope, most)):
        yield walk
        visits += visits_of(walk)
        if visits > MOST_VISITS and place + 1 >= LEAST_WALKS:
            return


def visits_of(walk: Walk) -> int:
    """What a walk costs: every node that ran, told to every gate since a pause."""
    return len(walk.ran) * (1 + len(walk.pauses))


def _all(walker: Walker) -> Iterator[Walk]:
    """Every way, the last decision varied first."""
    path: list[tuple[int, int]] = []  # index taken, number of choices
    while True:
        place = 0

        def decide(_: str, options: tuple[str, ...]) -> str:
            nonlocal place
            if place == len(path):
                path.append((0, len(options)))
            taken = path[place][0]
            place += 1
            return options[taken]

        yield walker.walk(decide)
        while path and path[-1][0] + 1 == path[-1][1]:
            path.pop()
        if not path:
            return
        path[-1] = (path[-1][0] + 1, path[-1][1])


def _chosen(walker: Walker, scope: Scope, most: int) -> Iterator[Walk]:
    draw = Random(0)
    forms = [node.id for node in scope.nodes.values() if node.type == FORM]
    count = 0
    for form in forms:
        to_form = _way(scope, scope.root, form)
        if to_form is None:
            continue
        for response in scope.responses:
            rest = _way(scope, form, response) or {}
            for _ in range(_TRIES):
                if count == most:
                    return
                count += 1
                forced = {**to_form, **rest}

                def decide(node: str, options: tuple[str, ...], forced: dict[str, str] = forced) -> str:
                    wanted = forced.get(node)
                    return wanted if wanted in options else draw.choice(options)

                yield walker.walk(decide)


def _way(scope: Scope, start: str, end: str) -> dict[str, str] | None:
    """The handles of a shortest way between two nodes."""
    came: dict[str, tuple[str, str]] = {}
    todo, seen = [start], {start}
    for node in todo:
        if node == end:
            break
        for edge in scope.out.get(node, ()):
            if edge.target not in seen:
                seen.add(edge.target)
                came[edge.target] = (node, edge.handle)
                todo.append(edge.target)
    if end not in seen:
        return None
    way: dict[str, str] = {}
    while end != start:
        end, handle = came[end]
        way[end] = handle
    return way
