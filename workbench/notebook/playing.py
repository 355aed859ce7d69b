"""Runs that go on while a notebook waits or does something else: progress, interrupting, awaiting."""

from __future__ import annotations

import queue
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from workbench.core.graph import Graph
from workbench.errors import WorkbenchError
from workbench.verbs.results import RunResult
from workbench.verbs.watch import Began, Watcher
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.engine.control import Control
    from workbench.notebook.bench import Workbench
    from workbench.notebook.run import Run

Play = Callable[[Watcher, "Control"], Any]
DELAY = 3.0
"""Seconds before a progress bar is shown: most runs are over by then, and notebooks keep what was shown."""
TICK = 0.1


class Teller(Watcher):
    """Hears a run in the thread that plays it and hands it on: the bar is painted by whoever waits."""

    def __init__(self) -> None:
        self.news: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
        self.began_at = threading.Event()
        self.run_id: str | None = None
        self._graph: Graph | None = None

    def began(self, began: Began) -> None:
        self._graph = began.graph
        self.run_id = began.run_id
        self.began_at.set()
        self.news.put(("app", f"{began.app} on {began.kernel}"))

    def event(self, step: int, at: float, event: Mapping[str, Any]) -> None:
        node = str(event.get("node") or "")
        found = self._graph.nodes.get(node) if self._graph else None
        self.news.put(("event", (found.title if found else "") or node))

    def note(self, text: str) -> None:
        self.news.put(("note", text))


class Interrupted(KeyboardInterrupt):
    """The cell was interrupted; the run was stopped before this was raised, and is kept."""

    def __init__(self, run_id: str | None) -> None:
        kept = "." if run_id is None else f" and is kept: wb.load({run_id!r})"
        super().__init__(f"The run was stopped{kept}")

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Playing:
    """A run in its own thread. `result()` waits for it; `await playing` does without blocking the loop.

    It is recorded while it goes on: an open TUI, `Workbench.runs()` and the widgets show it live.
    """

    def __init__(self, bench: Workbench, work: Play) -> None:
        from workbench.engine.control import Control

        self.bench = bench
        self._control = Control()
        self._teller = Teller()
        self._done = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None
        self._interrupted = False
        self._thread = threading.Thread(target=self._play, args=(work,), name="workbench-run", daemon=True)
        self._thread.start()

    def _play(self, work: Play) -> None:
        try:
            self._result = work(self._teller, self._control)
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()
            self._teller.began_at.set()

    @property
    def id(self) -> str | None:
        """The id of the run; waits until it is recorded. None when it could not begin."""
        self._teller.began_at.wait()
        return self._teller.run_id

    @property
    def run(self) -> Run | None:
        """The run as far as it is recorded now; None when it could not begin."""
        from workbench.notebook.run import Run

        return None if self.id is None else Run(self.bench, self.id)

    @property
    def done(self) -> bool:
        """Whether it has ended, paused or failed to begin."""
        return self._done.is_set()

    def stop(self) -> None:
        """Stop it: it is recorded as "stopped"."""
        # Not in the caller's thread: that may be one that the run's thread waits for.
        threading.Thread(target=self._control.abort, args=("Stopped from a notebook.",), daemon=True).start()

    def pause(self) -> None:
        """Ask for a pause at the next possible place; the run may end before it comes to one."""
        threading.Thread(target=self._control.pause, args=("Paused from a notebook.",), daemon=True).start()

    def result(self, progress: bool | None = None) -> Run:
        """Wait for the end, showing progress.

        Raises:
            KeyboardInterrupt: the cell was interrupted (Ctrl-C, the stop button): the run was stopped and
                recorded as "stopped".
            WorkbenchError: the run could not be made; or its engine kernel broke.
        """
        made = self.wait(progress)
        assert isinstance(made, RunResult)
        return self.bench.run_made(made)

    def wait(self, progress: bool | None = None) -> Any:
        """As `result`, giving what the verb gave."""
        while not self._followed(False if self._interrupted else progress):
            self._interrupted = True
            self.stop()
        if self._interrupted:
            raise Interrupted(self._teller.run_id)
        if self._error is not None:
            raise self._error
        return self._result

    def _followed(self, progress: bool | None) -> bool:
        """Whether it was followed to its end; not so at a first interrupt. A second one is raised.

        The interrupt may come anywhere in here, while the progress bar is imported, too.
        """
        try:
            with bar(progress) as paint:
                self._follow(paint)
        except KeyboardInterrupt:
            if self._interrupted:
                raise
            return False
        return True

    def _follow(self, paint: Callable[[str, str], None]) -> None:
        """Paint what comes until the end."""
        while True:
            try:
                kind, text = self._teller.news.get(timeout=TICK)
            except queue.Empty:
                if self._done.is_set():
                    return
            else:
                paint(kind, text)

    def __await__(self) -> Generator[Any, None, Run]:
        import asyncio

        return asyncio.to_thread(self.result, False).__await__()

    def __repr__(self) -> str:
        if not self._teller.began_at.is_set():
            return "a run, about to begin"
        if self.done and isinstance(self._error, WorkbenchError):
            return f"a run that could not go on: {safe_line(self._error.title)}"
        return f"run {self._teller.run_id}, {'done: .result()' if self.done else 'going on'}"


@contextmanager
def bar(
    wanted: bool | None, total: int | None = None, unit: str = " events"
) -> Iterator[Callable[..., None]]:
    """A progress bar of tqdm, shown when something takes longer than `DELAY`.

    Args:
        wanted: None shows it where somebody looks: in a notebook, or on a terminal.
    """
    if wanted is False or (wanted is None and not _watched()):
        yield lambda kind, text: None
        return
    shown = _Bar(total, unit)
    try:
        yield shown.paint
    finally:
        shown.close()


class _Bar:
    """A bar of tqdm that is not made before something has taken `DELAY`: most scripted runs are over then,
    and leave nothing in a notebook's outputs.
    """

    def __init__(self, total: int | None, unit: str) -> None:
        self._total, self._unit = total, unit
        self._began = time.monotonic()
        self._made: Any = None
        self._count = 0
        self._texts = {"app": "", "event": "", "note": ""}

    def paint(self, kind: str, text: str) -> None:
        """Hear that something went on: "event" counts, "app" and "note" name what is done."""
        self._texts[kind] = safe_line(text, 60)
        self._count += kind == "event"
        if self._made is None and time.monotonic() - self._began < DELAY:
            return
        if self._made is None:
            self._made = _tqdm(self._total, self._unit)
        self._made.set_description_str(self._texts["note"] or self._texts["app"], refresh=False)
        self._made.set_postfix_str(self._texts["event"], refresh=False)
        self._made.update(self._count - self._made.n)
        if kind == "note":
            self._made.refresh()

    def close(self) -> None:
        """Take the bar away."""
        if self._made is not None:
            self._made.close()


def _tqdm(total: int | None, unit: str) -> Any:
    """tqdm's bar for where we are; a silent one where tqdm is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "IProgress not found": a bar of text is as good
            from tqdm.auto import tqdm
    except ImportError:
        return _Silent()
    return tqdm(total=total, unit=unit, leave=False)


class _Silent:
    n = 0

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


def _watched() -> bool:
    return in_notebook() or sys.stderr.isatty()


def in_notebook() -> bool:
    """Whether this is an IPython kernel of Jupyter's."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython  # type: ignore[attr-defined,unused-ignore]

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
