"""What `%load_ext workbench` and the Jupyter kernels do."""

from __future__ import annotations

from typing import Any

from workbench.notebook.bench import Workbench

NAME = "wb"


def load(shell: Any) -> None:
    """Put a workbench into the user's namespace, as `wb`, and the class beside it; a `wb` of his stays."""
    shell.push({"Workbench": Workbench}, interactive=False)
    if NAME not in shell.user_ns:
        shell.push({NAME: Workbench()}, interactive=False)
