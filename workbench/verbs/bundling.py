"""`export --format bundle`: a run, or a saved pause, with all that belongs to it in one file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError
from workbench.records.app import read_app
from workbench.records.bundle import (
    STATES,
    Bundle,
    CarriedApp,
    CarriedFile,
    CarriedRun,
    content_id,
    write_bundle,
)
from workbench.verbs.carrying import Family, described, family_of
from workbench.verbs.context import Context
from workbench.verbs.masking import hider_of, masked, told
from workbench.verbs.target import FileTarget, StoredTarget, find, find_app


@dataclass(frozen=True)
class Bundled:
    """A bundle that was made.

    Attributes:
        masked: False when secrets were kept.
        notes: what was hidden and what was kept, for people.
    """

    data: bytes
    masked: bool
    notes: tuple[str, ...]


def bundle(
    ctx: Context,
    target: Path | str,
    *,
    app: Path | str | None = None,
    unmask: bool = False,
    forks: bool = False,
) -> Bundled:
    """The bundle of a run (or of the run of a pause), or of a saved pause with its app.

    Args:
        app: the app of a saved pause's file.
        unmask: keep environment variables, tokens and keys.
        forks: take along the runs that were forked from it; those that it goes back to always come.

    Raises:
        UsageError: an app alone, or some other file.
        WorkbenchError: the run is not over.
    """
    found = find(ctx, target)
    if isinstance(found, FileTarget):
        made = _of_file(ctx, found, app)
    elif found.kind == "app":
        raise UsageError(
            f"{target} is an app.",
            "A bundle is made of a run or of a saved pause.",
            "Run it first, or export the app itself: --format original.",
        )
    else:
        made = _of_run(ctx, found, forks)
    made = described(made)
    count = len(made.edited)
    also = (f"{count} edited pause{'' if count == 1 else 's'} in it, with the edits.",) if count else ()
    if unmask:
        return Bundled(write_bundle(made), False, (*also, "Secrets are in it, readable (--unmask)."))
    hider = hider_of(made)
    return Bundled(write_bundle(described(masked(made, hider))), True, (*also, *told(hider)))


def _of_run(ctx: Context, found: StoredTarget, forks: bool) -> Bundle:
    run_id = found.id if found.kind == "run" else ctx.store.pause(found.id).run_id
    runs = ctx.store.carried_runs(run_id, forks=forks)
    made_of = {run.id for run in runs} if forks else {run_id}
    family = family_of(ctx, runs, (), made_of)
    return Bundle(
        run_id,
        None,
        tuple(_apps(ctx, family)),
        tuple(_ended(run) for run in family.runs.values()),
        tuple(family.files.values()),
        tuple(family.edited.values()),
    )


def _ended(run: CarriedRun) -> CarriedRun:
    if run.status == "running":
        raise WorkbenchError(
            f"Run {run.id} is still running.",
            "A bundle holds runs that have paused or ended.",
            "Wait for it, or stop it.",
        )
    return run


def _apps(ctx: Context, family: Family) -> Iterator[CarriedApp]:
    ids = [run.app_id for run in family.runs.values()]
    ids += [each.app_id for each in family.edited.values() if each.app_id is not None]
    for app_id in dict.fromkeys(ids):
        yield carried_app(app_id, ctx.store.app_bytes(app_id))


def carried_app(app_id: str, data: bytes) -> CarriedApp:
    """An app of the store as a bundle carries it."""
    app = read_app(data, f"app {app_id[:8]}")
    return CarriedApp(app_id, app.name, app.mode, app.dsl_version, data)


def _of_file(ctx: Context, found: FileTarget, app: Path | str | None) -> Bundle:
    if found.kind not in STATES:
        raise UsageError(
            f"No bundle is made of {found.name}.",
            f"It is a {found.kind.replace('-', ' ')}.",
            "A bundle is made of a run or of a saved pause.",
        )
    file_id = content_id(found.data)
    stored = ctx.store.known_file(file_id) if ctx.store_file.exists() else False
    family = family_of(ctx, (), (file_id,) if stored else (), set())
    apps = {each.id: each for each in _apps(ctx, family)}
    if app is not None:
        data = find_app(ctx, app).data
        given = carried_app(content_id(data), data)
        apps[given.id] = given
    alone = CarriedFile(file_id, found.kind, Path(found.name).name, found.detail, found.data)
    return Bundle(
        file_id,
        None,
        tuple(apps.values()),
        tuple(_ended(run) for run in family.runs.values()),
        tuple({file_id: alone, **family.files}.values()),
        tuple(family.edited.values()),
    )
