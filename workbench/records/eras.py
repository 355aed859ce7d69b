"""Which Dify and graphon saved a state, told from its bytes alone (facts: dify-pause-resume.md, 0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.records.gate_state import GateState
from workbench.records.runtime_state import RuntimeState

Era = Literal["A", "B", "C", "D", "E"]

_NEW_REASON = "hitl_required"
_OLD_REASON = "human_input_required"


@dataclass(frozen=True, slots=True)
class Saver:
    """The programs of an era.

    Attributes:
        dify: the version that stands for it ("1.15").
        called: all of them, for a sentence ("Dify 1.13 or 1.14").
        graphon: its version ("0.5").
        kernel: the engine kernel that reads its states as its own engine did; era A's engine lived in Dify,
        the
            oldest kernel stands in for it.
    """

    era: Era
    dify: str
    called: str
    graphon: str
    kernel: str


SAVERS: dict[Era, Saver] = {
    "A": Saver("A", "1.14", "Dify 1.13 or 1.14", "0.4", "graphon-0.5"),
    "B": Saver("B", "1.15", "Dify 1.15", "0.5", "graphon-0.5"),
    "C": Saver("C", "1.16", "Dify 1.16", "0.6", "graphon-0.6"),
    "D": Saver("D", "1.17", "Dify 1.17", "0.7", "graphon-0.7"),
    "E": Saver("E", "main", "Dify after 1.17", "0.8", "graphon-0.8"),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a saved state comes from.

    Attributes:
        evidence: why, one short phrase each.
        sure: whether the bytes leave no other era.
        sentence: for people: "saved by Dify 1.15, graphon 0.5; gate state was not saved".
    """

    saver: Saver
    evidence: tuple[str, ...]
    sure: bool
    sentence: str

    @property
    def era(self) -> Era:
        return self.saver.era


def origin_of(
    runtime: RuntimeState, gate: GateState | None = None, *, gate_field: bool = False, whole: bool = True
) -> Origin:
    """The origin of a runtime state.

    Args:
        gate: the gate saved beside it.
        gate_field: whether its context has the field for a gate, be it empty: Dify 1.16 and later.
        whole: whether it came in its context; else nothing can be said about a gate beside it.
    """
    evidence: list[str] = []
    era, sure = _era(runtime, gate, gate_field, evidence)
    saver = SAVERS[era]
    engine = "its own engine" if era == "A" else f"graphon {saver.graphon}"
    verb = "saved by" if sure else "probably saved by"
    sentence = f"{verb} {saver.called}, {engine}; {_gate_words(runtime, gate, whole)}"
    return Origin(saver, tuple(evidence), sure, sentence)


def kept_for(origin: Origin, kernel: str | None) -> Origin:
    """The origin of a state that was edited under the rules of an engine kernel, which is known, not told."""
    if kernel is None or kernel == origin.saver.kernel:
        return origin
    saver = next((each for era, each in SAVERS.items() if era != "A" and each.kernel == kernel), None)
    if saver is None:
        return origin
    rest = origin.sentence.partition("; ")[2]
    sentence = f"edited for {saver.called}, graphon {saver.graphon}; {rest}"
    return Origin(saver, (*origin.evidence, f"edited under the rules of {kernel}"), True, sentence)


def _era(
    runtime: RuntimeState, gate: GateState | None, gate_field: bool, evidence: list[str]
) -> tuple[Era, bool]:
    reasons = {str(reason.get("TYPE")) for reason in runtime.pause_reasons}
    evidence.append(f"runtime state {runtime.version}")
    if runtime.version == "2.0":
        return "D", True
    if runtime.version != "1.0":
        return "E", runtime.version == "3.0"
    if runtime.response_coordinator is not None:
        evidence.append("the gate lies in the runtime state (response_coordinator)")
        return "A", True
    for word in sorted(reasons & {_NEW_REASON, _OLD_REASON}):
        evidence.append(f"pause reason {word}")
    if gate is not None:
        evidence.append(f"gate state {gate.version} beside it")
    elif gate_field:
        evidence.append("an empty field for a gate state")
    if _NEW_REASON in reasons or gate is not None or gate_field:
        return "C", True
    return "B", _OLD_REASON in reasons


def _gate_words(runtime: RuntimeState, gate: GateState | None, whole: bool) -> str:
    if gate is not None:
        return "gate state was saved"
    if runtime.response_coordinator is not None:
        return "gate state lies in the runtime state, where newer versions ignore it"
    return "gate state was not saved" if whole else "a gate state would stand beside it"
