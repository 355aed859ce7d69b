"""The saved state that is edited: its parts by name, whatever it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

from workbench.core.graph import Graph
from workbench.errors import BadInputError, NotFoundError, UsageError
from workbench.records.json_places import OPEN, Path
from workbench.records.opened import Opened, open_text
from workbench.records.resumption_context import GATE, RUNTIME

Kind = Literal["resumption-context", "runtime-state", "stream-filter"]
COORDINATOR: Final = "response_coordinator"
WORDS: Final[Mapping[str, str]] = {
    "resumption-context": "a saved pause",
    "runtime-state": "a runtime state",
    "stream-filter": "a gate state",
}


@dataclass(frozen=True)
class Document:
    """A saved state, opened.

    Attributes:
        graph: the app's graph, None when no app was given: then nothing is checked against it.
        names: graphon's positional edge ids and the DSL's ({"edge_3": "1718-source-1719"}); {} where the
            state has the DSL's own.
        kernel: the engine kernel whose rules the state has to keep.
    """

    kind: Kind
    opened: Opened = field(repr=False)
    kernel: str
    graph: Graph | None = field(default=None, repr=False)
    names: Mapping[str, str] = field(default_factory=dict, repr=False)

    def with_opened(self, opened: Opened) -> Document:
        """The same with another text."""
        return replace(self, opened=opened)

    def text(self) -> str:
        """The whole text, changes included."""
        return self.opened.text()

    @cached_property
    def state_path(self) -> Path | None:
        """Where the runtime state's keys are; None where there is none."""
        if self.kind == "resumption-context":
            return (RUNTIME, OPEN)
        return () if self.kind == "runtime-state" else None

    @cached_property
    def gate_path(self) -> Path | None:
        """Where the gate's keys are; None where none was saved. Era A keeps it in the runtime state."""
        if self.kind == "stream-filter":
            return ()
        if self.kind == "resumption-context" and self._is_json((GATE,)):
            return (GATE, OPEN)
        inner = (*(self.state_path or ()), COORDINATOR)
        return (*inner, OPEN) if self._is_json(inner) else None

    @cached_property
    def entity_path(self) -> Path | None:
        """Where the generate entity is; None where there is none."""
        path: Path = ("generate_entity", "entity")
        return path if self.kind == "resumption-context" and isinstance(self.value(path), dict) else None

    @cached_property
    def execution_path(self) -> Path | None:
        """Where graph_execution's keys are."""
        return self.nested("graph_execution")

    def state(self) -> Mapping[str, Any]:
        """The runtime state's keys, nested JSON as texts.

        Raises:
            UsageError: there is none.
        """
        if self.state_path is None:
            raise UsageError(
                f"{WORDS[self.kind].capitalize()} holds no variables, tasks or node states.",
                "Only the gate can be edited in it.",
                "Edit the saved pause (WorkflowResumptionContext), or its runtime state.",
            )
        data = self.value(self.state_path)
        return data if isinstance(data, dict) else {}

    def needs_state(self) -> Path:
        """`state_path`. Raises as `state`."""
        self.state()
        assert self.state_path is not None
        return self.state_path

    def gate(self) -> Mapping[str, Any] | None:
        """The gate's keys; None where none was saved."""
        if self.gate_path is None:
            return None
        data = self.value(self.gate_path)
        return data if isinstance(data, dict) else None

    def needs_gate(self) -> Path:
        """`gate_path`.

        Raises:
            UsageError: no gate was saved.
        """
        if self.gate_path is None or self.gate() is None:
            raise UsageError(
                f"This is {WORDS[self.kind]} without a gate.",
                "Nothing of a gate can be edited in it.",
                "`workbench heal FILE --app APP -o F` writes it with a gate; then edit that.",
            )
        return self.gate_path

    def execution(self) -> Mapping[str, Any]:
        """graph_execution's keys."""
        data = self.value(self.execution_path) if self.execution_path is not None else None
        return data if isinstance(data, dict) else {}

    def nested(self, key: str) -> Path | None:
        """Where the keys of a JSON text in the runtime state are ("ready_queue"); None if it holds none."""
        if self.state_path is None:
            return None
        path = (*self.state_path, key)
        if self._is_json(path):
            return (*path, OPEN)
        return path if isinstance(self.value(path), dict) else None

    def value(self, path: Path) -> Any:
        """The value at a path, None where there is none."""
        try:
            return self.opened.get(path)
        except (NotFoundError, BadInputError):
            return None

    @property
    def version(self) -> str:
        """The runtime state's version, else the gate's."""
        where = self.state_path if self.state_path is not None else self.gate_path
        found = self.value((*where, "version")) if where is not None else None
        return found if isinstance(found, str) else "3.0"

    def saved_edge(self, edge: str) -> str:
        """An edge id as this runtime state writes it ("edge_3" before 3.0)."""
        return self._positions.get(edge, edge)

    def gate_edge(self, edge: str) -> str:
        """An edge id as this gate writes it ("edge_3" in version 1.0)."""
        gate = self.gate() or {}
        return self._positions.get(edge, edge) if gate.get("version", "1.0") == "1.0" else edge

    def dsl_edge(self, saved: str) -> str:
        """The DSL's id of a saved edge id."""
        return self.names.get(saved, saved)

    @cached_property
    def _positions(self) -> Mapping[str, str]:
        return {dsl: saved for saved, dsl in self.names.items()}

    def _is_json(self, path: Path) -> bool:
        text = self.value(path)
        return isinstance(text, str) and isinstance(self.value((*path, OPEN)), dict)


def open_document(
    text: str,
    kind: Kind,
    *,
    kernel: str,
    graph: Graph | None = None,
    names: Mapping[str, str] | None = None,
    source: str = "state",
) -> Document:
    """Open a saved state for reading and editing. Its nested texts are opened once.

    Raises:
        BadInputError: it is no JSON.
    """
    opened = open_text(text, source)
    bare = Document(kind, opened, kernel, graph, names or {})
    for path in (bare.state_path, bare.gate_path):
        if path:
            opened = opened.opened(path) if opened.has(path) else opened
    bare = replace(bare, opened=opened)
    for key in ("graph_execution", "ready_queue", "deferred_ready_tasks"):
        path = bare.nested(key)
        if path is not None and path[-1] is OPEN:
            opened = opened.opened(path)
    return Document(bare.kind, opened, kernel, graph, names or {})
