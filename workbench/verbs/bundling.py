"""`export --format bundle`: a run, or a saved pause, with all that belongs to it in one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError
from workbench.records.app import read_app
from workbench.records.bundle import Bundle, CarriedApp, CarriedFile, CarriedRun, content_id, write_bundle
from workbench.verbs.context import Context
from workbench.verbs.masking import hider_of, masked, told
from workbench.verbs.target import FileTarget, StoredTarget, find, find_app

STATES = ("resumption-context", "runtime-state", "stream-filter")


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
    if unmask:
        return Bundled(write_bundle(made), False, ("Secrets are in it, readable (--unmask).",))
    hider = hider_of(made)
    return Bundled(write_bundle(masked(made, hider)), True, tuple(told(hider)))


def _of_run(ctx: Context, found: StoredTarget, forks: bool) -> Bundle:
    run_id = found.id if found.kind == "run" else ctx.store.pause(found.id).run_id
    runs = ctx.store.carried_runs(run_id, forks=forks)
    for run in runs:
        if run.status == "running":
            raise WorkbenchError(
                f"Run {run.id} is still running.",
                "A bundle holds runs that have paused or ended.",
                "Wait for it, or stop it.",
            )
    return Bundle(run_id, None, tuple(_apps(ctx, runs)), tuple(runs))


def _apps(ctx: Context, runs: Iterable[CarriedRun]) -> Iterator[CarriedApp]:
    for app_id in dict.fromkeys(run.app_id for run in runs):
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
    apps: tuple[CarriedApp, ...] = ()
    if app is not None:
        data = find_app(ctx, app).data
        apps = (carried_app(content_id(data), data),)
    file_id = content_id(found.data)
    name = Path(found.name).name
    return Bundle(
        file_id, None, apps, (), (CarriedFile(file_id, found.kind, name, found.detail, found.data),)
    )
