"""A kernels' source folder of our own: "graphon" is a tiny wheel, so that a build takes 0.2 s."""

from __future__ import annotations

import zipfile
from pathlib import Path

VERSION = "0.8.0"
INFO = f"graphon-{VERSION}.dist-info"
FILES = {
    "graphon/__init__.py": "",
    "graphon/dsl/__init__.py": "",
    "graphon/dsl/node_factory.py": "",
    f"{INFO}/METADATA": f"Metadata-Version: 2.1\nName: graphon\nVersion: {VERSION}\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}


def make_sources(folder: Path, node_factory: str = "") -> Path:
    """Make `kernels/` with a host folder and pins for all names, `wheels/` beside it; the kernels folder."""
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    files = FILES | {"graphon/dsl/node_factory.py": node_factory}
    record = "".join(f"{name},,\n" for name in [*files, f"{INFO}/RECORD"])
    with zipfile.ZipFile(wheels / f"graphon-{VERSION}-py3-none-any.whl", "w") as wheel:
        for name, text in {**files, f"{INFO}/RECORD": record}.items():
            wheel.writestr(name, text)
    kernels = folder / "kernels"
    (kernels / "host").mkdir(parents=True)
    for name in ("graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5"):
        (kernels / name).mkdir()
        (kernels / name / "requirements.txt").write_text(f"# pins\ngraphon=={VERSION}\n")
    return kernels
