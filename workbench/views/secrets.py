"""What front ends mask: see `workbench.core.secrets`."""

from __future__ import annotations

from workbench.core.secrets import MASK, SHORTEST, Mask, NoMask, mask_for

__all__ = ["MASK", "SHORTEST", "Mask", "NoMask", "mask_for"]
