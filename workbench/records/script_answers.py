"""The rules for what a scripted node answers: classes, outputs by type, forms, HTTP, documents, files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.records.reading import shorten
from workbench.records.script_rules import (
    Rule,
    Spot,
    chunks,
    did_you_mean,
    fail,
    flag,
    mapping,
    plain,
    seconds,
    text,
    told,
    usage,
    whole,
)

_DOCUMENT = (
    *("content", "title", "score", "url", "icon", "files", "metadata"),
    *("dataset_id", "dataset_name", "document_id", "document_name", "segment_id"),
)
_FILE = (
    *("url", "remote_url", "type", "transfer_method", "filename", "name", "extension", "mime_type", "size"),
    *(
        "id",
        "related_id",
        "reference",
        "upload_file_id",
        "tool_file_id",
        "dify_model_identity",
        "storage_key",
    ),
)
_FILE_TYPES = ("image", "document", "audio", "video", "custom")
_TRANSFERS = ("remote_url", "local_file", "tool_file", "datasource_file")


def class_of(value: Any, spot: Spot) -> str:
    """A class by its id or name; given back as the id."""
    wanted = str(value) if isinstance(value, int) and not isinstance(value, bool) else text(value, spot)
    known = [
        (str(c.get("id", "")), str(c.get("name", "")))
        for c in _list(spot.data, "classes")
        if isinstance(c, Mapping)
    ]
    if spot.node is None:
        return wanted
    for class_id, name in known:
        if wanted in (class_id, name):
            return class_id
    spot.say(
        f"no class {shorten(wanted, 40)!r}; " + did_you_mean(wanted, [n for pair in known for n in pair])
    )
    return wanted


def _list(data: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else ()


def outputs(value: Any, spot: Spot) -> dict[str, Any]:
    given = {str(k): plain(v, spot.at(str(k))) for k, v in mapping(value, spot).items()}
    match spot.type:
        case "code":
            _typed(given, _code_types(spot.data), spot)
        case "parameter-extractor":
            _typed(given, _parameter_types(spot.data), spot)
        case "llm":
            mapping(given, spot, ("text", "structured_output"))
            if "text" in given:
                text(given["text"], spot.at("text"))
            if "structured_output" in given:
                mapping(given["structured_output"], spot.at("structured_output"))
    return given


Types = Mapping[str, tuple[str, Any]]


def _code_types(data: Mapping[str, Any]) -> Types:
    declared = data.get("outputs")
    if not isinstance(declared, Mapping):
        return {}
    return {
        str(name): (str(o.get("type") or "string"), o.get("children"))
        for name, o in declared.items()
        if isinstance(o, Mapping)
    }


def _parameter_types(data: Mapping[str, Any]) -> Types:
    return {
        str(p.get("name")): (str(p.get("type") or "string"), p.get("options"))
        for p in _list(data, "parameters")
        if isinstance(p, Mapping)
    }


def _typed(given: Mapping[str, Any], known: Types, spot: Spot) -> None:
    for name, value in given.items():
        if name not in known:
            spot.at(name).say(f"no output {shorten(name, 40)!r}; {did_you_mean(name, list(known))}")
            continue
        kind, extra = known[name]
        if kind == "select" or (spot.type == "parameter-extractor" and kind == "string" and extra):
            options = [str(o) for o in extra or ()]
            if value not in options:
                spot.at(name).say(f"{name!r} must be one of {', '.join(options)}, not {told(value)}")
        else:
            _of_type(name, value, kind, extra, spot.at(name))


def _of_type(name: str, value: Any, kind: str, children: Any, spot: Spot) -> None:
    """graphon's code node lets null pass for every type (code_node.py)."""
    if value is None:
        return
    if kind.startswith("array[") and kind.endswith("]"):
        if not isinstance(value, list):
            spot.say(f"{name!r} must be a list ({kind}), not {told(value)}")
            return
        for index, item in enumerate(value):
            _of_type(f"{name}[{index}]", item, kind[6:-1], children, spot.at(index))
        return
    wrong = {
        "string": not isinstance(value, str),
        "number": isinstance(value, bool) or not isinstance(value, int | float),
        "boolean": not isinstance(value, bool),
        "bool": not isinstance(value, bool),
        "object": not isinstance(value, Mapping),
    }.get(kind, False)
    if wrong:
        hint = " (put it in quotes)" if kind == "string" and isinstance(value, int | float) else ""
        spot.say(f"{name!r} must be of type {kind}, not {told(value)}{hint}")
    elif kind == "object" and isinstance(children, Mapping) and children:
        inner = _code_types({"outputs": children})
        for missing in [n for n in inner if n not in value]:
            spot.say(f"{name!r} lacks {missing!r} (the node declares it)")
        _typed(value, inner, spot)


def submit(value: Any, spot: Spot) -> dict[str, Any]:
    """{action, fields} of a human-input form."""
    given = mapping(value, spot, ("action", "fields"))
    actions = [a for a in _list(spot.data, "user_actions") if isinstance(a, Mapping)]
    ids = [str(a.get("id")) for a in actions]
    action = str(given.get("action", ""))
    if "action" not in given:
        spot.say(f"`submit` needs an `action`: {', '.join(ids) or 'the id of one'}")
    elif spot.node and action not in ids:
        by_title = [str(a.get("id")) for a in actions if str(a.get("title")) == action]
        if len(by_title) == 1:
            action = by_title[0]
        else:
            spot.at("action").say(f"no action {shorten(action, 40)!r}; {did_you_mean(action, ids)}")
    made: dict[str, Any] = {"action": action}
    fields = mapping(given.get("fields") or {}, spot.at("fields"))
    if fields:
        made["fields"] = {name: _field(name, item, spot.at("fields", name)) for name, item in fields.items()}
    return made


def _field(name: str, value: Any, spot: Spot) -> Any:
    inputs = {
        str(i.get("output_variable_name")): i for i in _list(spot.data, "inputs") if isinstance(i, Mapping)
    }
    if spot.node is None:
        return plain(value, spot)
    if name not in inputs:
        spot.say(f"no field {shorten(name, 40)!r}; {did_you_mean(name, list(inputs))}")
        return value
    kind = inputs[name].get("type")
    if kind == "file":
        return file(value, spot)
    if kind == "file-list":
        return files(value, spot)
    said = text(value, spot)
    source = inputs[name].get("option_source")
    options = (
        source.get("value") if isinstance(source, Mapping) and source.get("type") == "constant" else None
    )
    if kind == "select" and isinstance(options, list) and options and said not in options:
        spot.say(f"{name!r} must be one of {', '.join(map(str, options))}, not {told(value)}")
    return said


def file(value: Any, spot: Spot) -> Any:
    """A URL, or Dify's mapping of a file."""
    if isinstance(value, str):
        if not value.startswith(("http://", "https://")):
            spot.say(f"a file must be an http(s) URL or a mapping, not {told(value)}")
        return {"url": value, "transfer_method": "remote_url"}
    given = plain(mapping(value, spot, _FILE), spot)
    for key, known in (("type", _FILE_TYPES), ("transfer_method", _TRANSFERS)):
        if key in given and given[key] not in known:
            spot.at(key).say(f"`{key}` must be one of {', '.join(known)}, not {told(given[key])}")
    url = given.get("url") or given.get("remote_url")
    if url is not None and not str(url).startswith(("http://", "https://")):
        spot.say(f"the URL of a file must begin with http:// or https://, not {told(url)}")
    if given.get("transfer_method") == "remote_url" and url is None:
        spot.say("a file with transfer_method remote_url needs a `url`")
    return given


def files(value: Any, spot: Spot) -> list[Any]:
    if not isinstance(value, list):
        spot.say(f"`{spot.path[-1]}` must be a list of files, not {told(value)}")
        return []
    return [file(item, spot.at(index)) for index, item in enumerate(value)]


def json_value(value: Any, spot: Spot) -> Any:
    """What a tool gives as JSON: a mapping or a list of mappings."""
    if not isinstance(value, Mapping | list):
        spot.say(f"`json` must be a mapping or a list, not {told(value)}")
    if isinstance(value, list) and not all(isinstance(item, Mapping | list) for item in value):
        spot.say("`json` must hold mappings or lists only (a tool sends one message for each)")
    return plain(value, spot)


def results(value: Any, spot: Spot) -> list[Any]:
    if not isinstance(value, list):
        spot.say(f"`results` must be a list of documents, not {told(value)}")
        return []
    made: list[Any] = []
    for index, item in enumerate(value):
        at = spot.at(index)
        if isinstance(item, str):
            made.append({"content": item})
            continue
        given = plain(mapping(item, at, _DOCUMENT), at)
        if "score" in given and (
            isinstance(given["score"], bool) or not isinstance(given["score"], int | float)
        ):
            at.at("score").say(f"`score` must be a number, not {told(given['score'])}")
            given.pop("score")
        if "metadata" in given:
            mapping(given["metadata"], at.at("metadata"))
        if "files" in given:
            given["files"] = files(given["files"], at.at("files"))
        for key in ("content", "title"):
            if key in given:
                text(given[key], at.at(key))
        made.append(given)
    return made


def headers(value: Any, spot: Spot) -> dict[str, str]:
    given = mapping(value, spot)
    for key, item in given.items():
        broken = isinstance(item, str) and ("\r" in item or "\n" in item)
        if broken or isinstance(item, bool | dict | list | None):
            spot.at(key).say(f"the header {shorten(key, 40)!r} must be one line of text, not {told(item)}")
    return {key: str(item) for key, item in given.items()}


RULES: Mapping[str, Rule] = {
    "text": text,
    "chunks": chunks,
    "reasoning": chunks,
    "delay": seconds,
    "usage": usage,
    "fail": fail,
    "class": class_of,
    "outputs": outputs,
    "submit": submit,
    "timeout": flag,
    "status": lambda value, spot: whole(value, spot, 100, 599),
    "headers": headers,
    "body": plain,
    "json": json_value,
    "files": files,
    "results": results,
}
