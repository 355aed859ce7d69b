"""uv.lock is usable by everybody: it names the public index and its file host, and fits pyproject.toml."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = {
    "5a06749b2297be54ac5699f6f2761716adc5001a2d5f8b915ab2172922dd5706",
    "ecd9636e60d6eda7f33c9d42f265acc9af5f2bb64c1621695d8dda72527bedc8",
}
"""sha256 of the default index and of its file host: the mirror of a network gives other digests."""


def lock() -> list[dict]:
    return tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]


def test_the_lock_names_the_public_index_and_nothing_else() -> None:
    registries, hosts = set(), set()
    for package in lock():
        source = package["source"]
        if package["name"] == "answer-workbench":
            assert source == {"editable": "."}
            continue
        assert set(source) == {"registry"}, package["name"]
        registries.add(source["registry"])
        for file in [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]:
            url = urlsplit(file["url"])
            hosts.add(f"{url.scheme}://{url.netloc}")
            assert file["hash"].startswith("sha256:")
    digests = {hashlib.sha256(name.encode()).hexdigest() for name in registries | hosts}
    assert digests == PUBLIC, (registries, hosts)


def test_every_dependency_has_wheels() -> None:
    without = [
        package["name"] for package in lock() if "registry" in package["source"] and not package.get("wheels")
    ]
    assert without == []
