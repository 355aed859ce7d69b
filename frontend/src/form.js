// The form of a pause.
import { button, el, refill, say } from "./dom.js";
import { failure, panel } from "./panels.js";

const GATES = {
  "": "as saved",
  restored: "restored: as saved",
  fresh: "fresh: lost, as Dify 1.15 does",
  healed: "healed: what is still owed streams",
};

function input(field) {
  const start = field.default === null || field.default === undefined ? "" : String(field.default);
  const label = { "aria-label": field.name };
  if (field.options.length)
    return el("select", label, field.options.map((option) => el("option", { value: option, selected: option === start }, option)));
  if (field.type === "paragraph") return el("textarea", { ...label, rows: 3, value: start });
  if (field.type === "checkbox" || field.type === "boolean")
    return el("input", { ...label, type: "checkbox", checked: field.default === true });
  return el("input", { ...label, type: field.type === "number" ? "number" : "text", step: "any", value: start });
}

function valueOf(field, shown) {
  if (shown.type === "checkbox") return shown.checked;
  if (shown.type === "number") return shown.value === "" ? null : Number(shown.value);
  return shown.value;
}

export function form(wire, root) {
  const data = wire.get("_data");
  const trouble = el("div", {});
  const result = el("div", { "aria-live": "polite" });
  const state = el("span", { class: "wb-phase" });
  const buttons = [];
  const gate = el(
    "select",
    {},
    ["", ...data.gates].map((each) => el("option", { value: each, disabled: each === "restored" && !data.gate_saved }, GATES[each] ?? each)),
  );
  const kernel = el("select", {}, data.kernels.map((each) => el("option", { value: each, selected: each === data.kernel }, each)));

  const resume = async (reason, action, fields) => {
    refill(trouble);
    refill(result);
    buttons.forEach((each) => (each.disabled = true));
    const given = {};
    for (const [field, shown] of fields) {
      const value = valueOf(field, shown);
      if (value !== null) given[field.name] = value;
    }
    try {
      await wire.ask("resume", { action, node: data.reasons.length > 1 && reason.form ? reason.node : "", fields: given, gate: gate.value, kernel: kernel.value === data.kernel ? "" : kernel.value });
    } catch (error) {
      refill(trouble, failure(error));
      buttons.forEach((each) => (each.disabled = false));
    }
  };

  const forms = data.reasons.map((reason) => {
    const fields = reason.fields.map((field) => [field, input(field)]);
    const actions = (reason.actions.length ? reason.actions : [{ id: "", title: "Go on" }]).map((action, at) =>
      button(action.title, () => resume(reason, action.id, fields), { class: at === 0 ? "wb-main-action" : "" }),
    );
    buttons.push(...actions);
    return panel(
      reason.title || "Pause",
      [
        el("div", { class: "wb-content" }, reason.content),
        fields.map(([field, shown]) => el("label", { class: "wb-field" }, el("span", {}, field.name), shown)),
        el("div", { class: "wb-row" }, actions),
      ],
      "wb-form",
    );
  });
  root.append(
    el("header", { class: "wb-head" }, el("strong", {}, wire.get("_title")), state),
    ...forms,
    el(
      "div",
      { class: "wb-row wb-options" },
      el("label", { class: "wb-row" }, "Gate ", gate),
      el("label", { class: "wb-row" }, "Engine ", kernel),
      data.gate_saved ? null : el("span", { class: "wb-faint" }, `No gate was saved. ${data.why_no_gate}`),
      data.consumed ? el("span", { class: "wb-faint" }, "It was resumed before: resuming it again makes a fork.") : null,
    ),
    trouble,
    result,
  );
  wire.follow("status", (status) => {
    say(state, { waits: "waits", running: "goes on …", done: "resumed", failed: "could not go on" }[status] ?? status);
    state.dataset.phase = { waits: "queued", running: "active", done: "done" }[status] ?? "";
    buttons.forEach((each) => (each.disabled = status === "running"));
  });
  wire.news = (news) => {
    if (news.news === "failed") refill(trouble, failure(news.error));
    if (news.news !== "done") return;
    refill(
      result,
      panel(`Run ${wire.get("run_id")}: ${news.status}, ${news.steps} steps`, [
        el("div", { class: `wb-text wb-result ${news.streamed ? "" : "wb-empty"}` }, news.streamed || "Nothing was streamed since the resume."),
        news.error ? failure({ title: news.error }) : null,
        news.notes.map((note) => el("div", { class: "wb-faint" }, note)),
        news.waits ? el("div", {}, "It waits again: look at the run's next pause.") : null,
      ]),
    );
  };
}
