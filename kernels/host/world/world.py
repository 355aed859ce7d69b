"""One run's world: hands every node its scripted collaborators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphon.nodes.http_request.config import build_http_request_config
from graphon.template_rendering import TemplateRenderError

from .code import LIMITS, ScriptedCode
from .errors import make_error
from .files import FileRuntime, Files, file_fields, file_json
from .hints import Hints, expected_outputs
from .http import ScriptedHttp
from .memory import History, Questions, Send
from .model import ScriptedModel
from .model_base import PlainSerializer
from .real import RealWorld
from .stubs import STUB_TYPES, StubPart, is_stub
from .templates import BoundedJinja
from .tool import ScriptedTool
from .turns import Turn, Turns
from .waiting import Waiter

Note = Callable[[str], None]


@dataclass(frozen=True)
class Context:
    """The node instance that is being made: graphon builds new ones for each round of a loop or iteration.

    Attributes:
        rounds: while the node runs: the round indexes (from 0) of the containers around it, outermost first;
            () at the root.
    """

    rounds: Callable[[], tuple[int, ...]] = tuple


@dataclass(frozen=True)
class FormAnswer:
    """A scripted submission of a human-input form; `expired` takes the `__timeout` branch instead."""

    action: str = ""
    fields: Mapping[str, Any] | None = None
    expired: bool = False


def prepare(
    script: Mapping[str, Any] | None,
    options: Mapping[str, Any] | None = None,
    *,
    app: Mapping[str, Any] | None = None,
    note: Note | None = None,
    ask: Send | None = None,
) -> World:
    """Make the world of one run or resume.

    Args:
        script: the `script` of the protocol, validated by the workbench.
        options: of the protocol (`real_code`, `real_http`, `model`).
        app: APP of the protocol; its selectors shape the outputs of tools, agents and triggers.
        note: called with a sentence for the user, from any thread.
        ask: sends an `ask` message; None, or no `memory` among the options, leaves nodes without memory.
    """
    return World(script or {}, options or {}, app or {}, note or (lambda text: None), ask)


class World:
    """Collaborators for every node of one run. Methods may be called from the engine's worker threads."""

    def __init__(
        self,
        script: Mapping[str, Any],
        options: Mapping[str, Any],
        app: Mapping[str, Any],
        note: Note,
        ask: Send | None = None,
    ) -> None:
        self._turns = Turns(script)
        self._waiter = Waiter()
        memory = options.get("memory")
        self._memory: Mapping[str, Any] | None = memory if isinstance(memory, Mapping) and ask else None
        self._questions = Questions(ask, self._waiter) if self._memory is not None and ask else None
        self._real = RealWorld(options, self._waiter, note)
        self._hints: Hints = expected_outputs(app, parses=bool(options.get("real_code")))
        self._files = Files()
        self._file_fields: dict[str, frozenset[str]] = {}
        self.file_runtime = FileRuntime(self._files)

    def abort(self) -> None:
        """End every wait of this run now; nodes that still run fail with "The run was stopped."."""
        self._waiter.abort()

    def answer(self, answer: Mapping[str, Any]) -> None:
        """The workbench's answer to a question of a node."""
        if self._questions is not None:
            self._questions.answer(answer)

    def form_answer(self, node_id: str, rounds: tuple[int, ...] = ()) -> FormAnswer | None:
        """What the script submits to a human-input node that runs now; None: nobody does, the run pauses."""
        turn = self._turns.next("human-input", node_id, rounds)
        if turn.entry.get("timeout"):
            return FormAnswer(expired=True)
        submit = turn.entry.get("submit")
        if not isinstance(submit, Mapping):
            return None
        fields = dict(submit.get("fields") or {})
        for name in self._file_fields.get(node_id, frozenset()) & fields.keys():
            given = fields[name]
            fields[name] = [file_json(f) for f in given] if isinstance(given, list) else file_json(given)
        return FormAnswer(action=str(submit.get("action", "")), fields=fields)

    def extras(self, node_type: str, node_id: str, data: Any, context: Context) -> dict[str, Any]:
        """Constructor arguments beside graphon's own (id, data, parameters, state) for a node of this type.

        {} for nodes that need nothing from outside, and for human-input, whose node the host makes
        (`form_answer`). For a type that `is_stub` tells, the node's class is `stub_class(node_type)`.
        """
        plain = data if isinstance(data, Mapping) else data.model_dump(mode="python")

        def next_turn() -> Turn:
            self._waiter.check()
            return self._turns.next(node_type, node_id, context.rounds())

        if node_type == "human-input":
            self._file_fields[node_id] = file_fields(plain)
        if node_type in ("llm", "question-classifier", "parameter-extractor"):
            return self._model_extras(node_type, node_id, plain, next_turn)
        wanted = self._hints.get(node_id, {})
        match node_type:
            case "template-transform":
                return {
                    "jinja2_template_renderer": BoundedJinja(
                        self._waiter, _failing_template(next_turn, self._waiter)
                    )
                }
            case "code":
                return {
                    "code_executor": ScriptedCode(plain, self._waiter, next_turn, wanted, self._real.code),
                    "code_limits": LIMITS,
                }
            case "http-request":
                return {
                    "http_request_config": build_http_request_config(),
                    "http_client": ScriptedHttp(node_id, plain, self._waiter, next_turn, self._real.http),
                    "tool_file_manager_factory": lambda: self._files,
                    "file_manager": self._files,
                    "file_reference_factory": self._files,
                }
            case "tool":
                return {
                    "tool_file_manager": self._files,
                    "runtime": ScriptedTool(node_id, plain, self._waiter, next_turn, self._files, wanted),
                }
        if not is_stub(node_type):
            return {}
        if node_type not in STUB_TYPES:
            self._real.note_once(f"The engine knows no node type {node_type!r}: it runs as a scripted stub.")
        return {"stub": StubPart(plain, self._waiter, next_turn, wanted)}

    def _model_extras(
        self, node_type: str, node_id: str, data: Mapping[str, Any], next_turn: Callable[[], Turn]
    ) -> dict[str, Any]:
        model = ScriptedModel(
            node_id,
            node_type,
            data,
            self._waiter,
            next_turn,
            self._hints.get(node_id, {}),
            self._real.model,
        )
        made: dict[str, Any] = {"model_instance": model, "prompt_message_serializer": PlainSerializer()}
        if self._questions is not None and self._memory is not None and data.get("memory"):
            model.remember(self._questions, self._memory.get("context"))
            made["memory"] = History(node_id, self._questions)
        if node_type == "llm":
            made["jinja2_template_renderer"] = BoundedJinja(self._waiter)
            made["default_query_selector"] = ("sys", "query")
        if node_type == "question-classifier":
            made["template_renderer"] = BoundedJinja(self._waiter)
        if node_type != "parameter-extractor":
            made["llm_file_saver"] = self._files
        return made


def _failing_template(next_turn: Callable[[], Turn], waiter: Waiter) -> Callable[[], None]:
    def fail() -> None:
        turn = next_turn()
        waiter.wait(turn.delay)
        if turn.failure is not None:
            raise make_error(TemplateRenderError, turn.failure, "TemplateRenderError")

    return fail
