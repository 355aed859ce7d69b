"""Keeps a healed pause in the store, beside the one that it was made from."""

from __future__ import annotations

from pathlib import Path

from workbench.records.edit_file import write_edits
from workbench.verbs.context import Context
from workbench.verbs.heal import HealResult
from workbench.verbs.pauses import pause_source


def keep_healed(
    ctx: Context, result: HealResult, target: Path | str, app: Path | str | None = None
) -> tuple[str, str]:
    """Store what `heal` made of a pause, with its lineage; the file's id and the id of its app."""
    from workbench.store.rows import EditedFile

    source = pause_source(ctx, target, app=app)
    app_id = ctx.store.put_app(source.app)
    if source.pause_id is not None:
        parent = ("pause", source.pause_id)
    else:
        parent = ("path", str(target)) if source.file_id is None else ("file", source.file_id)
    name = f"healed {target}"
    origin = EditedFile(
        file_id="",
        parent_kind=parent[0],
        parent_id=parent[1],
        run_id=source.run_id,
        step=source.step,
        app_id=app_id,
        kernel=result.kernel,
        name=name,
        edits=write_edits(name, ()),
    )
    detail = f"healed ({result.how}) from {parent[0]} {parent[1]}"
    data = result.text.encode("utf-8", "surrogatepass")
    return ctx.store.put_edited("resumption-context", data, detail, origin), app_id
