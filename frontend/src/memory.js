// The memory lab: sliders, the ledger of a turn, turns against rows.
import { el, refill, say } from "./dom.js";
import { panel } from "./panels.js";

const REST = 60; // milliseconds that a slider stands still before Python is asked
const LATE = 3000; // milliseconds that an older answer can't move a slider back

export function memory(wire, root) {
  const head = el("p", { "aria-live": "polite" });
  const formula = el("p", { class: "wb-faint" });
  const warnings = el("ul", {});
  const rows = el("tbody", {});
  const more = el("div", { class: "wb-faint" });
  const legend = el("div", { class: "wb-faint" });
  const matrix = el("pre", { class: "wb-matrix", tabindex: "0", "aria-label": "Turns against rows" });
  const ledger = el("div", { class: "wb-ledger", tabindex: "0", "aria-label": "Rows" }, el("table", {}, el("thead", {}, el("tr", {}, ["turn", "what became of it", "tokens", "question", "answer"].map((title) => el("th", { scope: "col" }, title)))), rows));
  const sliders = el("div", { class: "wb-knobs" });
  let made = {};

  function choose(name, at) {
    const knob = made[name];
    const [value, words] = knob.choices[at];
    say(knob.words, words);
    clearTimeout(knob.timer);
    clearTimeout(knob.waiting);
    knob.wanted = { value };
    knob.timer = setTimeout(() => wire.set("settings", { ...wire.get("settings"), [name]: value }), REST);
    knob.waiting = setTimeout(() => {
      knob.wanted = null;
      knobs(wire.get("_data").knobs);
    }, LATE);
  }

  function slider({ name, label, choices, at }) {
    const words = el("output", {}, choices[at][1]);
    const input = el("input", { type: "range", class: "wb-slider", min: "0", max: String(choices.length - 1), value: String(at), "aria-label": label, oninput: () => choose(name, Number(input.value)) });
    const spoken = () => input.setAttribute("aria-valuetext", words.textContent);
    input.addEventListener("input", spoken);
    spoken();
    made[name] = { input, words, choices, spoken };
    return el("label", { class: "wb-knob" }, el("span", {}, label), input, words);
  }

  function knobs(found) {
    const names = found.map((knob) => knob.name).join();
    if (names !== Object.keys(made).join()) {
      made = {};
      refill(sliders, found.map(slider));
      return;
    }
    for (const { name, choices, at } of found) {
      const knob = made[name];
      if (knob.wanted && choices[at][0] !== knob.wanted.value) continue; // an answer to an older move
      knob.wanted = null;
      clearTimeout(knob.waiting);
      knob.choices = choices;
      knob.input.max = String(choices.length - 1);
      if (knob.input.value !== String(at)) knob.input.value = String(at);
      say(knob.words, choices[at][1]);
      knob.spoken();
    }
  }

  root.append(
    el("header", { class: "wb-head" }, el("strong", {}, wire.get("_title"))),
    el(
      "div",
      { class: "wb-aside" },
      el("div", { class: "wb-main" }, sliders, el("div", {}, head, formula, warnings)),
      panel("Turns against rows", [legend, matrix]),
      panel("Rows", [ledger, more]),
    ),
  );
  wire.follow("_data", (data) => {
    knobs(data.knobs);
    say(head, data.head);
    say(formula, data.formula);
    refill(warnings, data.warnings.map(([code, message]) => el("li", { class: "wb-note" }, el("code", {}, code), ` ${message}`)));
    say(legend, data.legend);
    say(matrix, data.matrix.join("\n"));
    refill(rows, data.rows.map((row, at) => el("tr", { "data-stage": data.stages[at] }, row.map((cell) => el("td", {}, String(cell))))));
    ledger.scrollTop = ledger.scrollHeight; // the newest rows are those that may be kept
    say(more, data.more ? `${data.more} older rows are not shown` : "");
  });
}
