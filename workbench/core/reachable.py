"""Which response nodes lie behind a node, and which two can both run: one after the other, or in parallel."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.blocking import Scope


class Reachable:
    """The response nodes that can be reached from each node, as bit sets over the scope's responses."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._bit = {response: 1 << place for place, response in enumerate(scope.responses)}
        self._sets = dict.fromkeys(scope.nodes, 0)
        incoming: dict[str, list[str]] = {}
        for edge in scope.edges.values():
            incoming.setdefault(edge.target, []).append(edge.source)
        for response, bit in self._bit.items():
            todo = [response]
            while todo:
                node = todo.pop()
                if self._sets.get(node, bit) & bit:
                    continue
                self._sets[node] |= bit
                todo += incoming.get(node, ())
        after = {response: self._after(response) for response in scope.responses}
        self._apart = {
            response: ~(bit | after[response] | sum(self._bit[r] for r in after if after[r] & bit))
            for response, bit in self._bit.items()
        }

    def _after(self, response: str) -> int:
        found = 0
        for edge in self._scope.out.get(response, ()):
            found |= self._sets.get(edge.target, 0)
        return found

    def leads_to(self, node: str, response: str) -> bool:
        """Can the response node be reached from the node (or is it that)?"""
        return bool(self._sets.get(node, 0) & self._bit.get(response, 0))

    def in_sequence(self, one: str, other: str) -> bool:
        """Does one Answer lead to the other?"""
        return one != other and not self._apart[one] & self._bit[other]

    def parallel_pairs(self) -> set[tuple[str, str]]:
        """Answers that are reached over two edges which are taken together, and do not lead to each other."""
        pairs: set[tuple[str, str]] = set()
        for targets in self._taken_together():
            for place, first in enumerate(targets):
                right = 0
                for second in targets[place + 1 :]:
                    right |= self._sets.get(second, 0)
                for one in self._of(self._sets.get(first, 0)):
                    pairs.update(
                        (min(one, other), max(one, other)) for other in self._of(right & self._apart[one])
                    )
        return pairs

    def _taken_together(self) -> Iterator[list[str]]:
        for node, leaving in self._scope.out.items():
            is_branch = node in self._scope.nodes and self._scope.nodes[node].kind == "branch"
            groups: dict[str, list[str]] = {}
            for edge in leaving:
                groups.setdefault(edge.handle if is_branch else "", []).append(edge.target)
            yield from (targets for targets in groups.values() if len(targets) > 1)

    def _of(self, bits: int) -> list[str]:
        return [response for response, bit in self._bit.items() if bits & bit] if bits else []
