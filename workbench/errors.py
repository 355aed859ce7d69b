"""Errors that a user reads: a title, the cause, and what to do next. Imports nothing."""

from __future__ import annotations


class WorkbenchError(Exception):
    """Something a user can act on. Front ends print `title`, `cause`, `next_step`; never a traceback.

    Args:
        title: what failed, one line ("app.yml is not valid YAML").
        cause: why and where ("line 12, column 3: found a tab").
        next_step: what to do ("Replace the tab by spaces and import it again.").
    """

    exit_code = 1

    def __init__(self, title: str, cause: str = "", next_step: str = "") -> None:
        super().__init__(title)
        self.title = title
        self.cause = cause
        self.next_step = next_step

    def __str__(self) -> str:
        return "\n".join(part for part in (self.title, self.cause, self.next_step) if part)


class UsageError(WorkbenchError):
    """The command was called wrongly (exit code 2)."""

    exit_code = 2


class BadInputError(WorkbenchError):
    """A file or text from outside can't be used: too large, not what it claims, broken."""


class NotFoundError(WorkbenchError):
    """No run, pause, app or file goes by that id."""


class KernelError(WorkbenchError):
    """An engine kernel could not be built, started, or broke its protocol."""


class StoreBusyError(WorkbenchError):
    """Another process held the store for too long; the message names it."""


class StoreError(WorkbenchError):
    """The store can't be opened or does not fit this version."""


class PauseConsumedError(StoreError):
    """The pause was resumed already: resuming it again has to be a fork with its own run id."""
