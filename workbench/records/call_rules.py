"""Repairs of the nodes that call something outside: code, http-request, tool."""

from __future__ import annotations

from typing import Any

from workbench.records.fixer import Data, Fixer, as_text, words

_CODE_TYPES = words("string number object boolean array[string] array[number] array[object] array[boolean]")
_CODE_ALIASES = {
    "str": "string",
    "text": "string",
    "int": "number",
    "integer": "number",
    "float": "number",
    "bool": "boolean",
    "dict": "object",
    "json": "object",
    "array": "array[object]",
    "list": "array[object]",
    "array[any]": "array[object]",
    "any": "object",
}
_METHODS = words("get post put patch delete head options")
_BODY_TYPES = ("none", "form-data", "x-www-form-urlencoded", "raw-text", "json", "binary")
_PROVIDERS = ("plugin", "builtin", "workflow", "api", "app", "dataset-retrieval", "mcp")


def code(fix: Fixer) -> None:
    fix.variables()
    languages = {"python": "python3", "py": "python3", "js": "javascript", "nodejs": "javascript"}
    fix.choice("code_language", ("python3", "javascript"), "python3", aliases=languages)
    fix.text("code")
    outputs = fix.data.get("outputs")
    if isinstance(outputs, list):
        named = {
            str(one["variable"]): one for one in outputs if isinstance(one, dict) and one.get("variable")
        }
        fix.put("outputs", named, "was a list")
    _code_outputs(fix, fix.mapping("outputs"), "outputs")
    for entry in fix.entries("dependencies", needed=False):
        one = fix.inside(entry, "dependencies")
        one.text("name")
        one.text("version")


def _code_outputs(fix: Fixer, outputs: Data, where: str) -> None:
    for name, output in outputs.items():
        if isinstance(output, str):
            output = {"type": output}
        if not isinstance(output, dict):
            output = {"type": "string"}
            fix.say(f"`{where}.{name}` has no type; it was taken as string")
        outputs[name] = output
        fix.inside(output, f"{where}.{name}").choice("type", _CODE_TYPES, "string", aliases=_CODE_ALIASES)
        if isinstance(output.get("children"), dict):
            _code_outputs(fix, output["children"], f"{where}.{name}.children")
        else:
            output.pop("children", None)


def http_request(fix: Fixer) -> None:
    fix.choice("method", (*_METHODS, *(name.upper() for name in _METHODS)), "get")
    fix.text("url")
    _authorization(fix)
    for key in ("headers", "params"):
        value = fix.data.get(key)
        if isinstance(value, dict | list):
            fix.put(key, _lines(value), "was no text")
        fix.text(key)
    if fix.data.get("body") is not None:
        _body(fix)
    if fix.data.get("timeout") is not None:
        timeout = fix.inside(fix.mapping("timeout", needed=False), "timeout")
        for key in ("connect", "read", "write"):
            timeout.integer(key, 0, needed=False)
    fix.flag("ssl_verify", needed=False)


def _authorization(fix: Fixer) -> None:
    authorization = fix.data.get("authorization")
    config = authorization.get("config") if isinstance(authorization, dict) else None
    kind = authorization.get("type") if isinstance(authorization, dict) else None
    if kind == "api-key" and isinstance(config, dict):
        inner = fix.inside(config, "authorization.config")
        inner.choice("type", ("basic", "bearer", "custom"), "bearer")
        inner.text("api_key")
        inner.text("header", needed=False)
    elif kind != "no-auth":
        fix.put("authorization", {"type": "no-auth"})


def _lines(value: Any) -> str:
    """Dify's text form of headers and parameters: `key:value` lines."""
    if isinstance(value, dict):
        return "\n".join(f"{key}:{as_text(part)}" for key, part in value.items())
    return "\n".join(
        f"{as_text(part.get('key'))}:{as_text(part.get('value'))}" for part in value if isinstance(part, dict)
    )


def _body(fix: Fixer) -> None:
    """`data` was a text before Dify 0.8 (graphon still reads that); some files make the whole body one."""
    body = fix.data["body"]
    if isinstance(body, str):
        kind = "json" if body.lstrip()[:1] in ("{", "[") else "raw-text"
        fix.put("body", {"type": kind, "data": body} if body else {"type": "none"}, "was a text")
        return
    inner = fix.inside(fix.mapping("body"), "body")
    inner.choice(
        "type", _BODY_TYPES, "none", aliases={"raw": "raw-text", "text": "raw-text", "form": "form-data"}
    )
    data = inner.data.get("data")
    if isinstance(data, dict):
        kind = inner.data["type"]
        is_form = kind in ("form-data", "x-www-form-urlencoded")
        parts = [{"key": key, "type": "text", "value": as_text(value)} for key, value in data.items()]
        inner.put("data", parts if is_form else as_text(data), "was a mapping")
    if isinstance(inner.data.get("data"), list):
        for entry in inner.entries("data"):
            part = inner.inside(entry, "data")
            part.text("key", needed=False)
            part.choice("type", ("file", "text"), "text")
            if isinstance(entry.get("value"), dict | list):
                entry["value"] = as_text(entry["value"])
            part.text("value", needed=False)
            part.selector("file", needed=False)


def tool(fix: Fixer) -> None:
    data = fix.data
    fix.text("provider_id", as_text(data.get("provider_name")))
    fix.choice("provider_type", _PROVIDERS, "builtin", aliases={"built_in": "builtin", "built-in": "builtin"})
    fix.text("provider_name", data["provider_id"])
    fix.text("tool_name")
    fix.text("tool_label", data["tool_name"])
    fix.text("credential_id", needed=False)
    fix.text("plugin_unique_identifier", needed=False)
    fix.text("tool_node_version", needed=False)
    settings = fix.mapping("tool_configurations")
    empty = [key for key, value in settings.items() if value is None]
    for key in empty:
        del settings[key]
    if empty:
        fix.say("empty tool settings were left out; graphon takes no null there")
    for key, value in settings.items():
        if isinstance(value, list):
            settings[key] = {"type": "constant", "value": value}
            fix.say("tool settings that are lists were wrapped as constants; graphon takes no list there")
    parameters = fix.mapping("tool_parameters")
    for key, value in parameters.items():
        parameters[key] = _tool_input(fix, key, value)


def _tool_input(fix: Fixer, key: str, value: Any) -> Any:
    """{"type", "value"} that fit each other: graphon's nodes/tool/entities.py checks the pair."""
    if value is None:
        return None
    if not isinstance(value, dict) or "value" not in value:
        fix.say(f"the tool parameter `{key}` had no type; it was read as a constant")
        return {"type": "mixed" if isinstance(value, str) else "constant", "value": value}
    kind, inner = value.get("type"), value["value"]
    is_selector = isinstance(inner, list) and all(isinstance(part, str) for part in inner)
    fits = {"mixed": isinstance(inner, str), "variable": is_selector, "constant": True}
    if inner is None or (isinstance(kind, str) and fits.get(kind, False)):
        return value
    better = (
        "mixed"
        if isinstance(inner, str)
        else "variable"
        if kind == "variable" and is_selector
        else "constant"
    )
    fix.say(
        f"the tool parameter `{key}` said {as_text(kind) or 'no type'} but holds another; read as {better}"
    )
    return {**value, "type": better}
