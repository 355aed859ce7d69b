from __future__ import annotations

from pathlib import Path

import pytest

from workbench.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a folder that does not exist yet."""
    return Store(tmp_path / "home" / "workbench.duckdb")
