"""The workbench in Python: every verb as a method, results as objects that go on from there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from workbench.notebook import failing
from workbench.notebook.explaining import Explaining
from workbench.notebook.running import Running
from workbench.verbs.context import DEFAULT_KERNEL, make_context
from workbench.verbs.names import kernel_name

KERNEL = "WORKBENCH_KERNEL"
"""The environment variable by which a Jupyter kernel names its engine kernel."""

STORE = "WORKBENCH_STORE"
"""The environment variable by which `workbench lab` names its store."""

failing.install()


@dataclass(frozen=True, init=False, repr=False)
class Workbench(Explaining, Running):
    """The workbench on one store, shared with the TUI and the command line.

    Args:
        store: another store file than the one of `workbench lab`, else the one in `WORKBENCH_HOME`.
        kernel: the engine kernel for new runs ("graphon-0.8", "0.5"); None takes the Jupyter kernel's, else
            the newest.
        unmask: show environment variables, tokens and keys in everything that is shown and returned.
        progress: show progress bars; None shows them in notebooks and on terminals.

    Raises:
        UsageError: there is no such engine kernel.
    """

    def __init__(
        self,
        store: Path | str | None = None,
        kernel: str | None = None,
        *,
        unmask: bool = False,
        progress: bool | None = None,
    ) -> None:
        named = store or os.environ.get(STORE)
        file = Path(named).expanduser().absolute() if named else None
        given = kernel or os.environ.get(KERNEL) or DEFAULT_KERNEL
        ctx = make_context(file, kernel_name(make_context(file), given))
        object.__setattr__(self, "ctx", ctx)
        object.__setattr__(self, "unmask", unmask)
        object.__setattr__(self, "progress", progress)

    def __repr__(self) -> str:
        return f"Workbench on {self.store}, new runs on {self.kernel}"
