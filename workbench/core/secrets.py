"""Secrets, masked on screens and in `--json`; `--unmask` leaves them.

Masked are: every environment variable where it stands by name (`env`), the values of those of type `secret`
wherever they turn up, values under keys that name a credential, and strings that have the form of a
well-known token. The store and exports in Dify's own format keep the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MASK = "••••••"
COPIED = "env."
"""How a start node names the environment variables among its own outputs."""

SHORTEST = 6
"""A secret shorter than this is masked by its place only: by its value it would tear unrelated text apart."""

_CREDENTIAL_KEY = re.compile(
    r"(^|[_-])(api[_-]?key|apikey|authorization|password|passwd|secret|secret[_-]?key|client[_-]?secret|private[_-]?key"
    r"|access[_-]?token|refresh[_-]?token|auth[_-]?token|bearer[_-]?token|form[_-]?token|session[_-]?token"
    r"|token|cookie|credentials?)$",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}"
    r"|\b(?:app|dataset)-[A-Za-z0-9]{20,}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}\b"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[0-9A-Za-z_-]{35}\b"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"
    r"|(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{12,}"
)
_SIGNS = (
    "sk-", "app-", "dataset-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xox", "AKIA", "AIza", "eyJ",
)  # fmt: skip
"""One of them, or `bearer`, is in every text that holds a token: ten times faster than looking for tokens."""


def _may_hold_token(text: str) -> bool:
    return any(sign in text for sign in _SIGNS) or "bearer" in text.lower()


@dataclass(frozen=True, slots=True)
class Mask:
    """What to mask in one result.

    Attributes:
        values: secret values, longest first.
    """

    values: tuple[str, ...] = ()

    def text(self, text: str) -> str:
        """`text` with secret values and tokens masked."""
        spans = self._spans(text)
        return _shown(text, 0, len(text), spans) if spans else text

    def data(self, value: Any) -> Any:
        """Plain JSON data with secrets masked, at any depth."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self._key(key): self._under(key, item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(item) for item in value]
        return value

    def variables(self, variables: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """A variable pool {node: {name: value}}: the environment masked by its place, the rest as `data`."""
        return {
            node: dict.fromkeys(values, MASK) if node == "env" else self.data(values)
            for node, values in variables.items()
        }

    def pieces(self, texts: Sequence[str]) -> list[str]:
        """Texts that follow each other in a stream, masked as one: a secret may be cut at any place. What is
        hidden of a piece is left out of it; the mask stands where the secret begins.
        """
        whole = "".join(texts)
        spans = self._spans(whole)
        if not spans:
            return list(texts)
        out, at = [], 0
        for text in texts:
            out.append(_shown(whole, at, at + len(text), spans))
            at += len(text)
        return out

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where `text` would be masked; overlapping places are one."""
        worth = len(text) >= SHORTEST and _may_hold_token(text)
        found = [m.span() for m in _TOKEN.finditer(text)] if worth else []
        for value in self.values:
            at = text.find(value)
            while at >= 0:
                found.append((at, at + len(value)))
                at = text.find(value, at + len(value))
        merged: list[tuple[int, int]] = []
        for start, end in sorted(found):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def _key(self, key: Any) -> Any:
        return self.text(key) if isinstance(key, str) else key

    def _under(self, key: Any, item: Any) -> Any:
        if isinstance(item, str) and item and names_credential(key):
            return MASK
        if isinstance(key, str) and key.startswith(COPIED):
            return MASK
        return self.data(item)


def names_credential(key: Any) -> bool:
    """Does a key name a password, a token or the like?"""
    return isinstance(key, str) and _CREDENTIAL_KEY.search(key) is not None


def _shown(whole: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> str:
    """What is left of `whole[start:end]`."""
    out, at = [], start
    for first, last in spans:
        if last <= at or first >= end:
            continue
        out.append(whole[at : max(first, at)])
        if first >= at:
            out.append(MASK)
        at = min(last, end)
    return "".join([*out, whole[at:end]])


class NoMask(Mask):
    """`--unmask`: everything stays."""

    __slots__ = ()

    def text(self, text: str) -> str:
        return text

    def data(self, value: Any) -> Any:
        return value

    def variables(self, variables: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {node: dict(values) for node, values in variables.items()}

    def pieces(self, texts: Sequence[str]) -> list[str]:
        return list(texts)


def mask_for(environment_variables: Iterable[Mapping[str, Any]], *, unmask: bool = False) -> Mask:
    """The mask of an app: `environment_variables` as the DSL has them ({"name", "value", "value_type"})."""
    if unmask:
        return NoMask()
    secrets = {
        str(each.get("value"))
        for each in environment_variables
        if each.get("value_type") == "secret" and len(str(each.get("value") or "")) >= SHORTEST
    }
    return Mask(tuple(sorted(secrets, key=len, reverse=True)))
