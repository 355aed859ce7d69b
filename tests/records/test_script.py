"""Scripts: what is taken, how it is normalised, and what every mistake is told as."""

from __future__ import annotations

import json
import re
import resource
import time
from pathlib import Path
from textwrap import dedent

import pytest

from workbench.errors import BadInputError
from workbench.records.app import App, read_app
from workbench.records.script import read_script
from workbench.records.script_rules import KEYS_OF_TYPE

FIXTURES = Path(__file__).parents[2] / "fixtures"


def node(node_id: str, node_type: str, title: str = "", parent: str | None = None, **data: object) -> dict:
    made: dict = {"id": node_id, "data": {"type": node_type, "title": title or node_id, **data}}
    return made | ({"parentId": parent} if parent else {})


APP = App(
    data=b"",
    name="app",
    mode="advanced-chat",
    dsl_version=None,
    root="start",
    graph={
        "edges": [],
        "nodes": [
            node("start", "start"),
            node("1711528917469", "llm", "Writer"),
            node("twin1", "llm", "Twin"),
            node("twin2", "llm", "Twin"),
            node("classify", "question-classifier", classes=[{"id": "1", "name": "refund"}]),
            node(
                "extract",
                "parameter-extractor",
                parameters=[
                    {"name": "city", "type": "string"},
                    {"name": "size", "type": "select", "options": ["S", "L"]},
                    {"name": "tags", "type": "array[number]"},
                ],
            ),
            node(
                "code",
                "code",
                outputs={
                    "n": {"type": "number"},
                    "o": {"type": "object", "children": {"a": {"type": "string"}}},
                    "l": {"type": "array[string]"},
                },
            ),
            node("http", "http-request"),
            node("tool", "tool"),
            node("agent", "agent"),
            node("kb", "knowledge-retrieval"),
            node("doc", "document-extractor"),
            node("template", "template-transform"),
            node("plugin", "something-new"),
            node(
                "ask",
                "human-input",
                user_actions=[{"id": "approve", "title": "Yes"}, {"id": "reject", "title": "No"}],
                inputs=[
                    {"output_variable_name": "note", "type": "paragraph"},
                    {
                        "output_variable_name": "size",
                        "type": "select",
                        "option_source": {"type": "constant", "value": ["S", "L"]},
                    },
                    {"output_variable_name": "proof", "type": "file"},
                ],
            ),
            node("loop", "loop"),
            node("inner", "llm", parent="loop"),
            node("answer", "answer"),
        ],
    },
)


def read(text: str, app: App | None = APP) -> dict:
    return read_script(dedent(text).encode(), app, "s.yml")


def refusal(text: str, app: App | None = APP) -> str:
    with pytest.raises(BadInputError) as caught:
        read(text, app)
    assert caught.value.title.startswith("s.yml")
    assert caught.value.next_step
    return caught.value.cause


def test_a_full_script_becomes_plain_json() -> None:
    script = read(
        """
        defaults:
          llm: {delay: 0.1}
        nodes:
          1711528917469:            # an unquoted number is the id all the same
            reasoning: thinking
            chunks: [Hello, {text: ' world', wait: 2}]
            usage: {prompt_tokens: 3, total_price: 0.5}
            fail: 2
          classify: {class: refund}
          extract: {outputs: {city: Paris, size: L, tags: [1, 2.5]}}
          code: {outputs: {n: 1, o: {a: x}, l: [a, null]}}
          http: {status: 503, headers: {Retry-After: 2}, body: {error: busy}}
          tool: {json: {a: 1}, files: ['https://example.com/a.pdf']}
          agent: {text: done, fail: {attempts: [1], after_chunks: 1, error: broke off, error_type: SomeError}}
          kb: {results: [one, {content: two, score: 0.9, metadata: {page: 3}}]}
          ask: {submit: {action: 'Yes', fields: {note: ok, size: S, proof: 'https://example.com/p.png'}}}
          inner:
            rounds: [first, null, {fail: true}]
            calls: [a, {chunks: [b]}]
          plugin: {outputs: {anything: 1}}
        """
    )
    assert json.loads(json.dumps(script, allow_nan=False)) == script
    nodes = script["nodes"]
    assert script["defaults"] == {"llm": {"delay": 0.1}}
    assert nodes["1711528917469"]["fail"] == {"attempts": [2]}
    assert nodes["1711528917469"]["reasoning"] == ["thinking"]
    assert nodes["classify"] == {"class": "1"}
    assert nodes["http"]["headers"] == {"Retry-After": "2"}
    assert nodes["tool"]["files"] == [{"url": "https://example.com/a.pdf", "transfer_method": "remote_url"}]
    assert nodes["kb"]["results"][0] == {"content": "one"}
    assert nodes["ask"]["submit"]["action"] == "approve"
    assert nodes["inner"]["rounds"] == [{"text": "first"}, None, {"fail": True}]
    assert nodes["inner"]["calls"] == [{"text": "a"}, {"chunks": ["b"]}]


def test_a_node_may_be_named_by_its_title() -> None:
    assert read("nodes: {Writer: {text: hi}}") == {"nodes": {"1711528917469": {"text": "hi"}}}


@pytest.mark.parametrize("text", ["", "   \n", "# only a comment\n", "nodes:\n", "nodes: {}"])
def test_an_empty_script_says_nothing(text: str) -> None:
    assert read_script(text.encode(), APP) == {"nodes": {}}


MISTAKES = [
    ("nodes: {writter: {text: a}}", ["line 1", "node writter", "did you mean Writer", "1711528917469"]),
    ("nodes: {Twin: {text: a}}", ["2 nodes are called 'Twin'", "twin1, twin2"]),
    ("nodes:\n  Writer: {text: a}\n  1711528917469: {text: b}", ["line 3", "named twice"]),
    ("nodes:\n  Writer: {text: a}\n  Writer: {text: b}", ["line 3", "stands here twice"]),
    ("node: {}", ["unknown key `node`", "did you mean nodes"]),
    ("Writer: {text: a}", ["put it under `nodes:`"]),
    ("- a", ["a script is a mapping"]),
    ("nodes: [a]", ["`nodes` must be a mapping"]),
    (
        "nodes:\n  Writer:\n    txt: a",
        ["line 3, node Writer, txt", "not for an llm node", "did you mean text"],
    ),
    ("nodes: {Writer: {status: 200}}", ["`status` is not for an llm node"]),
    ("nodes: {code: {text: a}}", ["`text` is not for a code node"]),
    ("nodes: {answer: {text: a}}", ["an answer node works out its result itself"]),
    ("nodes: {Writer: hello}", ["a mapping is needed here"]),
    ("nodes: {Writer: {text: 12:30}}", ["`text` must be text, not 750 (put it in quotes)"]),
    ("nodes: {Writer: {text: a, chunks: [b]}}", ["say the same thing twice"]),
    ("nodes: {Writer: {chunks: []}}", ["`chunks` must be a list of texts, not empty"]),
    ("nodes: {Writer: {chunks: [a, {wait: -1}]}}", ["chunks[1].wait", "seconds from 0"]),
    ("nodes: {Writer: {delay: soon}}", ["`delay` must be seconds"]),
    ("nodes: {Writer: {delay: .nan}}", ["`delay` must be seconds"]),
    ("nodes: {Writer: {usage: {prompt_token: 1}}}", ["did you mean prompt_tokens"]),
    ("nodes: {Writer: {usage: {prompt_tokens: 1.5}}}", ["`prompt_tokens` must be a whole number"]),
    ("nodes: {Writer: {fail: [0]}}", ["must be a whole number from 1 up"]),
    ("nodes: {Writer: {fail: {attempts: []}}}", ["`attempts` is empty"]),
    ("nodes: {Writer: {fail: {error_type: a b}}}", ["must be a class name"]),
    ("nodes: {code: {fail: {after_chunks: 2}}}", ["a code node streams nothing"]),
    ("nodes: {Writer: {rounds: [a]}}", ["in no loop or iteration"]),
    ("nodes: {inner: {rounds: {first: a}}}", ["'first' is no round"]),
    ("nodes: {inner: {calls: []}}", ["`calls` must be a list"]),
    ("nodes: {inner: {rounds: [{calls: [a]}]}}", ["`calls` is not for an llm node"]),
    ("nodes: {classify: {class: refnd}}", ["no class 'refnd'", "did you mean refund"]),
    ("nodes: {extract: {outputs: {town: x}}}", ["no output 'town'", "city, size, tags"]),
    ("nodes: {extract: {outputs: {size: M}}}", ["must be one of S, L"]),
    ("nodes: {extract: {outputs: {tags: [a]}}}", ["'tags[0]' must be of type number"]),
    ("nodes: {code: {outputs: {n: one}}}", ["'n' must be of type number"]),
    ("nodes: {code: {outputs: {n: true}}}", ["'n' must be of type number"]),
    ("nodes: {code: {outputs: {l: a}}}", ["'l' must be a list (array[string])"]),
    ("nodes: {code: {outputs: {o: {}}}}", ["'o' lacks 'a'"]),
    ("nodes: {code: {outputs: {o: {a: x, b: y}}}}", ["no output 'b'"]),
    ("nodes: {plugin: {outputs: {x: .inf}}}", ["inf is no JSON number"]),
    ("nodes: {http: {status: 99}}", ["from 100 to 599"]),
    ("nodes: {http: {headers: {a: [b]}}}", ["must be one line of text"]),
    ('nodes: {http: {headers: {a: "b\\nc"}}}', ["must be one line of text"]),
    ("nodes: {http: {timeout: 3}}", ["`timeout` must be true or false"]),
    ("nodes: {tool: {json: hello}}", ["`json` must be a mapping or a list"]),
    ("nodes: {tool: {files: [a.pdf]}}", ["must be an http(s) URL or a mapping"]),
    ("nodes: {tool: {files: [{type: img}]}}", ["`type` must be one of image"]),
    ("nodes: {kb: {results: [{contents: a}]}}", ["did you mean content"]),
    ("nodes: {kb: {results: [{score: high}]}}", ["`score` must be a number"]),
    ("nodes: {ask: {submit: {action: aprove}}}", ["no action 'aprove'", "did you mean approve"]),
    ("nodes: {ask: {submit: {fields: {note: a}}}}", ["needs an `action`: approve, reject"]),
    (
        "nodes: {ask: {submit: {action: approve, fields: {nota: a}}}}",
        ["no field 'nota'", "did you mean note"],
    ),
    ("nodes: {ask: {submit: {action: approve, fields: {size: M}}}}", ["must be one of S, L"]),
    ("nodes: {ask: {submit: {action: approve}, timeout: true}}", ["say the same thing twice"]),
    ("defaults: {lmm: {delay: 1}}", ["no node type 'lmm'", "did you mean llm"]),
    ("defaults: {code: {outputs: {a: 1}}}", ["`outputs` is not for it"]),
]


@pytest.mark.parametrize(("text", "told"), MISTAKES, ids=[text[:60] for text, _ in MISTAKES])
def test_mistakes_are_told_with_node_and_line(text: str, told: list[str]) -> None:
    cause = refusal(text)
    assert cause.startswith("line ")
    for part in told:
        assert part in cause


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    cause = refusal("nodes:\n  Writer:\n    txt: a\n  nobody: {}\n  code:\n    outputs: {n: x}\n")
    assert [line.split(",")[0] for line in cause.splitlines()] == ["line 3", "line 4", "line 6"]


def test_without_an_app_only_the_shape_is_checked() -> None:
    assert read("nodes: {any: {outputs: {a: 1}, submit: {action: x, fields: {y: z}}}}", None)["nodes"]
    assert "did you mean" in refusal("nodes: {any: {txet: a}}", None)


@pytest.mark.parametrize(
    "text",
    [
        b"nodes: {Writer: {text: [}",
        b"nodes:\n\tWriter: {text: a}",
        b"nodes: {Writer: !!python/object/apply:os.system ['true']}",
        b"\xff\xfe\x00nodes",
        b"nodes: {Writer: {text: \xe9}}",
        b"nodes: {Writer: *nothing}",
        b"nodes: &n {Writer: *n}",
        b"a: 1\n---\nb: 2",
        b"\x7fELF\x00\x00\x00\x00",
        b"nodes: {? [a] : b}",
    ],
)
def test_broken_files_are_refused(text: bytes) -> None:
    with pytest.raises(BadInputError) as caught:
        read_script(text, APP, "s.yml")
    assert caught.value.cause


def bombs() -> dict[str, bytes]:
    laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
    )
    return {
        "too large": b"nodes:\n" + b"".join(b"  node%d: {text: a}\n" % i for i in range(60_000)),
        "billion laughs": laughs.encode() + b"nodes: {Writer: {chunks: *a11}}\n",
        "depth": b"nodes: " + b"[" * 100_000 + b"]" * 100_000,
        "size": b"nodes: {Writer: {text: " + b"x" * 30_000_000 + b"}}",
        "many mistakes": b"nodes:\n" + b"".join(b"  node%d: {text: a}\n" % i for i in range(30_000)),
        "many keys": b"nodes:\n  Writer:\n" + b"".join(b"    key%d: a\n" % i for i in range(30_000)),
        "long name": b"nodes: {" + b"Writer" * 500_000 + b": {text: a}}",
        "long number": b"nodes: {Writer: {delay: " + b"9" * 100_000 + b"}}",
        "long minutes": b"nodes: {Writer: {delay: " + b"1:" * 100_000 + b"1}}",
    }


@pytest.mark.parametrize("name", bombs())
def test_bombs_are_refused_soon_and_cheaply(name: str) -> None:
    data = bombs()[name]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    with pytest.raises(BadInputError):
        read_script(data, APP, "s.yml")
    assert time.process_time() - started < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


@pytest.mark.parametrize(
    "folder",
    sorted(str(path.parent.relative_to(FIXTURES)) for path in FIXTURES.glob("*/*/script.yml")),
)
def test_every_fixture_script_fits_its_app(folder: str) -> None:
    app = read_app((FIXTURES / folder / "app.yml").read_bytes())
    assert read_script((FIXTURES / folder / "script.yml").read_bytes(), app)["nodes"]


MANUAL = (Path(__file__).parents[2] / "kernels" / "SCRIPT.md").read_text()
SHOWN = App(
    data=b"",
    name="shown",
    mode="advanced-chat",
    dsl_version=None,
    root="start",
    graph={
        "edges": [],
        "nodes": [
            node("llm", "llm"),
            node("mail", "tool", "Send mail"),
            node("loop", "loop"),
            node("llm_in_loop", "llm", parent="loop"),
            node("tool", "tool"),
            node("classify", "question-classifier", classes=[{"id": "1", "name": "refund"}]),
            node(
                "extract",
                "parameter-extractor",
                parameters=[{"name": "city", "type": "string"}, {"name": "days", "type": "number"}],
            ),
            node("http", "http-request"),
            node("code", "code", outputs={"items": {"type": "array[string]"}}),
            node("kb", "knowledge-retrieval"),
            node(
                "ask",
                "human-input",
                user_actions=[{"id": "approve"}],
                inputs=[{"output_variable_name": "note", "type": "paragraph"}],
            ),
        ],
    },
)


@pytest.mark.parametrize("example", re.findall(r"```yaml\n(.*?)```", MANUAL, re.DOTALL))
def test_the_manual_shows_scripts_that_work(example: str) -> None:
    assert read_script(example.encode(), SHOWN)["nodes"]


def test_the_manual_names_every_key_and_type() -> None:
    for node_type, keys in KEYS_OF_TYPE.items():
        assert node_type in MANUAL or node_type.split("-")[0] in MANUAL
        for key in keys:
            assert f"`{key}`" in MANUAL or f"`{key}:" in MANUAL, key
