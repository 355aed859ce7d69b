// What stands beside a graph: the gate, what was streamed, the variables of a node, the events.
import { button, el, refill, safe, say } from "./dom.js";
import { MARKS, PHASES, SIGNS } from "./looks.js";

/** A titled part. */
export function panel(title, body, name) {
  return el("section", { class: `wb-panel ${name ?? ""}`, "aria-label": title }, el("h4", {}, title), body);
}

/** An error with what to do about it. */
export function failure(error) {
  return el(
    "div",
    { class: "wb-error", role: "alert" },
    el("strong", {}, error.title ?? error.message ?? String(error)),
    error.cause ? el("div", {}, error.cause) : null,
    error.fix ? el("div", {}, error.fix) : null,
  );
}

export class GatePanel {
  constructor(onedge, onnode) {
    this.sentence = el("p", { class: "wb-sentence", "aria-live": "polite" });
    this.list = el("ul", { class: "wb-answers" });
    this.buffers = el("div", {});
    this.root = panel("Gate", [this.sentence, this.list, this.buffers], "wb-gate");
    this.onnode = onnode;
    this.onedge = onedge;
  }

  show(gate) {
    const told = JSON.stringify(gate);
    if (told === this.told) return;
    this.told = told;
    say(this.sentence, gate.sentence);
    refill(this.list, gate.answers.map((answer) => this.answer(answer)), gate.more ? el("li", {}, `${gate.more} more`) : null);
    refill(this.buffers, gate.buffers.length ? this.streams(gate) : null);
  }

  answer(answer) {
    const edge = (each) =>
      el(
        "li",
        { "data-look": each.look },
        el("span", { class: "wb-key", "data-look": each.look, "aria-hidden": true }),
        each.words,
        each.look === "lost" ? " — lost" : null,
        each.at ? [" ", button(`step ${each.at}`, () => this.onedge(each.at), { class: "wb-link", hint: `Go to step ${each.at}` })] : null,
      );
    const edges = (title, list, more) =>
      list.length
        ? el("div", { class: "wb-edges" }, el("span", { class: "wb-faint" }, title), el("ul", {}, list.map(edge), more ? el("li", {}, `${more} more`) : null))
        : null;
    const turn = answer.phase === "queued" && answer.turn ? `${PHASES.queued} (place ${answer.turn})` : PHASES[answer.phase];
    return el(
      "li",
      { "data-phase": answer.phase },
      el(
        "div",
        { class: "wb-answer" },
        button(answer.title, () => this.onnode(answer.id), { class: "wb-link wb-title" }),
        el("span", { class: "wb-phase", "data-phase": answer.phase }, turn),
      ),
      answer.template.length && answer.phase !== "locked"
        ? el("div", { class: "wb-template" }, answer.template.map(([text, variable, state]) => el("span", { "data-part": state, class: variable ? "wb-var" : "" }, variable ? `{{${text}}}` : text)))
        : null,
      edges("waits for", answer.left, answer.more_left),
      edges("taken", answer.taken, answer.more_taken),
    );
  }

  streams(gate) {
    const rows = gate.buffers.map((each) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, each.selector),
        el("td", {}, el("span", { class: "wb-read" }, each.read), el("span", { class: "wb-unread" }, each.unread)),
        el("td", {}, `${each.chunks[0]} read, ${each.chunks[1]} wait${each.closed ? ", closed" : ""}`),
      ),
    );
    return el(
      "details",
      {},
      el("summary", {}, `Streams (${gate.buffers.length + gate.more_buffers})`),
      el("table", {}, rows),
      gate.more_buffers ? el("div", {}, `${gate.more_buffers} more`) : null,
    );
  }
}

export class StreamPanel {
  constructor(wire) {
    this.wire = wire;
    this.whole = false;
    this.more = button("Show all", () => this.all(), { class: "wb-link", hidden: true });
    this.old = el("span", {});
    this.fresh = el("mark", {});
    this.box = el("div", { class: "wb-text", tabindex: "0", role: "log", "aria-label": "What the chat user sees" }, this.more, this.old, this.fresh);
    this.root = panel("What the chat user sees", this.box, "wb-stream");
  }

  show(frame) {
    this.frame = frame;
    const text = frame.tail;
    const cut = Math.max(0, text.length - frame.fresh);
    this.more.hidden = frame.length <= text.length;
    this.box.classList.toggle("wb-empty", !frame.length);
    this.old.textContent = safe(frame.length ? text.slice(0, cut) : "nothing yet");
    this.fresh.textContent = safe(text.slice(cut));
    this.box.scrollTop = this.box.scrollHeight;
  }

  async all() {
    const { length, step, tail } = this.frame;
    let text = "";
    while (text.length < length - tail.length) {
      const part = await this.wire.ask("stream", { start: text.length, end: length - tail.length }).catch(() => "");
      if (!part) return;
      text += part;
    }
    if (this.frame.step !== step) return;
    this.more.hidden = true;
    this.old.textContent = safe(text) + this.old.textContent;
  }
}

export class NodePanel {
  constructor(wire) {
    this.wire = wire;
    this.title = el("div", { class: "wb-nodehead" });
    this.tools = el("div", { class: "wb-row" });
    this.body = el("div", {});
    this.root = panel("Node", [this.title, this.tools, this.body], "wb-nodepanel");
    this.root.hidden = true;
  }

  async show(node, step, tools) {
    this.root.hidden = !node;
    if (!node) return;
    const wanted = (this.wanted = `${node.id} ${step}`);
    say(this.title, `${node.title} · ${node.type}`);
    refill(this.tools, tools);
    let found;
    try {
      found = await this.wire.ask("variables", { node: node.id, step });
    } catch (error) {
      if (wanted === this.wanted) refill(this.body, failure(error));
      return;
    }
    if (wanted !== this.wanted) return;
    refill(
      this.body,
      el("div", { class: "wb-faint" }, found.status),
      found.variables.length
        ? el("table", { class: "wb-vars" }, found.variables.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, el("div", { class: "wb-value" }, value)))))
        : el("div", { class: "wb-faint" }, "No variables yet."),
      found.more ? el("div", {}, `${found.more} more`) : null,
    );
  }
}

const ROW = 22;
const PAGE = 50;

/** The events, of which only those that are seen are there. */
export class EventsPanel {
  constructor(wire, go) {
    this.wire = wire;
    this.go = go;
    this.pages = new Map();
    this.wanted = new Set();
    this.rows = el("div", { class: "wb-rows" });
    this.space = el("div", { class: "wb-space" }, this.rows);
    this.box = el("div", { class: "wb-events", tabindex: "0", role: "listbox", "aria-label": "Events", onscroll: () => this.paint() }, this.space);
    this.root = panel("Events", this.box, "wb-eventspanel");
  }

  reset(steps) {
    this.pages.clear();
    this.steps = steps;
    this.space.style.height = `${steps * ROW}px`;
    this.paint();
  }

  show(step) {
    this.step = step;
    const top = (step - 1) * ROW;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop || top + ROW > scrollTop + clientHeight) this.box.scrollTop = Math.max(0, top - clientHeight / 2);
    this.paint();
  }

  paint() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 3);
    const last = Math.min(this.steps ?? 0, first + Math.ceil((this.box.clientHeight || 220) / ROW) + 6);
    const rows = [];
    for (let at = first; at < last; at += 1) {
      const mark = this.mark(at);
      const here = at + 1 === this.step;
      rows.push(
        el(
          "div",
          { class: "wb-event", role: "option", "aria-selected": here, "data-kind": mark?.[1], style: `top:${at * ROW}px`, onclick: () => this.go(at + 1) },
          el("span", { class: "wb-number" }, String(at + 1)),
          el("span", { class: "wb-sign", "aria-hidden": true }, SIGNS[mark?.[1]] ?? ""),
          el("span", {}, mark ? mark[2] : "…"),
        ),
      );
    }
    this.rows.replaceChildren(...rows);
  }

  mark(at) {
    const page = Math.floor(at / PAGE);
    if (!this.pages.has(page)) {
      this.wanted.add(page);
      // Not for every page that passes by under the slider.
      clearTimeout(this.later);
      this.later = setTimeout(() => this.fetch(), 80);
    }
    return this.pages.get(page)?.[at % PAGE];
  }

  fetch() {
    const { pages } = this;
    for (const page of [...this.wanted].slice(-2)) {
      pages.set(page, null);
      this.wire.ask("marks", { start: page * PAGE + 1, end: (page + 1) * PAGE }).then(
        (found) => {
          pages.set(page, found);
          this.paint();
        },
        () => pages.delete(page),
      );
    }
    this.wanted.clear();
  }
}

/** All events in a strip: what happened when, pauses and gate changes taller. */
export class Strip {
  constructor(go) {
    this.canvas = el("canvas", { class: "wb-strip", "aria-hidden": true, height: 30 });
    this.canvas.addEventListener("click", (event) => {
      const { left, width } = this.canvas.getBoundingClientRect();
      go(Math.round(((event.clientX - left) / width) * this.kinds.length));
    });
    this.kinds = "";
    this.stops = [];
  }

  show(kinds, stops) {
    this.kinds = kinds;
    this.stops = stops;
    this.paint();
  }

  paint() {
    const { canvas, kinds } = this;
    const width = (canvas.width = Math.max(1, canvas.clientWidth || 600));
    const context = canvas.getContext("2d");
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim() || "#888";
    const heights = { pause: 30, error: 26, run: 22, start: 12, end: 12, form: 16, "first-chunk": 14, chunk: 6 };
    const colours = {
      pause: colour("--wb-warn"), error: colour("--wb-bad"), run: colour("--wb-text"), start: colour("--wb-info"),
      end: colour("--wb-good"), form: colour("--wb-warn"),
    };
    const faint = colour("--wb-line");
    const tallest = new Float32Array(width);
    const ink = new Array(width);
    const gates = new Uint8Array(width);
    for (let at = 0; at < kinds.length; at += 1) {
      const x = Math.min(width - 1, Math.floor(((at + 1) / kinds.length) * width));
      const low = kinds[at].toLowerCase();
      if (low !== kinds[at]) gates[x] = 1;
      const kind = MARKS[low.charCodeAt(0) - 97];
      const height = heights[kind] ?? 8;
      if (height > tallest[x]) {
        tallest[x] = height;
        ink[x] = colours[kind] ?? faint;
      }
    }
    const thick = Math.max(1, Math.min(4, Math.floor(width / Math.max(1, kinds.length)) - 1));
    for (let x = 0; x < width; x += 1) {
      if (!tallest[x]) continue;
      context.fillStyle = ink[x];
      context.fillRect(x - thick, 30 - tallest[x], thick, tallest[x]);
      if (!gates[x]) continue;
      context.fillStyle = colour("--wb-gate");
      context.fillRect(x - thick - 1, 0, thick + 2, 5);
    }
    context.fillStyle = colour("--wb-bad");
    for (const step of this.stops) {
      context.beginPath();
      context.arc((step / kinds.length) * width - thick / 2, 9, 3, 0, 7);
      context.fill();
    }
  }
}
