"""Answer Workbench: run, inspect, replay and resume Dify chatflows on the real graphon engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.notebook import Workbench

__version__ = "0.1.0"
__all__ = ["Workbench", "__version__"]


def __getattr__(name: str) -> Any:
    """`from workbench import Workbench` loads the Python API; `import workbench` alone loads nothing."""
    if name == "Workbench":
        from workbench.notebook import Workbench

        return Workbench
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext workbench`: makes `wb`, a workbench, in the notebook's namespace."""
    from workbench.notebook.jupyter import load

    load(shell)
