"""The saved states of fixtures/, opened for editing with their apps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.conftest import REPOSITORY
from workbench.core.edits import Document, open_document
from workbench.core.graph_of import graph_of
from workbench.records.app import App, read_app
from workbench.records.gate_state import edge_names

FIXTURES = REPOSITORY / "fixtures"
KERNELS = {
    "A": "graphon-0.5",
    "B": "graphon-0.5",
    "C": "graphon-0.6",
    "D": "graphon-0.7",
    "E": "graphon-0.8",
}
"""The engine kernel that stands for each era."""


def state_files() -> list[Path]:
    """All of them, `E/t1-if-else.json` and the like."""
    return sorted((FIXTURES / "states").glob("?/*.json"))


@cache
def app_of(name: str) -> App:
    """The app that a state belongs to."""
    folder = "t2-two-pauses" if name == "t2-second-pause" else name
    found = next(FIXTURES.glob(f"*/{folder}/app.yml"))
    return read_app(found.read_bytes(), name)


@cache
def document(name: str, *, kernel: str | None = None, app: bool = True) -> Document:
    """`document("E/t1-if-else")`, under the rules of its own engine or of `kernel`."""
    path = FIXTURES / "states" / f"{name}.json"
    era = path.parent.name
    found = app_of(path.stem)
    return open_document(
        path.read_text("utf-8"),
        "resumption-context",
        kernel=kernel or KERNELS[era],
        graph=graph_of(found.graph, found.root) if app else None,
        names=edge_names(list(found.graph["edges"])) if era != "E" and app else {},
    )


def documents(kernel: str | None = None) -> Iterator[tuple[str, Document]]:
    """All states by name."""
    for path in state_files():
        name = f"{path.parent.name}/{path.stem}"
        yield name, document(name, kernel=kernel)
