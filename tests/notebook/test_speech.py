"""What a user is advised to type, in a notebook."""

from __future__ import annotations

import pytest

from workbench.notebook.speech import in_python


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("For example: --step 9", "For example: step=9"),
        ("Leave --run-id out.", "Leave run_id= out."),
        ("For an app: workbench check app.yml", "For an app: wb.check('app.yml')"),
        ("`workbench runs` lists the runs.", "`wb.runs()` lists the runs."),
        ("`workbench runs --status paused` lists them", "`wb.runs(status='paused')` lists them"),
        ("`workbench show 0f3a --step N` shows them.", "`wb.show('0f3a', step=N)` shows them."),
        (
            "For example: workbench why s.json --app app.yml (a file, or an id).",
            "For example: wb.why('s.json', app='app.yml') (a file, or an id).",
        ),
        ("Do it: workbench resume ... --gate healed.", "Do it: wb.resume(..., gate='healed')."),
        (
            "Say: workbench resume ID --action A --field NAME=VALUE",
            "Say: wb.resume(ID, action=A, fields={'NAME': 'VALUE'})",
        ),
        ("`workbench heal FILE --app APP -o h.json`", "`wb.heal(FILE, app=APP).save('h.json')`"),
        ("`workbench check APP --fix -o FILE` makes it", "`wb.fix(APP).save(FILE)` makes it"),
        ("`workbench edit ID --targets` lists them.", "`wb.load(ID).targets()` lists them."),
        ("`workbench import` tells what a file is.", "`wb.import_()` tells what a file is."),
        # said of the workbench, or for a shell: stays
        ("The workbench runs chatflows (advanced-chat).", "The workbench runs chatflows (advanced-chat)."),
        ("`workbench kernels install graphon-0.5`", "`workbench kernels install graphon-0.5`"),
        ("a-b--c and well---known", "a-b--c and well---known"),
    ],
)  # fmt: skip
def test_commands_become_calls(told: str, said: str) -> None:
    assert in_python(told) == said
