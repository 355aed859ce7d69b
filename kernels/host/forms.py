"""Human-input forms of one run: their ids, what they ask, and what was answered.

A form belongs to one execution of a human-input node, so inside a loop each round has its own. Its id is
made from the run, the node and the rounds around it: a form that still waits after a resume keeps it, a
fork has forms of its own. Outputs and the `__timeout` handle are Dify's (graphon 0.5 human_input_node.py;
the callback API leaves them to the embedding program).
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphon.variables.factory import build_segment, build_segment_with_type
from graphon.variables.segments import Segment
from graphon.variables.types import SegmentType

from .errors import HostError
from .files import with_files
from .values import plain

TIMEOUT = "__timeout"
_NAMESPACE = uuid.UUID("2f0f4c1e-6a0b-5c53-9c0e-6d3c7d0b8a11")


@dataclass(frozen=True)
class Answer:
    """`fields` and `outputs` are segments: what the node hands on as inputs and outputs."""

    action: str
    action_text: str
    fields: Mapping[str, Segment]
    outputs: Mapping[str, Segment]
    content: str


@dataclass(frozen=True)
class Form:
    form_id: str
    content: str
    answer: Answer | None


@dataclass(frozen=True)
class Question:
    """The form part of a human-input node's data."""

    node_id: str
    title: str
    template: str
    inputs: tuple[Mapping[str, Any], ...]
    actions: tuple[Mapping[str, Any], ...]
    timeout: Any
    timeout_unit: str

    @classmethod
    def read(cls, node_id: str, data: Mapping[str, Any]) -> Question:
        return cls(
            node_id=node_id,
            title=str(data.get("title") or node_id),
            template=str(data.get("form_content") or ""),
            inputs=tuple(entry for entry in data.get("inputs") or () if isinstance(entry, Mapping)),
            actions=tuple(entry for entry in data.get("user_actions") or () if isinstance(entry, Mapping)),
            timeout=data.get("timeout", 36),
            timeout_unit=str(data.get("timeout_unit") or "hour"),
        )

    def action_ids(self) -> list[str]:
        return [str(action.get("id")) for action in self.actions]

    def field_names(self) -> list[str]:
        return [str(entry.get("output_variable_name")) for entry in self.inputs]


class Forms:
    """All forms of one run.

    Args:
        run_id: the run as it is called now. origin: the run id in the restored state; it differs in a fork.
            saved: (form id, node id) that the restored state waits for. answers: node id or form id ->
            {"action", "fields"}; one by node id serves the first form of that node.
        questions: node id -> its form.
        scripted: the script's answer to a node in these rounds, or None.
    """

    def __init__(
        self,
        run_id: str,
        origin: str,
        saved: list[tuple[str, str]],
        answers: Mapping[str, Any],
        questions: Mapping[str, Question],
        scripted: Callable[[str, tuple[int, ...], Any], Mapping[str, Any] | None],
    ) -> None:
        self._lock = threading.Lock()
        self._run_id = run_id
        self._origin = origin
        self._saved = saved
        self._questions = questions
        self._scripted = scripted
        self._reasons: dict[str, dict[str, Any]] = {}
        self._answers = self._by_form(answers)

    def _by_form(self, answers: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
        found: dict[str, Mapping[str, Any]] = {}
        for key, given in answers.items():
            waiting = [form_id for form_id, node_id in self._saved if key in (form_id, node_id)]
            node_id = next((node for form, node in self._saved if key in (form, node)), key)
            question = self._questions.get(node_id)
            if question is None:
                waits = ", ".join(sorted({node for _, node in self._saved})) or "none"
                raise HostError(
                    f"No form is called {key!r}",
                    f"The run waits for the forms of: {waits}.",
                    "Answer one of these nodes, by its id or by the form's id.",
                )
            _check(question, given)
            found[waiting[0] if waiting else key] = given
        return found

    def form(
        self, node_id: str, rounds: tuple[int, ...], pool: Any, render: Callable[[Any, str], str]
    ) -> Form:
        """The form of a node that runs now, answered or not."""
        question = self._questions[node_id]
        with self._lock:
            form_id, aliases = self._identity(node_id, rounds)
            given = next((self._answers.pop(name) for name in aliases if name in self._answers), None)
        if given is None:
            given = self._scripted(node_id, rounds, pool)
            if given is not None:
                _check(question, given)
        content = render(pool, question.template)
        self._reasons[form_id] = self._reason(question, form_id, content, pool)
        return Form(form_id, content, None if given is None else _answer(question, given, content, pool))

    def _identity(self, node_id: str, rounds: tuple[int, ...]) -> tuple[str, list[str]]:
        """The form's id, and all names that an answer to it may go by."""
        now, before = (_form_id(run, node_id, rounds) for run in (self._run_id, self._origin))
        saved = [form_id for form_id, node in self._saved if node == node_id]
        known = before if before in saved else (saved[0] if saved else None)
        if known is not None:
            self._saved = [entry for entry in self._saved if entry[0] != known]
        keep = known is not None and self._run_id == self._origin
        names = [now, *([known] if known is not None else [])]
        if known is None and not saved:
            names.append(node_id)
        return (known if keep and known is not None else now), names

    def reason(self, reason: Any) -> dict[str, Any]:
        """REASON of the protocol for one of graphon's pause reasons about a form."""
        form_id = getattr(reason, "session_id", None) or getattr(reason, "form_id", "")
        known = self._reasons.get(form_id)
        if known is not None:
            return known
        return {
            "type": "human_input_required",
            "node_id": reason.node_id,
            "node_title": reason.node_title,
            "form_id": form_id,
        }

    def _reason(self, question: Question, form_id: str, content: str, pool: Any) -> dict[str, Any]:
        return {
            "type": "human_input_required",
            "node_id": question.node_id,
            "node_title": question.title,
            "form_id": form_id,
            "content": content,
            "actions": [
                {
                    "id": str(action.get("id")),
                    "title": str(action.get("title") or action.get("id")),
                    "style": str(action.get("button_style") or "default"),
                }
                for action in question.actions
            ],
            "fields": [_field(entry, pool) for entry in question.inputs],
            "timeout": {"value": question.timeout, "unit": question.timeout_unit},
        }


def _form_id(run_id: str, node_id: str, rounds: tuple[int, ...]) -> str:
    return str(uuid.uuid5(_NAMESPACE, "/".join([run_id, node_id, *map(str, rounds)])))


def _source(source: Any, pool: Any) -> Any:
    """A default or option list: a constant, or what the variable holds now."""
    if not isinstance(source, Mapping):
        return source
    if source.get("type") == "variable":
        segment = pool.get(source.get("selector") or ())
        return None if segment is None else plain(segment)
    return source.get("value")


def _field(entry: Mapping[str, Any], pool: Any) -> dict[str, Any]:
    field = {
        "name": str(entry.get("output_variable_name")),
        "type": str(entry.get("type") or "paragraph"),
        "default": _source(entry.get("default"), pool),
    }
    if field["type"] == "select":
        options = _source(entry.get("option_source"), pool)
        field["options"] = [str(option) for option in options] if isinstance(options, list) else []
    return field


def _check(question: Question, given: Any) -> None:
    """Raises HostError with the valid names."""
    action = given.get("action") if isinstance(given, Mapping) else None
    actions = question.action_ids()
    if action != TIMEOUT and action not in actions:
        raise HostError(
            f"{question.title} has no action {action!r}",
            f"Its actions are: {', '.join([*actions, TIMEOUT])}.",
            "Answer the form with one of them.",
            question.node_id,
        )
    fields = given.get("fields") or {}
    names = question.field_names()
    unknown = (
        [str(name) for name in fields if name not in names] if isinstance(fields, Mapping) else ["fields"]
    )
    if unknown:
        raise HostError(
            f"{question.title} has no field {unknown[0]!r}",
            f"Its fields are: {', '.join(names) or 'none'}.",
            "Fill in these only.",
            question.node_id,
        )


def _answer(question: Question, given: Mapping[str, Any], content: str, pool: Any) -> Answer:
    action = str(given["action"])
    if action == TIMEOUT:
        return Answer(TIMEOUT, "", {}, _special("", "", content), content)
    submitted = given.get("fields") or {}
    fields: dict[str, Segment] = {}
    shown = content
    for entry in question.inputs:
        field = _field(entry, pool)
        name, kind = field["name"], field["type"]
        value = submitted[name] if name in submitted else _missing(kind, field["default"])
        segment = _segment(kind, with_files(value))
        fields[name] = segment
        shown = shown.replace("{{#$output." + name + "#}}", _shown(kind, value))
    text = next(
        str(entry.get("title") or action) for entry in question.actions if str(entry.get("id")) == action
    )
    return Answer(action, text, fields, {**fields, **_special(action, text, shown)}, shown)


def _special(action: str, text: str, content: str) -> dict[str, Segment]:
    values = {"__action_id": action, "__action_value": text, "__rendered_content": content}
    return {name: build_segment(value) for name, value in values.items()}


def _missing(kind: str, default: Any) -> Any:
    if kind == "file-list":
        return []
    return default if default is not None or kind == "file" else ""


def _segment(kind: str, value: Any) -> Segment:
    if kind == "file-list":
        return build_segment_with_type(SegmentType.ARRAY_FILE, value if isinstance(value, list) else [value])
    if kind == "file" or isinstance(value, str):
        return build_segment(value)
    return build_segment("" if value is None else str(value))


def _shown(kind: str, value: Any) -> str:
    """How a submitted value stands in the rendered form (graphon 0.5: files by a placeholder)."""
    if value is None:
        return ""
    if kind == "file":
        return "[file]"
    if kind == "file-list":
        count = len(value) if isinstance(value, list) else 1
        return f"[{count} files]"
    return str(value)
