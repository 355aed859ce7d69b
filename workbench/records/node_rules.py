"""What graphon's node schemas (0.5 to 0.8) refuse in exported node data, and what is put there instead.

Everything else in a node's data stays as Dify wrote it. graphon's schemas: nodes/*/entities.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.records import call_rules, logic_rules, model_rules
from workbench.records.fields import json_schema
from workbench.records.fixer import Data, Fixer, words
from workbench.records.notes import Notes
from workbench.records.variables import fit_value

_OUTPUT_TYPES = words(
    "string number integer secret boolean object file array array[string] array[number] "
    "array[object] array[boolean] array[file] any array[any]"
)
_INPUT_TYPES = words(
    "text-input select paragraph number external_data_tool file file-list checkbox json_object"
)
_DEFAULT_TYPES = (
    "string",
    "number",
    "object",
    "array[number]",
    "array[string]",
    "array[object]",
    "array[file]",
)


def normalise_data(node_id: str, data: Data, notes: Notes) -> None:
    """Repair one node's data in place."""

    def say(sentence: str) -> None:
        notes.add(sentence, node_id)

    if data["type"] == "variable-assigner":  # its name until Dify 0.6; "assigner" is another node
        data["type"] = "variable-aggregator"
        say("its type variable-assigner is today's variable-aggregator")
    fix = Fixer(data, say)
    _common(fix)
    rule = _RULES.get(data["type"])
    if rule is not None:
        rule(fix)


def _common(fix: Fixer) -> None:
    """What every node has: graphon's entities/base_node_data.py."""
    fix.text("title", needed=False)
    fix.text("desc", needed=False)
    fix.text("version", needed=False)
    if fix.data.get("error_strategy") == "none":  # Dify's canvas writes it for "no error handling"
        del fix.data["error_strategy"]
    fix.choice("error_strategy", ("fail-branch", "default-value"), "", needed=False)
    if "default_value" in fix.data:
        _default_values(fix)
    if "retry_config" in fix.data:
        retry = fix.inside(fix.mapping("retry_config", needed=False), "retry_config")
        retry.integer("max_retries", 0, needed=False)
        retry.integer("retry_interval", 0, needed=False)
        retry.flag("retry_enabled", needed=False)


def _default_values(fix: Fixer) -> None:
    good: list[Any] = []
    for entry in fix.entries("default_value", needed=False):
        value_type = entry.get("type")
        if not isinstance(entry.get("key"), str) or value_type not in _DEFAULT_TYPES:
            fix.say("a default value without a key or a known type was left out")
            continue
        try:
            fitted = (
                entry.get("value")
                if value_type == "array[file]"
                else fit_value(entry.get("value"), value_type)
            )
        except ValueError:
            fix.say(f"the default value of `{entry['key']}` is no {value_type}; it was left out")
            continue
        good.append({**entry, "value": fitted})
    if isinstance(fix.data.get("default_value"), list):
        fix.data["default_value"] = good


def _start(fix: Fixer) -> None:
    for entry in fix.entries("variables", needed=False):
        field = fix.inside(entry, "variables")
        field.text("variable")
        field.text("label", str(entry["variable"]))
        field.choice(
            "type", _INPUT_TYPES, "text-input", aliases={"string": "text-input", "text": "text-input"}
        )
        field.flag("required", needed=False)
        field.flag("hide", needed=False)
        field.integer("max_length", 0, needed=False)
        for key in (
            "options",
            "allowed_file_types",
            "allowed_file_extensions",
            "allowed_file_upload_methods",
        ):
            _texts(field, key)
        _known(field, "allowed_file_types", ("image", "document", "audio", "video", "custom"))
        _known(
            field, "allowed_file_upload_methods", ("remote_url", "local_file", "tool_file", "datasource_file")
        )
        if entry.get("json_schema") and json_schema(entry["json_schema"]) is None:
            field.drop("json_schema", "is no JSON schema")


def _texts(fix: Fixer, key: str) -> None:
    value = fix.data.get(key)
    if isinstance(value, list):
        fix.data[key] = [part if isinstance(part, str) else str(part) for part in value]
    elif key in fix.data:
        fix.drop(key)


def _known(fix: Fixer, key: str, allowed: tuple[str, ...]) -> None:
    value = fix.data.get(key)
    if isinstance(value, list) and not set(value) <= set(allowed):
        fix.put(key, [part for part in value if part in allowed], "named unknown kinds")


def _answer(fix: Fixer) -> None:
    fix.text("answer")


def _end(fix: Fixer) -> None:
    for entry in fix.entries("outputs"):
        output = fix.inside(entry, "outputs")
        output.text("variable")
        output.selector("value_selector")
        value_type = entry.get("value_type")
        if not (
            isinstance(value_type, str) and value_type.startswith("Array[")
        ):  # graphon reads that spelling
            output.choice("value_type", _OUTPUT_TYPES, "any", needed=False)


def _template(fix: Fixer) -> None:
    fix.variables()
    fix.text("template")


_RULES: Mapping[str, Callable[[Fixer], None]] = {
    "start": _start,
    "answer": _answer,
    "end": _end,
    "template-transform": _template,
    "llm": model_rules.llm,
    "question-classifier": model_rules.question_classifier,
    "parameter-extractor": model_rules.parameter_extractor,
    "if-else": logic_rules.if_else,
    "loop": logic_rules.loop,
    "iteration": logic_rules.iteration,
    "list-operator": logic_rules.list_operator,
    "variable-aggregator": logic_rules.variable_aggregator,
    "assigner": logic_rules.assigner,
    "human-input": logic_rules.human_input,
    "code": call_rules.code,
    "http-request": call_rules.http_request,
    "tool": call_rules.tool,
}
