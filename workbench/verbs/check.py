"""`check`: what an app would do wrong, told before it runs."""

from __future__ import annotations

from pathlib import Path

from workbench.core import findings
from workbench.core.graph_of import graph_of, root_scope
from workbench.core.paths import search_cost
from workbench.verbs.context import Context
from workbench.verbs.environment import environment_of
from workbench.verbs.names import dify_version
from workbench.verbs.results import WhyResult
from workbench.verbs.target import find_app
from workbench.verbs.why import edge_words, titles


def check(ctx: Context, app: Path | str, *, dify: str | None = None) -> WhyResult:
    """Findings about an app, for a Dify version ("1.15.0", "main"; None: for all of them).

    Raises:
        UsageError: no app, or an unknown version.
    """
    version = dify_version(dify)
    found = find_app(ctx, app)
    graph = graph_of(found.graph, found.root)
    declared = {
        "env": [variable["name"] for variable in found.environment_variables],
        "conversation": [variable["name"] for variable in found.conversation_variables],
    }
    told, answers = findings.check(graph, version, declared=declared, mode=found.mode)
    return WhyResult(
        told,
        answers,
        found.name,
        titles(graph),
        edge_words(graph),
        found.notes,
        environment_of(found),
        search_cost(root_scope(graph)),
    )
