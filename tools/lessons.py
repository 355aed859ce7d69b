"""`make lessons`: run every lesson and write its outputs into the notebook, small and clean.

Times, execution metadata and the temporary store are left out; what a cell shows is what a reader sees on a
page that runs nothing.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


def execute(file: Path, store: Path) -> None:
    """Run one notebook in an ordinary kernel, and write it back with its outputs."""
    notebook = nbformat.read(file, as_version=4)
    named = dict(notebook.metadata)
    os.environ["WORKBENCH_STORE"] = str(store)
    NotebookClient(notebook, kernel_name="python3", timeout=120, record_timing=False).execute()
    notebook.metadata.clear()
    notebook.metadata.update({key: named[key] for key in ("kernelspec", "language_info") if key in named})
    for cell in notebook.cells:
        cell.metadata.clear()
    nbformat.write(notebook, file)


def main() -> int:
    for file in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            execute(file, Path(folder) / "store.duckdb")
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
