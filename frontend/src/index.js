// One module for all widgets: a widget's trait `_view` says which part of it draws.
import { el } from "./dom.js";
import { editor } from "./editor.js";
import { form } from "./form.js";
import { browse, compare, findings } from "./lists.js";
import { memory } from "./memory.js";
import { failure } from "./panels.js";
import { gate, player } from "./player.js";
import { Wire } from "./wire.js";

const VIEWS = { player, gate, form, editor, compare, browse, findings, memory };

function render({ model, el: place }) {
  const end = new AbortController();
  // JupyterLab's own keys (b for a cell below, ...) rest while the focus is in here.
  const root = el("div", { class: `wb wb-view-${model.get("_view")}`, "data-lm-suppress-shortcuts": "true" });
  place.append(root);
  const view = VIEWS[model.get("_view")];
  if (view) view(new Wire(model, end.signal), root);
  else root.append(failure({ title: `This module draws no “${model.get("_view")}”.`, fix: "Install one version of the workbench everywhere, and reload the page." }));
  return () => end.abort();
}

export default { render };
