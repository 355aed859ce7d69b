"""`kernels`: which engine kernels there are; build them, take them away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.verbs.context import Context
from workbench.verbs.names import kernel_name

if TYPE_CHECKING:
    from workbench.engine.kernels import KernelStatus

ALL = "all"


def list_kernels(ctx: Context) -> tuple[KernelStatus, ...]:
    """Every engine kernel and whether it is built here."""
    from workbench.engine import kernels

    return kernels.list_kernels(ctx.home)


def install_kernels(ctx: Context, names: Sequence[str], report: Callable[[str], None]) -> tuple[str, ...]:
    """Build kernels, checking those that are there; "all" means every one.

    Returns:
        The kernels that are usable now.

    Raises:
        UsageError: there is no such kernel.
        KernelError: one can't be built.
    """
    from workbench.engine import kernels

    wanted = expand(ctx, names)
    for name in wanted:
        kernels.install(name, ctx.home, report)
    return wanted


def remove_kernels(ctx: Context, names: Sequence[str]) -> int:
    """Take kernels away; "all" means every one.

    Returns:
        How many folders went.
    """
    from workbench.engine import kernels

    return sum(kernels.remove(name, ctx.home) for name in expand(ctx, names))


def expand(ctx: Context, names: Sequence[str]) -> tuple[str, ...]:
    """Kernel names in full, each once, "all" written out."""
    from workbench.engine.kernels import KERNELS

    if ALL in names:
        return KERNELS
    return tuple(dict.fromkeys(kernel_name(ctx, name) for name in names))


def same_or_newer(ctx: Context, saved_by: str, wanted: str | None) -> str:
    """The kernel a pause is resumed on: the one that saved it, or a newer one.

    Raises:
        UsageError: the wanted one is older: it does not load newer states.
    """
    from workbench.engine.kernels import KERNELS

    if wanted is None:
        return saved_by
    name = kernel_name(ctx, wanted)
    if KERNELS.index(name) > KERNELS.index(saved_by):
        newer = ", ".join(KERNELS[: KERNELS.index(saved_by) + 1])
        raise UsageError(
            f"A pause of {saved_by} can't be resumed on {name}.",
            f"graphon reads older states, never newer ones: {name} refuses what {saved_by} saved.",
            f"Valid: {newer}. To see the whole run on {name}, run the app there from its start.",
        )
    return name


def built_kernels(ctx: Context) -> tuple[str, ...]:
    """The names of the kernels that are built here, the newest first."""
    return tuple(each.name for each in list_kernels(ctx) if each.state == "built")


def from_here_up(saved_by: str) -> tuple[str, ...]:
    """The kernels that can resume a pause, the newest first."""
    from workbench.engine.kernels import KERNELS

    return KERNELS[: KERNELS.index(saved_by) + 1]
