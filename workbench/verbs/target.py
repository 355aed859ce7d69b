"""What the user means by an ID or a FILE."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.errors import BadInputError, NotFoundError, UsageError
from workbench.records.app import App, read_app
from workbench.verbs.context import Context

FILE_SUFFIXES = (".yml", ".yaml", ".json", ".jsonl", ".txt", ".sse", ".dsl")


@dataclass(frozen=True, slots=True)
class FileTarget:
    """The bytes of a file, on disk or stored; `id` is None for one on disk.

    Attributes:
        kernel: the engine kernel whose rules an edited pause keeps, None for other files.
    """

    name: str
    data: bytes
    kind: str
    detail: str
    id: str | None = None
    kernel: str | None = None


@dataclass(frozen=True, slots=True)
class StoredTarget:
    """Something in the store: a "run", a "pause" or an "app"."""

    kind: str
    id: str


def find(ctx: Context, text: str | Path) -> FileTarget | StoredTarget:
    """The file `text` names, else what goes by that id, or by the only id that begins so.

    Raises:
        NotFoundError, UsageError: nothing, or more than one thing, goes by that id.
        BadInputError: the file can't be read.
    """
    path = Path(text)
    if _is_file(path):
        return read_target(path)
    if looks_like_path(str(text)):
        raise NotFoundError(
            f"There is no file {text}.",
            f"Looked in {Path.cwd()}.",
            "Check the path, or give the id of something stored (`workbench runs` lists the runs).",
        )
    reference = ctx.store.resolve(str(text))
    if reference.kind != "file":
        return StoredTarget(reference.kind, reference.id)
    stored = ctx.store.file(reference.id)
    return FileTarget(stored.name, stored.data, stored.kind, stored.detail, stored.id, stored.kernel)


def read_target(path: Path) -> FileTarget:
    """A file from disk, recognised by its content.

    Raises:
        BadInputError: it can't be read, or is too large.
    """
    from workbench.records.bundle_frame import BUNDLE_LIMIT
    from workbench.records.reading import read_file
    from workbench.records.recognise import recognise

    data = read_file(path, BUNDLE_LIMIT)
    found = recognise(data, path.name)
    if found.kind == "unknown":
        raise BadInputError(
            f"{path} is nothing that the workbench knows.",
            found.error or found.detail,
            "It reads exported apps, saved pauses, runtime and gate states, SSE recordings, conversations.",
        )
    return FileTarget(str(path), data, found.kind, found.detail)


def find_app(ctx: Context, text: str | Path) -> App:
    """The app that `text` names: a file, an app's id, or the app of a run.

    A file is read and not stored: `keep_app` does that.
    """
    path = Path(text)
    if _is_file(path):
        return _read_app_file(path)
    target = find(ctx, text)
    if isinstance(target, FileTarget):
        if target.kind != "app":
            raise UsageError(
                f"{target.name} is not an app.",
                f"It is a {target.kind.replace('-', ' ')}.",
                "Give an app that was exported from Dify (DSL, a .yml file).",
            )
        return read_app(target.data, target.name)
    app_id = target.id if target.kind == "app" else app_id_of(ctx, target)
    return stored_app(ctx, app_id)


def app_id_of(ctx: Context, target: StoredTarget) -> str:
    """The id of the app that a run or a pause belongs to."""
    run_id = target.id if target.kind == "run" else ctx.store.pause(target.id).run_id
    return ctx.store.run(run_id).app_id


def stored_app(ctx: Context, app_id: str) -> App:
    """A stored app, read again from its bytes."""
    return read_app(ctx.store.app_bytes(app_id), f"app {app_id[:8]}")


def looks_like_path(text: str) -> bool:
    """True for what can't be an id: it has a separator or a file's ending."""
    return "/" in text or text.lower().endswith(FILE_SUFFIXES)


def _is_file(path: Path) -> bool:
    """Whether a file is meant; so is a folder by its path: the reader refuses it in its own words."""
    try:
        return path.exists() and (not path.is_dir() or str(path).startswith(".") or "/" in str(path))
    except (OSError, ValueError):
        return False


def _read_app_file(path: Path) -> App:
    from workbench.records.reading import read_file

    return read_app(read_file(path), str(path))
