"""`make bench [ONLY=word]`: every `bench_*.py` beside this file."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from tests.bench.frame import CACHE, run_all

os.environ["WORKBENCH_HOME"] = str(CACHE)
for path in sorted(Path(__file__).parent.glob("bench_*.py")):
    try:
        importlib.import_module(f"tests.bench.{path.stem}")
    except Exception as error:  # a broken part must not keep the others from being measured
        print(f"{path.name} can't be loaded: {error}", file=sys.stderr)
sys.exit(run_all(sys.argv[1:]))
