"""How a list of messages is counted, by the rule of each of Dify's providers.

Every rule here is a sum: a fixed part and a cost a message. Pruning takes messages from the head only, so
what is left is counted without counting it again. Sources of the rules: dify-plugin-sdks
(`model/ai_model.py`, `openai_compatible/llm.py`) and dify-official-plugins
(`models/openai/models/llm/tokens.py`, Azure's `llm.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from workbench.core.tokens.encodings import ENCODINGS, count, for_model
from workbench.errors import UsageError

GPT2_LIMIT = 100_000
"""From this many characters on the plugin SDK returns the number of characters instead of counting."""

NAMES = ("dify-default", "gpt2", "openai-compatible", "openai", "azure", "chars")


@dataclass(frozen=True)
class Counter:
    """A rule that counts messages.

    Attributes:
        name: as the user chose it ("openai:gpt-4").
        rule: the rule in words.
        empty: what an empty list costs; part of every list.
        cost: (role, text, is the last of the list) -> its tokens.
        counts: False for Dify's default, which says 0 of everything.
    """

    name: str
    rule: str
    empty: int
    cost: Callable[[str, str, bool], int] = field(repr=False)
    counts: bool = True

    def total(self, messages: Iterable[tuple[str, str]]) -> int:
        """The tokens of a list of (role, text)."""
        given = list(messages)
        return self.empty + sum(
            self.cost(role, text, place == len(given)) for place, (role, text) in enumerate(given, start=1)
        )


def counter(name: str = "dify-default") -> Counter:
    """The counter that goes by a name: one of `NAMES`, a tiktoken encoding, or `openai:MODEL`, `azure:MODEL`.

    Raises:
        UsageError: there is none; lists those that there are.
    """
    rule, _, model = name.partition(":")
    if rule in _RULES and not model:
        return _RULES[rule](name)
    if rule in ("openai", "azure"):
        return (_openai if rule == "openai" else _azure)(name, model)
    if name in ENCODINGS:
        return Counter(
            name, f"{name} over the texts, nothing a message", 0, lambda role, text, last: count(name, text)
        )
    raise UsageError(
        f"There is no counter {name}.",
        f"There are {', '.join(NAMES)}; the encodings {', '.join(ENCODINGS)}; openai:MODEL and azure:MODEL.",
        "Choose one of them.",
    )


def sdk_gpt2(text: str) -> int:
    """Tokens by GPT-2 as the plugin SDK counts: from 100,000 characters on it returns their number."""
    return len(text) if len(text) >= GPT2_LIMIT else count("gpt2", text)


def _dify_default(name: str) -> Counter:
    rule = "Dify's default: PLUGIN_BASED_TOKEN_COUNTING_ENABLED is false, every count is 0, nothing is pruned"
    return Counter(name, rule, 0, lambda role, text, last: 0, counts=False)


def _gpt2(name: str) -> Counter:
    rule = "gpt2 over the texts; a text of 100,000 characters or more counts as its characters"
    return Counter(name, rule, 0, lambda role, text, last: sdk_gpt2(text))


def _openai_compatible(name: str) -> Counter:
    rule = "gpt2 over role and text, 3 a message, 3 a list"
    return Counter(name, rule, 3, lambda role, text, last: 3 + sdk_gpt2(role) + sdk_gpt2(text))


def _chars(name: str) -> Counter:
    return Counter(
        name, "characters divided by 4, rounded up", 0, lambda role, text, last: -(-len(text) // 4)
    )


def _openai(name: str, model: str = "") -> Counter:
    base = model.split(":", 2)[1] if model.startswith("ft:") else model
    encoding = for_model(base) or "o200k_base"

    def cost(role: str, text: str, last: bool) -> int:
        # The plugin joins role, name and text of all messages by line feeds. Role words begin with a letter,
        # and a letter never joins the line feed before it, so what belongs to one message is counted by
        # itself; the next role word is put behind it and taken off again: what follows decides how white
        # space is split.
        own = f"{role}\n\n{text}"
        if last:
            return 3 + count(encoding, own)
        return 3 + count(encoding, f"{own}\nuser") - count(encoding, "user")

    return Counter(
        name, f"{encoding} over role, name and text joined by lines, 3 a message, 3 a list", 3, cost
    )


def _azure(name: str, model: str = "") -> Counter:
    newer = model.startswith(("o1", "o3", "o4", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-4o")) or not model
    encoding = for_model("gpt-4o" if newer else model) or "cl100k_base"
    each = 4 if model.startswith("gpt-35-turbo-0301") or model == "gpt-3.5-turbo-0301" else 3

    def cost(role: str, text: str, last: bool) -> int:
        return each + count(encoding, role) + count(encoding, text)

    return Counter(name, f"{encoding} over role and text, {each} a message, 3 a list", 3, cost)


_RULES: dict[str, Callable[[str], Counter]] = {
    "dify-default": _dify_default,
    "gpt2": _gpt2,
    "openai-compatible": _openai_compatible,
    "openai": _openai,
    "azure": _azure,
    "chars": _chars,
}
