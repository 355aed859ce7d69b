"""Repairs of the nodes that call a model: llm, question-classifier, parameter-extractor."""

from __future__ import annotations

from workbench.records.fixer import Fixer, as_selector, as_text, words

QUERY = ("sys", "query")
_PARAMETER_TYPES = words(
    "string number boolean array[string] array[number] array[object] array[boolean] bool select"
)
_PARAMETER_ALIASES = {
    "str": "string",
    "text": "string",
    "integer": "number",
    "int": "number",
    "float": "number",
    "array": "array[string]",
    "list": "array[string]",
    "object": "string",
}


def llm(fix: Fixer) -> None:
    _model(fix)
    _prompt(fix)
    _memory(fix)
    context = fix.data.get("context")
    if not isinstance(context, dict):
        fix.put("context", {"enabled": False})
    else:
        inner = fix.inside(context, "context")
        inner.flag("enabled")
        inner.selector("variable_selector", needed=False)
    _vision(fix)
    if "prompt_config" in fix.data:
        config = fix.mapping("prompt_config", needed=False)
        if config.get("jinja2_variables"):
            fix.inside(config, "prompt_config").variables("jinja2_variables")
    fix.mapping("structured_output", needed=False)
    for key in ("structured_output_enabled", "structured_output_switch_on"):
        fix.flag(key, needed=False)
    fix.choice("reasoning_format", ("separated", "tagged"), "tagged", needed=False)


def question_classifier(fix: Fixer) -> None:
    _model(fix)
    fix.selector("query_variable_selector", QUERY)
    if "classes" not in fix.data and isinstance(fix.data.get("topics"), list):  # its name in Dify 0.6
        fix.data["classes"] = fix.data.pop("topics")
        fix.say("`topics` is today's `classes`")
    for position, entry in enumerate(fix.entries("classes"), start=1):
        one = fix.inside(entry, "classes")
        one.text("id", str(position))
        one.text("name", str(position))
        one.text("label", needed=False)
    fix.text("instruction", needed=False)
    _memory(fix)
    _vision(fix)


def parameter_extractor(fix: Fixer) -> None:
    _model(fix)
    if as_selector(fix.data.get("query")) is None:
        others = (fix.data.get("query_variable_selector"), fix.data.get("variable_selector"))
        found = next((read for other in others if (read := as_selector(other)) is not None), list(QUERY))
        fix.put("query", found)
    fix.selector("query", QUERY)
    for entry in fix.entries("parameters"):
        one = fix.inside(entry, "parameters")
        one.text("name")
        one.choice("type", _PARAMETER_TYPES, "string", aliases=_PARAMETER_ALIASES)
        one.text("description")
        one.flag("required")
        if not isinstance(entry.get("options"), list):
            entry.pop("options", None)
        else:
            entry["options"] = [as_text(option) for option in entry["options"]]
    named = [one for one in fix.data["parameters"] if one["name"] not in ("", "__reason", "__is_success")]
    if len(named) < len(fix.data["parameters"]):
        fix.put("parameters", named, "held unusable names")
    fix.text("instruction", needed=False)
    fix.choice("reasoning_mode", ("function_call", "prompt"), "function_call")
    _memory(fix)
    _vision(fix)


def _model(fix: Fixer) -> None:
    model = fix.inside(fix.mapping("model"), "model")
    model.text("provider", "unknown")
    model.text("name", "unknown")
    model.choice("mode", ("chat", "completion"), "chat")
    model.mapping("completion_params", needed=False)


def _prompt(fix: Fixer) -> None:
    template = fix.data.get("prompt_template")
    if isinstance(template, dict):
        one = fix.inside(template, "prompt_template")
        one.text("text")
        one.choice("edition_type", ("basic", "jinja2"), "basic", needed=False)
        return
    if isinstance(template, str):
        fix.put("prompt_template", [{"role": "user", "text": template}])
    for entry in fix.entries("prompt_template"):
        message = fix.inside(entry, "prompt_template")
        message.text("text")
        message.choice("role", ("system", "user", "assistant", "tool"), "user", aliases={"human": "user"})
        message.choice("edition_type", ("basic", "jinja2"), "basic", needed=False)
        message.text("jinja2_text", needed=False)


def _memory(fix: Fixer) -> None:
    if fix.data.get("memory") is None:
        return
    memory = fix.mapping("memory", needed=False)
    if not memory:
        fix.data["memory"] = None
        return
    inner = fix.inside(memory, "memory")
    window = inner.inside(inner.mapping("window"), "window")
    window.flag("enabled")
    window.integer("size", 0, needed=False)
    if memory.get("role_prefix") is not None:
        prefix = inner.inside(inner.mapping("role_prefix", needed=False), "role_prefix")
        prefix.text("user")
        prefix.text("assistant")
    inner.text("query_prompt_template", needed=False)


def _vision(fix: Fixer) -> None:
    if "vision" not in fix.data:
        return
    vision = fix.inside(fix.mapping("vision", needed=False), "vision")
    vision.flag("enabled", needed=False)
    if vision.data.get("configs") is not None:
        configs = vision.inside(vision.mapping("configs", needed=False), "configs")
        configs.selector("variable_selector", needed=False)
        configs.choice("detail", ("low", "high"), "high", needed=False)
