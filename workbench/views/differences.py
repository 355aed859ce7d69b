"""What `diff` tells."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from workbench.core.aligned import ABSENT, Row
from workbench.core.diff import Change, Path, dotted, json_patch, pointer
from workbench.views.safe import cut, safe_line

if TYPE_CHECKING:
    from workbench.verbs.diff import Differences, Side
    from workbench.views.secrets import Mask

SHOWN = 400
"""Characters of a value that people are shown; `--json` gives all."""
_SIGNS = {"add": "+", "remove": "-", "replace": "~"}


def differences_json(found: Differences, mask: Mask) -> dict[str, Any]:
    """`{"version", "equal", "view", "before", "after", "changes": [{"path", "op", "before", "after"}],
    "patch", "timing", "aligned"}`; `patch` is a JSON Patch, `timing` seconds and tokens of both runs or null,
    `aligned` one row for each fact of both sides.
    """
    changes = [
        Change(c.path, c.op, masked_at(c.path, c.before, mask), masked_at(c.path, c.after, mask))
        for c in found.changes
    ]
    both = found.before.timing is not None and found.after.timing is not None
    return {
        "version": 1,
        "equal": found.equal,
        "view": found.view,
        "before": mask.text(found.before.name),
        "after": mask.text(found.after.name),
        "changes": [
            {"path": dotted(c.path), "op": c.op, "before": c.before, "after": c.after} for c in changes
        ],
        "patch": json_patch(changes),
        "timing": {"before": found.before.timing, "after": found.after.timing} if both else None,
        "aligned": [_row_json(row, mask) for row in found.rows],
    }


def _row_json(row: Row, mask: Mask) -> dict[str, Any]:
    before, after = (None if place is None else asdict(place) for place in row.places)
    return {
        "kind": row.kind,
        "what": mask.text(row.what),
        "path": pointer(row.path) if row.path else None,
        "node_id": row.node_id,
        "occurrence": row.occurrence,
        "there": {"before": row.before is not ABSENT, "after": row.after is not ABSENT},
        "equal": row.equal,
        "counted": row.counted,
        "at": {"before": before, "after": after},
    }


def differences_lines(found: Differences, mask: Mask) -> list[str]:
    """The same for people."""
    names = f"{found.before.name} and {found.after.name}"
    if found.equal:
        return [safe_line(mask.text(f"No difference between {names}.")), *_beside(found, mask)]
    count = len(found.changes)
    lines = [safe_line(mask.text(f"{count} difference{'s' if count > 1 else ''} between {names}:"))]
    for change in found.changes:
        before = _shown(masked_at(change.path, change.before, mask))
        after = _shown(masked_at(change.path, change.after, mask))
        value = {"add": after, "remove": before}.get(change.op, f"{before} → {after}")
        lines.append(safe_line(f"  {_SIGNS[change.op]} {dotted(change.path)}: {value}"))
    return [*lines, *_beside(found, mask)]


def _beside(found: Differences, mask: Mask) -> list[str]:
    """What is told beside the differences: edges in words, findings, the gate at the end, time and tokens."""
    if found.view != "run":
        return []
    lines = []
    for row in found.rows:
        if row.equal or row.kind not in ("path", "finding", "gate"):
            continue
        before, after = (
            "not there" if value is ABSENT else value if row.kind == "path" else _shown(mask.data(value))
            for value in (row.before, row.after)
        )
        where = ", ".join(
            f"{word} step {place.step}"
            for word, place in zip(("first", "second"), row.places, strict=True)
            if place is not None
        )
        told = f"  {row.kind} {row.what}: {before} → {after}" + (f" ({where})" if where else "")
        lines.append(safe_line(mask.text(told)))
    return [*lines, *_timing(found)]


def _timing(found: Differences) -> list[str]:
    if found.view != "run" or found.before.timing is None or found.after.timing is None:
        return []
    return [f"  {_spent(side)}" for side in (found.before, found.after)]


def _spent(side: Side) -> str:
    timing = side.timing or {}
    return safe_line(f"{side.name}: {timing.get('seconds')} s, {timing.get('tokens')} tokens")


def masked_at(path: Path, value: Any, mask: Mask) -> Any:
    """A value, masked by its place too: the key it stands under, and the environment."""
    if value is None or value is ABSENT:
        return value
    for step in reversed(path):
        if isinstance(step, str):
            value = {step: value}
            keys = mask.variables({"env": value}) if "env" in path else {"env": mask.data(value)}
            return next(iter(keys["env"].values()))
    return mask.data(value)


def _shown(value: Any) -> str:
    return cut(json.dumps(value, ensure_ascii=False), SHOWN)
