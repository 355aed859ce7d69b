"""`workbench edit`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("edit")
@click.argument("target", metavar="ID|FILE")
@click.argument("edits", nargs=-1, metavar="TARGET=VALUE...")
@click.option("--app", metavar="APP", help="The app of a saved pause: a file or an id.")
@click.option("--from", "source", type=FILE, metavar="F", help="Replay the edits of a file first.")
@click.option("--unset", multiple=True, metavar="TARGET", help="Take a variable, output, buffer or key away.")
@click.option("--save-edits", metavar="F", help="Write the edits to a file, for another pause.")
@click.option("--name", default="", metavar="NAME", help="What the list of edits is called.")
@click.option("--kernel", metavar="K", help="Whose rules to keep (default: the engine that saved it).")
@click.option("-o", "--output", metavar="F", help="Write the edited pause there, too; - for stdout.")
@click.option("--dry-run", is_flag=True, help="Tell what would change, keep nothing.")
@click.option("--force", is_flag=True, help="Keep it although the engine would refuse it.")
@click.option(
    "--targets", "prefix", is_flag=False, flag_value="", metavar="[PREFIX]", help="List what can be edited."
)
@json_option
@unmask_option
@store_option
def command(
    target: str, edits: tuple[str, ...], app: str | None, source: Path | None, unset: tuple[str, ...],
    save_edits: str | None, name: str, kernel: str | None, output: str | None, dry_run: bool, force: bool,
    prefix: str | None, as_json: bool, unmask: bool, store: Path | None,
) -> int:  # fmt: skip
    """Change a saved pause: variables, gate, states of nodes and edges, tasks, forms, query, inputs.

    The original stays; the edited pause is a new stored file that resume, why, heal and export take.
    TARGET=TEXT is read by the type of the target, TARGET:=JSON gives any value, TARGET:TYPE=VALUE changes a
    variable's type.

    \b
    llm.text=hello            sys.query=hi              conversation.thing.a[0]:=5
    gate:answer=active        gate:answer.index=2       gate:taken=+edge-id
    node:llm=taken            edge:if:true->hum=taken   tasks:ready=llm
    query=hi                  input:amount=50           entity:user_id=someone
    """
    from workbench.cli.output import check_output, print_json, say, tell, write_output
    from workbench.core.edits import Edit, parse
    from workbench.verbs import edit as verb
    from workbench.views import editing as view
    from workbench.views.secrets import mask_for

    ctx = options.make_context(store)
    if prefix is not None:
        found, environment = verb.targets(ctx, target, prefix, app=app)
        mask = mask_for(environment, unmask=unmask)
        if as_json:
            print_json(view.targets_json(found, mask))
        else:
            for line in view.target_lines(found, mask):
                say(line)
        return 0
    for file in (output, save_edits):
        check_output(file, target, *(() if source is None else (source,)), as_json=as_json)
    saved_name, listed = ("", ()) if source is None else verb.edits_from(source)
    wanted = [*listed, *map(parse, edits), *(Edit(each, None) for each in unset)]
    if not wanted:
        raise click.UsageError(
            "Nothing to edit. `--targets` lists what there is; an edit is written TARGET=VALUE.",
            click.get_current_context(),
        )
    result = verb.edit(
        ctx, target, wanted, app=app, kernel=kernel, name=name or saved_name, force=force, dry_run=dry_run
    )
    write_output(save_edits, result.edits.encode("utf-8"), target)
    report = write_output(output, result.data, target)
    mask = mask_for(result.environment, unmask=unmask)
    if as_json:
        print_json(view.edited_json(result, mask, output))
    else:
        for line in view.edited_lines(result, mask, output):
            report(line)
    if output is not None:
        tell("note: what was written is not masked; environment variables in it are readable.")
    return 0
