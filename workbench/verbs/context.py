"""What every verb needs to know: which store, which folder, which engine kernel when none is named."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.store import Store

DEFAULT_KERNEL = "graphon-0.8"


@dataclass(frozen=True)
class Context:
    """The surroundings of a verb.

    `store` is made when it is first asked for: explaining a file never loads DuckDB.
    """

    store_file: Path
    home: Path
    kernel: str = DEFAULT_KERNEL

    @cached_property
    def store(self) -> Store:
        """The store; nothing is opened until a verb reads or writes."""
        from workbench.store import Store

        return Store(self.store_file)


def make_context(store_file: Path | None = None, kernel: str = DEFAULT_KERNEL) -> Context:
    """The context of a process: `WORKBENCH_HOME`, and `store_file` when another store is meant."""
    from workbench.home import home, store_path

    folder = home()
    return Context(store_file or store_path(folder), folder, kernel)
