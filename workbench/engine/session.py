"""One order on one engine kernel, from the child's start to its end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workbench.engine.build import build
from workbench.engine.client import Client, KernelDiedError, KernelStartError, Message
from workbench.engine.control import Control
from workbench.engine.kernels import Report, check, ensure, folder_of, is_built, kernel_at
from workbench.engine.order import Answers, Ended, Order, PauseSaved, Sink
from workbench.errors import KernelError

MAX_SECONDS = 120
"""The host's own time limit when an order names none."""
GRACE_SECONDS = 30
"""How much longer than its time limit a kernel may take before it counts as hung and is killed."""


NEEDED = {
    "event": ("n", "at", "event"),
    "stream": ("n",),
    "graph": ("root", "nodes", "edges"),
    "pool": ("variables",),
    "note": ("text",),
    "end": ("status",),
    "ask": ("ask", "what"),
}
"""The keys without which a message means nothing."""


class RefusedError(KernelError):
    """The kernel did not carry out a command: the app, the script or the state is not what graphon takes.

    Attributes:
        node_id: the node it is about, or None.
        internal: the kernel itself failed, not what it was given.
    """

    def __init__(self, message: Message) -> None:
        super().__init__(
            message.get("title") or "The engine kernel refused the command.",
            message.get("cause") or "",
            message.get("next_step") or "",
        )
        self.node_id: str | None = message.get("node_id")
        self.internal = message.get("internal") is True


def start_early(name: str, home: Path, options: Mapping[str, Any] | None = None) -> Client | None:
    """Start a kernel's child now, for an `execute` that follows soon: it imports graphon meanwhile.

    None when the kernel is not built or does not start; `execute` sees to that then. Close what is not used.
    """
    folder = folder_of(name, home)
    try:
        return Client(kernel_at(name, folder), options) if is_built(folder) else None
    except KernelError:
        return None


def execute(
    order: Order, sink: Sink, home: Path, control: Control | None = None, *, started: Client | None = None
) -> Ended:
    """Carry out an order; blocks until it has ended. The kernel is built first when it is missing.

    Args:
        started: from `start_early` with the order's kernel and options; it is closed here.

    Raises:
        RefusedError: the kernel refused the order.
        KernelError: the kernel can't be built or started, died, or broke the protocol.
        Exception: whatever the sink raises; the kernel is stopped then.
    """
    brake = control or Control()

    def report(line: str) -> None:
        sink.note(line)
        if brake.aborted is not None:
            raise _AbortedEarlyError

    def work(client: Client) -> Ended:
        return _run(order, sink, client, brake)

    try:
        return on_kernel(order.kernel, home, report, order.options, work, started)
    except _AbortedEarlyError:
        return _stopped(brake.aborted or "")
    except KernelDiedError:
        if brake.aborted is None:
            raise
        return _stopped(f"{brake.aborted} The engine kernel had to be killed.")


def describe(kernel: str, payload: Mapping[str, Any], home: Path, report: Report = lambda _: None) -> Message:
    """The `graph` message for an app: what this graphon says about its nodes and edges. Runs nothing.

    Raises:
        RefusedError: graphon does not load the app.
        KernelError: as `execute`.
    """
    return on_kernel(kernel, home, report, {}, lambda client: _described(payload, client))


def on_kernel[Result](
    name: str,
    home: Path,
    report: Report,
    options: Mapping[str, Any],
    work: Callable[[Client], Result],
    started: Client | None = None,
) -> Result:
    """Do `work` on a started kernel. A damaged kernel shows by failing; it is built again, once.

    Args:
        work: may be called twice when its first answer is an internal error.
    """
    kernel = started.kernel if started is not None else ensure(name, home, report)
    try:
        with started or Client(kernel, options) as client:
            return work(client)
    except (KernelStartError, RefusedError) as error:
        if isinstance(error, RefusedError) and not error.internal:
            raise
        fault = check(name, kernel.folder)
        if fault is None:
            raise
    report(f"{name}: the build is damaged ({fault})")
    with Client(build(name, home, report, replace=True), options) as client:
        return work(client)


def _run(order: Order, sink: Sink, client: Client, control: Control) -> Ended:
    limit = float(order.limits.get("max_seconds", MAX_SECONDS)) + GRACE_SECONDS
    hung = threading.Timer(limit, client.kill, [f"it went on {GRACE_SECONDS} seconds beyond its time limit"])
    hung.daemon = True
    hung.start()
    try:
        client.send(order.command())
        with control.attached(client):
            return pump(client, sink, order.answers)
    finally:
        hung.cancel()


def _described(payload: Mapping[str, Any], client: Client) -> Message:
    found: Message = {}
    client.send({"cmd": "describe", "app": payload})
    for message in client.messages():
        match message["msg"]:
            case "graph":
                found = message
            case "done":
                return found
            case "error":
                raise RefusedError(message)
    raise AssertionError("messages() has no end")


class _AbortedEarlyError(Exception):
    """The user stopped the order while its kernel was being built."""


def pump(client: Client, sink: Sink, answers: Answers | None = None) -> Ended:
    """Hand every message to the sink until `end`, and answer what nodes ask.

    Unknown messages are passed over, as the protocol says.
    """
    handlers: dict[str, Callable[[Message], None]] = {
        "event": lambda m: sink.event(m["n"], m["at"], m["event"]),
        "stream": lambda m: sink.stream(m["n"], m.get("chunks") or (), m.get("error")),
        "graph": sink.graph,
        "pool": lambda m: sink.pool(m["variables"]),
        "note": lambda m: sink.note(m["text"]),
        "ask": lambda m: _answer(client, m, answers),
    }
    for message in client.messages():
        kind = message["msg"]
        for key in NEEDED.get(kind, ()):
            if key not in message:
                raise client.broken(f"sent {kind!r} without {key!r}")
        handler = handlers.get(kind)
        if handler is not None:
            handler(message)
        elif kind == "end":
            return _ended(message)
        elif kind == "error":
            raise RefusedError(message)
    raise AssertionError("messages() has no end")


def _answer(client: Client, question: Message, answers: Answers | None) -> None:
    try:
        answer = {} if answers is None else answers(question)
    except Exception as error:
        answer = {"error": str(error) or type(error).__name__}
    client.send({"cmd": "answer", "ask": question["ask"], **answer})


def _ended(message: Message) -> Ended:
    saved = message.get("pause")
    pause = (
        PauseSaved(saved["state"], saved.get("gate"), tuple(saved.get("reasons") or ())) if saved else None
    )
    return Ended(
        message["status"],
        message.get("outputs") or {},
        message.get("error"),
        message.get("exceptions_count") or 0,
        message.get("node_run_steps") or 0,
        message.get("total_tokens") or 0,
        pause,
    )


def _stopped(reason: str) -> Ended:
    return Ended("stopped", {}, reason, 0, 0, 0, None)
