"""What `memory` tells, as JSON and as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.core.memory.matrix import Cell
from workbench.core.memory.simulation import STAGES, Stage
from workbench.views.safe import cut, safe_line

if TYPE_CHECKING:
    from workbench.core.memory.sweep import Smallest
    from workbench.verbs.memory import Remembered
    from workbench.verbs.memory_sweep import Swept

STAGE_WORDS: dict[Stage, str] = {
    "kept": "kept",
    "outside-cap": "older than 500 rows",
    "outside-window": "outside the window",
    "off-branch": "on another branch",
    "running": "the running turn",
    "raises": "reading it raises",
    "budget-pruned": "pruned by the budget",
    "empty-filtered": "empty",
}
SIGNS: dict[Cell, str] = {
    "kept": "█",
    "answer-only": "▄",
    "budget-pruned": "-",
    "outside-window": "·",
    "outside-cap": ":",
    "off-branch": "x",
    "running": "▸",
}
"""How a row of a turn is drawn; told apart without colour."""

LEGEND = "█ kept  ▄ answer without question  - pruned  · window  : 500 rows  x other branch  ▸ runs"
SHOWN = 60


def memory_json(found: Remembered) -> dict[str, Any]:
    """`{"version", "turn", "node", "rows", "messages", "budget", "binding", "warnings"}` (docs/json.md)."""
    result = found.simulation
    settings = result.settings
    tokens = {(message.row, message.role): message.tokens for message in result.messages}
    return {
        "version": 1,
        "turn": found.turn,
        "node": None if found.node is None else {"id": found.node.id, "title": found.node.title},
        "settings": {
            "caller": settings.caller,
            "window": {"enabled": settings.window_enabled, "size": settings.window_size},
            "context": settings.context,
            "max_tokens": settings.max_tokens,
            "counter": settings.counter.name,
            "prune": settings.prune,
            "form": settings.form,
        },
        "rows": [
            {"id": each.row.id, "turn": each.turn, "stage": each.stage, "tokens": each.tokens}
            for each in result.rows
        ],
        "messages": [
            {
                "role": message.role,
                "text": message.text,
                "tokens": tokens[message.row, message.role]
                if message.row is not None
                else settings.counter.cost(message.role, message.text, False),
                "row": message.row,
            }
            for message in found.messages
        ],
        "budget": {"limit": result.budget.limit, "used": result.used, "formula": result.budget.formula},
        "binding": result.binding,
        "warnings": [
            {"code": notice.code, "message": notice.message, "rows": list(notice.rows)}
            for notice in found.notices
        ],
    }


def memory_lines(found: Remembered, width: int = 100) -> list[str]:
    """The ledger, the messages, the limits and what to know."""
    result = found.simulation
    lines = [_heading(found), ""]
    text_width = max(20, width - 50)
    lines.append("Rows (oldest first)")
    for each in result.rows:
        query = cut(safe_line(each.row.query), text_width)
        lines.append(f"  {each.turn:>4}  {STAGE_WORDS[each.stage]:<22} {each.tokens:>7}  {query}")
    counts = [(stage, sum(each.stage == stage for each in result.rows)) for stage in STAGES]
    lines.append("  " + ", ".join(f"{count} {STAGE_WORDS[stage]}" for stage, count in counts if count))
    lines += ["", f"Messages before the model ({len(found.messages)})"]
    for message in found.messages:
        origin = "own prompt" if message.row is None else f"row {cut(safe_line(message.row), 12)}"
        lines.append(f"  {message.role:<10} {origin:<17} {cut(safe_line(message.text), text_width)}")
    lines += ["", f"Budget   {result.used} of {result.budget.limit} tokens used: {result.budget.formula}"]
    lines.append(f"Counter  {result.settings.counter.name}: {result.settings.counter.rule}")
    lines.append(f"Binding  {result.binding}")
    if found.notices:
        lines.append("")
        lines += [f"{notice.code}: {safe_line(notice.message)}" for notice in found.notices]
    return lines


def _heading(found: Remembered) -> str:
    settings = found.simulation.settings
    who = f"{safe_line(found.node.title)} ({settings.caller})" if found.node else settings.caller
    size = settings.window_size
    window = f"window {size}" if settings.window_enabled and size else "window off"
    return f"Turn {found.turn} as {who} sees it: {window}, form {settings.form}, prune {settings.prune}"


def sweep_json(found: Swept) -> dict[str, Any]:
    """`{"version", "conversations", "settings": [...], "smallest": {...} | null}` (docs/json.md)."""
    return {
        "version": 1,
        "conversations": [
            {"name": name, "turns": turns, "error": error} for name, turns, error in found.conversations
        ],
        "settings": [
            {
                "window": point.window,
                "budget": point.budget,
                "mean_turns": round(point.mean_turns, 3),
                "least_turns": point.least_turns,
                "mean_tokens": round(point.mean_tokens, 1),
                "most_tokens": point.most_tokens,
                "total_tokens": point.total_tokens,
                "cost": point.cost,
                "orphans": point.orphans,
                "holds": point.holds,
            }
            for point in found.points
        ],
        "smallest": None if found.smallest is None else _smallest_json(found.smallest),
        "advice": list(found.advice),
    }


def _smallest_json(found: Smallest) -> dict[str, Any]:
    return {
        "window": found.window,
        "budget": found.budget,
        "impossible": [
            {"turn": need.turn, "row": need.place + 1, "role": "assistant" if need.answer else "user"}
            for need in found.impossible
        ],
    }


def sweep_lines(found: Swept) -> list[str]:
    """The grid as a table, then the advice."""
    read = sum(error is None for _, _, error in found.conversations)
    turns = sum(count for _, count, error in found.conversations if error is None)
    lines = [f"{read} conversation{'s'[: read != 1]}, {turns} turns, {len(found.points)} settings", ""]
    priced = any(point.cost is not None for point in found.points)
    lines.append(
        "  window   budget   past turns (mean, least)    tokens a turn (mean, most)   orphans"
        f"{'         cost' if priced else ''}  holds"
    )
    for point in found.points[:SHOWN]:
        window = "off" if point.window is None else str(point.window)
        budget = "auto" if point.budget is None else str(point.budget)
        holds = "" if point.holds is None else ("yes" if point.holds else "no")
        cost = "" if point.cost is None else f" {point.cost:>12.4f}"
        lines.append(
            f"  {window:>6} {budget:>8} {point.mean_turns:>13.1f} {point.least_turns:>8.1f}"
            f" {point.mean_tokens:>18.1f} {point.most_tokens:>9} {point.orphans:>9}{cost}  {holds}"
        )
    if len(found.points) > SHOWN:
        lines.append(f"  … {len(found.points) - SHOWN} more settings; --json has all")
    for name, _, error in found.conversations:
        if error is not None:
            lines.append(f"Not read: {safe_line(name)}: {safe_line(error)}")
    return [*lines, "", *(safe_line(each) for each in found.advice)]
