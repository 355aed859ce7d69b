"""What a pause asks for, and whether an answer fits it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.errors import UsageError
from workbench.verbs.names import one_of

TIMEOUT = "__timeout"
"""The action of a form that nobody submitted in time (Dify and graphon: the handle of the same name)."""

Reason = Mapping[str, Any]


def forms_of(reasons: Sequence[Reason]) -> dict[str, Reason]:
    """The forms that wait, by node id, in the order of the pause."""
    return {reason["node_id"]: reason for reason in reasons if reason.get("type") == "human_input_required"}


def submission(
    reasons: Sequence[Reason], *, action: str | None, node: str | None, fields: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """The forms of a `resume` command: {node id: {"action", "fields"}}; empty for a pause without forms.

    Raises:
        UsageError: the action, a field or the node does not fit, or one of several forms must be chosen;
            the message
            lists the valid names.
    """
    forms = forms_of(reasons)
    if not forms:
        return _no_form(reasons, action, node, fields)
    broken = any(reason.get("type") != "human_input_required" for reason in reasons)
    if broken and action is None and node is None and not fields:
        return {}  # past the breakpoint; the forms go on waiting
    chosen = _choose(forms, node, action)
    form = forms[chosen]
    if action is None:
        raise UsageError(
            f"The form of {_named(form)} needs an action.",
            f"Valid: {_actions(form)}.",
            f"For example: --action {form['actions'][0]['id'] if form.get('actions') else TIMEOUT}",
        )
    if action != TIMEOUT:
        one_of(action, [each["id"] for each in form.get("actions", ())], f"action of {_named(form)}")
    values = {} if action == TIMEOUT else _values(form, fields)
    return {chosen: {"action": action, "fields": values}}


def _no_form(
    reasons: Sequence[Reason], action: str | None, node: str | None, fields: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    if action is None and node is None and not fields:
        return {}
    if not reasons:
        raise UsageError(
            "No form is known of this pause.",
            "Its runtime state tells no pause reason that can be read (graph_execution, pause_reasons): "
            "it is damaged, or was changed.",
            "`workbench show` tells what is wrong with it; without --action, --node and --field it goes on "
            "as it is.",
        )
    raise UsageError(
        "This pause has no form.",
        "The run stopped at a breakpoint or a time slice; nothing is asked.",
        "Resume it without --action, --node and --field.",
    )


def _choose(forms: Mapping[str, Reason], node: str | None, action: str | None) -> str:
    if node is not None:
        return one_of(node, forms, "waiting node")
    if len(forms) == 1:
        return next(iter(forms))
    listed = "; ".join(
        f"{key} ({form.get('node_title') or key}): {_actions(form)}" for key, form in forms.items()
    )
    raise UsageError(
        f"{len(forms)} forms wait: say which one you answer.",
        f"Valid: {listed}.",
        f"For example: --node {next(iter(forms))}" + ("" if action else " --action ..."),
    )


def _values(form: Reason, fields: Mapping[str, Any]) -> dict[str, Any]:
    known = {field["name"]: field for field in form.get("fields", ())}
    for name in fields:
        one_of(name, known, f"field of {_named(form)}")
    values = {name: _default(field) for name, field in known.items() if name not in fields}
    return values | {name: _cast(known[name], value) for name, value in fields.items()}


def _default(field: Mapping[str, Any]) -> Any:
    """What an untouched field submits: its default, else what an empty input has."""
    default = field.get("default")
    if default is not None:
        return default
    if field.get("type") == "select":
        options = field.get("options") or ()
        return options[0] if options else ""
    return {"file": None, "file-list": []}.get(str(field.get("type")), "")


def _cast(field: Mapping[str, Any], value: Any) -> Any:
    if field.get("type") == "select":
        options = [str(option) for option in field.get("options") or ()]
        return one_of(str(value), options, f"option of {field['name']}") if options else value
    if field.get("type") in ("file", "file-list") and isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError as error:
            raise UsageError(
                f"The field {field['name']} takes a {field['type']} as JSON.",
                str(error),
                f'For example: --field \'{field["name"]}={{"type": "image", "url": "https://..."}}\'',
            ) from error
    return value


def _actions(form: Reason) -> str:
    listed = [
        f"{each['id']} ({each['title']})" if each.get("title") else each["id"]
        for each in form.get("actions", ())
    ]
    return ", ".join([*listed, TIMEOUT])


def _named(form: Reason) -> str:
    title = form.get("node_title")
    return f"{title} ({form['node_id']})" if title and title != form["node_id"] else str(form["node_id"])
