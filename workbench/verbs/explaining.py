"""`why --explain CODE`: a finding's help page."""

from __future__ import annotations

from workbench.core import findings
from workbench.verbs.names import one_of


def explain(code: str) -> str:
    """The help page of a finding, as Markdown.

    Raises:
        UsageError: there is no such code; the message lists them.
    """
    return findings.explain(one_of(code, findings.CODES, "finding"))


def listing() -> tuple[tuple[str, str], ...]:
    """Every finding's code with the first paragraph of its page."""
    pages = ((code, findings.explain(code)) for code in findings.CODES)
    return tuple((code, page.split("\n\n", 2)[1].replace("\n", " ")) for code, page in pages)
