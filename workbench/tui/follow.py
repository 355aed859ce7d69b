"""Watches the store for changes: its counter is read off the loop, without a lease."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

PERIOD = 0.2


class ChangeWatch:
    """Calls back when the store's change counter moved.

    Args:
        read: gives the counter; may block shortly, runs in a thread.
        changed: called in the event loop after each change.
    """

    def __init__(self, read: Callable[[], int], changed: Callable[[], Awaitable[None]]) -> None:
        self._read, self._changed = read, changed

    async def run(self) -> None:
        """Watch until cancelled. A store that can't be read now is asked again later."""
        last: int | None = None
        while True:
            try:
                now = await asyncio.to_thread(self._read)
            except Exception:
                now = last if last is not None else 0
            if last is not None and now != last:
                await self._changed()
            last = now
            await asyncio.sleep(PERIOD)
