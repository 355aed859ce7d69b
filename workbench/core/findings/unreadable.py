"""gate-state-unreadable: the saved gate state is one that the engine of the resume can't load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.edits.gate_rules import unreadable
from workbench.core.finding import Finding

UNREADABLE: Final = "gate-state-unreadable"
_TOLD: Final = 3


def of_gate(raw: Mapping[str, Any], kernel: str) -> Iterator[Finding]:
    """The finding, if there is something to find.

    Args:
        raw: the gate state as it was saved, nothing put right.
        kernel: the engine kernel that is to load it.
    """
    faults = [fault.message for fault in unreadable(raw, kernel) if fault.refused]
    if not faults:
        return
    more = f" And {len(faults) - _TOLD} more." if len(faults) > _TOLD else ""
    yield Finding(
        code=UNREADABLE,
        severity="error",
        node_id=None,
        message=(
            f"The saved gate state is one that {kernel} refuses, so a resume ends with an error before a "
            "node runs: "
            f"{' '.join(faults[:_TOLD])}{more} What else is said here is read from it as well as it can be."
        ),
        advice=(
            "`workbench heal FILE --app APP -o healed.json` writes a gate state that this engine loads; "
            "`workbench edit` changes the places named."
        ),
    )


HELP: Final = {
    UNREADABLE: """\
# gate-state-unreadable

The pause holds a gate state (`serialized_response_stream_filter_state`) that the engine of the resume can't
load: its version is not known there, its type is another one, or a part of it has the wrong shape.

**Why it matters.** graphon loads the gate before it runs the first node, and raises an error for what it does
not know. The run can't go on at all, not even without streaming. Versions: graphon 0.5 to 0.7 (Dify 1.15 to
1.17) write and load 1.0; 0.8 (Dify main) writes 2.0 and loads both. A pause that a newer Dify saved can
therefore not be resumed after a downgrade.

**What to do.** Resume it on the Dify that saved it. Or let `workbench heal` make a gate state from the
runtime state, in the version that the engine of that runtime state loads. A gate that was damaged or
changed by hand can be mended in place with `workbench edit FILE gate:...` or `context:...`.
""",
}
