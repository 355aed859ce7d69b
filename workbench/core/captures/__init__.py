"""Recorded SSE streams: the runs in them, and what they tell about silent and repeated Answers.

`reading.runs_of` reads runs out of a stream's events; `findings.of_run` explains one without its app,
`played.explain` with it: there the recorded node order and outputs become a journal, and the same findings
are made as for a run of the workbench.
"""
