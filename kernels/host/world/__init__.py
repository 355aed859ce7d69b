"""The scripted world: what models, tools, HTTP, code, knowledge bases and people answer in a run.

It runs beside graphon (0.5.3 to 0.8.0) in the engine kernel's interpreter and never imports `workbench`.
The host talks to it through this module only:

    world = prepare(script, options, app=app, note=send_note)
    context = Context(rounds=rounds_of_the_node)
    node = node_class(..., **world.extras(node_type, node_id, data, context))
    stub_class(node_type)               # the node class of a type for which is_stub() is true
    world.form_answer(node_id, rounds)  # a form's scripted submission, or None: pause
    world.file_runtime                  # graphon's WorkflowFileRuntimeProtocol
    world.abort()                       # wakes every wait; the nodes then fail within milliseconds

What a script can say: kernels/SCRIPT.md.
"""

from .stubs import ALIASES, STUB_TYPES, is_stub, stub_class
from .world import Context, FormAnswer, World, prepare

__all__ = ["ALIASES", "STUB_TYPES", "Context", "FormAnswer", "World", "is_stub", "prepare", "stub_class"]
