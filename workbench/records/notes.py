"""What was changed while a file was read, a sentence each; equal changes at several nodes share one."""

from __future__ import annotations

from workbench.records.reading import shorten

_SHOWN = 3


class Notes:
    """Collects sentences. The same sentence for two nodes gives one note that names both."""

    def __init__(self) -> None:
        self._nodes: dict[str, list[str]] = {}

    def add(self, sentence: str, node: str | None = None) -> None:
        nodes = self._nodes.setdefault(sentence, [])
        if node is not None and node not in nodes:
            nodes.append(node)

    def sentences(self) -> tuple[str, ...]:
        return tuple(_join(sentence, nodes) for sentence, nodes in self._nodes.items())


def _join(sentence: str, nodes: list[str]) -> str:
    if not nodes:
        return f"{sentence}."
    shown = ", ".join(shorten(node, 40) for node in nodes[:_SHOWN])
    more = f" and {len(nodes) - _SHOWN} more" if len(nodes) > _SHOWN else ""
    return f"{sentence} ({'node' if len(nodes) == 1 else 'nodes'} {shown}{more})."
