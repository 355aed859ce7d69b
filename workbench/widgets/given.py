"""What the widgets read of the objects of `workbench.notebook`: the layer above, never imported here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from workbench.core.secrets import Mask
from workbench.verbs.inspect import LoadedRun


class BenchLike(Protocol):
    """A `Workbench`."""

    @property
    def ctx(self) -> Any: ...
    @property
    def unmask(self) -> bool: ...
    @property
    def watch(self) -> Callable[[Callable[[], None]], Any]: ...
    @property
    def runs(self) -> Callable[..., Iterable[Any]]: ...
    @property
    def start_resume(self) -> Callable[..., Any]: ...


class RunLike(Protocol):
    """A `Run`."""

    @property
    def id(self) -> str: ...
    @property
    def loaded(self) -> LoadedRun: ...
    @property
    def mask(self) -> Mask: ...
    @property
    def bench(self) -> Any: ...


class StepLike(Protocol):
    """A `Step`."""

    @property
    def run(self) -> Any: ...
    @property
    def step(self) -> int: ...


class PauseLike(Protocol):
    """A `Pause`, or a `Saved` for the editor."""

    @property
    def id(self) -> str | None: ...
    @property
    def mask(self) -> Mask: ...
    @property
    def bench(self) -> Any: ...


class DifferencesLike(Protocol):
    """A `Differences`."""

    @property
    def result(self) -> Any: ...
    @property
    def mask(self) -> Mask: ...


class FindingsLike(Protocol):
    """A `Findings`."""

    @property
    def result(self) -> Any: ...
    @property
    def mask(self) -> Mask: ...
    @property
    def bench(self) -> Any: ...


class MemoryLike(Protocol):
    """A `Memory`."""

    @property
    def lab(self) -> Any: ...


Json = Mapping[str, Any]
