"""What Tab offers after `workbench`: ids, files, engine kernels, codes, and the targets of `edit`.

Imported only when a shell asks. What a parameter takes is told by its metavar, the
word that its help shows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

MOST_IDS: Final = 50
MOST_TARGETS: Final = 80
"""More of them are offered up to their next dot or colon."""
MOST_READ: Final = 20_000

Offer = Callable[[click.Context, str], Iterable[CompletionItem]]


class Completed(click.types.StringParamType):
    """A text whose beginnings can be completed; nothing is ever said or raised meanwhile."""

    def __init__(self, offer: Offer) -> None:
        self.offer = offer

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        try:
            return list(self.offer(ctx, incomplete))
        except Exception:  # a state can be damaged anyhow; Tab is no place to tell it
            return []


def complete(command: click.Command) -> None:
    """Have the parameters of a command offer what they take."""
    for param in command.params:
        known = _OFFERS.get(str(param.metavar or ""))
        if command.name == "run":
            known = _OF_APPS.get(str(param.name), known)
        if command.name in ("resume", "fork"):
            known = _OF_FORMS.get(str(param.name), known)
        text = isinstance(param.type, click.types.StringParamType | click.Path)
        if known is not None and text and param.name != "run_id":
            param.type = Completed(known)


def _ids(*kinds: str) -> Offer:
    def offer(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
        if _store_path(ctx).exists() and "/" not in incomplete:
            found = _context(ctx).store.ids(incomplete, kinds, MOST_IDS)
            yield from (CompletionItem(each.id, help=f"{each.kind} {_plain(each.what)}") for each in found)
        yield CompletionItem(incomplete, type="file")

    return offer


def _files(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    yield CompletionItem(incomplete, type="file")


def _kernels(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    from workbench.engine.kernels import KERNELS

    several = ("all",) if ctx.info_name in ("run", "resume") else ()
    return _beginning((*KERNELS, *several), incomplete)


def _words(*words: str) -> Offer:
    return lambda _, incomplete: _beginning(words, incomplete)


def _codes(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    from workbench.core.findings import CODES

    return _beginning(CODES, incomplete)


def _statuses(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    from workbench.verbs.runs import STATUSES

    return _beginning(STATUSES, incomplete)


def _of_forms(words: Callable[[str, Mapping[str, Any]], Iterable[tuple[str, str]]]) -> Offer:
    """What can be said of the forms that wait at the pause that was named, or of that of `--node`."""

    def offer(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
        target = _target(ctx)
        if target is None:
            return
        from workbench.verbs.forms import forms_of
        from workbench.verbs.pauses import pause_source

        app = ctx.params.get("app") if ctx.info_name == "resume" else None
        forms = forms_of(pause_source(_context(ctx), target, app=app).reasons)
        chosen = ctx.params.get("node")
        for node, form in forms.items():
            if chosen is None or node == chosen:
                for word, told in words(node, form):
                    if word.startswith(incomplete):
                        yield CompletionItem(word, help=_plain(told) or None)

    return offer


def _of_app(words: Callable[[Any], Iterable[tuple[str, str]]]) -> Offer:
    """The names that an app gives to values, with their types."""

    def offer(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
        named = ctx.params.get("app") or next((each for each in ctx.args if each[:1] != "-"), None)
        if named is None or not (Path(named).exists() or _store_path(ctx).exists()):
            return
        from workbench.verbs.target import find_app

        for name, told in words(find_app(_context(ctx), named)):
            if name.startswith(incomplete):
                yield CompletionItem(f"{name}=", help=_plain(told) or None)

    return offer


def _target(ctx: click.Context) -> str | None:
    """The ID or FILE on the line; behind an option that waits for its value click has not read it yet."""
    found = ctx.params.get("target") or next((each for each in ctx.args if each[:1] != "-"), None)
    known = found is not None and (Path(found).exists() or _store_path(ctx).exists())
    return found if known else None


def _targets(ending: str) -> Offer:
    def offer(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
        target = _target(ctx)
        if target is None or "=" in incomplete:
            return
        from workbench.verbs.edit import targets

        found, _ = targets(_context(ctx), target, incomplete, app=ctx.params.get("app"), most=MOST_READ)
        names = {place.target: place.type or place.title for place in found}
        for name, words in _shortened(names, incomplete).items():
            whole = name in names
            yield CompletionItem(name + ending if whole else name, help=_plain(words) or None)

    return offer


def _shortened(names: Mapping[str, str], incomplete: str) -> Mapping[str, str]:
    """The names, or what they begin with where they are too many to read."""
    if len(names) <= MOST_TARGETS:
        return names
    heads: dict[str, str] = {}
    for name, words in names.items():
        rest = name[len(incomplete) :]
        cut = next((place for place, sign in enumerate(rest) if sign in ".:[" and place), None)
        head = name if cut is None else incomplete + rest[: cut + (rest[cut] != "[")]
        heads[head] = words if head == name else ""
    return dict(islice(heads.items(), MOST_READ if len(heads) <= MOST_TARGETS else 4 * MOST_TARGETS))


def _beginning(words: Iterable[str], incomplete: str) -> Iterator[CompletionItem]:
    return (CompletionItem(word) for word in words if word.startswith(incomplete))


def _plain(text: str) -> str:
    from workbench.views.safe import safe_text

    return safe_text(" ".join(text.split()))[:60].strip()


def _store_path(ctx: click.Context) -> Path:
    from workbench.home import store_path

    given = ctx.params.get("store") or (ctx.parent.params.get("store") if ctx.parent else None)
    return Path(given) if given else store_path()


def _context(ctx: click.Context) -> Any:
    from workbench.verbs.context import make_context

    return make_context(_store_path(ctx))


_OFFERS: Final[Mapping[str, Offer]] = {
    "APP": _ids("app", "run"),
    "ID|FILE": _ids("run", "pause", "file"),
    "FILE|ID": _ids("run", "pause", "file"),
    "FILE|ID...": _ids("run", "pause", "file", "app"),
    "ID": _ids("run", "pause"),
    "A": _ids("run", "pause", "file"),
    "B": _ids("run", "pause", "file"),
    "F": _files,
    "K": _kernels,
    "NAME...": _kernels,
    "CODE": _codes,
    "G": _words("restored", "fresh", "healed"),
    "V": _words("1.13.0", "1.14.0", "1.15.0", "1.16.0", "main"),
    "FORMAT": _words("dify", "runtime-state", "stream-filter", "bundle", "original"),
    "S": _statuses,
    "TARGET=VALUE...": _targets("="),
    "TARGET": _targets(""),
    "[PREFIX]": _targets(""),
}

_OF_APPS: Final[Mapping[str, Offer]] = {
    "inputs": _of_app(lambda app: [(field.name, field.type) for field in app.inputs]),
    "environment": _of_app(lambda app: [(v["name"], v["value_type"]) for v in app.environment_variables]),
}

_OF_FORMS: Final[Mapping[str, Offer]] = {
    "node": _of_forms(lambda node, form: [(node, str(form.get("node_title") or ""))]),
    "action": _of_forms(
        lambda _, form: [
            *((str(each["id"]), str(each.get("title") or "")) for each in form.get("actions", ())),
            ("__timeout", "nobody answered in time"),
        ]
    ),
    "fields": _of_forms(
        lambda _, form: [(f"{each['name']}=", str(each.get("type") or "")) for each in form.get("fields", ())]
    ),
}


class Bash(BashComplete):
    """As click's, for words with a colon or an equals sign: bash breaks them, and replaces the last part."""

    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n' kind value answer
    answer=$(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_BREAKS="$COMP_WORDBREAKS" \
%(complete_var)s=bash_complete "$1" 2>/dev/null)
    COMPREPLY=()
    while IFS=',' read -r kind value; do
        if [[ $kind == file || $kind == dir ]]; then
            compopt -o filenames
            while read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
        elif [[ $kind == plain ]]; then
            [[ $value == *[=:.] ]] && compopt -o nospace
            printf -v value '%%q' "$value"
            COMPREPLY+=("$value")
        fi
    done <<< "$answer"
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ.get("COMP_LINE", "")
        words = split_arg_string(line)
        incomplete = "" if not line or line[-1].isspace() or len(words) < 2 else words.pop()
        breaks = os.environ.get("COMP_BREAKS", "")
        self.taken = max((incomplete.rfind(sign) + 1 for sign in ":=" if sign in breaks), default=0)
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type},{str(item.value)[self.taken :]}"


def register() -> None:
    """Have click use this bash script instead of its own."""
    add_completion_class(Bash)
