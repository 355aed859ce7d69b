"""Which graphon this interpreter has, and the module that drives it."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from ..errors import HostError

_MODULES = {"0.5": "g05", "0.6": "g06", "0.7": "g07", "0.8": "g08"}


def installed() -> str:
    """graphon's version, "none" if it isn't there."""
    try:
        return version("graphon")
    except PackageNotFoundError:
        return "none"


def generation_type() -> type:
    """The Generation of the installed graphon; importing it takes about 0.3 s."""
    found = installed()
    name = ".".join(found.split(".")[:2])
    if name not in _MODULES:
        raise HostError(
            f"This engine kernel holds graphon {found}",
            f"The host drives graphon {', '.join(_MODULES)}.",
            "Remove the engine kernel and install it again.",
        )
    module = import_module(f".{_MODULES[name]}", __package__)
    return getattr(module, f"Generation{name.replace('.', '')}")
