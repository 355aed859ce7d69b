"""Runs one code node's code in a process of its own: limits and isolation first, then `main`.

`python sandbox_child.py FOLDER LANGUAGE` with FOLDER/code, FOLDER/inputs.json and FOLDER/paths.json; writes
FOLDER/result.json, or FOLDER/error.txt. Imports nothing of graphon: it starts in some 30 ms.
"""

# It imports little: every code node pays for it.
# ruff: noqa: PTH100, PTH120, PTH123

from __future__ import annotations

import base64
import json
import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import isolation

_JAVASCRIPT = """
;(function () {
  const fs = require('fs')
  const inputs = JSON.parse(fs.readFileSync('inputs.json', 'utf8'))
  const output = main(inputs)
  fs.writeFileSync('result.json', JSON.stringify(output) ?? 'null')
})()
"""


def main(folder: str, language: str) -> None:
    os.chdir(folder)
    paths = _read("paths.json")
    isolation.limits(cap_address_space=language != "javascript")
    layers = isolation.apply(paths["readable"], [folder, "/dev/null"])
    _write("layers.json", layers)
    if language == "javascript":
        with open("code") as code:
            source = code.read()
        with open("code.js", "w") as whole:
            whole.write(source + _JAVASCRIPT)
        node = paths["node"]
        os.execve(node, [node, "--max-old-space-size=256", "code.js"], {"PATH": "", "LANG": "C.UTF-8"})
    _python()


def _read(name: str) -> dict:
    with open(name) as file:
        return json.load(file)


def _write(name: str, value: object) -> None:
    with open(name, "w") as file:
        json.dump(value, file, allow_nan=False)


def _python() -> None:
    with open("code") as file:
        source = file.read()
    sys.path.pop(0)
    sys.argv = ["code"]
    sys.path.insert(0, "")
    scope = {"__name__": "__main__", "__builtins__": __builtins__}
    try:
        exec(compile(source, "<code>", "exec"), scope)
        # Dify's own runner imports these after the code, so many code nodes use them without an import.
        scope.update(json=json, b64decode=base64.b64decode)
        function = scope.get("main")
        if not callable(function):
            raise NameError("the code defines no function `main`")
        _write("result.json", function(**_read("inputs.json")))
    except MemoryError:
        _fail(f"MemoryError: more than {isolation.MEMORY_BYTES // 1024**2} MB")
    except BaseException as error:
        if isinstance(error, SystemExit):
            _fail(f"SystemExit: the code ended the process ({error.code})")
        _fail(_told(error))


def _told(error: BaseException) -> str:
    """The last line of the traceback, and where in the code node's own text it happened."""
    kind = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<code>"
    ]
    if isinstance(error, SyntaxError) and error.lineno:
        lines = [error.lineno]
    if isinstance(error, ModuleNotFoundError):
        kind += ": real code has the standard library and the engine kernel's own packages"
    return f"{kind} (line {lines[-1]} of the code)" if lines else kind


def _fail(text: str) -> None:
    with open("error.txt", "w", errors="replace") as file:
        file.write(text[:10_000])
    sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
