"""Where a run comes from: the runs it was forked from, and the forks made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core.compare import Past
from workbench.verbs.context import Context
from workbench.verbs.inspect import open_run

if TYPE_CHECKING:
    from workbench.store.rows import RunRow


def past_of(ctx: Context, forked_from: Mapping[str, Any] | None) -> Past:
    """All that came before a fork, through every run it goes back to."""
    if forked_from is None:
        return Past()
    parent = open_run(ctx, forked_from["run_id"], until=forked_from["step"])
    before = past_of(ctx, parent.run.forked_from)
    state = parent.timeline.at(parent.timeline.steps)
    return Past(
        (*before.run_ids, parent.run.run_id),
        (*before.events, *parent.timeline.journal.events),
        (*before.chunks, *(chunk.text for chunk in state.chunks)),
        (*before.counts, len(parent.timeline.journal.events)),
    )


@dataclass(frozen=True)
class Branch:
    """A run in a family tree, with the forks made of it, the oldest first.

    Attributes:
        found: False for an ancestor that is shown only because a fork of it was found.
        orphan: it is a fork of a run that is not in this store.
    """

    run: RunRow
    forks: tuple[Branch, ...]
    found: bool = True
    orphan: bool = False

    def walk(self) -> Iterator[RunRow]:
        """This run and all behind it."""
        todo = [self]
        while todo:
            branch = todo.pop()
            yield branch.run
            todo.extend(reversed(branch.forks))


def tree(ctx: Context, rows: Iterable[RunRow]) -> tuple[Branch, ...]:
    """The runs as family trees: every fork below the run it was made of. The newest family comes first.

    Ancestors that are not among the rows are taken along; one that is in another store ends the line.
    """
    found = {row.run_id: row for row in rows}
    known = dict(found)
    missing = _parents(known.values(), known)
    if missing:
        everything = {row.run_id: row for row in ctx.store.runs()}
        while missing:
            known |= {run_id: everything[run_id] for run_id in missing if run_id in everything}
            missing = {parent for parent in _parents(known.values(), known) if parent in everything}
    return grown(list(known.values()), found)


def grown(rows: Sequence[RunRow], found: Mapping[str, Any]) -> tuple[Branch, ...]:
    """Family trees of these rows alone."""
    known = {row.run_id: row for row in rows}
    children: dict[str, list[RunRow]] = {}
    roots = []
    for row in sorted(rows, key=lambda row: (row.started_at, row.run_id)):
        parent = row.forked_from["run_id"] if row.forked_from else None
        if parent in known and parent != row.run_id:
            children.setdefault(parent, []).append(row)
        else:
            roots.append(row)
    made: dict[str, Branch] = {}
    for root in roots:
        order, todo = [], [root]
        while todo:
            row = todo.pop()
            order.append(row)
            todo.extend(children.get(row.run_id, ()))
        for row in reversed(order):  # forks before what they are forks of
            forks = tuple(made[child.run_id] for child in children.get(row.run_id, ()))
            orphan = row is root and row.forked_from is not None
            made[row.run_id] = Branch(row, forks, row.run_id in found, orphan)
    families = [made[root.run_id] for root in roots]
    newest = {b.run.run_id: max(row.started_at for row in b.walk()) for b in families}
    return tuple(sorted(families, key=lambda b: newest[b.run.run_id], reverse=True))


def _parents(rows: Iterable[RunRow], known: Mapping[str, Any]) -> set[str]:
    return {
        row.forked_from["run_id"]
        for row in rows
        if row.forked_from and row.forked_from["run_id"] not in known
    }
