"""Runs inside an engine kernel: does the real graphon load this state, and this gate, for this app?

Cases are JSON lines on standard input (`{"app", "state", "gate"}`), answers `{"error": text or null}`. The
host's own loading is used up to the point where a resume would start.
"""

from __future__ import annotations

import json
import sys
import traceback


def main(kernels: str) -> None:
    sys.path.insert(0, kernels)
    out = sys.stdout
    sys.stdout = sys.stderr
    from host.build import Built
    from host.errors import HostError
    from host.run import Run

    print(json.dumps({"ready": True}), file=out, flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        error = None
        try:
            built = Built(
                {"cmd": "resume", "app": case["app"], "run_id": "edits", "script": {}, "forms": {}},
                case["state"],
                lambda _: None,
            )
            gate = {"mode": "fresh"}
            if case["gate"] is not None:
                gate = {"mode": "restored", "state": case["gate"]}
            Run(built, gate, None, None)._engine_and_stream()
        except HostError as found:
            error = f"{found.title}: {found.cause}"
        except Exception as found:
            error = f"NOT REFUSED: {found!r} {traceback.format_exc()[-600:]}"
        print(json.dumps({"error": error}), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
