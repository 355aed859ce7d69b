// Compare, runs and findings: lists of rows.
import { button, el, refill, say } from "./dom.js";
import { failure, panel } from "./panels.js";

/** Both texts with the part marked in which they differ. */
function marked(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [before, after].map((text) => [text.slice(0, start), el("mark", {}, text.slice(start, text.length - end)), text.slice(text.length - end)]);
}

export function compare(wire, root) {
  const data = wire.get("_data");
  const differing = [...data.equal].map((sign, at) => (sign === "x" ? at : -1)).filter((at) => at >= 0);
  const trouble = el("div", {});
  const rows = el("tbody", {});
  const count = el("span", { class: "wb-faint", "aria-live": "polite" });
  const more = el("div", {});
  const only = el("input", { type: "checkbox", onchange: () => wire.set("only", only.checked) });
  const places = () => (wire.get("only") ? differing : [...data.equal].map((_, at) => at));
  let shown = 0;

  function line(row) {
    const [before, after] = row.before !== null && row.after !== null && !row.equal ? marked(row.before, row.after) : [row.before, row.after];
    const cell = (value, step) => el("td", {}, value === null ? el("i", { class: "wb-faint" }, "not there") : el("div", { class: "wb-value" }, value), step === null ? null : el("div", { class: "wb-faint" }, `step ${step}`));
    const found = el(
      "tr",
      { tabindex: "-1", "data-at": row.at, "data-equal": row.equal, onclick: () => wire.set("selected", row.at) },
      el("th", { scope: "row" }, el("span", { class: "wb-type" }, row.kind), " ", row.what, row.counted ? null : el("span", { class: "wb-faint" }, " (beside)")),
      cell(before, row.steps[0]),
      cell(after, row.steps[1]),
    );
    if (row.cut) found.firstChild.append(" ", button("whole", (event) => (event.stopPropagation(), whole(found, row.at)), { class: "wb-link", hint: "Show the whole values" }));
    return found;
  }

  async function whole(old, at) {
    try {
      old.replaceWith(line(await wire.ask("value", { at })));
    } catch (error) {
      refill(trouble, failure(error));
    }
    select();
  }

  async function page() {
    const wanted = places().slice(shown, shown + 100);
    if (!wanted.length) return;
    shown += wanted.length;
    try {
      const found = await wire.ask("rows", { places: wanted });
      rows.append(...found.map(line));
      refill(more, shown < places().length ? button(`${places().length - shown} more`, page) : null);
    } catch (error) {
      refill(trouble, failure(error));
    }
  }

  async function select() {
    const at = wire.get("selected");
    while (at >= 0 && places().includes(at) && places().indexOf(at) >= shown) await page();
    rows.querySelectorAll("tr").forEach((row) => row.setAttribute("aria-selected", String(Number(row.dataset.at) === at)));
    const row = rows.querySelector(`[data-at="${Number(at)}"]`);
    row?.scrollIntoView({ block: "nearest" });
    const place = differing.indexOf(at);
    say(count, place < 0 ? `${differing.length} of ${data.equal.length} rows differ` : `difference ${place + 1} of ${differing.length}`);
  }

  const along = (direction) => {
    const here = wire.get("selected");
    const to = direction > 0 ? differing.find((at) => at > here) : differing.findLast((at) => at < here);
    if (to !== undefined) wire.set("selected", to);
  };
  root.append(
    el("header", { class: "wb-head" }, el("strong", {}, wire.get("_title"))),
    el(
      "div",
      { class: "wb-row wb-tools", role: "toolbar", "aria-label": "Differences" },
      button("‹ Previous difference", () => along(-1)),
      button("Next difference ›", () => along(1)),
      el("label", { class: "wb-row" }, only, "differences only"),
      count,
    ),
    trouble,
    el("div", { class: "wb-scroll", tabindex: "0" }, el("table", { class: "wb-compare" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, ""), data.sides.map((side) => el("th", { scope: "col" }, side)))), rows), more),
  );
  root.addEventListener("keydown", (event) => {
    const direction = { n: 1, N: -1 }[event.key];
    if (direction && !event.target.matches("input[type=text]")) along(direction);
  });
  wire.follow("only", async () => {
    only.checked = wire.get("only");
    shown = 0;
    rows.replaceChildren();
    refill(more);
    await page();
    select();
  });
  wire.hear("change:selected", select);
}

export function browse(wire, root) {
  const trouble = el("div", {});
  const rows = el("tbody", {});
  const more = el("div", {});
  const find = el("input", { type: "search", placeholder: "Search runs", "aria-label": "Search runs", oninput: () => later(() => wire.set("search", find.value)) });
  const status = el(
    "select",
    { "aria-label": "Status", onchange: () => wire.set("status", status.value) },
    el("option", { value: "" }, "every status"),
    wire.get("_data").statuses.map((each) => el("option", { value: each }, each)),
  );
  const shown = el("code", {});
  const when = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });
  let wanted = 1;
  let timer;
  let busy = false;
  let again = false;
  const later = (action) => {
    clearTimeout(timer);
    timer = setTimeout(action, 250);
  };
  wire.signal.addEventListener("abort", () => clearTimeout(timer));

  function line(run) {
    const found = el(
      "tr",
      { tabindex: "0", "data-id": run.id, "aria-selected": run.id === wire.get("selected"), onclick: () => wire.set("selected", run.id) },
      el("th", { scope: "row" }, run.app),
      el("td", {}, el("span", { class: "wb-phase", "data-status": run.status }, run.status)),
      el("td", {}, run.kernel.replace("graphon-", "")),
      el("td", {}, when.format(new Date(run.started * 1000))),
      el("td", { class: "wb-amount" }, String(run.steps)),
      el("td", {}, el("code", {}, run.id.slice(0, 8)), run.forked ? el("span", { class: "wb-faint" }, ` fork of ${run.forked.slice(0, 8)}`) : null),
    );
    return found;
  }

  async function draw() {
    if (busy) return (again = true);
    busy = true;
    try {
      const found = [];
      let further = false;
      for (let at = 0; at < wanted; at += 1) {
        const page = await wire.ask("runs", { start: at * 50, search: wire.get("search"), status: wire.get("status") });
        found.push(...page.rows);
        further = page.more;
        if (!further) break;
      }
      const focused = document.activeElement?.dataset?.id;
      rows.replaceChildren(...found.map(line));
      if (focused) rows.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
      refill(more, found.length ? null : el("div", { class: "wb-faint" }, "No runs."), further ? button("More", () => ((wanted += 1), draw())) : null);
      refill(trouble);
    } catch (error) {
      refill(trouble, failure(error));
    }
    busy = false;
    if (again) {
      again = false;
      draw();
    }
    return undefined;
  }

  rows.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr");
    const to = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[event.key];
    if (event.key === "Enter" || event.key === " ") wire.set("selected", row.dataset.id);
    else if (to) to.focus();
    else return;
    event.preventDefault();
  });
  root.append(
    el("header", { class: "wb-head" }, el("strong", {}, "Runs")),
    el("div", { class: "wb-row wb-tools" }, find, status, el("span", { class: "wb-faint" }, "chosen: "), shown),
    trouble,
    el(
      "div",
      { class: "wb-scroll" },
      el("table", {}, el("thead", {}, el("tr", {}, ["app", "status", "engine", "started", "steps", "run"].map((head) => el("th", { scope: "col" }, head)))), rows),
      more,
    ),
  );
  wire.news = (news) => news.news === "changed" && later(draw);
  wire.follow(["search", "status"], () => {
    if (find.value !== wire.get("search")) find.value = wire.get("search");
    status.value = wire.get("status");
    wanted = 1;
    draw();
  });
  wire.follow("selected", (id) => {
    say(shown, id || "none");
    rows.querySelectorAll("tr").forEach((row) => row.setAttribute("aria-selected", String(row.dataset.id === id)));
  });
}

const SEVERITIES = { error: "✗", warning: "!", info: "i" };

export function findings(wire, root) {
  const data = wire.get("_data");
  const help = async (code, place) => {
    if (place.hasChildNodes()) return place.replaceChildren();
    try {
      refill(place, el("div", { class: "wb-text wb-help", tabindex: "0" }, await wire.ask("page", { code })));
    } catch (error) {
      refill(place, failure(error));
    }
    return undefined;
  };
  const items = data.findings.map((found, at) => {
    const page = el("div", {});
    return el(
      "li",
      { class: "wb-finding", "data-severity": found.severity, tabindex: "0", onclick: () => wire.set("selected", at), onkeydown: (event) => event.key === "Enter" && event.target === event.currentTarget && wire.set("selected", at) },
      el("div", { class: "wb-answer" }, el("span", { class: "wb-title" }, el("span", { class: "wb-severity" }, SEVERITIES[found.severity] ?? "·"), " ", found.title || found.code), el("code", {}, found.code)),
      el("p", {}, found.message),
      found.advice ? el("p", { class: "wb-advice" }, "→ ", found.advice) : null,
      found.edges.length ? el("ul", {}, found.edges.map((edge) => el("li", { class: "wb-faint" }, edge))) : null,
      el(
        "div",
        { class: "wb-row" },
        found.steps.map((step) => button(`step ${step}`, () => wire.set("step", step), { class: "wb-link" })),
        found.more ? el("span", { class: "wb-faint" }, `${found.more} more`) : null,
        button("What is this?", () => help(found.code, page), { class: "wb-link", hint: `Help about ${found.code}` }),
      ),
      page,
    );
  });
  root.append(
    el("header", { class: "wb-head" }, el("strong", {}, wire.get("_title"))),
    el("ul", { class: "wb-findings" }, items, data.more ? el("li", {}, `${data.more} more`) : null),
    data.answers.length
      ? panel("Answers", el("table", {}, data.answers.map((answer) => el("tr", {}, el("th", { scope: "row" }, answer.title), el("td", {}, el("span", { class: "wb-phase", "data-phase": answer.phase }, answer.phase)), el("td", {}, answer.left.map((edge) => el("div", {}, edge)))))))
      : el("span", {}),
    el("div", {}, data.notes.map((note) => el("div", { class: "wb-note" }, note))),
  );
  wire.follow("selected", (at) => items.forEach((item, place) => item.setAttribute("aria-current", String(place === at))));
}
