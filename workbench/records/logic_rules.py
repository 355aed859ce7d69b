"""Repairs of the nodes that decide, repeat, collect, assign and ask."""

from __future__ import annotations

import re
from typing import Any

from workbench.records.fixer import Data, Fixer, as_selector, as_text, words

_OPERATORS = words(
    "contains|not contains|start with|end with|is|is not|empty|not empty|in|not in|all of|=|≠|"
    ">|<|≥|≤|null|not null|exists|not exists",
    "|",
)
_FILTER_OPERATORS = words(
    "contains|start with|end with|is|in|empty|not contains|is not|not in|not empty|=|≠|<|>|≥|≤",
    "|",
)
_OPERATOR_ALIASES = {
    "==": "=",
    "!=": "\u2260",
    "<>": "\u2260",
    ">=": "\u2265",
    "<=": "\u2264",
    "equals": "is",
    "equal": "is",
    "not equal": "is not",
    "not equals": "is not",
    "is empty": "empty",
    "is not empty": "not empty",
    "is null": "null",
    "is not null": "not null",
    "starts with": "start with",
    "ends with": "end with",
    "does not contain": "not contains",
    "greater than": ">",
    "less than": "<",
}
_LOOP_TYPES = words("string number object boolean array[string] array[number] array[object] array[boolean]")
_SEGMENT_TYPES = words(
    "string number integer float secret boolean object file array[any] array[string] "
    "array[number] array[object] array[boolean] array[file] none group"
)
_OPERATIONS = words("over-write clear append extend set += -= *= /= remove-first remove-last")
_OPERATION_ALIASES = {"overwrite": "over-write", "over_write": "over-write", "add": "+=", "subtract": "-="}


def if_else(fix: Fixer) -> None:
    """Both formats: `cases` (since Dify 0.7), and the single condition before, which graphon reads itself."""
    if fix.data.get("cases") is None:
        fix.data.pop("cases", None)
        fix.choice("logical_operator", ("and", "or"), "and", needed=False)
        if fix.data.get("conditions") is not None:
            conditions(fix, "conditions")
        return
    for position, case in enumerate(fix.entries("cases")):
        if case.get("case_id") is None and case.get("id") is not None:
            case["case_id"] = case["id"]
        one = fix.inside(case, "cases")
        one.text("case_id", "true" if position == 0 else f"case-{position + 1}")
        one.choice("logical_operator", ("and", "or"), "and")
        conditions(one, "conditions")
    if "conditions" in fix.data:
        conditions(fix, "conditions")
    fix.choice("logical_operator", ("and", "or"), "and", needed=False)


def conditions(fix: Fixer, key: str) -> None:
    """A list of conditions: graphon's utils/condition/entities.py."""
    for entry in fix.entries(key):
        one = fix.inside(entry, key)
        one.selector("variable_selector")
        one.choice("comparison_operator", _OPERATORS, "not empty", aliases=_OPERATOR_ALIASES)
        entry["value"] = _condition_value(entry.get("value"))
        if entry.get("sub_variable_condition") is not None:
            sub = one.inside(one.mapping("sub_variable_condition", needed=False), "sub_variable_condition")
            sub.choice("logical_operator", ("and", "or"), "and")
            for part in sub.entries("conditions"):
                inner = sub.inside(part, "conditions")
                inner.text("key")
                inner.choice("comparison_operator", _OPERATORS, "not empty", aliases=_OPERATOR_ALIASES)
                part["value"] = _condition_value(part.get("value"))


def _condition_value(value: Any) -> Any:
    if isinstance(value, list):
        return [as_text(part) for part in value]
    return value if value is None or isinstance(value, str | bool) else as_text(value)


def loop(fix: Fixer) -> None:
    fix.integer("loop_count", 10, least=1)
    conditions(fix, "break_conditions")
    fix.choice("logical_operator", ("and", "or"), "and")
    good: list[Data] = []
    for entry in fix.entries("loop_variables", needed=False):
        one = fix.inside(entry, "loop_variables")
        one.text("label")
        one.choice("var_type", _LOOP_TYPES, "string")
        is_selector = as_selector(entry.get("value")) is not None and isinstance(entry.get("value"), list)
        one.choice("value_type", ("variable", "constant"), "variable" if is_selector else "constant")
        entry.setdefault("value", None)
        good.append(entry)
    if "loop_variables" in fix.data:
        fix.data["loop_variables"] = good


def iteration(fix: Fixer) -> None:
    fix.selector("iterator_selector")
    fix.selector("output_selector")
    fix.flag("is_parallel", needed=False)
    fix.integer("parallel_nums", 10, least=1, needed=False)
    modes = ("terminated", "continue-on-error", "remove-abnormal-output")
    fix.choice("error_handle_mode", modes, "terminated", needed=False)
    fix.flag("flatten_output", needed=False)


def list_operator(fix: Fixer) -> None:
    fix.selector("variable")
    for key in ("filter_by", "order_by", "limit"):
        _off(fix, key)
    by = fix.inside(fix.data["filter_by"], "filter_by")
    for entry in by.entries("conditions", needed=False):
        one = by.inside(entry, "conditions")
        one.text("key", needed=False)
        one.choice(
            "comparison_operator", _FILTER_OPERATORS, "contains", aliases=_OPERATOR_ALIASES, needed=False
        )
        value = _condition_value(entry.get("value"))
        entry["value"] = "" if value is None else value
    order = fix.inside(fix.data["order_by"], "order_by")
    order.text("key", needed=False)
    order.choice("value", ("asc", "desc"), "asc", needed=False)
    fix.inside(fix.data["limit"], "limit").integer("size", -1, needed=False)
    if "extract_by" in fix.data:
        extract = fix.inside(fix.mapping("extract_by", needed=False), "extract_by")
        extract.flag("enabled", needed=False)
        extract.text("serial", "1", needed=False)


def _off(fix: Fixer, key: str) -> None:
    """A part of a list operator that may be switched off."""
    if not isinstance(fix.data.get(key), dict):
        fix.put(key, {"enabled": False})
    fix.inside(fix.data[key], key).flag("enabled", needed=False)


def variable_aggregator(fix: Fixer) -> None:
    fix.text("output_type", "string")
    fix.selectors("variables")
    if fix.data.get("advanced_settings") is None:
        return
    settings = fix.inside(fix.mapping("advanced_settings", needed=False), "advanced_settings")
    if not settings.data:
        fix.data["advanced_settings"] = None
        return
    settings.flag("group_enabled")
    for position, group in enumerate(settings.entries("groups"), start=1):
        one = settings.inside(group, "groups")
        one.choice(
            "output_type", _SEGMENT_TYPES, "string", aliases={"any": "array[any]", "array": "array[any]"}
        )
        one.selectors("variables")
        one.text("group_name", f"Group{position}")


def assigner(fix: Fixer) -> None:
    """Version 1 has one assignment in its data, version 2 a list of `items`."""
    data = fix.data
    if "items" not in data and "assigned_variable_selector" in data:
        fix.selector("assigned_variable_selector")
        fix.choice("write_mode", ("over-write", "append", "clear"), "over-write", aliases=_OPERATION_ALIASES)
        fix.selector("input_variable_selector")
        return
    data["version"] = "2"
    if "items" not in data:
        fix.put("items", [], "was missing and nothing is assigned by the node")
    for entry in fix.entries("items"):
        one = fix.inside(entry, "items")
        one.selector("variable_selector")
        is_selector = isinstance(entry.get("value"), list) and as_selector(entry["value"]) is not None
        one.choice("input_type", ("variable", "constant"), "variable" if is_selector else "constant")
        one.choice("operation", _OPERATIONS, "over-write", aliases=_OPERATION_ALIASES)


def human_input(fix: Fixer) -> None:
    """graphon 0.5 checks the whole form, later ones leave it to the host: nodes/human_input/entities.py."""
    fix.text("form_content", needed=False)
    seen: set[str] = set()
    for entry in fix.entries("inputs", needed=False):
        one = fix.inside(entry, "inputs")
        one.text("output_variable_name")
        kinds = ("paragraph", "select", "file", "file-list")
        one.choice("type", kinds, "paragraph", aliases={"text-input": "paragraph", "text_input": "paragraph"})
        if entry["type"] == "select" and not isinstance(entry.get("option_source"), dict):
            one.put("option_source", {"type": "constant", "value": []})
        if entry["type"] == "paragraph" and entry.get("default") is not None:
            default = one.inside(one.mapping("default", needed=False), "default")
            if default.data:
                default.choice("type", ("variable", "constant"), "constant")
                default.text("value", needed=False)
                default.selector("selector", needed=False)
    _unique(fix, "inputs", "output_variable_name")
    for position, action in enumerate(fix.entries("user_actions", needed=False), start=1):
        one = fix.inside(action, "user_actions")
        one.text("id", f"action_{position}")
        one.text("title", str(action["id"]))
        if not re.fullmatch(r"[A-Za-z_]\w{0,19}", str(action["id"]), re.ASCII):
            fix.say(f"the action id {str(action['id'])[:30]!r} is no identifier of at most 20 characters")
        one.choice("button_style", ("primary", "default", "accent", "ghost"), "default", needed=False)
        seen.add(str(action["id"]))
    _unique(fix, "user_actions", "id")
    fix.integer("timeout", 36, needed=False)
    fix.choice(
        "timeout_unit", ("hour", "day"), "hour", aliases={"hours": "hour", "days": "day"}, needed=False
    )


def _unique(fix: Fixer, key: str, name: str) -> None:
    entries = fix.data.get(key)
    if not isinstance(entries, list):
        return
    unique = list({entry[name]: entry for entry in reversed(entries)}.values())[::-1]
    if len(unique) != len(entries):
        fix.put(key, unique, f"held the same {name} twice")
