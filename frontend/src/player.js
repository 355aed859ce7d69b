// The run player and the gate view.
import { button, el, refill, say } from "./dom.js";
import { Graph } from "./graph.js";
import { EventsPanel, GatePanel, NodePanel, StreamPanel, Strip, failure } from "./panels.js";
import { Frames } from "./wire.js";

const SPEEDS = [["slow", 800], ["normal", 300], ["fast", 80], ["as fast as it goes", 0]];

/** Graph, gate, stream and node at a step: what both views have. */
class Stage {
  constructor(wire, root) {
    this.wire = wire;
    this.root = root;
    this.frames = new Frames(wire);
    this.graph = new Graph((id) => wire.set("selected", wire.get("selected") === id ? "" : id));
    this.gate = new GatePanel((step) => this.go(step), (id) => wire.set("selected", id));
    this.stream = new StreamPanel(wire);
    this.node = new NodePanel(wire);
    this.trouble = el("div", {});
    this.heading = 1;
    this.listeners = [];
  }

  start() {
    const { wire } = this;
    wire.follow("_picture", (picture) => {
      this.frames.clear();
      this.graph.paint(picture);
      this.byId = new Map(picture.nodes.map((node) => [node.id, node]));
    });
    wire.follow("_first", (frame) => {
      this.frames.clear();
      this.shown = null;
      if (frame?.gate) this.frames.keep(frame);
      this.show();
    });
    wire.hear("change:step", () => this.show());
    wire.follow("selected", () => this.select());
  }

  get step() {
    return this.wire.get("step");
  }

  go(step) {
    const to = Math.max(0, Math.min(step, this.wire.get("steps")));
    if (to === this.step) return;
    this.heading = to > this.step ? 1 : -1;
    this.wire.set("step", to);
  }

  /** Show the step where the run stands, as soon as its frame is here. */
  show() {
    const { step } = this;
    const frame = this.frames.get(step);
    this.listeners.forEach((listener) => listener(step));
    // The step itself first and alone; those that come next only where one goes step by step.
    if (!frame) this.fetch([step]);
    else if (Math.abs(step - (this.shown?.step ?? step)) <= 1 || this.wire.get("playing")) this.ahead(step);
    if (frame && frame !== this.shown) {
      this.shown = frame;
      this.root.dataset.step = frame.step;
      this.graph.stand(frame);
      this.gate.show(frame.gate);
      this.stream.show(frame);
      this.onframe?.(frame);
      this.select();
    }
  }

  ahead(step) {
    const wanted = [];
    for (let at = 1; at <= 12; at += 1) wanted.push(step + at * this.heading);
    const missing = wanted.filter((at) => at >= 0 && at <= this.wire.get("steps") && !this.frames.known(at));
    if (missing.length > 6) this.fetch(missing);
  }

  fetch(steps) {
    this.frames.fetch(steps, () => this.shown?.step !== this.step && this.show()).then(
      () => refill(this.trouble),
      (error) => refill(this.trouble, failure(error)),
    );
  }

  select() {
    const id = this.wire.get("selected");
    this.graph.mark("wb-selected", [id]);
    clearTimeout(this.later);
    // Not for every step that passes by under the slider.
    this.later = setTimeout(() => this.node.show(this.byId.get(id), this.step, this.tools?.(id) ?? []), 60);
  }
}

export function gate(wire, root) {
  const stage = new Stage(wire, root);
  const where = el("span", { class: "wb-faint" });
  stage.onframe = (frame) => say(where, `step ${frame.step} of ${wire.get("steps")}: ${frame.text}`);
  const title = el("strong", {});
  wire.follow("_title", (text) => say(title, text));
  root.append(
    el("header", { class: "wb-head" }, title, where),
    stage.trouble,
    el("div", { class: "wb-main" }, stage.graph.root, el("div", { class: "wb-aside" }, stage.gate.root, stage.node.root)),
  );
  stage.start();
}

export function player(wire, root) {
  const stage = new Stage(wire, root);
  const strip = new Strip((step) => stage.go(step));
  const events = new EventsPanel(wire, (step) => stage.go(step));
  const slider = el("input", { type: "range", min: 0, class: "wb-slider", "aria-label": "Step", oninput: () => stage.go(Number(slider.value)) });
  const where = el("output", { class: "wb-where" });
  const text = el("span", { class: "wb-what", "aria-live": "polite" });
  const title = el("strong", {});
  const speed = el("select", { "aria-label": "Speed" }, SPEEDS.map(([name], at) => el("option", { value: at, selected: at === 1 }, name)));
  const play = button("▶ Play", () => wire.set("playing", !wire.get("playing")));

  const gates = () => found((_, kind) => kind !== kind.toLowerCase());
  const found = (test) => [...wire.get("_kinds")].map((kind, at) => (test(at, kind) ? at + 1 : 0)).filter(Boolean);
  let gateSteps = [];
  const along = (steps, direction) => {
    const here = stage.step;
    const to = direction > 0 ? steps.find((step) => step > here) : steps.findLast((step) => step < here);
    if (to === undefined) say(text, direction > 0 ? "There is none further on." : "There is none before.");
    else stage.go(to);
  };
  const over = async (direction) => {
    try {
      const to = await wire.ask("over", { step: stage.step, direction });
      if (to === null) say(text, "There is no further place.");
      else stage.go(to);
    } catch (error) {
      refill(stage.trouble, failure(error));
    }
  };
  const points = () => wire.get("breakpoints") ?? [];
  const toggle = (point) => {
    const same = (each) => each.kind === point.kind && each.node === point.node && each.name === point.name;
    wire.set("breakpoints", points().some(same) ? points().filter((each) => !same(each)) : [...points(), point]);
  };
  const has = (kind, node) => points().some((each) => each.kind === kind && each.node === node);
  stage.tools = (node) =>
    ["before", "after"].map((kind) =>
      button(`Stop ${kind}`, () => toggle({ kind, node, name: "" }), { "aria-pressed": has(kind, node) ? "true" : "false" }),
    );
  const atGate = button("Stop at gate changes", () => toggle({ kind: "gate", node: "", name: "" }));

  const pair = (name, steps) =>
    el(
      "span",
      { class: "wb-pair", role: "group", "aria-label": name },
      button("‹", () => along(steps(), -1), { hint: `Previous ${name}` }),
      el("span", { class: "wb-faint" }, name),
      button("›", () => along(steps(), 1), { hint: `Next ${name}` }),
    );
  root.append(
    el("header", { class: "wb-head" }, title, stage.trouble),
    el(
      "div",
      { class: "wb-row wb-tools", role: "toolbar", "aria-label": "Steps" },
      button("|◀", () => stage.go(0), { hint: "To the beginning" }),
      button("‹", () => stage.go(stage.step - 1), { hint: "One step back" }),
      play,
      button("›", () => stage.go(stage.step + 1), { hint: "One step on" }),
      button("▶|", () => stage.go(wire.get("steps")), { hint: "To the end" }),
      button("over", () => over(1), { hint: "To the end of this node" }),
      pair("gate change", () => gateSteps),
      pair("pause", () => wire.get("_pauses")),
      pair("breakpoint", () => wire.get("stops") ?? []),
      atGate,
      speed,
    ),
    el("div", { class: "wb-time" }, strip.canvas, slider),
    el("div", { class: "wb-row wb-status" }, where, text),
    el(
      "div",
      { class: "wb-main" },
      el("div", { class: "wb-aside" }, stage.graph.root, el("div", { class: "wb-pairs" }, stage.stream.root, events.root)),
      el("div", { class: "wb-aside" }, stage.gate.root, stage.node.root),
    ),
  );

  stage.onframe = (frame) => say(text, frame.text);
  stage.listeners.push((step) => {
    slider.value = step;
    say(where, `${step} / ${wire.get("steps")}`);
    slider.setAttribute("aria-valuetext", `step ${step} of ${wire.get("steps")}`);
    events.show(step);
  });
  wire.follow("_title", (name) => say(title, name));
  stage.start();
  wire.follow(["_kinds", "stops"], () => {
    gateSteps = gates();
    slider.max = wire.get("steps");
    strip.show(wire.get("_kinds"), wire.get("stops") ?? []);
  });
  wire.follow("steps", (steps) => {
    slider.max = steps;
    if (events.steps !== undefined) stage.frames.clear();
    events.reset(steps);
    stage.show();
  });
  wire.follow("breakpoints", () => {
    stage.graph.mark("wb-broken", points().filter((each) => each.kind !== "gate").map((each) => each.node));
    atGate.setAttribute("aria-pressed", has("gate", "") ? "true" : "false");
    stage.select();
  });

  // Playing: by the view that was asked to; others follow its steps.
  let timer;
  const tick = () => {
    const next = stage.step + 1;
    if (next > wire.get("steps")) return wire.set("playing", false);
    if (stage.shown?.step !== stage.step && stage.frames.asked.size) timer = setTimeout(tick, 15);
    else {
      stage.go(next);
      if ((wire.get("stops") ?? []).includes(next)) return wire.set("playing", false);
      timer = setTimeout(tick, SPEEDS[Number(speed.value)][1]);
    }
    return undefined;
  };
  wire.follow("playing", (playing) => {
    clearTimeout(timer);
    say(play, playing ? "❚❚ Stop" : "▶ Play");
    play.setAttribute("aria-pressed", playing ? "true" : "false");
    if (!playing) return;
    if (stage.step >= wire.get("steps")) stage.go(0);
    timer = setTimeout(tick, SPEEDS[Number(speed.value)][1]);
  });
  wire.signal.addEventListener("abort", () => clearTimeout(timer));

  const keys = {
    ArrowRight: () => stage.go(stage.step + 1),
    ArrowLeft: () => stage.go(stage.step - 1),
    Home: () => stage.go(0),
    End: () => stage.go(wire.get("steps")),
    " ": () => wire.set("playing", !wire.get("playing")),
    g: () => along(gateSteps, 1),
    G: () => along(gateSteps, -1),
    p: () => along(wire.get("_pauses"), 1),
    P: () => along(wire.get("_pauses"), -1),
    o: () => over(1),
    O: () => over(-1),
    b: () => wire.get("selected") && toggle({ kind: "before", node: wire.get("selected"), name: "" }),
  };
  root.addEventListener("keydown", (event) => {
    const typing = event.target.matches("select, textarea, input:not([type=range])");
    const pressing = event.key === " " && event.target.matches("button, summary");
    if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const repaint = () => strip.paint();
  const resized = new ResizeObserver(repaint);
  resized.observe(strip.canvas);
  // Another theme: what is drawn on a canvas does not change by itself.
  const themed = new MutationObserver(repaint);
  themed.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal: wire.signal });
  wire.signal.addEventListener("abort", () => [resized, themed].forEach((each) => each.disconnect()));
}
