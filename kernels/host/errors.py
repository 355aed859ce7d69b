"""What a person is told when a command can't be carried out. Imports nothing."""

from __future__ import annotations


class HostError(Exception):
    """Becomes an `error` message.

    Args:
        title: what failed, one line.
        cause: why and where.
        next_step: what to do about it.
        node_id: the node it is about, if there is one.
        internal: the kernel itself failed, not what it was given.
    """

    def __init__(
        self,
        title: str,
        cause: str = "",
        next_step: str = "",
        node_id: str | None = None,
        internal: bool = False,
    ) -> None:
        super().__init__(title)
        self.title = title
        self.cause = cause
        self.next_step = next_step
        self.node_id = node_id
        self.internal = internal

    def message(self) -> dict[str, object]:
        told: dict[str, object] = {
            "msg": "error",
            "title": self.title,
            "cause": self.cause,
            "next_step": self.next_step,
            "node_id": self.node_id,
        }
        return {**told, "internal": True} if self.internal else told
