"""`export`: saved states and imported files as they are, byte for byte; and bundles, to share a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError
from workbench.records.context_writing import new_context
from workbench.verbs.context import Context
from workbench.verbs.heal import GATELESS_KERNEL
from workbench.verbs.names import one_of
from workbench.verbs.pauses import PauseSource, pause_source
from workbench.verbs.results import Exported
from workbench.verbs.saved import open_saved
from workbench.verbs.target import FileTarget, find
from workbench.verbs.writing import write_private

FORMATS = ("dify", "runtime-state", "stream-filter", "bundle", "original")
READABLE = "Exported bytes are not masked; environment variables in them are readable."
NO_GATE = "Dify 1.15 keeps no gate state: it is left out here. `workbench heal` writes one for Dify 1.16 on."


@dataclass(frozen=True)
class Bytes:
    """What an export writes.

    Attributes:
        secrets: the bytes may hold environment variables or tokens unmasked.
        notes: what the user should know about them.
    """

    data: bytes
    form: str
    secrets: bool = True
    notes: tuple[str, ...] = (READABLE,)


def export_bytes(
    ctx: Context,
    target: Path | str,
    form: str | None = None,
    *,
    app: Path | str | None = None,
    unmask: bool = False,
    forks: bool = False,
) -> Bytes:
    """What `export` writes.

    Args:
        form: one of `FORMATS`. None takes "original" for what was imported and "runtime-state" for a
            pause of ours. "dify" is a whole WorkflowResumptionContext: the imported one byte for byte, or one
            made around the bytes of a pause of ours. "bundle" is a file for another workbench
            (docs/bundle.md).
        app, unmask, forks: of a bundle, see `workbench.verbs.bundling.bundle`.

    Raises:
        UsageError: that target has no such format.
        WorkbenchError: the pause holds no gate.
    """
    if form is not None:
        one_of(form, FORMATS, "export format")
    if form == "bundle":
        from workbench.verbs.bundling import bundle

        made = bundle(ctx, target, app=app, unmask=unmask, forks=forks)
        return Bytes(made.data, form, not made.masked, made.notes)
    found = find(ctx, target)
    if isinstance(found, FileTarget):
        return Bytes(*_of_file(found, form))
    if found.kind == "app":
        if form not in (None, "original"):
            raise _no_such(str(target), "an app", form, "original")
        return Bytes(ctx.store.app_bytes(found.id), "original")
    return _of_pause(pause_source(ctx, target), form or "runtime-state")


def export(
    ctx: Context,
    target: Path | str,
    output: Path,
    form: str | None = None,
    *,
    app: Path | str | None = None,
    unmask: bool = False,
    forks: bool = False,
) -> Exported:
    """Write an export to a file.

    Raises:
        UsageError, WorkbenchError: see `export_bytes` and `workbench.verbs.writing.place`.
    """
    made = export_bytes(ctx, target, form, app=app, unmask=unmask, forks=forks)
    write_private(output, made.data, target)
    return Exported(str(output), made.form, len(made.data), made.secrets, made.notes)


def _of_file(target: FileTarget, form: str | None) -> tuple[bytes, str]:
    if form in (None, "original") or (form == "dify" and target.kind == "resumption-context"):
        return target.data, form or "original"
    if target.kind not in ("resumption-context", "runtime-state", "stream-filter"):
        raise _no_such(target.name, f"a {target.kind.replace('-', ' ')}", form, "original")
    if form == target.kind:
        return target.data, form
    saved = open_saved(target)
    if form == "runtime-state" and saved.state is not None:
        return saved.state.encode("utf-8", "surrogatepass"), form
    if form == "stream-filter" and saved.gate is not None:
        return saved.gate.text.encode("utf-8", "surrogatepass"), form
    has = {
        "dify": target.kind == "resumption-context",
        "runtime-state": saved.state is not None,
        "stream-filter": saved.gate is not None,
    }
    valid = ", ".join(("original", *(name for name, there in has.items() if there)))
    raise _no_such(target.name, f"a {target.kind.replace('-', ' ')} without one", form, valid)


def _of_pause(source: PauseSource, form: str) -> Bytes:
    if form == "runtime-state":
        return Bytes(source.state.encode("utf-8", "surrogatepass"), form)
    if form == "dify":
        return _as_dify(source)
    if form == "stream-filter":
        if source.gate is None:
            raise WorkbenchError(
                "This pause holds no gate state.", source.why_no_gate or "", "Export --format runtime-state."
            )
        return Bytes(source.gate.encode("utf-8", "surrogatepass"), form)
    raise _no_such(
        "A run of the workbench",
        "no imported file",
        form,
        "dify, runtime-state, stream-filter, bundle",
    )


def _as_dify(source: PauseSource) -> Bytes:
    """The context that the Dify of this engine would have saved; the states in it are the engine's own."""
    loses = source.kernel == GATELESS_KERNEL
    text = new_context(
        source.state,
        None if loses else source.gate,
        mode=source.app.mode,
        inputs=source.inputs,
        system=source.system,
        run_id=source.run_id,
        with_gate_field=not loses,
    )
    notes = (READABLE, NO_GATE) if loses and source.gate is not None else (READABLE,)
    return Bytes(text.encode("utf-8", "surrogatepass"), "dify", True, notes)


def _no_such(name: str, what: str, form: str | None, valid: str) -> UsageError:
    return UsageError(f"{name} has no {form} to export.", f"It is {what}.", f"Valid: {valid}.")
