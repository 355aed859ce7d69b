"""Builds and starts engine kernels, speaks their protocol, hands events to a sink.

`kernels`: which there are, where they lie, list, install, remove. `build`: one build with uv.
`client`: one child process and the protocol. `session`: one order from start to end. `order`: the values.
"""

from workbench.engine.control import Control
from workbench.engine.kernels import (
    DEFAULT_KERNEL,
    KERNELS,
    Kernel,
    KernelStatus,
    install,
    list_kernels,
    remove,
)
from workbench.engine.order import Ended, Order, PauseSaved, Sink, Status
from workbench.engine.session import RefusedError, describe, execute, start_early

__all__ = [
    "DEFAULT_KERNEL",
    "KERNELS",
    "Control",
    "Ended",
    "Kernel",
    "KernelStatus",
    "Order",
    "PauseSaved",
    "RefusedError",
    "Sink",
    "Status",
    "describe",
    "execute",
    "install",
    "list_kernels",
    "remove",
    "start_early",
]
