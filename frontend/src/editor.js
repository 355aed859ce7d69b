// The state editor: a tree, a field that fits, the changes so far.
import { button, el, refill, safe, say } from "./dom.js";
import { failure, panel } from "./panels.js";

export function editor(wire, root) {
  const trouble = el("div", {});
  const tree = el("ul", { class: "wb-tree", role: "tree", "aria-label": "The saved pause", tabindex: "0" });
  const side = el("div", {});
  const changes = el("div", {});
  const title = el("strong", {});
  const find = el("input", { type: "search", placeholder: "Search names and values", "aria-label": "Search", oninput: () => later(search) });
  const command = el("input", { class: "wb-wide", placeholder: "llm.text=hello", "aria-label": "An edit as the command line spells it" });
  const name = el("input", { placeholder: "name of the copy", "aria-label": "Name of the copy" });
  const undo = button("Undo", () => change("undo"));
  const redo = button("Redo", () => change("redo"));
  const save = button("Keep as a new file", () => keep(false), { class: "wb-main-action" });
  const open = new Set();
  let chosen = null;
  let timer;
  const later = (action) => {
    clearTimeout(timer);
    timer = setTimeout(action, 250);
  };
  wire.signal.addEventListener("abort", () => clearTimeout(timer));
  const fail = (error) => refill(trouble, failure(error));

  async function change(ask, more = {}) {
    try {
      refill(trouble);
      await wire.ask(ask, more);
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  }

  async function keep(force) {
    try {
      refill(trouble);
      const id = await wire.ask("save", { name: name.value, force });
      refill(trouble, el("div", { class: "wb-note", role: "status" }, `Kept as ${id}. The original stays as it was.`));
    } catch (error) {
      refill(trouble, failure(error), force ? null : button("Keep it although the engine would refuse it", () => keep(true)));
    }
  }

  // the tree ---------------------------------------------------------------------

  function row(place, depth) {
    const item = el(
      "li",
      { role: "treeitem", tabindex: "-1", "aria-level": depth + 1, "aria-selected": chosen === place.id, "data-kind": place.kind },
      el(
        "div",
        { class: "wb-place", style: `padding-left:${depth * 16}px`, onclick: (event) => (event.stopPropagation(), pick(item)) },
        el("span", { class: "wb-twist", "aria-hidden": true }, place.opens ? "▸" : ""),
        el("span", { class: "wb-label" }, place.label),
        place.title && place.title !== place.label ? el("span", { class: "wb-faint" }, place.title) : null,
        place.type ? el("span", { class: "wb-type" }, place.type) : null,
        place.count === null ? null : el("span", { class: "wb-faint" }, String(place.count)),
        el("span", { class: "wb-preview" }, place.value),
      ),
    );
    item.place = place;
    item.depth = depth;
    if (place.opens) item.setAttribute("aria-expanded", "false");
    return item;
  }

  async function fill(list, of, depth, start = 0) {
    let found;
    try {
      found = await wire.ask("places", { of, start });
    } catch (error) {
      return fail(error);
    }
    const items = found.places.map((place) => row(place, depth));
    list.append(...items);
    const next = start + items.length;
    if (next < found.total) {
      const more = el("li", {}, button(`${found.total - next} more`, () => (more.remove(), fill(list, of, depth, next)), { class: "wb-link" }));
      list.append(more);
    }
    await Promise.all(items.filter((item) => open.has(item.place.id)).map((item) => toggle(item, true)));
    return undefined;
  }

  async function toggle(item, to) {
    if (!item.place.opens) return;
    const now = item.getAttribute("aria-expanded") === "true";
    if (to === now) return;
    item.setAttribute("aria-expanded", String(!now));
    item.querySelector(".wb-twist").textContent = now ? "▸" : "▾";
    if (now) {
      open.delete(item.place.id);
      item.querySelector("ul")?.remove();
      return;
    }
    open.add(item.place.id);
    const list = el("ul", { role: "group" });
    item.append(list);
    await fill(list, item.place.id, item.depth + 1);
  }

  function pick(item) {
    tree.querySelectorAll("[aria-selected=true]").forEach((each) => each.setAttribute("aria-selected", "false"));
    item.setAttribute("aria-selected", "true");
    item.focus();
    if (chosen === item.place.id || ["section", "group", "frame"].includes(item.place.kind)) toggle(item);
    chosen = item.place.id;
    field(item.place);
  }

  tree.addEventListener("keydown", (event) => {
    const items = [...tree.querySelectorAll("[role=treeitem]")];
    const here = items.indexOf(document.activeElement.closest("[role=treeitem]"));
    const item = items[here];
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items[Math.max(0, Math.min(to, items.length - 1))]?.focus();
    else if (item && event.key === "ArrowRight") toggle(item, true);
    else if (item && event.key === "ArrowLeft") {
      if (item.getAttribute("aria-expanded") === "true") toggle(item, false);
      else item.parentElement.closest("[role=treeitem]")?.focus();
    } else if (item && (event.key === "Enter" || event.key === " ")) pick(item);
    else return;
    event.preventDefault();
  });

  async function redraw() {
    const list = el("ul", {});
    await fill(list, null, 0);
    tree.replaceChildren(...list.childNodes);
  }

  async function search() {
    if (!find.value.trim()) return redraw();
    try {
      const found = await wire.ask("search", { words: find.value.trim() });
      tree.replaceChildren(...found.places.map((place) => row({ ...place, label: place.target || place.label }, 0)));
      if (!found.total) refill(tree, el("li", { class: "wb-faint" }, "Nothing holds that."));
    } catch (error) {
      fail(error);
    }
    return undefined;
  }

  // a field ----------------------------------------------------------------------

  async function field(place, type) {
    let shown;
    try {
      shown = await wire.ask("field", { of: place.id, type });
    } catch (error) {
      return refill(side, failure(error));
    }
    if (chosen !== place.id) return undefined;
    const verdict = el("div", { class: "wb-verdict", "aria-live": "polite" });
    const about = shown.about.map(([label, text]) => el("div", { class: "wb-about" }, el("span", { class: "wb-faint" }, label), " ", text));
    const head = [el("div", { class: "wb-nodehead" }, place.target || place.label), place.title ? el("div", { class: "wb-faint" }, place.title) : null, about];
    const body = shown.form === "none" ? [] : form(place, shown, verdict);
    refill(side, head, body, shown.adds ? adding(place, shown) : null);
    return undefined;
  }

  function typeOf(shown, action) {
    if (!shown.types.length) return null;
    return el("select", { "aria-label": "Type", onchange: (event) => action(event.target.value) }, shown.types.map((each) => el("option", { selected: each === shown.type }, each)));
  }

  function form(place, shown, verdict) {
    if (shown.form === "locked" || shown.form === "file")
      return [el("div", { class: "wb-note" }, shown.note || "This value is too long for a field: edit it as a file on the command line.")];
    let read;
    let entry;
    if (shown.form === "choice" || shown.form === "many") {
      const chosenOnes = new Set(shown.text.split("\n"));
      entry = el(
        "select",
        { "aria-label": "Value", multiple: shown.form === "many", size: shown.form === "many" ? 8 : undefined },
        shown.choices.map(([given, told]) => el("option", { value: given, selected: chosenOnes.has(given) }, told)),
      );
      read = () => [...entry.selectedOptions].map((each) => each.value).join("\n");
    } else if (shown.form === "nothing") {
      entry = el("span", { class: "wb-faint" }, "null");
      read = () => "";
    } else {
      entry = el(shown.form === "number" ? "input" : "textarea", { "aria-label": "Value", class: "wb-entry", rows: shown.form === "number" ? undefined : 8, spellcheck: "false", value: shown.text });
      read = () => entry.value;
    }
    const given = () => ({ of: place.id, text: read(), type: shown.type || null });
    const apply = button("Apply", async () => (await change("apply", given())) && field(place, shown.type || undefined), { class: "wb-main-action" });
    const attempt = async () => {
      try {
        const tried = await wire.ask("try", given());
        refill(verdict, difference(tried.change), faults(tried));
      } catch (error) {
        refill(verdict, failure(error));
      }
    };
    entry.addEventListener("input", () => later(attempt));
    entry.addEventListener("change", () => later(attempt));
    entry.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) apply.click();
    });
    return [
      typeOf(shown, (type) => field(place, type)),
      el("div", {}, entry),
      shown.note ? el("div", { class: "wb-note" }, shown.note) : null,
      verdict,
      el("div", { class: "wb-row" }, apply, button("Remove", async () => (await change("remove", { of: place.id })) && refill(side)), el("span", { class: "wb-faint" }, "Ctrl+Enter applies")),
    ];
  }

  function adding(place, shown) {
    const label = el("input", { placeholder: "name", "aria-label": "Name of the new entry" });
    const value = el("input", { placeholder: "value", "aria-label": "Value of the new entry" });
    const type = el("select", { "aria-label": "Type of the new entry" }, (place.kind === "group" ? shown.types : ["string", "number", "boolean", "JSON"]).map((each) => el("option", {}, each)));
    return el(
      "details",
      {},
      el("summary", {}, "Add an entry"),
      el("div", { class: "wb-row" }, label, type, value, button("Add", () => change("apply", { of: place.id, text: value.value, type: type.value, name: label.value }))),
    );
  }

  wire.follow("_title", (text) => say(title, text));
  root.append(
    el("header", { class: "wb-head" }, title),
    el("div", { class: "wb-row wb-tools", role: "toolbar", "aria-label": "Edits" }, find, undo, redo, name, save),
    trouble,
    el("div", { class: "wb-main" }, el("div", { class: "wb-panel wb-treebox" }, tree), el("div", { class: "wb-aside" }, panel("Value", side), changes)),
    el("div", { class: "wb-row" }, command, button("Edit", async () => (await change("command", { text: command.value })) && (command.value = ""))),
  );
  refill(side, el("span", { class: "wb-faint" }, "Choose a place."));
  command.addEventListener("keydown", (event) => event.key === "Enter" && change("command", { text: command.value }));
  root.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea") || !(event.ctrlKey || event.metaKey)) return;
    const ask = { z: "undo", y: "redo" }[event.key];
    if (!ask) return;
    event.preventDefault();
    change(ask);
  });
  wire.follow("_data", (data) => {
    undo.disabled = !data.undo;
    redo.disabled = !data.redo;
    save.disabled = !data.undo;
    refill(changes, panel(`Changes (${data.number})`, data.changes.length ? [data.changes.map(difference), faults(data)] : el("span", { class: "wb-faint" }, "None yet.")));
    if (find.value.trim()) search();
    else redraw();
  });
}

/** What an edit changes. */
function difference(made) {
  const side = (text, name) => el("div", { class: `wb-${name}` }, text === null ? el("i", {}, "nothing") : safe(text));
  return el("div", { class: "wb-change" }, el("div", { class: "wb-where-changed" }, made.where), side(made.before, "before"), side(made.after, "after"), made.notes.map((note) => el("div", { class: "wb-faint" }, note)));
}

function faults({ refused, warnings }) {
  return [
    refused.map((text) => el("div", { class: "wb-error" }, el("strong", {}, "The engine would refuse this: "), text)),
    warnings.length ? el("details", {}, el("summary", {}, `${warnings.length} warning${warnings.length === 1 ? "" : "s"}`), warnings.map((text) => el("div", { class: "wb-note" }, text))) : null,
  ];
}
