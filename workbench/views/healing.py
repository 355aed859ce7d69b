"""What `heal` tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.verbs.heal import HealResult

_HOW = {
    "kept": "the saved gate is right; nothing had to be healed",
    "converted": "the gate was found in Dify 1.14's response_coordinator and converted",
    "rebuilt": "the gate was rebuilt from the runtime state",
}


def healed_json(result: HealResult, output: str | None) -> dict[str, Any]:
    """`{"version", "target", "how", "kernel", "gate", "shown", "evidence", "doubts", "warnings", "output"}`.

    `gate` is the gate state as text, `output` the file that was written or null.
    """
    return {
        "version": 1,
        "target": result.name,
        "how": result.how,
        "kernel": result.kernel,
        "gate": result.gate,
        "shown": result.shown,
        "evidence": list(result.evidence),
        "doubts": list(result.doubts),
        "warnings": list(result.warnings),
        "output": output,
    }


def healed_lines(result: HealResult, output: str | None) -> list[str]:
    """The same for people."""
    lines = [safe_line(f"{result.name}: {_HOW[result.how]} ({result.kernel}).")]
    lines += [safe_line(f"  from     {text}") for text in result.evidence]
    if result.shown:
        lines.append(safe_line(f"  shown    {result.shown}"))
    lines += [safe_line(f"  doubt    {text}") for text in result.doubts]
    lines += [safe_line(f"  warning  {text}") for text in result.warnings]
    if output is None:
        lines.append("  Nothing was written; -o FILE writes the healed pause.")
    else:
        lines.append(safe_line(f"  written  {output}"))
    return lines
