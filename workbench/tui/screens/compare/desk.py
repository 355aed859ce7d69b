"""What the screens of a comparison ask of the workbench. All functions block; call them in a worker."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.aligned import ABSENT, Kind, Row
from workbench.core.textdiff import Pair, side_by_side
from workbench.tui.screens.compare.heads import verdict
from workbench.tui.text import block
from workbench.views.differences import differences_json, differences_lines, masked_at
from workbench.views.secrets import Mask, mask_for

if TYPE_CHECKING:
    from workbench.verbs.context import Context
    from workbench.verbs.diff import Differences

LONGEST = 1_000_000
"""Characters of a value that are laid out; what is left out is said."""


@dataclass(frozen=True)
class Compared:
    """A comparison with all that the screen shows of it."""

    found: Differences
    rows: tuple[Row, ...]
    mask: Mask

    counts: Mapping[Kind, tuple[int, int]]
    """By kind: how many rows, how many of them differ."""
    verdict: tuple[str, str]
    """Whether both sides are equal, in a sentence, and its style."""


def load(ctx: Context, before: str, after: str, app: str | None) -> Compared:
    """Compare two things."""
    from workbench.verbs.diff import compare

    return _compared(compare(ctx, before, after, app=app))


def swapped(compared: Compared) -> Compared:
    """The same from the other side."""
    return _compared(compared.found.swapped())


def _compared(found: Differences) -> Compared:
    mask = mask_for((*found.before.environment, *found.after.environment))
    counts: dict[Kind, tuple[int, int]] = {}
    for row in found.rows:
        some, different = counts.get(row.kind, (0, 0))
        counts[row.kind] = some + 1, different + (not row.equal)
    return Compared(found, found.rows, mask, counts, verdict(found))


def whole(row: Row, mask: Mask) -> tuple[str | None, str | None]:
    """Both values as clean text, None where a side has none. JSON is laid out, its keys in order."""
    pair = [masked_at(row.path, value, mask) for value in (row.before, row.after)]
    raw = all(isinstance(value, str) or value is ABSENT for value in pair)
    first, second = (None if value is ABSENT else _laid_out(value, raw) for value in pair)
    return first, second


def _laid_out(value: Any, raw: bool) -> str:
    if raw:
        return block(value, LONGEST)
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):
        text = str(value)
    return block(text, LONGEST)


def details(row: Row, mask: Mask) -> tuple[Pair, ...]:
    """Both values line by line, side by side."""
    before, after = whole(row, mask)
    if before is None or after is None:
        lines = (after if before is None else before) or ""
        return tuple(
            Pair(None, line, False) if before is None else Pair(line, None, False)
            for line in lines.split("\n")
        )
    return side_by_side(before, after)


def as_text(compared: Compared) -> str:
    """The differences as `workbench diff` prints them."""
    return "\n".join(differences_lines(compared.found, compared.mask))


def as_patch(compared: Compared) -> str:
    """The differences as a JSON Patch (RFC 6902)."""
    return json.dumps(_document(compared)["patch"], ensure_ascii=False, indent=2)


def _document(compared: Compared) -> Mapping[str, Any]:
    return differences_json(compared.found, compared.mask)


def write(compared: Compared, home: Path) -> Sequence[Path]:
    """Write the comparison as text, as JSON and as JSON Patch; gives the files.

    Raises:
        OSError: the folder can't be written to.
    """
    folder = home / "comparisons"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stem = folder / time.strftime("compare-%Y%m%d-%H%M%S")
    texts = {
        ".txt": as_text(compared),
        ".json": json.dumps(_document(compared), indent=2),
        ".patch.json": as_patch(compared),
    }
    paths = []
    for suffix, text in texts.items():
        path = stem.with_name(stem.name + suffix)
        path.write_text(text + "\n", "utf-8", errors="backslashreplace")
        paths.append(path)
    return paths
