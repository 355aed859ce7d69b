"""Two apps played on the engine that loses the gate's state: the changed one streams what the other owes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.core.graph_of import graph_of
from workbench.errors import WorkbenchError
from workbench.records.app import App
from workbench.records.inputs import fill_inputs, system_variables
from workbench.verbs.context import Context
from workbench.verbs.heal import GATELESS_KERNEL

if TYPE_CHECKING:
    from workbench.engine.client import Client

MOST_PAUSES = 8
MOST_BUTTONS = 4
SECONDS = 20


@dataclass(frozen=True)
class Proof:
    """What runs of both apps showed.

    Attributes:
        runs: runs of each app, one for each button of a changed form.
        resumes: resumes without the gate's state, after a changed form, that were compared.
        same_text: with the gate kept, both apps stream the same.
        all_shown: after each of those resumes the chat has all the text, once.
        harmed: resumes of the app as it was, after which it has not.
        problem: why it could not be played, else None.
    """

    kernel: str
    runs: int = 0
    resumes: int = 0
    same_text: bool = True
    all_shown: bool = True
    harmed: int = 0
    problem: str | None = None

    @property
    def holds(self) -> bool:
        return self.problem is None and self.same_text and self.all_shown


def prove(ctx: Context, before: App, after: App, forms: Sequence[str], script: Mapping[str, Any]) -> Proof:
    """Play both apps once for each button of the changed forms; every other form gets its first button."""
    from workbench.engine.client import Client
    from workbench.engine.kernels import ensure

    kernel = GATELESS_KERNEL
    proof = Proof(kernel)
    try:
        with Client(ensure(kernel, ctx.home, lambda _: None)) as client:
            for form, button in _buttons(before, forms):
                was = _Play(client, before, before, script, {form: button})
                now = _Play(client, after, before, script, {form: button})
                proof = _judged(proof, was, now, forms)
    except WorkbenchError as error:
        return Proof(kernel, problem=" ".join(part for part in (error.title, error.cause) if part))
    return proof


def _buttons(app: App, forms: Sequence[str]) -> list[tuple[str, str]]:
    nodes = graph_of(app.graph, app.root).nodes
    found = []
    for form in forms:
        actions = nodes[form].data.get("user_actions") or ()
        ids = [str(action["id"]) for action in actions if isinstance(action, Mapping) and "id" in action]
        found += [(form, button) for button in ids[:MOST_BUTTONS]]
    return found


def _judged(proof: Proof, was: _Play, now: _Play, forms: Sequence[str]) -> Proof:
    mine = [place for place, form in enumerate(now.forms) if form in forms]
    return Proof(
        kernel=proof.kernel,
        runs=proof.runs + 1,
        resumes=proof.resumes + len(mine),
        same_text=proof.same_text and was.kept == now.kept and was.forms == now.forms,
        all_shown=proof.all_shown and all(now.shown(place) == now.kept for place in mine),
        harmed=proof.harmed
        + sum(was.shown(place) != was.kept for place, form in enumerate(was.forms) if form in forms),
    )


@dataclass
class _Play:
    """One run; each of its pauses is also resumed once with a fresh gate, to the end.

    Attributes:
        facts: the app whose ids are the system variables, the same for both.
        kept: the streamed text with every gate kept.
    """

    client: Client
    app: App
    facts: App
    script: Mapping[str, Any]
    press: Mapping[str, str]
    kept: str = ""
    forms: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        system = system_variables(self.facts, query="Hello", run_id="check", timestamp=0)
        text, end = self._command({"cmd": "run", "inputs": fill_inputs(self.app, {}), "system": system})
        self.kept = text
        while (pause := end.get("pause")) is not None and len(self.forms) < MOST_PAUSES:
            self.forms.append(pause["reasons"][0]["node_id"])
            self.before.append(self.kept)
            self.fresh.append(self._without_gate(pause))
            text, end = self._resume(pause, "restored")
            self.kept += text

    def shown(self, place: int) -> str:
        """All that a chat user has seen in the end when the gate was lost at this pause."""
        return self.before[place] + self.fresh[place]

    def _without_gate(self, pause: Mapping[str, Any]) -> str:
        text, end = self._resume(pause, "fresh")
        for _ in range(MOST_PAUSES):
            if end.get("pause") is None:
                break
            more, end = self._resume(end["pause"], "restored")
            text += more
        return text

    def _resume(self, pause: Mapping[str, Any], gate: str) -> tuple[str, Mapping[str, Any]]:
        reason = pause["reasons"][0]
        node = reason["node_id"]
        actions = [each["id"] for each in reason.get("actions") or ()]
        form: dict[str, Any] = {
            node: {"action": self.press.get(node, actions[0] if actions else ""), "fields": {}}
        }
        state = pause["gate"] if gate == "restored" else None
        return self._command(
            {"cmd": "resume", "state": pause["state"], "forms": form, "gate": {"mode": gate, "state": state}}
        )

    def _command(self, order: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        more = {"app": self.app.payload(), "script": self.script, "options": {}}
        self.client.send({"run_id": "check", "limits": {"max_seconds": SECONDS}, **more, **order})
        text = ""
        for message in self.client.messages():
            if message["msg"] == "stream":
                text += "".join(chunk[2] for chunk in message.get("chunks") or ())
            elif message["msg"] == "error":
                raise WorkbenchError(message["title"], message.get("cause") or "")
            elif message["msg"] == "end":
                if message["status"] in ("failed", "stopped"):
                    raise WorkbenchError(
                        "The run failed on made-up answers.", str(message.get("error") or "")
                    )
                return text, message
        raise WorkbenchError("The engine kernel ended.")
