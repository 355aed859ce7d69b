"""The messages that a model gets: the node's own prompt, the history, the query, in the order of the engine.

Variables of the prompt other than the query are not known here and stay as they are written.
Source: graphon `nodes/llm/llm_utils.py`; facts, dify-memory.md, 4.3 and 4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.memory.nodes import MemoryNode
from workbench.core.memory.simulation import Message, Simulation

HISTORIES = "#histories#"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A message of the final list. `row` is None for the node's own ones."""

    role: str
    text: str
    row: str | None = None


def history_text(messages: Sequence[Message], prefixes: tuple[str, str]) -> str:
    """History where it goes into a prompt as text: one `prefix: text` a message.

    Message texts are not stripped (graphon `fetch_memory_text`); empty answers are there.
    """
    names = dict(zip(("user", "assistant"), prefixes, strict=True))
    lines = (f"{names[message.role]}: {'[image]' * message.files}{message.text}" for message in messages)
    return "\n".join(lines)


def final_list(result: Simulation, node: MemoryNode | None, query: str) -> tuple[Prompt, ...]:
    """What is sent: for a chat model with the node's prompt around the history, else the history alone.

    Args:
        node: None leaves the node's own messages out.
        query: the question of the running turn.
    """
    history = tuple(Prompt(message.role, message.text, message.row) for message in result.messages)
    if node is None or node.caller not in ("llm", "llm-completion"):
        return history
    if node.caller == "llm-completion":
        return (_completion(result, node, query),)
    own = tuple(Prompt(role, _rendered(text, query)) for role, text in node.prompt)
    asked = _rendered(node.query_template, query) if node.query_template else query
    asked_last = (Prompt("user", asked),) if asked else ()
    return (*(each for each in own if each.text), *history, *asked_last)


def _completion(result: Simulation, node: MemoryNode, query: str) -> Prompt:
    """One text: `#histories#` replaced inside its braces, which stay; the query's template, as it is written,
    at the very front.
    """
    text = "".join(_rendered(part, query) for _, part in node.prompt)
    history = history_text(result.messages, node.prefixes or result.settings.prefixes)
    text = text.replace(HISTORIES, history) if HISTORIES in text else f"{history}\n{text}"
    return Prompt("user", f"{node.query_template or query}\n{text}")


def _rendered(text: str, query: str) -> str:
    """A template with the query put in."""
    return text.replace("{{#sys.query#}}", query)
