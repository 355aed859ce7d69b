"""What the family tree asks of the workbench. All functions block; call them in a worker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.verbs.lineage import Branch

if TYPE_CHECKING:
    from workbench.store.rows import EditedFile, RunRow
    from workbench.verbs.context import Context
    from workbench.verbs.family import ForkFacts

DEEPEST = 12
"""Levels of forks that are indented; a deeper one tells its level."""


@dataclass(frozen=True)
class Leaf:
    """One line of the tree: a run, or an edited saved pause.

    Attributes:
        guide: the lines that lead to it from what it was made of.
        parent: what it was made of: the id of a run, a pause or a file.
        parent_kernel: the engine of the run it was made of.
        gate: how the gate went on in a fork.
        found: False for an ancestor that is shown only because a fork of it was found.
    """

    guide: str
    depth: int
    run: RunRow | None = None
    file: EditedFile | None = None
    parent: str | None = None
    parent_kernel: str | None = None
    gate: str | None = None
    found: bool = True
    orphan: bool = False

    @property
    def key(self) -> str:
        """Its id."""
        return self.run.run_id if self.run is not None else self.file.file_id if self.file is not None else ""


def load(ctx: Context, search: str) -> tuple[Leaf, ...]:
    """The family trees of all runs, or of those in which words occur, with their ancestors."""
    from workbench.verbs.lineage import tree
    from workbench.verbs.runs import runs

    families = tree(ctx, runs(ctx, search=search or None))
    return lines(families, ctx.store.fork_gates(), ctx.store.edited_files())


def counted(leaves: Sequence[Leaf]) -> str:
    """How many there are, for people."""
    runs = sum(leaf.run is not None and leaf.found for leaf in leaves)
    families = sum(leaf.depth == 0 for leaf in leaves)
    edited = sum(leaf.file is not None for leaf in leaves)
    words = f"{runs:,} run{'s' if runs != 1 else ''} in {families:,} famil{'ies' if families != 1 else 'y'}"
    return words + (f", {edited:,} edited pause{'s' if edited > 1 else ''}" if edited else "")


def lines(families: Iterable[Branch], gates: dict[str, str], files: Sequence[EditedFile]) -> tuple[Leaf, ...]:
    """The trees line by line. Edited pauses stand below the run whose pause they were made of."""
    of_run: dict[str, list[EditedFile]] = {}
    of_file: dict[str, list[EditedFile]] = {}
    known = {file.file_id for file in files}
    for file in files:
        if file.parent_kind == "file" and file.parent_id in known:
            of_file.setdefault(file.parent_id, []).append(file)
        elif file.run_id is not None:
            of_run.setdefault(file.run_id, []).append(file)
    out: list[Leaf] = []
    for family in families:
        todo: list[tuple[Branch | EditedFile, Branch | EditedFile | None, tuple[bool, ...]]]
        todo = [(family, None, ())]
        while todo:
            member, parent, last = todo.pop()
            out.append(_leaf(member, parent, last, gates))
            below: list[Branch | EditedFile] = (
                [*of_run.get(member.run.run_id, ()), *member.forks]
                if isinstance(member, Branch)
                else list(of_file.get(member.file_id, ()))
            )
            for at, child in reversed(list(enumerate(below))):
                todo.append((child, member, (*last, at == len(below) - 1)))
    return tuple(out)


def _leaf(
    member: Branch | EditedFile,
    parent: Branch | EditedFile | None,
    last: tuple[bool, ...],
    gates: dict[str, str],
) -> Leaf:
    guide = _guide(last)
    if not isinstance(member, Branch):
        return Leaf(guide, len(last), file=member, parent=member.parent_id)
    run = member.run
    above = parent.run if isinstance(parent, Branch) else None
    return Leaf(
        guide,
        len(last),
        run=run,
        parent=run.forked_from["run_id"] if run.forked_from else None,
        parent_kernel=above.kernel if above is not None else None,
        gate=gates.get(run.run_id),
        found=member.found,
        orphan=member.orphan,
    )


def _guide(last: tuple[bool, ...]) -> str:
    if not last:
        return ""
    shown = last[-DEEPEST:]
    lead = f"{len(last)}… " if len(last) > DEEPEST else ""
    return lead + "".join("  " if done else "│ " for done in shown[:-1]) + ("└ " if shown[-1] else "├ ")


def facts(ctx: Context, run_id: str) -> ForkFacts:
    """What is different in a fork, and what a chat user got."""
    from workbench.verbs.family import fork_facts

    return fork_facts(ctx, run_id)


def heard(ctx: Context, run_id: str) -> tuple[str, bool]:
    """What was streamed in a run, and whether it ended with an answer that nobody saw."""
    from workbench.verbs.family import outcome
    from workbench.verbs.inspect import open_run

    return outcome(open_run(ctx, run_id))
