"""What both front ends paint of a run, as frozen values and words: looks of edges and nodes, the gate,
marks on a timeline.

Pure functions over `Graph`, `State` and the events of a journal. Every text in here may come from a
stranger's file: a front end shows it as text, never as markup.
"""
