"""The verbs that look into things (why, check, show, diff) or change a saved pause (edit, heal)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.edits import Edit, Given
from workbench.errors import UsageError
from workbench.notebook.base import Target, own_app
from workbench.notebook.differences import Differences
from workbench.notebook.findings import Findings, Page
from workbench.notebook.healed import Healed
from workbench.notebook.looking import Looking
from workbench.notebook.pause import Pause
from workbench.notebook.run import Run
from workbench.notebook.saved import Saved
from workbench.notebook.steps import Step

if TYPE_CHECKING:
    from workbench.notebook.fixed import Fixed
    from workbench.notebook.memory import Memory
    from workbench.notebook.memory_agent import AgentMemory
    from workbench.notebook.memory_sweep import MemorySweep


class Explaining(Looking):
    """What is so, and why."""

    def why(self, target: Target, *, app: Target | None = None, dify: str | None = None) -> Findings:
        """Why an Answer is silent, repeated or late: in a run, at a pause, or in a saved pause.

        Args:
            app: the app of a saved pause's file.
            dify: the Dify that resumes the pause ("1.15.0", "main"): tells what will happen there.

        Raises:
            UsageError: a saved pause without its app, an app, or an unknown version.
        """
        from workbench.verbs.why import why

        of_app = self.app_target(app or own_app(target))
        return Findings(self.bench, why(self.ctx, self.target(target), app=of_app, dify=dify))

    def check(self, app: Target, *, dify: str | None = None) -> Findings:
        """What an app would do wrong, told before it runs; `dify` None looks at all versions.

        Raises:
            UsageError: no app, or an unknown version.
        """
        from workbench.verbs.check import check

        return Findings(self.bench, check(self.ctx, self.target(app), dify=dify))

    def fix(
        self,
        app: Target,
        *,
        dify: str | None = None,
        choose: Sequence[str] = (),
        script: Mapping[str, Any] | None = None,
        play: bool = True,
    ) -> Fixed:
        """A copy of an app with the changes that `check` advises, proved on the real engine.

        Args:
            dify: the Dify that it is for; None is the one that loses the gate.
            choose: only these changes, by number or by the id of the form.
            script: what the world answers when both apps are played.
            play: False leaves the proof out.

        Raises:
            UsageError: no app, an unknown version, or no such change.
            WorkbenchError: the changed app is not what it should be; nothing is given then.
        """
        from workbench.notebook.fixed import Fixed
        from workbench.verbs.fixing import fix

        made = fix(self.ctx, self.target(app), dify=dify, choose=choose, script=script, play=play)
        return Fixed(self, made)

    def explain(self, code: str) -> Page:
        """The help page of a finding.

        Raises:
            NotFoundError: there is no such code.
        """
        from workbench.core.findings import explain

        return Page(explain(code))

    def show(self, target: Target, step: int | None = None, *, app: Target | None = None) -> Step | Saved:
        """A run at a step (None: its last; a pause: its own), or a saved pause.

        Raises:
            UsageError: there is no such step.
            NotFoundError: nothing goes by that id.
        """
        found = self.load(target, app=app)
        if isinstance(found, Pause):
            return found.run.at(found.step if step is None else step)
        if isinstance(found, Run):
            return found.at(-1 if step is None else step)
        if isinstance(found, Saved):
            return found
        raise UsageError("An app has no steps.", "", "Run it: wb.run(app)")

    def memory(
        self, conversation: Target, *, app: Target | None = None, node: str | None = None, **settings: Any
    ) -> Memory:
        """What a node remembers of a conversation while a turn runs.

        Args:
            conversation: a file of message rows, its id, or a run of the conversation.
            app, node: whose memory; without `node` the app's first one with memory.
            settings: window (rows; 0 is off), budget, context, max_tokens (tokens), counter, prune, form,
                turn (from 1), caller; what is missing is the node's own.

        Raises:
            UsageError: a name or a turn that does not exist.
            BadInputError: the conversation can't be read.
        """
        from workbench.notebook.memory import Memory
        from workbench.verbs.memory_lab import open_lab

        of_app = self.app_target(app)
        return Memory(self.bench, open_lab(self.ctx, self.target(conversation), app=of_app, node=node)).with_(
            **settings
        )

    def memory_sweep(
        self,
        *conversations: Target,
        windows: Sequence[int | None] = (None, *range(1, 21)),
        budgets: Sequence[int | None] = (None,),
        keep: str | None = None,
        price: float | None = None,
        app: Target | None = None,
        node: str | None = None,
        **settings: Any,
    ) -> MemorySweep:
        """Every combination of some windows and budgets over conversations.

        Args:
            conversations: files of message rows, their ids, runs of a conversation, or folders of files.
            windows: in rows; None is off. budgets: in tokens; None is what Dify's formula gives.
            keep: a text that must be there at every later turn.
            price: of a million tokens.
            settings: context, max_tokens, counter, prune, form, caller, as `memory` takes them.

        Raises:
            UsageError: no conversation, an unknown name, too many settings, or no turn needs `keep`.
            BadInputError: the only conversation can't be read.
        """
        from workbench.notebook.memory_sweep import swept

        targets = [self.target(each) for each in conversations]
        grid = (windows, budgets)
        of_app = self.app_target(app)
        return swept(self.bench, targets, grid, keep, price, app=of_app, node=node, settings=settings)

    def memory_agent(
        self,
        session: Target,
        *,
        counter: str = "o200k_base",
        context: int | None = None,
        max_tokens: int = 0,
    ) -> AgentMemory:
        """What an Agent (v2) remembers, and what Dify's compaction would take out of it.

        Args:
            session: a CompositorSessionSnapshot, by file or id.
            context, max_tokens: of the model, in tokens; without a context nothing is compacted.

        Raises:
            UsageError: it is no session, or there is no such counter.
            BadInputError: it can't be read.
        """
        from workbench.notebook.memory_agent import AgentMemory
        from workbench.verbs.memory_agent import memory_agent

        found = memory_agent(
            self.ctx, self.target(session), counter_name=counter, context=context, max_tokens=max_tokens
        )
        return AgentMemory(self.bench, found)

    def diff(self, before: Target | Step, after: Target | Step, *, app: Target | None = None) -> Differences:
        """What differs between two runs, steps, pauses, saved pauses or apps.

        Args:
            app: the app of saved pauses: with it they are compared by what they mean.

        Raises:
            UsageError: the two can't be compared.
        """
        from workbench.verbs.diff import compare

        of_app = self.app_target(app or own_app(before) or own_app(after))
        return Differences(self.bench, compare(self.ctx, self.side(before), self.side(after), app=of_app))

    # changing ------------------------------------------------------------------

    def edit(
        self,
        target: Target,
        values: Mapping[str, Any],
        *,
        remove: Sequence[str] = (),
        app: Target | None = None,
        kernel: str | None = None,
        name: str = "",
        force: bool = False,
        dry_run: bool = False,
    ) -> Saved:
        """A copy of a pause with other values, kept as a new file; the original is never changed.

        Args:
            values: by target: `{"llm.text": "x", "gate:answer": "active", "conversation.n": 3}`;
                `Saved.targets()` lists them. A text is read by the type of its target, other values are taken
                as they are.
            remove: targets to take away.
            kernel: whose rules it shall keep; None takes the engine that saved it.
            force: keep it although the engine would refuse it.
            dry_run: keep nothing; the result tells what would change.

        Raises:
            UsageError: an edit does not fit; nothing was kept.
            WorkbenchError: the engine would refuse the result.
        """
        from workbench.verbs.edit import edit

        edits = [Edit(each, Given(value, is_text=isinstance(value, str))) for each, value in values.items()]
        edits += [Edit(each, None) for each in remove]
        of_app = app or own_app(target)
        made = edit(
            self.ctx,
            self.target(target),
            edits,
            app=self.app_target(of_app),
            kernel=kernel,
            name=name,
            force=force,
            dry_run=dry_run,
        )
        kept = self.target(target) if made.file_id is None else made.file_id
        return Saved(self.bench, kept, of_app if made.file_id is None else None, made)

    def heal(
        self,
        target: Target,
        *,
        app: Target | None = None,
        message: str | None = None,
        dify: str | None = None,
    ) -> Healed:
        """A pause with a gate that streams what is still owed to the chat user; nothing is stored.

        Args:
            message: the chat message as the user has it (Dify: `messages.answer`); a run of ours knows it.
            dify: the Dify that is to resume it.

        Raises:
            UsageError: no pause, or a saved pause without its app.
            WorkbenchError: the gate can't be written down.
        """
        from workbench.verbs.heal import heal

        of_app = app or own_app(target)
        made = heal(self.ctx, self.target(target), app=self.app_target(of_app), message=message, dify=dify)
        return Healed(self.bench.bench, made, of_app)
