"""graphon 0.6: child engines, human input by a callback."""

from __future__ import annotations

from typing import Any

from .callbacks import callback_arguments
from .old import OldGeneration


class Generation06(OldGeneration):
    name = "0.6"

    def form_arguments(self, seat: Any) -> dict[str, Any]:
        return callback_arguments(seat)
