"""What `diff` tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from workbench.core.aligned import ABSENT
from workbench.core.diff import Change, Path, dotted, json_patch
from workbench.views.safe import cut, safe_line

if TYPE_CHECKING:
    from workbench.verbs.diff import Differences, Side
    from workbench.views.secrets import Mask

SHOWN = 400
"""Characters of a value that people are shown; `--json` gives all."""
_SIGNS = {"add": "+", "remove": "-", "replace": "~"}


def differences_json(found: Differences, mask: Mask) -> dict[str, Any]:
    """`{"version", "equal", "view", "before", "after", "changes": [{"path", "op", "before", "after"}],
    "patch", "timing"}`; `patch` is a JSON Patch, `timing` seconds and tokens of both runs or null.
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
    }


def differences_lines(found: Differences, mask: Mask) -> list[str]:
    """The same for people."""
    names = f"{found.before.name} and {found.after.name}"
    if found.equal:
        return [safe_line(mask.text(f"No difference between {names}.")), *_timing(found)]
    count = len(found.changes)
    lines = [safe_line(mask.text(f"{count} difference{'s' if count > 1 else ''} between {names}:"))]
    for change in found.changes:
        before = _shown(masked_at(change.path, change.before, mask))
        after = _shown(masked_at(change.path, change.after, mask))
        value = {"add": after, "remove": before}.get(change.op, f"{before} → {after}")
        lines.append(safe_line(f"  {_SIGNS[change.op]} {dotted(change.path)}: {value}"))
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
