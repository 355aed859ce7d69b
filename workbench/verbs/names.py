"""Names that users type: checked, with the nearest valid ones when they are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from workbench.core.findings.dify import version_of
from workbench.errors import UsageError
from workbench.verbs.context import Context

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
KNOWN_DIFY = (1, 13), (1, 17)
"""The first and the last release whose saved pauses are known (facts: dify-pause-resume.md, 0)."""
DIFY_VERSION = re.compile(r"(main|\d+\.\d+(\.\d+)?)\Z")


def one_of(name: str, valid: Iterable[str], what: str) -> str:
    """`name` when it is valid.

    Raises:
        UsageError: it is not; the message lists the valid names, the nearest first.
    """
    names = list(valid)
    if name in names:
        return name
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    listed = ", ".join(names) if names else "none"
    raise UsageError(
        f"There is no {what} {name!r}.",
        f"Valid: {listed}.",
        f"Did you mean {near[0]!r}?"
        if near
        else f"Choose one of these{'' if names else ' (there are none)'}.",
    )


def kernel_name(ctx: Context, name: str | None) -> str:
    """The engine kernel `name`, or the context's own when it is None; "0.7" means "graphon-0.7".

    Raises:
        UsageError: there is no such kernel.
    """
    from workbench.engine.kernels import KERNELS

    if name is None:
        return ctx.kernel
    full = f"graphon-{name}" if re.fullmatch(r"\d+\.\d+", name) else name
    return one_of(full, KERNELS, "engine kernel")


def dify_version(text: str | None) -> str | None:
    """A Dify version ("1.15.0", "1.15", "main"), or None.

    Raises:
        UsageError: it is none, or one of which the workbench does not know how it pauses.
    """
    if text is None:
        return None
    stripped = text.removeprefix("v")
    if not DIFY_VERSION.match(stripped):
        raise UsageError(
            f"{text!r} is no Dify version.",
            "A version is written like 1.15.0, or is `main`.",
            "For example: --dify 1.15.0",
        )
    first, last = KNOWN_DIFY
    if stripped != "main" and not first <= version_of(stripped) <= last:
        raise UsageError(
            f"How Dify {stripped} pauses is not known here.",
            f"Known are {_dotted(first)} (the first with human input) to {_dotted(last)}, and `main`.",
            f"For example: --dify {_dotted(last)}, or --dify main for a newer one.",
        )
    return stripped


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def new_run_id(given: str | None) -> str:
    """`given` when it can be a run's id, or a new one (a UUID, as Dify's).

    Raises:
        UsageError: it can't.
    """
    if given is None:
        from uuid import uuid4

        return str(uuid4())
    if RUN_ID.match(given):
        return given
    raise UsageError(
        f"{given!r} can't be a run's id.",
        "An id has 1 to 64 letters, digits, dots, hyphens or underscores, and begins with a letter or digit.",
        "Leave --run-id out to get a new one.",
    )
