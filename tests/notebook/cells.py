"""Cells, executed by a real IPython kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

SPECS = Path(__file__).resolve().parents[2] / "kernels"


class OurSpecs(KernelSpecManager):
    """The Jupyter kernels of this checkout, installed or not."""

    def get_kernel_spec(self, kernel_name: str) -> Any:
        folder = SPECS / kernel_name.removeprefix("answer-workbench-")
        if (folder / "kernel.json").is_file():
            return self.kernel_spec_class.from_resource_dir(str(folder))
        return super().get_kernel_spec(kernel_name)


@dataclass(frozen=True)
class Cell:
    """What a cell printed, showed and raised."""

    text: str
    html: str
    error: str
    mimes: frozenset[str]


def execute(cells: Sequence[str], kernel: str = "python3", timeout: int = 100) -> list[Cell]:
    """Execute some cells in a new kernel; errors do not stop the next ones."""
    from jupyter_client.manager import AsyncKernelManager

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    manager = AsyncKernelManager(kernel_name=kernel, kernel_spec_manager=OurSpecs())
    client = NotebookClient(notebook, km=manager, timeout=timeout, allow_errors=True)
    client.execute()
    nbformat.validate(notebook)
    return [_seen(cell.outputs) for cell in notebook.cells]


def _seen(outputs: Sequence[Any]) -> Cell:
    text, html, error = "", "", ""
    mimes: set[str] = set()
    for each in outputs:
        data = each.get("data", {})
        mimes |= set(data)
        text += each.get("text", "") + data.get("text/plain", "")
        html += data.get("text/html", "")
        error += "\n".join(each.get("traceback", ()))
    return Cell(text, html, error, frozenset(mimes))
