"""`lab`: the lessons' notebooks, copied to where the user may change them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import workbench
from workbench.errors import WorkbenchError
from workbench.home import private_folder
from workbench.verbs.context import Context

INDEX = "index.ipynb"
MANIFEST = ".copied.json"
"""In the copy: what each file was when it was copied, to know whether the user has changed it since."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """The user's copy.

    Attributes:
        folder: in `WORKBENCH_HOME`.
        copied: files that are new there, or new again.
        kept: files that the user has changed and that have a newer version; his stay.
    """

    folder: Path
    copied: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def lessons(ctx: Context) -> Lessons:
    """Bring the copy up to date. What the user has changed or added stays; what he deleted comes back.

    Raises:
        WorkbenchError: the installation holds no lessons, or the folder can't be written.
    """
    source = lessons_source()
    folder = private_folder(ctx.home / "notebooks")
    known = _manifest(folder)
    copied, kept = [], []
    try:
        for name, data in _files(source):
            target, new = folder / name, _hash(data)
            old = _hash(target.read_bytes()) if target.exists() else None
            if old == new:
                known[name] = new
            elif old is None or old == known.get(name):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                known[name] = new
                copied.append(name)
            elif known.get(name) != new:
                kept.append(name)
        (folder / MANIFEST).write_text(json.dumps(known, indent=1, sort_keys=True), encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(
            f"The lessons can't be copied to {folder}.",
            f"{error.strerror or error}: {error.filename or folder}",
            "Free space there, or set WORKBENCH_HOME to a folder that you can write to.",
        ) from error
    return Lessons(folder, tuple(copied), tuple(kept))


def lessons_source() -> Path:
    """The lessons as they were made: in the package of a wheel, beside it in a checkout.

    Raises:
        WorkbenchError: neither is there (a broken installation).
    """
    package = Path(workbench.__file__).resolve().parent
    for folder in (package / "_notebooks", package.parent / "notebooks"):
        if (folder / INDEX).is_file():
            return folder
    raise WorkbenchError(
        "The lessons are missing from this installation.",
        f"Looked for {INDEX} in {package / '_notebooks'} and {package.parent / 'notebooks'}.",
        "Install the workbench again.",
    )


def _files(source: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        hidden = any(part.startswith((".", "__pycache__")) for part in name.parts)
        if path.is_file() and not hidden:
            yield name.as_posix(), path.read_bytes()


def _manifest(folder: Path) -> dict[str, str]:
    try:
        read = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(value) for name, value in read.items()} if isinstance(read, dict) else {}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
