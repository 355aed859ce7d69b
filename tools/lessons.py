"""`make lessons`: run every lesson on the real engine and write what its cells show into the notebooks.

A rerun gives the same bytes: ids are numbered in the order in which they come, and cells that show times are
tagged `no-output`. All lessons share one Jupyter kernel, which forgets everything between two of them.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
KERNEL = "answer-workbench-graphon-0.8"
NO_OUTPUT = "no-output"
FORGET = "%reset -f\nimport gc as _gc; _gc.collect()"
ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
WIDGET = "application/vnd.jupyter.widget-view+json"
SHAPES = ("text/html", "image/svg+xml", "image/png", "text/plain")

Notebook = dict[str, Any]


class OurSpecs(KernelSpecManager):
    """The Jupyter kernels of this checkout, installed or not."""

    def get_kernel_spec(self, kernel_name: str) -> Any:
        folder = ROOT / "kernels" / kernel_name.removeprefix("answer-workbench-")
        if (folder / "kernel.json").is_file():
            return self.kernel_spec_class.from_resource_dir(str(folder))
        return super().get_kernel_spec(kernel_name)


def files() -> list[Path]:
    """The lessons and their index, in their order."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(file: Path) -> Notebook:
    """A notebook as JSON."""
    found: Notebook = json.loads(file.read_text(encoding="utf-8"))
    return found


def written(notebook: Notebook) -> str:
    """A notebook as it is kept."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def execute(
    notebooks: Sequence[Notebook], folder: Path, claims: Sequence[str] | None = None
) -> list[Notebook]:
    """The notebooks with what their cells show, run one after the other in one Jupyter kernel.

    Args:
        folder: empty; what the lessons store and write.
        claims: code that is run after each notebook, in its names.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
    """
    before = dict(os.environ)
    os.environ["WORKBENCH_STORE"] = str(folder / "store.duckdb")
    os.environ["IPYTHONDIR"] = str(folder / "ipython")
    manager = AsyncKernelManager(kernel_name=KERNEL, kernel_spec_manager=OurSpecs())
    cells = list(_cells(notebooks, claims or [""] * len(notebooks)))
    whole = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    try:
        NotebookClient(
            whole, km=manager, timeout=120, resources={"metadata": {"path": str(folder)}}, record_timing=False
        ).execute()
    finally:
        os.environ.clear()
        os.environ.update(before)
    shown = iter(whole.cells)
    return [_filled(notebook, shown) for notebook in notebooks]


def _cells(notebooks: Sequence[Notebook], claims: Sequence[str]) -> Iterator[str]:
    for notebook, claim in zip(notebooks, claims, strict=True):
        yield from ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
        yield claim
        yield FORGET


def _filled(notebook: Notebook, shown: Iterator[Any]) -> Notebook:
    ids: dict[str, str] = {}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            cells.append(cell)
            continue
        outputs, count = next(shown)["outputs"], count + 1
        hidden = NO_OUTPUT in cell["metadata"].get("tags", ())
        kept = [_output(each, count, ids) for each in outputs if not hidden and not _progress(each)]
        cells.append({**cell, "execution_count": None if hidden else count, "outputs": kept})
    next(shown), next(shown)
    return {**notebook, "cells": cells}


def _progress(output: Any) -> bool:
    """Whether it is a progress bar, which a slow machine shows and a fast one does not."""
    data = output.get("data", {})
    return output.get("name") == "stderr" or (WIDGET in data and "text/html" not in data)


def _output(output: Any, count: int, ids: dict[str, str]) -> dict[str, Any]:
    """An output in one shape (the richest that a page shows as it is) and with numbered ids."""
    if output["output_type"] == "stream":
        return {
            "name": output["name"],
            "output_type": "stream",
            "text": _lines(_numbered(output["text"], ids)),
        }
    data = output["data"]
    kept = {shape: data[shape] for shape in SHAPES if shape in data}
    if len(kept) > 1:
        kept = {next(iter(kept)): next(iter(kept.values())), "text/plain": data["text/plain"].split("\n")[0]}
    made: dict[str, Any] = {
        "data": {shape: _lines(_numbered(text, ids)) for shape, text in kept.items()},
        "metadata": {},
        "output_type": output["output_type"],
    }
    if output["output_type"] == "execute_result":
        made["execution_count"] = count
    return made


def _numbered(text: str, ids: dict[str, str]) -> str:
    """Ids of runs and pauses by the order in which they come."""
    return ID.sub(lambda found: ids.setdefault(found[0], f"00000000-0000-7000-8000-{len(ids) + 1:012}"), text)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> int:
    found = files()
    with tempfile.TemporaryDirectory() as folder:
        made = execute([read(file) for file in found], Path(folder))
    for file, notebook in zip(found, made, strict=True):
        file.write_text(written(notebook), encoding="utf-8")
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
