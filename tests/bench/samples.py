"""What the benchmarks run: apps and orders of any size, made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.engine.order import Order
from workbench.records.app import App, read_app
from workbench.records.inputs import system_variables

ROOT = Path(__file__).resolve().parents[2]
LLM_APP = ROOT / "fixtures" / "nodes" / "llm" / "app.yml"


def llm_app() -> App:
    """start -> llm -> answer."""
    return read_app(LLM_APP.read_bytes())


def llm_order(chunks: int, run_id: str = "bench", kernel: str = "graphon-0.8", **more: Any) -> Order:
    """A run of `llm_app` whose model says `chunks` words."""
    app = llm_app()
    script = {"nodes": {"llm": {"chunks": ["word "] * chunks}}}
    system = system_variables(app, query="hi", run_id=run_id)
    return Order(kernel, run_id, app.payload(), script=script, system=system, **more)


class Nowhere:
    """A sink that only counts."""

    def __init__(self) -> None:
        self.events = 0

    def graph(self, message: Mapping[str, Any]) -> None: ...

    def pool(self, variables: Mapping[str, Any]) -> None: ...

    def event(self, n: int, at: float, event: Mapping[str, Any]) -> None:
        self.events += 1

    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None: ...

    def note(self, text: str) -> None: ...
