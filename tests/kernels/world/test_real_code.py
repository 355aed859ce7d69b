"""Code nodes for real: results, errors, limits, and what the child can't reach."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.kernels.host.driver import Host, Outcome
from tests.kernels.world.apps import CODE, single
from tests.kernels.world.test_nodes import failed, outputs

pytestmark = pytest.mark.kernel

REAL = {"real_code": True}
needs_node = pytest.mark.skipif(
    shutil.which("node") is None and not os.environ.get("CI"), reason="no node on this machine"
)
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux isolates in this way")


def run(host: Host, code: str, language: str = "python3", kind: str = "object", **more: Any) -> Outcome:
    data = {**CODE, "code": code, "code_language": language, "outputs": {"r": {"type": kind}}}
    return host.run(single(data, ["r"]), options=REAL, **more)


def result(host: Host, code: str, language: str = "python3", kind: str = "object", **more: Any) -> Any:
    return outputs(run(host, code, language, kind, **more))["r"]


def error(host: Host, body: str, language: str = "python3") -> str:
    """The error of a `main` with this body."""
    code = f"def main(q):\n    {body}" if language == "python3" else f"function main({{q}}) {{ {body} }}"
    event = failed(run(host, code, language))
    assert event["error_type"] in ("CodeExecutionError", "OutputValidationError", "CodeNodeError")
    return event["error"]


def test_python_runs(host: Host) -> None:
    code = "import re\ndef main(q):\n    print('ignored')\n    return {'r': re.sub('i', '!', q) + '字'}"
    assert result(host, code, kind="string", query="hi") == "h!字"


def test_dify_gives_json_to_code_without_an_import(newest: Host) -> None:
    assert result(newest, "def main(q):\n    return {'r': json.loads(b64decode('e30='))}") == {}


@needs_node
def test_javascript_runs(host: Host) -> None:
    assert result(host, "function main({q}) { return {r: q + '!'} }", "javascript", "string") == "hi!"


def test_scripted_code_stays_scripted(newest: Host) -> None:
    script = {"nodes": {"n": {"outputs": {"r": {"a": 1}}}}}
    assert result(newest, "def main(q):\n    return 1/0", script=script) == {"a": 1}


def test_the_run_says_what_isolation_holds(newest: Host) -> None:
    notes = [m["text"] for m in run(newest, "def main(q):\n    return {'r': {}}").of("note")]
    assert len(notes) == 1
    assert notes[0].startswith("Code nodes run for real")
    assert "This machine blocks" in notes[0] or "does NOT block" in notes[0]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return {'r': 1 / 0}", "ZeroDivisionError: division by zero (line 2 of the code)"),
        ("return [1]", "`main` must give a mapping of outputs, not list."),
        ("return {'r': {1}}", "TypeError: Object of type set is not JSON serializable"),
        ("return {'r': {'x': float('nan')}}", "Out of range float values"),
        ("return {'other': 1}", "Output r is missing."),
        ("return {'r': 'text'}", "Output r is not an object"),
        ("import not_there", "No module named 'not_there': real code has the standard library"),
        ("import os; os._exit(0)", "The code ended the process before `main` gave a result."),
        ("raise SystemExit(3)", "SystemExit: the code ended the process (3)"),
        ("return {'r': {'x': 'a' * 10**10}}", "MemoryError"),
        ("return {'r': {'x': 'a' * 20_000_000}}", "File too large"),
        ("open('f', 'wb').write(b'x' * 20_000_000)", "File too large"),
        ("import ctypes; ctypes.string_at(0)", "The code crashed its process (SIGSEGV)."),
        ("return main(q)", "RecursionError"),
    ],
)
def test_python_errors(newest: Host, body: str, told: str) -> None:
    assert told in error(newest, body)


def test_python_that_does_not_compile(newest: Host) -> None:
    assert "SyntaxError" in failed(run(newest, "def main(q)\n    pass"))["error"]
    assert "defines no function `main`" in failed(run(newest, "x = 1"))["error"]


@needs_node
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return {r: q.x.y}", "TypeError: Cannot read properties of undefined"),
        ("return 5", "`main` must give a mapping of outputs, not int."),
        ("", "`main` must give a mapping of outputs, not NoneType."),
        ("process.exit(0)", "The code ended the process before `main` gave a result."),
        ("const a = []; while (true) a.push(Buffer.alloc(1e7, 1))", "more than 512 MB of memory"),
        ("const a = []; while (true) a.push(new Array(1e6).fill(1))", "more memory than JavaScript may have"),
    ],
)
def test_javascript_errors(newest: Host, body: str, told: str) -> None:
    assert told in error(newest, body, "javascript")


@on_linux
@pytest.mark.parametrize(
    "body",
    [
        "import socket; socket.socket()",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import subprocess; subprocess.run(['/bin/true'])",
        "import os; os.fork()",
        "open('/etc/passwd').read()",
        "import os; os.listdir('/')",
        "import os; open(f'/proc/{os.getppid()}/environ').read()",
        "open('/tmp/left-behind', 'w')",
        "open('../left-behind', 'w')",
        "import os; os.kill(os.getppid(), 9)",
        "import os; os.kill(-1, 9)",
        "import resource, os; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
        "import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    ],
)
def test_python_can_not_reach(newest: Host, body: str) -> None:
    told = error(newest, body)
    assert any(
        word in told for word in ("PermissionError", "ProcessLookupError", "Network is unreachable")
    ), told


@on_linux
@needs_node
@pytest.mark.parametrize(
    "body",
    [
        "return {r: require('fs').readFileSync('/etc/passwd', 'utf8')}",
        "require('fs').writeFileSync('/tmp/left-behind', 'x')",
        "return {r: require('child_process').execSync('echo hi').toString()}",
    ],
)
def test_javascript_can_not_reach(newest: Host, body: str) -> None:
    told = error(newest, body, "javascript")
    assert any(word in told for word in ("EACCES", "EPERM", "EROFS")), told


def test_threads_may_start(newest: Host) -> None:
    code = (
        "import threading\ndef main(q):\n    r = []\n    t = threading.Thread(target=lambda: r.append(1))\n"
        "    t.start(); t.join()\n    return {'r': {'done': r}}"
    )
    assert result(newest, code) == {"done": [1]}


def test_the_environment_is_empty_and_the_folder_goes_away(newest: Host) -> None:
    code = "import os\ndef main(q):\n    return {'r': {'env': dict(os.environ), 'cwd': os.getcwd()}}"
    found = result(newest, code)
    assert set(found["env"]) <= {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
    assert not Path(found["cwd"]).exists()


def test_an_abort_ends_endless_code(newest: Host) -> None:
    data = {**CODE, "code": "def main(q):\n    while True:\n        pass"}
    newest.begin(single(data, ["r"]), options=REAL)
    newest.until_event("NodeRunStarted", "n")
    newest.send(cmd="abort", reason="enough")
    assert newest.until().status == "stopped"


def test_what_main_leaves_as_a_link_is_not_followed(newest: Host) -> None:
    body = "import os; os.symlink('/etc/passwd', 'error.txt'); os._exit(1)"
    assert error(newest, body) == "The code failed and left no reason."


FILLS = """n = 0
    while True:
        open(str(n % {names}), 'wb').write(b'x' * {size}){more}
        n += 1"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (FILLS.format(names=10**9, size=9_000_000, more=""), "more than 50 MB in all"),
        (FILLS.format(names=10**9, size=1, more=""), "more than 1,000 files"),
        (
            "import os\n    held = []\n    for n in range(40):\n        f = open('f', 'wb')\n"
            "        held.append(f)\n        f.write(b'x' * 9_000_000)\n        f.flush()\n"
            "        os.unlink('f')\n    while True: pass",
            "more than 50 MB in all",
        ),
        (
            "import os\n    os.mkdir('hidden')\n    os.chmod('hidden', 0o300)\n    while True: pass",
            "can't be looked into",
        ),
    ],
)
def test_all_files_together_have_a_limit(newest: Host, body: str, told: str) -> None:
    if "looked into" in told and os.geteuid() == 0:
        pytest.skip("root looks into every folder")
    if "unlink" in body and not sys.platform.startswith("linux"):
        pytest.skip("no /proc to look into")
    assert told in error(newest, body)


def test_a_hidden_folder_goes_away_too(newest: Host) -> None:
    code = (
        "import os\ndef main(q):\n    os.makedirs('a/b')\n    open('a/b/c', 'w').close()\n"
        "    here = os.getcwd()\n    os.chmod('a/b', 0)\n    os.chmod('a', 0)\n"
        "    return {'r': {'folder': here}}"
    )
    assert not Path(result(newest, code)["folder"]).exists()
