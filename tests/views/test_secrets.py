"""What is masked on screens and in JSON, and what is not."""

from __future__ import annotations

import pytest

from workbench.views.secrets import MASK, mask_for

ENVIRONMENT = [
    {"name": "API_KEY", "value": "s3cr3t-value-of-mine", "value_type": "secret"},
    {"name": "SHORT", "value": "abc", "value_type": "secret"},
    {"name": "STAGE", "value": "production", "value_type": "string"},
]
SK = "sk-" + "a1B2" * 8
TOKENS = [
    SK,
    "app-" + "Ab1" * 8,
    "ghp_" + "a" * 36,
    "AKIA" + "ABCDEFGH12345678",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghij",
    "Bearer abcdefghijklmnop",
]


def test_environment_variables_are_masked_by_their_place() -> None:
    shown = mask_for(ENVIRONMENT).variables(
        {"env": {"STAGE": "production"}, "llm": {"text": "in production"}}
    )
    assert shown == {"env": {"STAGE": MASK}, "llm": {"text": "in production"}}


def test_a_secret_is_masked_wherever_it_turns_up() -> None:
    mask = mask_for(ENVIRONMENT)
    assert mask.text("url?key=s3cr3t-value-of-mine&x=abc") == f"url?key={MASK}&x=abc"
    assert mask.data({"a": ["s3cr3t-value-of-mine"], "s3cr3t-value-of-mine": 1}) == {"a": [MASK], MASK: 1}


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_are_masked_by_their_form(token: str) -> None:
    assert mask_for(()).text(f"x {token} y") == f"x {MASK} y"


@pytest.mark.parametrize(
    "key",
    ["api_key", "X-Api-Key", "Authorization", "password", "client_secret", "access_token", "form_token"],
)
def test_values_under_names_of_credentials_are_masked(key: str) -> None:
    assert mask_for(()).data({key: "whatever"}) == {key: MASK}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("total_tokens", 12),
        ("max_tokens", "100"),
        ("token", 5),
        ("tokenizer", "gpt2"),
        ("keys", "a"),
        ("secret", ""),
    ],
)
def test_ordinary_values_stay(key: str, value: object) -> None:
    assert mask_for(()).data({key: value}) == {key: value}


def test_ordinary_words_are_not_tokens() -> None:
    for text in ("task-list", "sk-learn", "app-store", "the bearer of news", "eyJ", "a.b.c"):
        assert mask_for(()).text(text) == text


def test_unmask_shows_everything() -> None:
    mask = mask_for(ENVIRONMENT, unmask=True)
    assert mask.text(SK) == SK
    assert mask.data({"password": "p"}) == {"password": "p"}
    assert mask.variables({"env": {"API_KEY": "v"}}) == {"env": {"API_KEY": "v"}}


def test_the_copies_that_a_start_node_has_are_masked_like_the_environment() -> None:
    mask = mask_for(ENVIRONMENT)
    assert mask.data({"env.STAGE": "production", "env.MOST": 7}) == {"env.STAGE": MASK, "env.MOST": MASK}
    assert mask.variables({"start": {"env.STAGE": "production"}}) == {"start": {"env.STAGE": MASK}}


def test_a_secret_is_masked_across_the_pieces_of_a_stream() -> None:
    mask = mask_for(ENVIRONMENT)
    pieces = mask.pieces(["key s3cr", "3t-value", "-of-mine!", " ok"])
    assert pieces == [f"key {MASK}", "", "!", " ok"]
    assert "".join(pieces) == mask.text("key s3cr3t-value-of-mine! ok")
    assert mask.pieces(["a", "b"]) == ["a", "b"]
