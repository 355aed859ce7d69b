"""graphon 0.5: child engines, human input by a form runtime; pause reasons carry the whole form."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from graphon.nodes.human_input.enums import HumanInputFormStatus

from ..files import as_file
from ..forms import TIMEOUT, Form
from ..values import plain
from .old import OldGeneration


class FormState:
    """graphon's HumanInputFormStateProtocol."""

    def __init__(self, form: Form) -> None:
        self.id = form.form_id
        self.rendered_content = form.content
        answer = form.answer
        self.status = HumanInputFormStatus.WAITING
        self.selected_action_id: str | None = None
        self.submitted_data: Mapping[str, Any] | None = None
        if answer is not None and answer.action == TIMEOUT:
            self.status = HumanInputFormStatus.TIMEOUT
        elif answer is not None:
            self.status = HumanInputFormStatus.SUBMITTED
            self.selected_action_id = answer.action
            self.submitted_data = {name: plain(value) for name, value in answer.fields.items()}
        self.submitted = self.status is HumanInputFormStatus.SUBMITTED
        # Forms time out when the resume says so, never by the clock.
        self.expiration_time = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=365)


class FormRuntime:
    """graphon's HumanInputNodeRuntimeProtocol: every form exists as soon as it is asked for."""

    def __init__(self, seat: Any) -> None:
        self._seat = seat

    def get_form(self, *, node_id: str) -> FormState:
        return FormState(self._seat.form())

    def create_form(self, *, node_id: str, **_settings: Any) -> FormState:
        return FormState(self._seat.form())


class FileReferences:
    """graphon's FileReferenceFactoryProtocol, for files that a form hands in."""

    def build_from_mapping(self, *, mapping: Mapping[str, Any]) -> Any:
        return as_file(mapping)


class Generation05(OldGeneration):
    name = "0.5"
    tells_forms = False

    def form_arguments(self, seat: Any) -> dict[str, Any]:
        return {"runtime": FormRuntime(seat), "file_reference_factory": FileReferences()}

    def saved_forms(self, state: Any) -> list[tuple[str, str]]:
        return [
            (reason.form_id, reason.node_id)
            for reason in self.pause_reasons(state)
            if hasattr(reason, "form_id")
        ]
