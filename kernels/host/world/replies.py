"""Default replies of models, tools, HTTP services and knowledge bases, shaped by the node. Pure and
deterministic.

`data` is a node's `data` as plain JSON (the normalised DSL); `wanted` maps an output's name to the type that
the rest of the app expects of it (hints.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import shapes
from .schemas import of_schema
from .text import shorten


def title(data: Mapping[str, Any], node_id: str) -> str:
    return str(data.get("title") or node_id)


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def llm_schema(data: Mapping[str, Any]) -> Any:
    """The JSON schema that an LLM node's answer is to fit, or None for free text.

    Either the node's structured output, or `response_format` among the model's parameters (how DSLs before
    structured output asked for JSON; {} then means any object).
    """
    if data.get("structured_output_enabled"):
        structured = data.get("structured_output")
        return structured.get("schema", {}) if isinstance(structured, Mapping) else {}
    model = data.get("model")
    parameters = model.get("completion_params") if isinstance(model, Mapping) else None
    if not isinstance(parameters, Mapping):
        return None
    wanted = str(parameters.get("response_format") or "").lower()
    if "json" not in wanted:
        return None
    schema = parameters.get("json_schema")
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except ValueError:
            schema = None
    if isinstance(schema, Mapping):
        inner = schema.get("schema")
        return inner if isinstance(inner, Mapping) else schema
    return {}


def llm_text(data: Mapping[str, Any], node_id: str, question: str, wanted: str | None = None) -> str:
    """Free text, JSON where the node asks for it, or the kind of text that the next nodes need (`wanted`)."""
    name, schema = title(data, node_id), llm_schema(data)
    if schema is not None:
        return dumps(of_schema(schema) if schema else {"answer": f"scripted answer of {name}"})
    if wanted in ("url", "json"):
        return str(shapes.of_type(wanted, name))
    # No double quotes or line breaks: the text may end up inside of a JSON body.
    asked = shorten(question).replace('"', "'").replace("\\", "/")
    return f"This is the scripted answer of {name}" + (f" to: {asked}" if asked else ".")


def classes(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(id, name) of a question classifier's classes."""
    listed = data.get("classes")
    listed = listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ()
    return [(str(c.get("id", "")), str(c.get("name", ""))) for c in listed if isinstance(c, Mapping)]


def class_reply(data: Mapping[str, Any], wanted: str | None) -> str:
    """What a classifier's model says: the class with that id or name, else the first one."""
    known = classes(data) or [("", "")]
    chosen = next((c for c in known if wanted is not None and wanted in c), known[0])
    return dumps({"keywords": ["scripted"], "category_id": chosen[0], "category_name": chosen[1]})


def parameters(
    data: Mapping[str, Any], given: Mapping[str, Any], wanted: Mapping[str, str]
) -> dict[str, Any]:
    """An extractor's parameters: the given ones, the rest made up by type."""
    made: dict[str, Any] = {}
    for parameter in data.get("parameters") or ():
        if not isinstance(parameter, Mapping):
            continue
        name, options = str(parameter.get("name", "")), parameter.get("options")
        if name in given:
            made[name] = given[name]
        elif options and str(parameter.get("type")) in ("string", "select"):
            made[name] = options[0]
        else:
            kind = shapes.finer(str(parameter.get("type") or "string"), wanted.get(name))
            made[name] = shapes.of_type(kind, name)
    return made


def code_outputs(data: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """A value of its declared type for each output of a code node (graphon code_node: exactly the declared
    names)."""
    outputs = data.get("outputs")
    made: dict[str, Any] = {}
    for name, output in outputs.items() if isinstance(outputs, Mapping) else ():
        if isinstance(output, Mapping):
            kind = shapes.finer(str(output.get("type") or "string"), wanted.get(str(name)))
            made[str(name)] = shapes.of_type(kind, str(name), output.get("children"))
    return made


def http_body(data: Mapping[str, Any], method: str, url: str) -> Any:
    return {
        "ok": True,
        "message": f"scripted reply of {title(data, 'HTTP')}",
        "method": method,
        "url": url,
        "data": [{"id": 1, "name": "scripted item 1"}, {"id": 2, "name": "scripted item 2"}],
    }


def tool_text(data: Mapping[str, Any], node_id: str, wanted: str | None = None) -> str:
    if wanted in ("url", "json"):
        return str(shapes.of_type(wanted, str(data.get("tool_name") or node_id)))
    label = data.get("tool_label") or data.get("tool_name") or title(data, node_id)
    return f"Scripted result of the tool {label}."


def tool_json(data: Mapping[str, Any], node_id: str) -> dict[str, Any]:
    return {
        "result": f"scripted result of {data.get('tool_name') or title(data, node_id)}",
        "items": [{"id": 1, "title": "scripted item 1"}, {"id": 2, "title": "scripted item 2"}],
    }


TOOL_OUTPUTS = frozenset({"text", "files", "json"})


def schema_outputs(
    data: Mapping[str, Any], wanted: Mapping[str, str], known: frozenset[str]
) -> dict[str, Any]:
    """Outputs beside the usual ones: those of the tool's or agent's `output_schema`, and those other nodes
    read."""
    schema = data.get("output_schema")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    made: dict[str, Any] = {}
    if isinstance(properties, Mapping):
        for name, part in properties.items():
            if name not in known:
                made[str(name)] = of_schema(part, str(name), schema)
    for name, kind in wanted.items():
        if name not in known and name not in made:
            made[name] = shapes.of_type(kind, name)
    return made


def retrieved(data: Mapping[str, Any], node_id: str, results: Sequence[Any] | None) -> list[dict[str, Any]]:
    """A knowledge retrieval's `result`: Dify's record for each document (api/core/workflow
    knowledge_retrieval_node).

    Args:
        results: scripted documents (text, or any of title, content, score, dataset_id, document_name, url,
            files, and metadata to lay over); None: two made-up ones.
    """
    given = (
        [{"content": f"Scripted passage {i} about the question."} for i in (1, 2)]
        if results is None
        else results
    )
    datasets = [str(d) for d in data.get("dataset_ids") or ()] or ["scripted-dataset"]
    made = []
    for position, item in enumerate(given, 1):
        item = item if isinstance(item, Mapping) else {"content": str(item)}
        name = str(item.get("document_name") or item.get("title") or f"Scripted document {position}")
        content = str(item.get("content", ""))
        metadata = {
            "_source": "knowledge",
            "position": position,
            "dataset_id": str(item.get("dataset_id") or datasets[(position - 1) % len(datasets)]),
            "dataset_name": str(item.get("dataset_name") or title(data, node_id)),
            "document_id": str(item.get("document_id") or f"{node_id}-document-{position}"),
            "document_name": name,
            "data_source_type": "upload_file",
            "segment_id": str(item.get("segment_id") or f"{node_id}-segment-{position}"),
            "retriever_from": "workflow",
            "score": float(item.get("score", round(1 - position / 10, 2))),
            "segment_hit_count": 1,
            "segment_word_count": len(content.split()),
            "segment_position": position,
            "segment_index_node_hash": f"scripted-{position}",
            "doc_metadata": {},
        }
        extra = item.get("metadata")
        made.append(
            {
                "title": str(item.get("title") or name),
                "files": list(item.get("files") or ()),
                "content": content,
                "url": item.get("url") or "",
                "icon": item.get("icon") or "",
                "metadata": {**metadata, **(extra if isinstance(extra, Mapping) else {})},
            }
        )
    return made
