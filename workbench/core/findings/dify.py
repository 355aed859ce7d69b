"""What a version of Dify does with the stream gate at a pause (facts: dify-pause-resume, 0 and 8)."""

from __future__ import annotations

from typing import Literal

GateFate = Literal["inside", "lost", "kept"]
"""inside: in the runtime state, key `response_coordinator` (Dify 1.13, 1.14). lost: nowhere (1.15). kept:
beside the runtime state, `serialized_response_stream_filter_state` (1.16 and newer).
"""


def gate_fate(version: str) -> GateFate:
    """What a Dify version ("1.15.0", "1.16", "main") does with the gate's state when a run pauses and
    resumes.
    """
    numbers = version_of(version)
    if numbers < (1, 15):
        return "inside"
    return "lost" if numbers < (1, 16) else "kept"


def version_of(version: str) -> tuple[int, ...]:
    """Major and minor; anything without numbers, such as `main`, is newer than all of them."""
    parts = version.removeprefix("v").split(".")
    if len(parts) < 2 or not parts[0].isdecimal() or not parts[1].isdecimal():
        return (9999, 0)
    return (int(parts[0]), int(parts[1]))
