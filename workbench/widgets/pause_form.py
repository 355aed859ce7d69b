"""The form of a pause: what waits, what can be submitted, and the run that goes on from it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any, cast

import traitlets

from workbench.errors import UsageError
from workbench.verbs.kernels import from_here_up
from workbench.verbs.pauses import PauseSource
from workbench.verbs.resume import GATES
from workbench.views.forms import form_text
from workbench.views.safe import safe_line
from workbench.views.shapes import reason_json
from workbench.widgets import still
from workbench.widgets.frames import short
from workbench.widgets.given import PauseLike
from workbench.widgets.wire import Asked, answers, told

LONGEST = 20_000
"""Characters of a form's text."""


class PauseForm(Asked):
    """A form to resume a pause.

    Attributes:
        status: "waits", "running", or what came out: "done" or "failed".
        run_id: the run that went on; "" before.
        resumed: the same as a `Run`; None before.
    """

    status = traitlets.Unicode("waits", read_only=True).tag(sync=True)
    run_id = traitlets.Unicode("", read_only=True).tag(sync=True)
    _title = traitlets.Unicode("").tag(sync=True)
    _data = traitlets.Dict().tag(sync=True)

    def __init__(self, pause: PauseLike) -> None:
        self._pause = cast(Any, pause)
        self.resumed: Any = None
        self._source: PauseSource = self._pause.source
        name = safe_line(self.hidden(self._source.app.name))
        super().__init__(
            _view="form",
            _title=f"{name}, paused at step {self._source.step}",
            _data={
                "reasons": [_reason(reason_json(each, self._pause.mask)) for each in self._source.reasons],
                "gates": list(GATES),
                "gate_saved": self._source.gate is not None,
                "why_no_gate": self._source.why_no_gate or "",
                "kernels": list(from_here_up(self._source.kernel)),
                "kernel": self._source.kernel,
                "consumed": self._source.consumed,
            },
        )

    def hidden(self, text: str) -> str:
        return str(self._pause.mask.text(text))

    @answers("resume")
    def resume(
        self,
        action: str | None = None,
        node: str | None = None,
        fields: Mapping[str, Any] | None = None,
        gate: str | None = None,
        kernel: str | None = None,
        fork: bool = False,
    ) -> bool:
        """Go on, without waiting for the end: `status` tells it. Arguments as `Workbench.resume`."""
        if self.status == "running":
            raise UsageError("It is being resumed already.", "", "Wait for its end.")
        playing = self._pause.bench.start_resume(
            self._pause,
            action=action or None,
            node=node or None,
            fields=dict(fields or {}),
            gate=gate or None,
            kernel=kernel or None,
            fork=fork,
        )
        self.set_trait("status", "running")
        hand_over = _hand_over()
        threading.Thread(target=self._wait, args=(playing, hand_over), daemon=True).start()
        return True

    def _wait(self, playing: Any, hand_over: Callable[..., object]) -> None:
        try:
            run = playing.result(False)
        except BaseException as error:
            hand_over(self._failed, error)
        else:
            hand_over(self._done, run)

    def _failed(self, error: BaseException) -> None:
        self.tell("failed", error=told(error, self.hidden))
        self.set_trait("status", "failed")

    def _done(self, run: Any) -> None:
        self.resumed = run
        self.set_trait("run_id", run.id)
        self.tell(
            "done",
            status=run.status,
            steps=run.loaded.timeline.steps,
            streamed=short(run.segment_streamed, LONGEST),
            error=run.error or run.stream_error or "",
            notes=[self.hidden(note) for note in run.notes],
            waits=len(run.pause.reasons) if run.status == "paused" and run.pause is not None else 0,
        )
        self.set_trait("status", "done")

    def still(self) -> str:
        rows = [
            (
                each["title"],
                each["content"],
                "\n".join(f"{a['id']}: {a['title']}" for a in each["actions"]),
                "\n".join(f"{f['name']} ({f['type']})" for f in each["fields"]),
            )
            for each in self._data["reasons"]
        ]
        return still.card(self._title, still.table(("form", "text", "actions", "fields"), rows))

    def words(self) -> str:
        lines = [f"  {each['title']}: {each['content']}" for each in self._data["reasons"]]
        return "\n".join([self._title, *lines])


def _reason(reason: Mapping[str, Any]) -> dict[str, Any]:
    """What the front end needs of a reason."""
    title = reason.get("node_title") or reason.get("node_id") or ""
    form = reason.get("type") == "human_input_required"
    return {
        "node": reason.get("node_id") or "",
        "title": safe_line(str(title)),
        "form": form,
        "content": short(form_text(reason.get("content") or reason.get("message")), LONGEST),
        "actions": [{"id": str(a["id"]), "title": str(a["title"] or a["id"])} for a in reason["actions"]],
        "fields": [
            {
                "name": str(f["name"]),
                "type": str(f["type"]),
                "default": f["default"],
                "options": [str(each) for each in f.get("options") or ()],
            }
            for f in reason["fields"]
        ],
    }


def _hand_over() -> Callable[..., object]:
    """A way back into the event loop that runs here, else a plain call."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return lambda action, *given: action(*given)
    return lambda action, *given: loop.call_soon_threadsafe(action, *given)
