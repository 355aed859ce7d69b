"""What `edit` tells: what each edit changed, what the engine would say, and the targets that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.edits import MISSING, Fault, Place, Plan
from workbench.views.safe import safe_line
from workbench.views.secrets import Mask

if TYPE_CHECKING:
    from workbench.verbs.edit import EditResult

VERSION = 1
_ENVIRONMENT = re.compile(r"(^|[ /.])env\.")
WIDEST = 60


def edited_json(result: EditResult, mask: Mask, output: str | None) -> dict[str, Any]:
    """`{"version", "target", "kind", "kernel", "file_id", "output", "changes", "refused", "warnings"}`."""
    return {
        "version": VERSION,
        "target": result.name,
        "kind": result.kind,
        "kernel": result.kernel,
        "file_id": result.file_id,
        "output": output,
        "changes": [_change_json(plan, mask) for plan in result.plans],
        "refused": [_fault_json(fault, mask) for fault in result.refused],
        "warnings": [_fault_json(fault, mask) for fault in result.warnings],
    }


def edited_lines(result: EditResult, mask: Mask, output: str | None) -> Iterator[str]:
    """The same for people."""
    count = "1 edit" if len(result.plans) == 1 else f"{len(result.plans)} edits"
    yield safe_line(f"{result.name}: {count}, by the rules of {result.kernel}")
    for plan in result.plans:
        before, after = (_shown(plan, value, mask) for value in (plan.before, plan.after))
        yield safe_line(f"  {mask.text(plan.where)}: {before} → {after}")
        for note in plan.notes:
            yield safe_line(f"    {mask.text(note)}")
    for word, found in (("refused", result.refused), ("warning", result.warnings)):
        for fault in found[:20]:
            yield safe_line(f"  {word}  {mask.text(fault.message)}")
    if not result.app_known:
        yield "  No app was given: nothing was checked against its graph (--app APP)."
    if output is not None:
        yield safe_line(f"  written  {output}")
    if result.file_id is None:
        yield "  Nothing was kept: this was a dry run."
    else:
        yield f"  kept as  {result.file_id}  (the original stays as it was)"


def targets_json(places: Sequence[Place], mask: Mask) -> dict[str, Any]:
    """`{"version", "targets": [{"target", "type", "title", "value"}]}`; `value` is null where none is."""
    return {
        "version": VERSION,
        "targets": [
            {
                "target": place.target,
                "type": place.type,
                "title": place.title,
                "value": None if place.value is MISSING else _masked(place.target, place.value, mask),
            }
            for place in places
        ],
    }


def target_lines(places: Sequence[Place], mask: Mask) -> Iterator[str]:
    """A target a line, in a form that a shell can complete from: the target stands first, alone."""
    for place in places:
        value = "" if place.value is MISSING else _short(_masked(place.target, place.value, mask))
        beside = "  ".join(part for part in (place.type, value, place.title) if part)
        yield safe_line(f"{place.target}\t{mask.text(beside)}")


def _masked(target: str, value: Any, mask: Mask) -> Any:
    """The environment is masked by its place."""
    if _ENVIRONMENT.search(target):
        return mask.variables({"env": {"value": value}})["env"]["value"]
    return mask.data(value)


def _shown(plan: Plan, value: Any, mask: Mask) -> str:
    return "nothing" if value is MISSING else _short(_masked(plan.where, value, mask))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def _change_json(plan: Plan, mask: Mask) -> dict[str, Any]:
    return {
        "where": mask.text(plan.where),
        "before": None if plan.before is MISSING else _masked(plan.where, plan.before, mask),
        "after": None if plan.after is MISSING else _masked(plan.where, plan.after, mask),
        "added": plan.before is MISSING,
        "removed": plan.after is MISSING,
        "notes": [mask.text(note) for note in plan.notes],
    }


def _fault_json(fault: Fault, mask: Mask) -> dict[str, Any]:
    return {"where": mask.text(fault.where), "message": mask.text(fault.message), "refused": fault.refused}
