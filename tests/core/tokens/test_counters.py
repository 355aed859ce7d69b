"""The counters, against the plugins' rules written plainly over whole lists."""

from __future__ import annotations

import base64
import gzip
import hashlib
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.tokens import NAMES, counter
from workbench.core.tokens.encodings import ENCODINGS, count, load
from workbench.errors import UsageError

PIECES = [
    "\n",
    " ",
    "a",
    "user",
    "assistant",
    "é",
    "你好",
    "\t",
    "'s",
    "1",
    "\r\n",
    "  \n",
    "!",
    "<|endoftext|>",
    "🙂",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
MESSAGES = st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), TEXTS), max_size=5)


@pytest.mark.parametrize(
    ("encoding", "mixed", "json"),
    [("gpt2", 17, 10), ("r50k_base", 17, 10), ("cl100k_base", 12, 12), ("o200k_base", 9, 12)],
)
def test_the_figures_of_tiktoken(encoding: str, mixed: int, json: int) -> None:
    assert count(encoding, "The quick brown fox. 你好，世界") == mixed
    assert count(encoding, '{"a": [1, 2, 3]}') == json


def test_our_vocabulary_is_the_published_file() -> None:
    packed = resources.files("workbench.core.tokens").joinpath("data", "r50k_base.tiktoken.gz").read_bytes()
    digest = hashlib.sha256(gzip.decompress(packed)).hexdigest()
    assert digest == "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"


def test_p50k_is_gpt2_and_runs_of_spaces() -> None:
    from workbench.core.tokens.encodings import _ranks

    text = "".join(
        f"{base64.b64encode(token).decode()} {rank}\n"
        for token, rank in sorted(_ranks("p50k_base.tiktoken").items(), key=lambda item: item[1])
    )
    assert hashlib.sha256(text.encode()).hexdigest().startswith("94b5ca7d")


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_loads_without_network_and_gives_the_text_back(name: str) -> None:
    encoding = load(name)
    text = "Hello, 你好 \n\n  world 🙂 <|endoftext|>"
    assert encoding.decode(encoding.encode_ordinary(text)) == text


@pytest.mark.parametrize("model", ["", "gpt-4", "gpt2"])
@settings(max_examples=300, deadline=None)
@given(messages=MESSAGES)
def test_the_openai_plugin_counts_the_joined_text(model: str, messages: list[tuple[str, str]]) -> None:
    encoding = load({"": "o200k_base", "gpt-4": "cl100k_base", "gpt2": "gpt2"}[model])
    joined = "\n".join(part for role, text in messages for part in (role, "", text))
    plain = len(encoding.encode_ordinary(joined)) + 3 * len(messages) + 3
    assert counter(f"openai:{model}" if model else "openai").total(messages) == plain


@settings(max_examples=100, deadline=None)
@given(MESSAGES)
def test_the_openai_compatible_rule(messages: list[tuple[str, str]]) -> None:
    plain = 3 + sum(3 + count("gpt2", role) + count("gpt2", text) for role, text in messages)
    assert counter("openai-compatible").total(messages) == plain


def test_a_text_of_100_000_characters_counts_as_its_characters() -> None:
    rule = counter("gpt2")
    assert rule.total([("user", "a" * 100_000)]) == 100_000
    assert rule.total([("user", "a" * 99_999)]) < 30_000


def test_dify_counts_nothing_by_default() -> None:
    assert counter().total([("user", "hello " * 1000)]) == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_name_counts(name: str) -> None:
    assert counter(name).total([]) in (0, 3)


def test_an_unknown_counter_is_named_with_those_that_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        counter("gpt3")
    assert "o200k_base" in str(caught.value.cause)


def test_lone_surrogates_count() -> None:
    assert count("gpt2", "\ud800 x") > 0
