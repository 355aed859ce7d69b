"""What a person is told when a command can't be carried out. Imports nothing."""

from __future__ import annotations


class HostError(Exception):
    """Becomes an `error` message.

    Args:
        title: what failed, one line.
        cause: why and where.
        next_step: what to do about it.
        node_id: the node it is about, if there is one.
    """

    def __init__(self, title: str, cause: str = "", next_step: str = "", node_id: str | None = None) -> None:
        super().__init__(title)
        self.title = title
        self.cause = cause
        self.next_step = next_step
        self.node_id = node_id

    def message(self) -> dict[str, object]:
        return {
            "msg": "error",
            "title": self.title,
            "cause": self.cause,
            "next_step": self.next_step,
            "node_id": self.node_id,
        }
