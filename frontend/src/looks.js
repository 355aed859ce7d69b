// The words of the characters in a frame, in the order of workbench.core.picture.
export const NODES = ["unknown", "taken", "running", "succeeded", "failed", "exception", "paused", "retry", "skipped"];
export const EDGES = ["unknown", "taken", "skipped", "unlocked", "blocking", "lost"];
export const MARKS = [
  "run", "start", "end", "edge", "gate", "chunk", "first-chunk", "pause", "error", "variable", "form", "other",
];
export const SIGNS = {
  run: "●", start: "▸", end: "✓", edge: "→", gate: "◆", chunk: "≈", "first-chunk": "≋", pause: "‖", error: "✗",
  variable: "=", form: "▤", other: "·",
};
export const PHASES = { locked: "locked", queued: "waits for its turn", active: "streams", done: "done" };
export const look = (words, code) => words[code.charCodeAt(0) - 97] ?? "unknown";
