"""What the editor asks of the workbench. All of it blocks: call it in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.edits import Edit, Editing, Fault, faults
from workbench.views.secrets import Mask, mask_for

if TYPE_CHECKING:
    from workbench.verbs.context import Context
    from workbench.verbs.edit import EditResult, Subject


@dataclass(frozen=True)
class Loaded:
    """A saved pause, opened for editing.

    Attributes:
        told: what it is, in words.
        writers: who wrote each variable, by node and name.
        before: what the engine would refuse of it as it was saved.
    """

    subject: Subject
    editing: Editing
    mask: Mask
    told: str
    writers: Mapping[tuple[str, str], str] = field(repr=False)
    before: frozenset[Fault] = field(repr=False)


@dataclass(frozen=True)
class Checked:
    """What the engine would say to a pause with its edits.

    Attributes:
        refused: what it would refuse because of the edits.
        others: what it would refuse anyway, and what it would stumble over.
    """

    refused: tuple[Fault, ...] = ()
    others: tuple[Fault, ...] = ()


def load(
    ctx: Context,
    target: str,
    app: str | None,
    kernel: str | None,
    edits: Sequence[Edit] = (),
    *,
    name: str = "",
    unmask: bool = False,
) -> Loaded:
    """Open a pause. Raises as `verbs.edit.subject_of`; UsageError when an edit does not fit it."""
    from workbench.verbs.edit import subject_of

    subject = subject_of(ctx, target, app=app, kernel=kernel)
    editing = subject.editing(name)
    writers = _writers(ctx, subject, editing)
    before = frozenset(fault for fault in faults(editing.original) if fault.refused)
    mask = mask_for(subject.environment, unmask=unmask)
    return Loaded(subject, editing.replay(edits), mask, _told(subject, editing), writers, before)


def checked(editing: Editing, before: frozenset[Fault]) -> Checked:
    """What the engine would say."""
    found = list(faults(editing.document))
    refused = tuple(fault for fault in found if fault.refused and fault not in before)
    return Checked(refused, tuple(fault for fault in found if fault not in refused))


def save(
    ctx: Context,
    target: str,
    app: str | None,
    loaded: Loaded,
    editing: Editing,
    *,
    force: bool,
    path: str,
) -> EditResult:
    """Keep the edited pause as a new stored file, and write it to `path` when one is given."""
    from workbench.verbs.edit import edit
    from workbench.verbs.writing import write_private

    result = edit(
        ctx,
        target,
        editing.edits,
        app=app,
        kernel=loaded.subject.kernel,
        name=editing.name,
        force=force,
    )
    if path:
        write_private(Path(path).expanduser(), result.data, target)
    return result


def differences(loaded: Loaded, editing: Editing) -> list[str]:
    """What saving would change in the file, as lines for people."""
    from workbench.core.compare import opened
    from workbench.core.diff import diff
    from workbench.records.reading import parse_json
    from workbench.verbs.diff import Differences, Side
    from workbench.views.differences import differences_lines

    before, after = (
        opened(parse_json(document.text(), loaded.subject.name))
        for document in (editing.original, editing.document)
    )
    name = loaded.subject.name
    sides = Side(name, {}), Side("the edited pause", {})
    found = Differences(*sides, editing.original.kind, diff(before, after), (before, after))
    return differences_lines(found, loaded.mask)


def read_edits(path: str) -> tuple[str, tuple[Edit, ...]]:
    """The edits of a file, and their name. Raises BadInputError."""
    from workbench.verbs.edit import edits_from

    return edits_from(Path(path).expanduser())


def write_edits(path: str, editing: Editing) -> None:
    """Write the edits to a file. Raises WorkbenchError, OSError."""
    from workbench.records.edit_file import write_edits as spelt
    from workbench.verbs.edit import saved_edit
    from workbench.verbs.writing import write_private

    text = spelt(editing.name, [saved_edit(each) for each in editing.edits])
    write_private(Path(path).expanduser(), text.encode("utf-8"))


def kernels(ctx: Context) -> tuple[str, ...]:
    """The engine kernels whose rules can be chosen, the newest first."""
    from workbench.engine.kernels import KERNELS

    return KERNELS


def _writers(ctx: Context, subject: Subject, editing: Editing) -> dict[tuple[str, str], str]:
    from workbench.core.inspect import inspect
    from workbench.core.writers import written_at

    if editing.original.state_path is None:
        return {}
    steps: Mapping[tuple[str, str], int] = {}
    if subject.made and subject.run_id is not None:
        steps = written_at([event for _, _, event in ctx.store.events(subject.run_id, 1, subject.step)])
    return {
        (each.node, each.name): each.writer if each.step is None else f"{each.writer}, step {each.step}"
        for each in inspect(editing.original, steps).variables
    }


def _told(subject: Subject, editing: Editing) -> str:
    words = {
        "resumption-context": "saved pause",
        "runtime-state": "runtime state",
        "stream-filter": "gate state",
    }[subject.kind]
    gate = "with a gate" if editing.original.gate() is not None else "no gate was saved"
    app = "" if subject.app is None else f", {subject.app.name}"
    return f"{words}{app}, {gate}"
