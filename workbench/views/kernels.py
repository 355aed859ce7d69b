"""The JSON of `kernels`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.views.shapes import VERSION

if TYPE_CHECKING:
    from workbench.engine.kernels import KernelStatus


def kernels_json(kernels: Sequence[KernelStatus]) -> dict[str, Any]:
    """`kernels list`; sizes in bytes."""
    return {
        "version": VERSION,
        "kernels": [
            {
                "name": each.name,
                "graphon": each.graphon,
                "state": each.state,
                "folder": str(each.folder),
                "bytes": each.size,
            }
            for each in kernels
        ],
    }
