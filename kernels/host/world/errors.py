"""Errors that nodes raise as scripted, named as the script wants: graphon reports the class name as
`error_type`."""

from __future__ import annotations

from .turns import Failure


def make_error(base: type[Exception], failure: Failure, usual: str) -> Exception:
    """An exception that the node's own except clauses know (a subclass of `base`) and whose class bears the
    wanted name.

    Args:
        base: the class that the node catches.
        failure: message and error type of the script.
        usual: the class name when the script gives none.
    """
    name = failure.error_type or usual
    known = base if base.__name__ == name else type(name, (base,), {})
    return known(failure.error)
