"""Which round of its loop or iteration a node runs in, counted from 0, on every graphon version.

An iteration writes its index to the pool of the round. A loop does not: but every round builds the
container's nodes anew (a child frame in graphon 0.7 and 0.8, a child engine before), so the n-th building of
a node is round n.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any


class Rounds:
    """Thread-safe; one for each run."""

    def __init__(self) -> None:
        self._container: dict[str, str] = {}
        self._is_loop: dict[str, bool] = {}
        self._built: dict[str, int] = {}
        self._offset: dict[str, int] = {}
        self._root_state: Any = None
        self._lock = threading.Lock()

    def resume(self, rounds: Mapping[str, int]) -> None:
        self._offset = dict(rounds)

    def made(self, node_type: str, node_id: str, data: Mapping[str, Any], context: Any) -> None:
        """Note that a node was built: in a new round, if it is a loop's child in a frame of its own."""
        with self._lock:
            if self._root_state is None:
                self._root_state = context.runtime_state
            if node_type in ("loop", "iteration"):
                self._is_loop[node_id] = node_type == "loop"
                self._forget_children(node_id)
            container = (
                context.container or data.get("loop_id") or data.get("iteration_id") or data.get("parentId")
            )
            if not container:
                return
            self._container[node_id] = str(container)
            if context.runtime_state is not self._root_state:
                self._built[node_id] = self._built.get(node_id, 0) + 1

    def _forget_children(self, container: str) -> None:
        """A container that is itself built anew (it sits in another one) counts from the beginning."""
        for child, parent in self._container.items():
            if parent == container:
                self._built.pop(child, None)

    def of(self, node_id: str, pool: Any) -> int | None:
        """The round of a node that runs now; None outside of containers."""
        container = self._container.get(node_id)
        if container is None:
            return None
        index = pool.get((container, "index"))
        if index is not None and not self._is_loop.get(container, False):
            return int(index.value)
        with self._lock:
            return self._offset.get(container, 0) + max(self._built.get(node_id, 1) - 1, 0)
