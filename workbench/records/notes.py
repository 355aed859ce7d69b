"""What was changed while a file was read, a sentence each; equal changes at several nodes share one."""

from __future__ import annotations

from workbench.records.reading import shorten

_SHOWN = 3
MAX_NOTES = 40
"""More sentences help nobody; the rest is counted."""


class Notes:
    """Collects sentences. The same sentence for two nodes gives one note that names both."""

    def __init__(self) -> None:
        self._nodes: dict[str, dict[str, None]] = {}  # mappings for their order and quick look-ups
        self._left_out = 0

    def add(self, sentence: str, node: str | None = None) -> None:
        if sentence not in self._nodes and len(self._nodes) >= MAX_NOTES:
            self._left_out += 1
            return
        nodes = self._nodes.setdefault(sentence, {})
        if node is not None:
            nodes[node] = None

    def sentences(self) -> tuple[str, ...]:
        told = [_join(sentence, list(nodes)) for sentence, nodes in self._nodes.items()]
        if self._left_out:
            told.append(f"and {self._left_out} more changes.")
        return tuple(told)


def _join(sentence: str, nodes: list[str]) -> str:
    if not nodes:
        return f"{sentence}."
    shown = ", ".join(shorten(node, 40) for node in nodes[:_SHOWN])
    more = f" and {len(nodes) - _SHOWN} more" if len(nodes) > _SHOWN else ""
    return f"{sentence} ({'node' if len(nodes) == 1 else 'nodes'} {shown}{more})."
