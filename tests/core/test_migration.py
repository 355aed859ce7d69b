"""What `resume --kernel NEWER` tells about the engines in between."""

from __future__ import annotations

from workbench.core.migration import ORDER, migration


def test_the_same_engine_changes_nothing() -> None:
    assert all(migration(kernel, kernel, gate_saved=False) == () for kernel in ORDER)


def test_every_engine_on_the_way_is_told() -> None:
    told = migration("graphon-0.5", "graphon-0.8", gate_saved=False)
    assert told[0] == "Migrated from graphon-0.5 to graphon-0.8; it can't go back."
    assert [word in " ".join(told) for word in ("hitl_required", "2.0", "3.0", "healed")] == [True] * 4


def test_a_saved_gate_is_not_called_lost() -> None:
    assert "healed" not in " ".join(migration("graphon-0.5", "graphon-0.7", gate_saved=True))
    assert "3.0" not in " ".join(migration("graphon-0.6", "graphon-0.7", gate_saved=True))
