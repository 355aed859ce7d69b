// Questions to the kernel, and what of a widget's traits changes.

let views = 0;

/** What a view does with its model: ask, listen, set; all ends when the view does. */
export class Wire {
  constructor(model, signal) {
    this.model = model;
    this.signal = signal;
    this.view = `${Date.now().toString(36)}.${(views += 1)}.${Math.random().toString(36).slice(2, 8)}`;
    this.count = 0;
    this.waiting = new Map();
    this.hear("msg:custom", (message) => this.heard(message));
    this.news = () => {};
  }

  hear(event, callback) {
    this.model.on(event, callback);
    this.signal.addEventListener("abort", () => this.model.off(event, callback));
  }

  /** Call back at once, and when one of some traits changes. */
  follow(names, callback) {
    for (const name of [names].flat()) this.hear(`change:${name}`, () => callback(this.get(name)));
    callback(this.get([names].flat()[0]));
  }

  get(name) {
    return this.model.get(name);
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  heard(message) {
    if (message?.news) this.news(message);
    const waits = this.waiting.get(message?.id);
    if (!waits) return;
    this.waiting.delete(message.id);
    if (message.error) waits.reject(Object.assign(new Error(message.error.title), message.error));
    else waits.resolve(message.answer);
  }

  /** Ask the kernel; rejects with `{title, cause, fix}`, or when no kernel answers. */
  ask(ask, more = {}, seconds = 60) {
    const id = `${this.view}.${(this.count += 1)}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.model.send({ id, ask, ...more });
      if (seconds)
        setTimeout(() => {
          if (this.waiting.delete(id)) {
            const title = "The kernel does not answer.";
            reject(Object.assign(new Error(title), { title, cause: "It is busy or gone.", fix: "Run the cell again." }));
          }
        }, seconds * 1000);
    });
  }
}

/** The frames of a run: those that were seen are kept, those that come next are asked for in time. */
export class Frames {
  constructor(wire) {
    this.wire = wire;
    this.kept = new Map();
    this.asked = new Set();
    this.age = 0;
  }

  /** Forget all, as the run is another one now. */
  clear() {
    this.kept.clear();
    this.asked.clear();
    this.age += 1;
  }

  keep(frame) {
    this.kept.set(frame.step, frame);
    if (this.kept.size > 800) this.kept.delete(this.kept.keys().next().value);
  }

  get(step) {
    return this.kept.get(step);
  }

  /** Whether a frame is here or on its way. */
  known(step) {
    return this.kept.has(step) || this.asked.has(step);
  }

  /** Ask for the frames of some steps that are not here; calls back when they are. */
  async fetch(steps, then) {
    const age = this.age;
    const missing = steps.filter((step) => !this.kept.has(step) && !this.asked.has(step)).slice(0, 32);
    if (!missing.length) return;
    for (const step of missing) this.asked.add(step);
    try {
      const found = await this.wire.ask("frames", { steps: missing });
      if (age === this.age) found.forEach((frame) => this.keep(frame));
    } finally {
      for (const step of missing) this.asked.delete(step);
    }
    if (age === this.age) then();
  }
}
