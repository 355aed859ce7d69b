"""A bundle with its secrets hidden: which of its texts are content, and what has to be hidden of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.core.graph_of import graph_of
from workbench.core.hiding import Hider, hider_for
from workbench.records.app import App, read_app
from workbench.records.bundle import (
    Bundle,
    CarriedApp,
    CarriedEdited,
    CarriedEvent,
    CarriedFact,
    CarriedFile,
    CarriedPause,
    CarriedRun,
    CarriedSegment,
    content_id,
)
from workbench.records.reading import decode
from workbench.records.yaml_reading import read_yaml
from workbench.records.yaml_writing import yaml_text
from workbench.verbs.environment import environment_of


def hider_of(made: Bundle) -> Hider:
    """What has to be hidden of a bundle, from its apps, its runs' environment and all that they hold."""
    apps = _read(made)
    environment: list[Mapping[str, Any]] = []
    for app in apps.values():
        environment += environment_of(app)
    contents: list[Any] = [read_yaml(app.data, app.name).value for app in made.apps]
    for run in made.runs:
        environment += _pool_environment(run)
        contents += [run.inputs, run.outputs, run.script, *(json.loads(event.text) for event in run.events)]
    for file in made.files:
        state = _json(decode(file.data, file.name))
        environment += _saved_environment(state)
        contents.append(state)
    for edited in made.edited:
        contents += [{edit["set"].rpartition(".")[2]: edit.get("to", edit.get("text"))}
                     for edit in edited.edits["edits"] if "set" in edit]  # fmt: skip
    graphs = [graph_of(app.graph, app.root) for app in apps.values()]
    return hider_for(environment, graphs, contents)


def _pool_environment(run: CarriedRun) -> Iterator[Mapping[str, Any]]:
    for segment in run.segments:
        for fact in segment.facts:
            if fact.kind == "pool":
                for name, held in fact.value.get("env", {}).items():
                    yield {"name": name, "value": held["value"], "value_type": held["type"]}
        if segment.base is not None:
            yield from _saved_environment(_json(segment.base["state"]))
    for pause in run.pauses:
        yield from _saved_environment(_json(pause.state))


def _saved_environment(state: Any) -> Iterator[Mapping[str, Any]]:
    """Environment variables in a runtime state, or in the one inside a context."""
    if not isinstance(state, Mapping):
        return
    inner = state.get("serialized_graph_runtime_state")
    if isinstance(inner, str):
        yield from _saved_environment(_json(inner))
    pool = state.get("variable_pool")
    pool = _json(pool) if isinstance(pool, str) else pool
    known = pool.get("variable_dictionary") if isinstance(pool, Mapping) else None
    names = known.get("env") if isinstance(known, Mapping) else None
    for name, held in names.items() if isinstance(names, Mapping) else ():
        if isinstance(held, Mapping):
            kind = held.get("value_type")
            yield {"name": str(name), "value": held.get("value"), "value_type": kind}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def masked(made: Bundle, hider: Hider) -> Bundle:
    """The bundle with its secrets hidden. Apps and files that change get the id of their new bytes."""
    carried = {each.id: masked_app(each, hider) for each in made.apps}
    files = [_masked_file(each, hider) for each in made.files]
    now = {old.id: new.id for old, new in zip(made.files, files, strict=True)}
    return Bundle(
        now.get(made.subject, made.subject),
        {"environment": sorted(hider.environment), "kept": sorted(hider.kept)},
        tuple(carried.values()),
        tuple(with_files(masked_run(run, hider, carried[run.app_id].id), now) for run in made.runs),
        tuple({file.id: file for file in files}.values()),
        _masked_edits(made.edited, hider, now, {old: new.id for old, new in carried.items()}),
    )


def _masked_edits(
    edited: Sequence[CarriedEdited], hider: Hider, files: Mapping[str, str], apps: Mapping[str, str]
) -> tuple[CarriedEdited, ...]:
    """Where edited pauses come from. What differs in a secret alone is one file now."""
    found: dict[str, CarriedEdited] = {}
    for each in edited:
        file_id, parent_id = files[each.file_id], files.get(each.parent_id, each.parent_id)
        if file_id != parent_id:
            found.setdefault(
                file_id,
                replace(
                    each,
                    file_id=file_id,
                    parent_id=parent_id,
                    app_id=None if each.app_id is None else apps[each.app_id],
                    name=hider.text(each.name),
                    edits=hider.edits(each.edits),
                ),
            )
    return tuple(found.values())


def with_files(run: CarriedRun, files: Mapping[str, str]) -> CarriedRun:
    """A run whose forks began with these files, by the ids that they have now."""
    return replace(run, segments=tuple(_with_file(segment, files) for segment in run.segments))


def _with_file(segment: CarriedSegment, files: Mapping[str, str]) -> CarriedSegment:
    base = segment.base
    if base is None or base.get("file_id") not in files:
        return segment
    return replace(segment, base={**base, "file_id": files[base["file_id"]]})


def masked_app(app: CarriedApp, hider: Hider) -> CarriedApp:
    """An app with its secrets hidden; unchanged where there are none."""
    value = read_yaml(app.data, app.name).value
    hidden = hider.app(value)
    text = app.data.decode("utf-8", "replace")
    if hidden == value and hider.text(text) == text:  # comments are no part of the value
        return app
    data = yaml_text(hidden).encode()
    return replace(app, id=content_id(data), name=hider.text(app.name), data=data)


def _masked_file(file: CarriedFile, hider: Hider) -> CarriedFile:
    text = decode(file.data, file.name)
    hidden = hider.state(text)
    if hidden == text:
        return file
    data = hidden.encode("utf-8", "surrogatepass")
    return replace(file, id=content_id(data), data=data)


def masked_run(run: CarriedRun, hider: Hider, app_id: str) -> CarriedRun:
    """A run with its secrets hidden."""
    events = hider.events([json.loads(event.text) for event in run.events])
    streams = iter(
        hider.streams([fact.value for s in run.segments for fact in s.facts if fact.kind == "stream"])
    )
    return replace(
        run,
        app_id=app_id,
        app_name=hider.text(run.app_name),
        inputs=hider.content(run.inputs),
        system=hider.content(run.system),
        script=hider.content(run.script),
        options=hider.content(run.options),
        outputs=hider.content(run.outputs),
        answer=None if run.answer is None else hider.text(run.answer),
        error=None if run.error is None else hider.text(run.error),
        segments=tuple(_masked_segment(segment, hider, streams) for segment in run.segments),
        events=tuple(
            CarriedEvent(each.step, each.at, _encode(event))
            for each, event in zip(run.events, events, strict=True)
        ),
        pauses=tuple(_masked_pause(pause, hider) for pause in run.pauses),
    )


def _masked_segment(segment: CarriedSegment, hider: Hider, streams: Iterator[Any]) -> CarriedSegment:
    base = segment.base
    return replace(
        segment,
        gate=None if segment.gate is None else hider.state(segment.gate),
        forms=hider.content(segment.forms),
        base=None if base is None else {**base, "state": hider.state(base["state"])},
        script=hider.content(segment.script),
        options=hider.content(segment.options),
        facts=tuple(_masked_fact(fact, hider, streams) for fact in segment.facts),
    )


def _masked_fact(fact: CarriedFact, hider: Hider, streams: Iterator[Any]) -> CarriedFact:
    if fact.kind == "stream":
        return replace(fact, value=next(streams))
    if fact.kind == "pool":
        return replace(fact, value=hider.pool(fact.value))
    if fact.kind == "graph":
        return replace(fact, value=hider.graph(fact.value))
    return replace(fact, value=hider.text(fact.value))


def _masked_pause(pause: CarriedPause, hider: Hider) -> CarriedPause:
    return replace(
        pause,
        state=hider.state(pause.state),
        gate=None if pause.gate is None else hider.state(pause.gate),
        reasons=tuple(hider.content(reason) for reason in pause.reasons),
        outputs=hider.content(pause.outputs),
    )


_encode = json.JSONEncoder(separators=(",", ":")).encode


def told(hider: Hider) -> Iterator[str]:
    """What was hidden and what was kept, in words."""
    if hider.environment:
        yield f"Environment variables hidden: {', '.join(sorted(hider.environment))}."
    if hider.kept:
        yield f"Kept, because an Answer shows them to every chat user: {', '.join(sorted(hider.kept))}."
    yield "Tokens and keys are hidden where their form or their name tells them; --unmask keeps all."


def _read(made: Bundle) -> dict[str, App]:
    return {each.id: read_app(each.data, each.name) for each in made.apps}
