"""`make bench [ONLY=word]`: every `bench_*.py` beside this file."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from tests.bench.frame import CACHE, run_all

os.environ["WORKBENCH_HOME"] = str(CACHE)
for path in sorted(Path(__file__).parent.glob("bench_*.py")):
    importlib.import_module(f"tests.bench.{path.stem}")
sys.exit(run_all(sys.argv[1:]))
