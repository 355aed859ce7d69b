// Elements from data. Every text goes in as a text node: nothing here, or anywhere else, makes markup of data.

const SVG = "http://www.w3.org/2000/svg";
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufff9-\ufffb]/g;

/** A text with control characters and marks of direction shown as signs, as `workbench.views.safe` does. */
export function safe(text) {
  return String(text)
    .replace(/\r\n?/g, "\n")
    .replace(UNSAFE, (sign) => {
      const code = sign.charCodeAt(0);
      if (code < 0x20) return String.fromCharCode(0x2400 + code);
      return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
    });
}

function fill(node, attributes, parts) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : safe(value));
  }
  put(node, parts);
  return node;
}

/** An element; strings among its parts become text. Attributes that begin with "on" listen. */
export function el(name, attributes, ...parts) {
  return fill(document.createElement(name), attributes, parts);
}

/** The same for a drawing. */
export function draw(name, attributes, ...parts) {
  return fill(document.createElementNS(SVG, name), attributes, parts);
}

/** Put parts at the end of an element; null is nothing. */
export function put(node, parts) {
  for (const part of parts.flat(9)) {
    if (part === null || part === undefined || part === false) continue;
    node.append(typeof part === "object" ? part : document.createTextNode(safe(part)));
  }
}

/** Give an element other parts. */
export function refill(node, ...parts) {
  node.replaceChildren();
  put(node, parts);
}

/** A button. What it does is told by its label; a sign alone needs `hint`. */
export function button(label, action, { hint, ...more } = {}) {
  return el("button", { type: "button", title: hint, "aria-label": hint, onclick: action, ...more }, label);
}

/** Show a text only when it is another one: screen readers say it once. */
export function say(node, text) {
  const shown = safe(text);
  if (node.textContent !== shown) node.textContent = shown;
}
