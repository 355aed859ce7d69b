"""Human input from graphon 0.6 on: the node asks a callback what became of its form."""

from __future__ import annotations

from typing import Any

from graphon.nodes.human_input.entities import Completed, Expired, PauseRequested

from ..forms import TIMEOUT


def callback_arguments(seat: Any) -> dict[str, Any]:
    """`seat` is the node instance's place in the run (nodes.Seat)."""

    def decide(_context: Any) -> Completed | Expired | PauseRequested:
        form = seat.form()
        if form.answer is None:
            return PauseRequested(session_id=form.form_id)
        if form.answer.action == TIMEOUT:
            return Expired(selected_handle=TIMEOUT, outputs=form.answer.outputs)
        return Completed(
            selected_handle=form.answer.action, inputs=form.answer.fields, outputs=form.answer.outputs
        )

    return {"hitl_callback": decide}
