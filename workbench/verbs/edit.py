"""`edit`: change a saved pause safely; the original stays, the edited one is a new stored file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from workbench.core.edits import Edit, Editing, Fault, Given, Kind, Place, Plan, open_document, places
from workbench.core.graph_of import graph_of
from workbench.errors import UsageError, WorkbenchError
from workbench.records.app import App
from workbench.records.edit_file import SavedEdit, read_edits, write_edits
from workbench.records.gate_state import edge_names
from workbench.records.reading import decode
from workbench.verbs.carrying import edited_detail
from workbench.verbs.context import Context
from workbench.verbs.environment import Environment, environment_of
from workbench.verbs.names import kernel_name
from workbench.verbs.saved import SavedPause, open_saved
from workbench.verbs.target import FileTarget, find, find_app, stored_app

if TYPE_CHECKING:
    from workbench.store.rows import EditedFile

_KINDS = ("resumption-context", "runtime-state", "stream-filter")
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff", b"\xff\xfe", b"\xfe\xff")
_CODECS = ("utf-8", "utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")


@dataclass(frozen=True)
class Subject:
    """A saved pause that can be edited.

    Attributes:
        data: its bytes; for a pause of ours those of a context made around its states.
        kernel: the engine kernel whose rules it has to keep.
        parent: what it is: ("pause" or "file", its id), or ("path", its path).
        made: the context is ours, not a file's.
    """

    name: str
    data: bytes = field(repr=False)
    kind: str
    kernel: str
    app: App | None
    parent: tuple[str, str]
    run_id: str | None = None
    step: int = 0
    environment: Environment = field(default=(), repr=False)
    made: bool = False

    def editing(self, name: str = "") -> Editing:
        """The pause, opened, without edits. Raises BadInputError."""
        graph = None if self.app is None else graph_of(self.app.graph, self.app.root)
        names = {} if self.app is None else edge_names(list(self.app.graph["edges"]))
        text = decode(self.data, self.name)
        document = open_document(
            text, cast(Kind, self.kind), kernel=self.kernel, graph=graph, names=names, source=self.name
        )
        if document.version == "3.0":  # its edge ids are the DSL's own
            document = replace(document, names={})
        return Editing(document, name)

    def encode(self, text: str) -> bytes:
        """A text in this file's own encoding, its byte order mark included."""
        for mark, codec in zip(_BOMS, _CODECS, strict=True):
            if self.data.startswith(mark):
                return mark + text.encode(codec, "surrogatepass")
        return text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class EditResult:
    """An edited pause.

    Attributes:
        plans: what each edit changed.
        data: the edited bytes.
        file_id: its id in the store; None on a dry run.
        refused: what the engine would refuse because of the edits; only with `force`.
        warnings: what it would refuse anyway, and where it would stumble.
    """

    name: str
    kernel: str
    kind: str
    plans: tuple[Plan, ...]
    data: bytes = field(repr=False)
    file_id: str | None
    edits: str = field(repr=False)
    refused: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()
    app_known: bool = False
    environment: Environment = field(default=(), repr=False)


def subject_of(
    ctx: Context, target: Path | str, *, app: Path | str | None = None, kernel: str | None = None
) -> Subject:
    """What an ID or FILE means to `edit`: a saved pause, a pause of a run, or a run's last pause.

    Raises:
        UsageError: it is no pause.
    """
    found = find(ctx, target)
    chosen = None if kernel is None else kernel_name(ctx, kernel)
    if isinstance(found, FileTarget):
        return subject_of_file(ctx, found, app, chosen)
    if app is not None:
        raise UsageError("A pause of a run has its app.", "", "Leave --app out.")
    return _of_run(ctx, target, chosen)


def edit(
    ctx: Context,
    target: Path | str,
    edits: Sequence[Edit],
    *,
    app: Path | str | None = None,
    kernel: str | None = None,
    name: str = "",
    force: bool = False,
    dry_run: bool = False,
) -> EditResult:
    """Edit a pause and keep the result as a new file; the original is never changed.

    Args:
        kernel: whose rules it shall keep; None takes the engine that saved it.
        force: keep it although the engine would refuse it.

    Raises:
        UsageError: an edit does not fit; nothing was kept.
        WorkbenchError: the engine would refuse the result.
    """
    subject = subject_of(ctx, target, app=app, kernel=kernel)
    editing = subject.editing(name).replay(edits)
    brought, before = editing.faults()
    if brought and not force:
        raise _refused(subject, brought)
    data = subject.encode(editing.text())
    written = write_edits(name, [saved_edit(each) for each in edits])
    return EditResult(
        name=subject.name,
        kernel=subject.kernel,
        kind=subject.kind,
        plans=editing.plans,
        data=data,
        file_id=None if dry_run else _keep(ctx, subject, data, written, len(edits), name),
        edits=written,
        refused=brought,
        warnings=(*before, *editing.doubts()),
        app_known=subject.app is not None,
        environment=subject.environment,
    )


def targets(
    ctx: Context,
    target: Path | str,
    prefix: str = "",
    *,
    app: Path | str | None = None,
    most: int | None = None,
) -> tuple[tuple[Place, ...], Environment]:
    """The targets that a pause has and that begin with `prefix`, and its environment for the mask."""
    subject = subject_of(ctx, target, app=app)
    return tuple(islice(places(subject.editing().original, prefix), most)), subject.environment


def edits_from(path: Path | str) -> tuple[str, tuple[Edit, ...]]:
    """The edits of a file, and their name. Raises BadInputError."""
    from workbench.records.reading import read_file

    name, saved = read_edits(read_file(path), str(path))
    return name, tuple(
        Edit(each.target, None if each.removes else Given(each.value, each.is_text), each.type)
        for each in saved
    )


def saved_edit(edit: Edit) -> SavedEdit:
    """An edit as a file has it."""
    if edit.given is None:
        return SavedEdit(edit.target, removes=True)
    return SavedEdit(edit.target, edit.given.value, edit.type, is_text=edit.given.is_text)


def subject_of_file(
    ctx: Context,
    found: FileTarget,
    app: App | Path | str | None,
    kernel: str | None = None,
    *,
    saved: SavedPause | None = None,
) -> Subject:
    """As `subject_of`, for a file that was read already; `saved` is what it says, where that is known."""
    if found.kind not in _KINDS:
        raise UsageError(
            f"{found.name} is not a saved pause.",
            f"It is a {found.kind.replace('-', ' ')}.",
            "A saved pause, a runtime state or a gate state can be edited.",
        )
    saved = open_saved(found) if saved is None else saved
    origin = ctx.store.edited(found.id) if found.id is not None else None
    given = app if isinstance(app, App) or app is None else find_app(ctx, app)
    if given is None and origin is not None and origin.app_id is not None:
        given = stored_app(ctx, origin.app_id)
    parent = ("file", found.id) if found.id is not None else ("path", found.name)
    return Subject(
        found.name,
        found.data,
        found.kind,
        kernel or (origin.kernel if origin is not None else saved.kernel),
        given,
        parent,
        run_id=None if origin is None else origin.run_id,
        step=0 if origin is None else origin.step,
        environment=environment_of(given, saved.runtime),
    )


def _of_run(ctx: Context, target: Path | str, kernel: str | None) -> Subject:
    from workbench.records.context_writing import new_context
    from workbench.verbs.pauses import pause_source

    source = pause_source(ctx, target)
    text = new_context(
        source.state,
        source.gate,
        mode=source.app.mode,
        inputs=source.inputs,
        system=source.system,
        run_id=source.run_id,
    )
    return Subject(
        f"pause {source.pause_id}",
        text.encode("utf-8", "surrogatepass"),
        "resumption-context",
        kernel or source.kernel,
        source.app,
        ("pause", str(source.pause_id)),
        run_id=source.run_id,
        step=source.step,
        environment=source.environment,
        made=True,
    )


def _keep(ctx: Context, subject: Subject, data: bytes, edits: str, count: int, name: str) -> str:
    """Store the edited pause with its lineage; its id."""
    from workbench.store.rows import EditedFile

    origin: EditedFile = EditedFile(
        file_id="",
        parent_kind=subject.parent[0],
        parent_id=subject.parent[1],
        run_id=subject.run_id,
        step=subject.step,
        app_id=None if subject.app is None else ctx.store.put_app(subject.app),
        kernel=subject.kernel,
        name=name or f"edited {subject.name}",
        edits=edits,
    )
    detail = edited_detail(count, *subject.parent)
    return ctx.store.put_edited(subject.kind, data, detail, origin)


def _refused(subject: Subject, faults: Sequence[Fault]) -> WorkbenchError:
    shown = " ".join(fault.message for fault in faults[:4])
    more = f" And {len(faults) - 4} more." if len(faults) > 4 else ""
    who = "Dify" if all(fault.where.startswith("entity.") for fault in faults) else subject.kernel
    return WorkbenchError(
        f"{who} would refuse the edited pause; nothing was kept.",
        f"{shown}{more}",
        "Correct the edit, choose another engine (--kernel), or keep it anyway with --force.",
    )
