"""What `memory agent` tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.core.memory.agents import MANIFEST, SCOPES
from workbench.views.safe import cut, safe_line

if TYPE_CHECKING:
    from workbench.verbs.memory_agent import AgentRemembered


def agent_json(found: AgentRemembered) -> dict[str, Any]:
    """`{"version", "layers", "owner", "messages", "total", "target", "after_clearing", "tools", ...}`."""
    memory, session = found.memory, found.session
    return {
        "version": 1,
        "layers": [{"name": name, "lifecycle_state": state} for name, state in session.layers],
        "owner": session.owner or None,
        "scopes": [{"dify": dify, "owner": owner, "effect": effect} for dify, owner, effect in SCOPES],
        "counter": found.counter,
        "messages": [
            {
                "turn": step.turn,
                "kind": step.message.kind,
                "parts": [
                    {"kind": part.kind, "text": part.text, "tool": part.tool or None}
                    for part in step.message.parts
                ],
                "tokens": step.tokens,
                "total": step.total,
                "provider_tokens": {"input": step.message.input_tokens, "output": step.message.output_tokens},
                "cleared": step.cleared,
                "summarised": step.summarised,
            }
            for step in memory.steps
        ],
        "total": memory.total,
        "target": memory.target,
        "after_clearing": memory.after_clearing,
        "tools": {name: {"calls": calls, "tokens": tokens} for name, (calls, tokens) in memory.tools.items()},
        "growth": list(memory.growth),
        "manifest": dict(MANIFEST),
        "notes": list(session.notes),
    }


def agent_lines(found: AgentRemembered, width: int = 100) -> list[str]:
    """The messages with their cost, the tools, the target and what compaction would take."""
    memory, session = found.memory, found.session
    layers = ", ".join(f"{safe_line(name)} ({safe_line(state)})" for name, state in session.layers)
    lines = [f"Layers   {layers or 'none'}", ""]
    for step in memory.steps:
        mark = "summarised" if step.summarised else "cleared" if step.cleared else ""
        for number, part in enumerate(step.message.parts):
            head = f"{step.turn:>4}  {step.tokens:>7} {step.total:>8}" if number == 0 else " " * 21
            who = f"{part.kind} {part.tool}".strip()
            text = cut(safe_line(part.text), max(20, width - 62))
            lines.append(f"{head}  {cut(safe_line(who), 26):<26} {text} {mark}".rstrip())
    lines += [
        "",
        f"Total    {memory.total} tokens by {found.counter}; each turn added {_numbers(memory.growth)}",
    ]
    for name, (calls, tokens) in memory.tools.items():
        lines.append(
            f"Tool     {safe_line(name)}: {calls} call{'s'[: calls != 1]}, {tokens} tokens with results"
        )
    lines.append(_target(found))
    for dify, owner, effect in SCOPES:
        lines.append(f"Owner    {dify}: {owner}; {effect}")
    lines.append("Memory   of an Agent Soul is reserved in the feature manifest and not executed")
    return [*lines, *(f"Note     {safe_line(note)}" for note in session.notes)]


def _target(found: AgentRemembered) -> str:
    memory = found.memory
    if memory.target is None:
        return "Target   unknown: give --context; without a context size Dify compacts nothing"
    if memory.after_clearing is None:
        return f"Target   {memory.target} tokens: the history fits, nothing is compacted"
    cleared = sum(step.cleared for step in memory.steps)
    summed = sum(step.summarised for step in memory.steps)
    then = f", then {summed} messages are summarised" if summed else ""
    return (
        f"Target   {memory.target} tokens: results of {cleared} messages are cleared "
        f"({memory.after_clearing} left){then}"
    )


def _numbers(values: tuple[int, ...], most: int = 20) -> str:
    shown = ", ".join(str(value) for value in values[:most])
    return f"{shown}, …" if len(values) > most else shown or "0"
