"""Help pages of the findings that only a recorded stream gives."""

HELP = {
    "stopped-after-submit": """\
# stopped-after-submit

A form was submitted, the run went on, and Dify stopped it at once ("Stopped by user") although nobody did.

Dify 1.16.0 takes the client's stream that closes at a pause for a user who left, and arms a stop (issues
#39448, #39750). 1.16.1 still obeys a stop signal that was left over for the task id, which a resume uses
again (#40878).

**What to do.** Upgrade to the version after. Until then look at `generate_task_stopped:{task_id}` and
`workflow:{task_id}:commands` in Redis before the form is submitted.
""",
    "form-expired": """\
# form-expired

A run that waited for a form was ended because the form's time was over.

The node's own limit leaves by the edge `__timeout`; the limit of the whole Dify
(`HUMAN_INPUT_GLOBAL_TIMEOUT_SECONDS`, 7 days) stops the run instead, with "Human input global timeout".

**What to do.** Start the run again. Give the node a shorter time and a timeout branch.
""",
    "time-slice-without-resume": """\
# time-slice-without-resume

A run stands at `scheduled_pause`: the scheduler took it off because its queue has a limit, not because it
waits for somebody. There is no form, and nothing in Dify queues its resume.

**What to do.** Resume it by hand (task `resume_workflow_execution`). The reason often reads "unknown
reason": the limit's own words are lost on the way through Redis.
""",
    "form-event-missing": """\
# form-event-missing

A form was answered and its node succeeded, but the stream has no `human_input_form_filled` (or
`form_timeout`). Clients that wait for it keep the buttons and block the input, though the run goes on.

**What to do.** Dify 1.17.1 sends them again (issue #42062, PR #42082). A client can close the form when it
sees the `node_finished` of the human-input node.
""",
    "timeout-branch-not-taken": """\
# timeout-branch-not-taken

A form timed out and nothing ran after it. The engine left the node by a handle that the app has no edge
for: `__timeout__` instead of `__timeout`. The run ends as if it had succeeded, and the Answer behind the
timeout branch has never run.

**What to do.** Upgrade past Dify 1.16.1 (issues #40459, #40460). Until then give the form a time limit that
nobody reaches, or end the wait in the client by submitting an action of your own.
""",
    "run-started-twice": """\
# run-started-twice

Two runs with the same inputs, seconds apart, while the first waits for a form. The client asked again
instead of joining the stream of the waiting run.

**What to do.** Known of the web app of Dify 1.16.0 (issue #39686). A client of the API joins by `GET
/workflow/{run id}/events`.
""",
    "workflow-started-missing": """\
# workflow-started-missing

The first event is that of the start node: `workflow_started` was published before the client had joined the
topic. A client that learns the run's id from it can neither stop the run nor join it again later.

**What to do.** Upgrade to Dify 1.17 (issue #40948, PR #40964). Nothing is lost but that event: `task_id` and
`workflow_run_id` stand in every later one, too.
""",
    "form-data-missing": """\
# form-data-missing

`human_input_required` came with empty data, so that a client of the service API can't show the form. The run
itself waits as it should: the form is in Dify's tables with its token, and the web app shows it.

**What to do.** Upgrade past Dify 1.14.0-rc1 (issue #35504). A run that waits now can be answered in the web
app, or by the form's token from the table `human_input_forms`.
""",
}
