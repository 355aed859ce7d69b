// The graph as a drawing: made once, then only classes change.
import { draw, el, button } from "./dom.js";
import { EDGES, NODES, look } from "./looks.js";

const ZOOMS = [0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.6, 2];

/** A rounded line through some corners. */
function way(points) {
  let path = `M${points[0][0]},${points[0][1]}`;
  for (let at = 1; at < points.length - 1; at += 1) {
    const [before, here, after] = [points[at - 1], points[at], points[at + 1]];
    const [first, second] = [before, after].map((other) => {
      const [dx, dy] = [other[0] - here[0], other[1] - here[1]];
      const far = Math.hypot(dx, dy) || 1;
      const near = Math.min(6, far / 2) / far;
      return [here[0] + dx * near, here[1] + dy * near];
    });
    path += `L${first[0]},${first[1]}Q${here[0]},${here[1]} ${second[0]},${second[1]}`;
  }
  const [x, y] = points[points.length - 1];
  return `${path}L${x},${y}M${x - 6},${y - 4}L${x},${y}L${x - 6},${y + 4}`;
}

export class Graph {
  /** @param onselect called with a node's id, or "" */
  constructor(onselect) {
    this.onselect = onselect;
    this.place = el("div", { class: "wb-canvas" });
    this.zoom = null;
    this.root = el(
      "div",
      { class: "wb-graph" },
      this.place,
      el(
        "div",
        { class: "wb-zoom", role: "group", "aria-label": "Size of the graph" },
        button("−", () => this.zoomed(-1), { hint: "Smaller" }),
        button("fit", () => this.fit(), { hint: "Fit the graph into its place" }),
        button("+", () => this.zoomed(1), { hint: "Larger" }),
      ),
    );
    this.codes = { nodes: "", edges: "" };
  }

  paint(picture) {
    this.picture = picture;
    this.codes = { nodes: "", edges: "" };
    const { width, height } = picture;
    this.edges = picture.edges.map((edge) => draw("path", { class: "wb-edge", d: way(edge.points) }));
    this.nodes = picture.nodes.map((node, at) => this.node(node, at));
    const behind = this.nodes.filter((_, at) => picture.nodes[at].container);
    const before = this.nodes.filter((_, at) => !picture.nodes[at].container);
    this.svg = draw(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Graph of ${this.nodes.length} nodes` },
      behind,
      this.edges,
      before,
    );
    this.place.replaceChildren(this.svg);
    this.roving = 0;
    this.nodes[0]?.setAttribute("tabindex", "0");
    this.fit();
  }

  node(node, at) {
    const title = draw("title", {}, `${node.title} (${node.type})`);
    const parts = [
      title,
      draw("rect", { class: "wb-box", width: node.w, height: node.h, rx: 6 }),
      draw("rect", { class: "wb-side", width: 4, height: node.h, rx: 2 }),
      draw("text", { x: 10, y: 22 }, node.shown),
      ...node.handles.map(([name, y]) => draw("text", { class: "wb-handle", x: node.w - 7, y: y + 4 }, name)),
      draw("circle", { class: "wb-break", cx: 0, cy: 0, r: 5 }),
    ];
    const shown = draw(
      "g",
      {
        class: "wb-node",
        transform: `translate(${node.x},${node.y})`,
        role: "button",
        tabindex: "-1",
        onclick: () => this.onselect(node.id),
        onfocus: () => this.rove(at),
        onkeydown: (event) => this.key(event, at),
      },
      parts,
    );
    if (node.container) shown.classList.add("wb-container");
    return shown;
  }

  rove(at) {
    this.nodes[this.roving]?.setAttribute("tabindex", "-1");
    this.roving = at;
    this.nodes[at].setAttribute("tabindex", "0");
  }

  key(event, at) {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined && this.nodes[to]) this.nodes[to].focus();
    else if (event.key === "Enter") this.onselect(this.picture.nodes[at].id);
    else if (event.key === "Escape") this.onselect("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Show how nodes and edges stand; gives how many changed. */
  stand(frame) {
    let changed = 0;
    for (const [what, words, shapes] of [["nodes", NODES, this.nodes], ["edges", EDGES, this.edges]]) {
      const [before, now] = [this.codes[what], frame[what]];
      for (let at = 0; at < now.length; at += 1) {
        if (before[at] === now[at]) continue;
        changed += 1;
        const word = look(words, now[at]);
        shapes[at].dataset.look = word;
        if (what === "nodes") {
          const { title, type } = this.picture.nodes[at];
          shapes[at].setAttribute("aria-label", `${title}, ${type}, ${word}`);
        }
      }
      this.codes[what] = now;
    }
    this.mark("wb-here", [frame.node]);
    if (frame.node) this.reveal(frame.node);
    return changed;
  }

  /** Scroll to a node where the graph is larger than its place; the page stays as it is. */
  reveal(id) {
    const { place } = this;
    const node = this.picture.nodes.find((each) => each.id === id);
    if (!node || node.container || (place.scrollWidth <= place.clientWidth && place.scrollHeight <= place.clientHeight)) return;
    const scale = this.svg.clientWidth / this.picture.width;
    for (const [start, size, scroll, seen] of [
      [node.x * scale, node.w * scale, "scrollLeft", place.clientWidth],
      [node.y * scale, node.h * scale, "scrollTop", place.clientHeight],
    ])
      if (start < place[scroll] || start + size > place[scroll] + seen) place[scroll] = start + size / 2 - seen / 2;
  }

  /** Mark some nodes by a class. */
  mark(name, ids) {
    const wanted = new Set(ids);
    this.picture.nodes.forEach((node, at) => this.nodes[at].classList.toggle(name, wanted.has(node.id)));
    if (name === "wb-selected")
      this.nodes.forEach((shape) => shape.setAttribute("aria-pressed", shape.classList.contains(name)));
  }

  zoomed(by) {
    const now = this.scale();
    const index = ZOOMS.findIndex((zoom) => zoom >= now - 0.01);
    this.zoom = ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, (index < 0 ? ZOOMS.length - 1 : index) + by))];
    this.size();
  }

  scale() {
    return this.zoom ?? Math.min(1, (this.svg.clientWidth || this.picture.width) / this.picture.width);
  }

  fit() {
    this.zoom = null;
    this.size();
  }

  size() {
    const { width, height } = this.picture;
    Object.assign(
      this.svg.style,
      this.zoom === null
        ? { width: "100%", maxWidth: `${width}px`, height: "auto", minWidth: `${Math.min(width, width * 0.45)}px` }
        : { width: `${width * this.zoom}px`, maxWidth: "none", height: `${height * this.zoom}px`, minWidth: "0" },
    );
  }
}
