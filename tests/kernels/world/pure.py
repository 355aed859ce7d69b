"""Those modules of the world that need no graphon, loaded without their package."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "kernels" / "host" / "world"
_NAME = "world_without_graphon"


def load(module: str) -> Any:
    """`kernels/host/world/<module>.py`; its relative imports work, `world/__init__.py` is not run."""
    if _NAME not in sys.modules:
        package = types.ModuleType(_NAME)
        package.__path__ = [str(FOLDER)]
        sys.modules[_NAME] = package
    return importlib.import_module(f"{_NAME}.{module}")
