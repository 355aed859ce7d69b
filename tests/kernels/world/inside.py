"""Runs in an engine kernel's interpreter: parts of the world on their own. One JSON question a line, one
answer a line."""

import json
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "kernels" / "host"))

import jsonschema
from world import templates
from world.model_base import StructuredOutputError, parse_structured
from world.schemas import of_schema
from world.waiting import Waiter


def template(question):
    waiter = Waiter()
    templates.MOST_SECONDS = question.get("seconds", 10.0)
    if question.get("abort"):
        threading.Timer(0.05, waiter.abort).start()
    return templates.BoundedJinja(waiter).render_template(question["template"], question.get("variables", {}))


def schema(question):
    """None when the made-up value fits, else why not."""
    jsonschema.Draft7Validator(question["schema"]).validate(of_schema(question["schema"]))


def structured(question):
    try:
        return parse_structured(question["text"])
    except StructuredOutputError as error:
        return f"refused: {error}"


def pump(question):
    """Items of an endless iterator until an abort, and how many threads are left soon after."""
    waiter, got = Waiter(), []

    def endless():
        while True:
            yield 1

    try:
        for item in waiter.iterate(endless):
            got.append(item)
            if len(got) == 5:
                waiter.abort()
    except Exception as error:
        kind = type(error).__name__
    for _ in range(200):
        if threading.active_count() == 1:
            break
        time.sleep(0.01)
    return [kind, len(got), threading.active_count()]


DO = {"template": template, "schema": schema, "structured": structured, "pump": pump}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = {"result": DO[asked["do"]](asked)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
