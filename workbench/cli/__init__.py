"""The command line: `workbench VERB`. stdout is the result, stderr is progress and errors.

Exit codes: 0 done; 1 failed; 2 wrong usage; 3 `run` or `resume` ended in a pause; 4 `why` or `check` found
an error or a warning; 130 Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point of the `workbench` script; ends the process."""
    _open_what_is_closed()
    from workbench.cli.frame import run

    code = run(sys.argv[1:] if arguments is None else list(arguments))
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads us has gone (`| head`): leave quietly, and keep the interpreter from flushing again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _open_what_is_closed() -> None:
    """A standard stream that is closed (`>&-`) leads to nowhere; else a file of ours would get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
