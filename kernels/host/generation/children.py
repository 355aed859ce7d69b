"""Loops and iterations of graphon 0.5 and 0.6: every round is a child engine that the embedding program
builds.

A child engine has its own threads. Its node events travel through the container node to the parent engine,
whose dispatcher emits them; its edge events are dropped by graphon. In lock-step each engine stands still
until the root's recorder has taken the event that it has just emitted.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..brake import STARTS

REMEMBERED = 1024
"""Events that may still be waited for: far more than engines are nested."""
PATIENCE = 2.0
"""Seconds without an answer after which a child engine is not held any more."""


class Follow:
    """Lets a child engine go on only when the root has taken its latest event."""

    def __init__(self, stop: threading.Event, parents: Mapping[str, str]) -> None:
        self._stop = stop
        self._parents = parents
        self._taken: OrderedDict[int, Any] = OrderedDict()
        self._news = threading.Condition()
        self._free = False
        self._edges: list[tuple[Any, int]] = []

    def taken(self, event: Any) -> None:
        """The root recorder has dealt with this event."""
        with self._news:
            self._taken[id(event)] = event
            if len(self._taken) > REMEMBERED:
                self._taken.popitem(last=False)
            self._news.notify_all()

    def edges_before(self, event: Any) -> Sequence[tuple[Any, int]]:
        """The edge events of this event's own engine since its last node event: it stands still at this one.
        Engines inside it may have run ahead to their first node.
        """
        if not self._edges or not event_in_container(event):
            return ()
        container = self._parents.get(event.node_id)
        with self._news:
            edges = [entry for entry in self._edges if self._container(entry) == container]
            self._edges = [entry for entry in self._edges if self._container(entry) != container]
        return edges

    def _container(self, entry: tuple[Any, int]) -> str | None:
        return self._parents.get(entry[0].source_node_id)

    def see(self, event: Any, index: int) -> None:
        """An event of a child engine in round `index`, in its dispatcher's thread."""
        if hasattr(event, "edge_id"):
            with self._news:
                self._edges.append((event, index))
        elif hasattr(event, "node_id") and str(event.node_type) not in STARTS:
            self._wait(event)

    def _wait(self, event: Any) -> None:
        end = time.monotonic() + PATIENCE
        with self._news:
            while id(event) not in self._taken and not (self._free or self._stop.is_set()):
                left = end - time.monotonic()
                if left <= 0:
                    self._free = True
                    return
                self._news.wait(min(left, 0.1))


def event_in_container(event: Any) -> bool:
    """A node event that has travelled up from a child engine."""
    return bool(getattr(event, "in_loop_id", None) or getattr(event, "in_iteration_id", None))


class ChildEngines:
    """graphon's ChildGraphEngineBuilderProtocol.

    Args:
        build: (workflow id, graph, state, channel, this builder) -> engine.
        follow: None: as fast as graphon can.
    """

    def __init__(
        self,
        generation: Any,
        factory: Any,
        build: Callable[..., Any],
        follow: Follow | None,
    ) -> None:
        self._generation = generation
        self._factory = factory
        self._build = build
        self._follow = follow
        self._lock = threading.Lock()
        self._states: dict[int, tuple[Any, tuple[int, ...]]] = {}
        self._counts: dict[tuple[int, str], int] = {}
        self._channels: deque[Any] = deque(maxlen=256)
        self._stopped: str | None = None

    def rounds(self, state: Any) -> tuple[int, ...]:
        """The rounds of the child engine that runs with this state; () for the root's."""
        return self._states.get(id(state), (None, ()))[1]

    def build_child_engine(
        self,
        *,
        workflow_id: str,
        graph_init_params: Any,
        parent_graph_runtime_state: Any,
        root_node_id: str,
        variable_pool: Any = None,
    ) -> Any:
        if self._stopped is not None:
            raise RuntimeError(self._stopped)
        generation = self._generation
        pool = variable_pool if variable_pool is not None else parent_graph_runtime_state.variable_pool
        state = generation.new_state(pool, workflow_id)
        container = generation.app.parents[root_node_id]
        with self._lock:
            index = self._index(parent_graph_runtime_state, container, pool)
            self._states[id(state)] = (state, (*self.rounds(parent_graph_runtime_state), index))
        factory = self._factory.with_frame(graph_init_params, state)
        graph = generation.graph(graph_init_params.graph_config, factory, root_node_id)
        channel = generation.channel()
        self._channels.append((channel, state.ready_queue))
        engine = self._build(workflow_id, graph, state, channel, self)
        follow = self._follow
        if follow is not None:
            engine.layer(generation.listener(lambda event: self._seen(follow, event, index, state)))
        return engine

    def _seen(self, follow: Follow, event: Any, index: int, state: Any) -> None:
        follow.see(event, index)
        if type(event).__name__.startswith("GraphRun") and not type(event).__name__.endswith("StartedEvent"):
            state.ready_queue.release()

    def _index(self, parent_state: Any, container: str, pool: Any) -> int:
        """An iteration tells its index in the pool, a loop does not: its rounds are counted."""
        if self._generation.app.kind(container) != "loop":
            return int(pool.get((container, "index")).value)
        key = (id(parent_state), container)
        index = self._counts.get(key, 0)
        self._counts[key] = index + 1
        return index

    def stop(self, reason: str) -> None:
        self._stopped = reason
        for channel, tasks in list(self._channels):
            tasks.release()
            channel.send_command(self._generation.abort_command(reason=reason))
