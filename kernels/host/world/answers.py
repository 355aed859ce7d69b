"""What a stub node answers: its outputs as Dify's own node would name and shape them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphon.variables.segments import ArrayFileSegment, ArrayObjectSegment, Segment

from . import replies, shapes
from .files import make_file
from .text import estimate_tokens
from .turns import Chunk, Turn


@dataclass(frozen=True)
class Answered:
    """One finished invocation of a stub."""

    outputs: Mapping[str, Any]
    chunks: list[Chunk] = field(default_factory=list)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)


def answer(
    node_type: str, node_id: str, data: Mapping[str, Any], turn: Turn, pool: Any, wanted: Mapping[str, str]
) -> Answered:
    """Work out a stub's outputs.

    Args:
        node_type: Dify's type.
        node_id: of the node.
        data: the node's data as plain JSON.
        turn: what the script says.
        pool: graphon's variable pool, to read the node's inputs.
        wanted: outputs that other nodes read, with the types they need.
    """
    outputs = dict(turn.entry.get("outputs") or {})
    match node_type:
        case "agent":
            return _agent(node_id, data, turn, wanted, outputs)
        case "knowledge-retrieval":
            given = turn.entry.get("results", outputs.pop("result", None))
            found = ArrayObjectSegment(value=replies.retrieved(data, node_id, given))
            query = _text(pool, data.get("query_variable_selector"))
            return Answered({"result": found, **outputs}, inputs={"query": query})
        case "document-extractor":
            return _document(node_id, data, turn, pool, outputs)
        case "datasource" | "datasource-empty":
            return _datasource(node_id, data, turn, wanted, outputs)
        case _ if node_type.startswith("trigger-"):
            return Answered({**_trigger(node_type, node_id, data, pool, wanted), **outputs})
        case "knowledge-index":
            made = {
                "dataset_id": "scripted-dataset",
                "document_id": f"{node_id}-document",
                "display_status": "completed",
            }
            return Answered({**made, **outputs})
    return _unknown(node_id, data, turn, wanted, outputs)


def _agent(
    node_id: str, data: Mapping[str, Any], turn: Turn, wanted: Mapping[str, str], outputs: dict[str, Any]
) -> Answered:
    default = f"This is the scripted answer of the agent {replies.title(data, node_id)}."
    if wanted.get("text") in ("url", "json"):
        default = str(shapes.of_type(wanted["text"], "answer"))
    chunks = turn.chunks(str(outputs.pop("text", default)))
    text = "".join(chunk.text for chunk in chunks)
    given = turn.entry.get("json", outputs.pop("json", None))
    made = replies.schema_outputs(data, wanted, frozenset({"text", "files", "json", "usage"}))
    usage = {
        "prompt_tokens": 0,
        "completion_tokens": estimate_tokens(text),
        **(turn.entry.get("usage") or {}),
    }
    usage.setdefault("total_tokens", usage["prompt_tokens"] + usage["completion_tokens"])
    all_outputs = {
        "text": text,
        "files": _files(turn.entry.get("files") or outputs.pop("files", None)),
        "json": given if isinstance(given, list) else [{"data": []} if given is None else given],
        "usage": usage,
        **made,
        **outputs,
    }
    return Answered(all_outputs, chunks, usage=usage)


def _document(
    node_id: str, data: Mapping[str, Any], turn: Turn, pool: Any, outputs: dict[str, Any]
) -> Answered:
    selector = data.get("variable_selector")
    variable = pool.get(selector) if isinstance(selector, Sequence) and len(selector) >= 2 else None
    value = getattr(variable, "value", None)
    many = bool(data.get("is_array_file")) or isinstance(value, list)
    if "text" in outputs:
        extracted = outputs.pop("text")
    elif turn.says("text", "chunks"):
        extracted = [turn.text()] if many else turn.text()
    elif many:
        listed = value if isinstance(value, list) and value else [None] * shapes.ITEMS
        extracted = [f"Scripted text of {_name(file, f'document {i}')}." for i, file in enumerate(listed, 1)]
    else:
        extracted = f"Scripted text of {_name(value, 'the document')}."
    return Answered({"text": extracted, **outputs}, inputs={"variable_selector": list(selector or ())})


def _name(file: Any, fallback: str) -> str:
    return str(getattr(file, "filename", None) or fallback)


def _datasource(
    node_id: str, data: Mapping[str, Any], turn: Turn, wanted: Mapping[str, str], outputs: dict[str, Any]
) -> Answered:
    kind = str(data.get("provider_type") or "local_file")
    made: dict[str, Any] = {"datasource_type": kind}
    if kind == "local_file":
        made["file"] = make_file(
            {"filename": "scripted.txt", "type": "document", "mime_type": "text/plain", "size": 21}
        )
    elif kind == "website_crawl":
        made |= {
            "source_url": "https://example.com/",
            "title": f"scripted page of {replies.title(data, node_id)}",
            "description": "scripted description",
            "content": turn.text("Scripted content of the page."),
        }
    else:
        made |= {"content": turn.text("Scripted content of the document."), "page_id": "scripted-page"}
    missing = {n: shapes.of_type(k, n) for n, k in wanted.items() if n not in made}
    return Answered({**missing, **made, **outputs})


def _trigger(
    node_type: str, node_id: str, data: Mapping[str, Any], pool: Any, wanted: Mapping[str, str]
) -> dict[str, Any]:
    """A trigger's outputs: what the run was started with, else made-up values of the declared types."""
    made: dict[str, Any] = {}
    if node_type == "trigger-webhook":
        for name, kind in _webhook_variables(data):
            made[name] = shapes.of_type(kind, name)
        made.setdefault(
            "webhook_raw", {"method": str(data.get("method") or "POST"), "headers": {}, "body": {}}
        )
    if node_type == "trigger-schedule":
        made["timestamp"] = "2026-01-31T12:00:00Z"
    for name, kind in wanted.items():
        made.setdefault(name, shapes.of_type(kind, name))
    for name in made:
        variable = pool.get((node_id, name))
        if variable is not None:
            made[name] = variable
    return made


def _webhook_variables(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    listed = []
    for part in ("headers", "params", "body"):
        for item in data.get(part) or () if isinstance(data.get(part), list) else ():
            if isinstance(item, Mapping) and item.get("name"):
                listed.append((str(item["name"]).replace("-", "_"), str(item.get("type") or "string")))
    return listed


def _unknown(
    node_id: str, data: Mapping[str, Any], turn: Turn, wanted: Mapping[str, str], outputs: dict[str, Any]
) -> Answered:
    made = {name: shapes.of_type(kind, name) for name, kind in wanted.items()}
    default = f"Scripted output of {replies.title(data, node_id)}."
    made["text"] = turn.text(str(outputs.pop("text", default)))
    return Answered({**made, **outputs}, turn.chunks(default))


def _files(given: Any) -> Segment:
    listed = given if isinstance(given, list) else [given] if given else []
    return ArrayFileSegment(
        value=[make_file(f if isinstance(f, Mapping) else {"url": str(f)}) for f in listed]
    )


def _text(pool: Any, selector: Any) -> str:
    variable = pool.get(selector) if isinstance(selector, Sequence) and len(selector) >= 2 else None
    return variable.text if variable is not None else ""
