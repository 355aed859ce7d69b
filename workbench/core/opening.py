"""Which locked response nodes an edge opens: a fresh gate reaches them, a saved one strikes its own lists."""

from __future__ import annotations

from workbench.core.blocking import Reach, Scope
from workbench.core.gate_state import GateState


class Opening:
    """The part of a gate that hears of edges. It keeps `state.taken` or `state.lists` up to date.

    Attributes:
        open: response nodes that were reached and have not been handed out yet.
    """

    def __init__(self, scope: Scope, state: GateState) -> None:
        self._scope = scope
        self._state = state
        self.open: set[str] = set()
        self._reaches: list[tuple[Reach, frozenset[str]]] = []
        self._listed: dict[str, list[tuple[str, list[str]]]] = {}
        if state.lists is None:
            self._start_reach()
        else:
            self._index(state.lists)

    def _start_reach(self) -> None:
        responses = set(self._state.responses)
        for stops, group in self._scope.groups().items():
            reach = Reach(self._scope, stops, self._state.taken)
            answers = frozenset(responses.intersection(group))
            self._reaches.append((reach, answers))
            self.open |= answers & reach.seen

    def _index(self, lists: dict[str, list[list[str]]]) -> None:
        for response in self._state.responses:
            for path in lists.get(response, ()):
                if not path:
                    self.open.add(response)
                for edge in set(path):
                    self._listed.setdefault(edge, []).append((response, path))

    def take(self, edge_id: str) -> None:
        """An edge was taken."""
        if self._state.lists is not None:
            for response, path in self._listed.get(edge_id, ()):
                if edge_id in path:
                    path.remove(edge_id)
                    if not path:
                        self.open.add(response)
            return
        edge = self._scope.edges.get(edge_id)
        if edge is None or edge_id in self._state.taken:
            return
        self._state.taken.add(edge_id)
        for reach, answers in self._reaches:
            self.open |= answers & reach.take(edge, self._state.taken)

    def awaits(self, edge_id: str) -> bool:
        """Would taking this edge be news? For a saved gate only when one of its lists still holds it."""
        if self._state.lists is None:
            return edge_id not in self._state.taken
        return any(edge_id in path for _, path in self._listed.get(edge_id, ()))

    def take_open(self) -> list[str]:
        """Hand out what is open, in the filter's order."""
        found = sorted(self.open)
        self.open.clear()
        return found

    def clone(self, state: GateState) -> Opening:
        """The same for a copy of the state."""
        twin = object.__new__(Opening)
        twin._scope, twin._state, twin.open = self._scope, state, set(self.open)
        twin._reaches = [(reach.copy(), answers) for reach, answers in self._reaches]
        twin._listed = {}
        if state.lists is not None:
            twin._index(state.lists)
            twin.open = set(self.open)
        return twin
