"""The help pages of all findings."""

from __future__ import annotations

from typing import Final

from workbench.core.captures import pages as captured
from workbench.core.findings import (
    branch,
    container,
    difference,
    explosion,
    lost_gate,
    queue,
    references,
    saved,
    unreachable,
    unreadable,
)
from workbench.errors import NotFoundError

_PAGES: Final[dict[str, str]] = {
    **lost_gate.HELP,
    **branch.HELP,
    **container.HELP,
    **queue.HELP,
    **explosion.HELP,
    **difference.HELP,
    **references.HELP,
    **saved.HELP,
    **unreachable.HELP,
    **unreadable.HELP,
    **captured.HELP,
}
CODES: Final = tuple(sorted(_PAGES))
"""Every finding's code."""


def explain(code: str) -> str:
    """The help page of a finding, as Markdown.

    Raises:
        NotFoundError: there is no such code.
    """
    if code not in _PAGES:
        raise NotFoundError(f"There is no finding {code!r}.", f"Findings: {', '.join(CODES)}.")
    return _PAGES[code]
