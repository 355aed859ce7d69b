"""What the verbs return: frozen values; `workbench.views.shapes` turns them into the JSON that DESIGN
promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.finding import AnswerState, Finding
from workbench.core.paths import SearchCost


@dataclass(frozen=True, slots=True)
class PauseInfo:
    """A pause that waits.

    Attributes:
        reasons: REASON of kernels/PROTOCOL.md, one a waiting form or breakpoint.
    """

    pause_id: str
    reasons: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a segment ended.

    Attributes:
        answer: the run's final answer text; None in workflow apps and while there is none.
        chunks: what a chat user saw in this segment, piece by piece.
        steps: how many events the whole run has.
        forked_from: {"run_id", "step"} of the pause that this run continues, else None.
        stream_error: why the stream died in the middle (the run itself went on), else None.
        notes: what the user should know, one sentence each.
    """

    run_id: str
    app: str
    mode: str
    status: str
    kernel: str
    answer: str | None
    outputs: Mapping[str, Any]
    chunks: tuple[str, ...]
    steps: int
    pause: PauseInfo | None = None
    forked_from: Mapping[str, Any] | None = None
    error: str | None = None
    stream_error: str | None = None
    gate: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def streamed(self) -> str:
        """What a chat user saw in this segment."""
        return "".join(self.chunks)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which engine kernels disagree.

    Attributes:
        kernels: the kernels that share the unusual value.
        what: a sentence with both values.
        cause: the known cause that fits, else None.
    """

    kernels: tuple[str, ...]
    what: str
    cause: str | None


@dataclass(frozen=True, slots=True)
class Way:
    """What a run went through.

    Attributes:
        nodes: ids of the nodes in the order in which they started; one that ran twice is there twice.
        findings: code and node of each finding of `why` that is more than information, the gravest first.
    """

    nodes: tuple[str, ...] = ()
    findings: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """The same app on every engine kernel.

    Attributes:
        ways: one a run, in the order of `runs`.
        why_one: why no other engine was tried, where there is just one that can.
    """

    runs: tuple[RunResult, ...]
    differences: tuple[Difference, ...]
    ways: tuple[Way, ...] = ()
    why_one: str = ""


@dataclass(frozen=True, slots=True)
class WhyResult:
    """Findings, and where each Answer stands.

    Attributes:
        subject: what was looked at, for people ("run 0198...", "state.json, saved by Dify 1.15").
        titles: titles of the nodes that the findings name.
        edge_names: edges in words, by id.
        environment: the environment variables, for the mask (`workbench.views.secrets.mask_for`).
        partial: a saved pause was looked at without its app, so what was not found may be there.
        search: of an app: what listing its paths costs a Dify before the first node runs; None else.
    """

    findings: tuple[Finding, ...]
    answers: tuple[AnswerState, ...]
    subject: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    edge_names: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    environment: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    search: SearchCost | None = None
    partial: bool = False

    @property
    def troubled(self) -> bool:
        """True when a finding is an error or a warning."""
        return any(finding.severity in ("error", "warning") for finding in self.findings)


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One file that `import` looked at; without `id` and with `error` when it is nothing that can be read."""

    file: str
    kind: str
    id: str | None
    detail: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written.

    Attributes:
        secrets: True when the bytes may hold environment variables or tokens unmasked.
        notes: what the user should know about them, one sentence each.
    """

    path: str
    format: str
    size: int
    secrets: bool
    notes: tuple[str, ...] = ()
