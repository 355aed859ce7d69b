"""A saved pause laid open: JSON and lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from workbench.core.inspect import Inspection, SessionView, VariableView
from workbench.views.safe import safe_line
from workbench.views.secrets import Mask

WIDEST = 110


def inspection_json(found: Inspection, mask: Mask) -> dict[str, Any]:
    """The `pause` of `show`: the fields of `core.inspect.Inspection`, masked."""
    values = mask.variables(_pool(found))
    return {
        "variables": [{**asdict(each), "value": values[each.node][each.name]} for each in found.variables],
        "tasks": [asdict(each) for each in found.tasks],
        "containers": [asdict(each) for each in found.containers],
        "reasons": mask.data(list(found.reasons)),
        "sessions": mask.data([asdict(each) for each in found.sessions]),
        "buffers": mask.data([asdict(each) for each in found.buffers]),
        "execution": mask.data(dict(found.execution)),
        "entity": mask.data(dict(found.entity)),
        "app_config": mask.data(dict(found.app_config)),
    }


def inspection_lines(found: Inspection, mask: Mask) -> Iterator[str]:
    """What `show` adds for a saved pause: who wrote what, tasks, containers, templates, buffers, entity."""
    values = mask.variables(_pool(found))
    yield "who wrote what"
    for each in found.variables:
        yield _line(
            f"  {_variable(each)} = {_short(values[each.node][each.name])}  by {each.writer}{_step(each)}"
        )
    for task in found.tasks:
        frame = "" if task.frame == "root" else f" in {task.frame}"
        yield _line(f"task {task.list}  {task.title or task.node} ({task.node}){frame}")
    for run in found.containers:
        total = "" if run.total is None else f" of {run.total}"
        rounds = ", ".join(str(index + 1) for index in run.rounds)
        yield _line(
            f"open {run.kind}  {run.title or run.node}: {run.done}{total} rounds done, open: {rounds}"
        )
    for reason in found.reasons:
        yield _line(f"reason  {_short(mask.data(dict(reason)))}")
    for session in found.sessions:
        yield _line(f"{session.phase:<7} {session.title or session.node}: {mask.text(_template(session))}")
    for buffer in found.buffers:
        read, unread = "".join(buffer.pieces[: buffer.position]), "".join(buffer.pieces[buffer.position :])
        end = ", ended" if buffer.closed else ""
        count = f"{buffer.position} of {len(buffer.pieces)} pieces read{end}"
        yield _line(f"stream  {buffer.stream}: {count}: {mask.text(read)!r} | {mask.text(unread)!r}")
    for name, value in (
        *found.execution.items(),
        *found.entity.items(),
        ("app_config", dict(found.app_config)),
    ):
        yield _line(f"{name}  {_short(mask.data({name: value})[name])}")


def _pool(found: Inspection) -> dict[str, dict[str, Any]]:
    pool: dict[str, dict[str, Any]] = {}
    for each in found.variables:
        pool.setdefault(each.node, {})[each.name] = each.value
    return pool


def _variable(each: VariableView) -> str:
    return f"{each.node}.{each.name} ({each.type})"


def _step(each: VariableView) -> str:
    return "" if each.step is None else f", step {each.step}"


def _template(session: SessionView) -> str:
    """The template with a mark where the stream goes on."""
    if session.index is None:
        return "".join(session.parts)
    return f"{''.join(session.parts[: session.index])}▮{''.join(session.parts[session.index :])}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _line(text: str) -> str:
    return safe_line(text, WIDEST)
