"""The front end in a plain page under Chromium, with a small model that talks to the real Python widget."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from workbench.widgets.wire import STATIC

SMALL, LARGE = {"width": 420, "height": 900}, {"width": 1280, "height": 860}
HTML = """<!doctype html><meta charset="utf-8"><title>widgets</title>
<link rel="stylesheet" href="/workbench.css"><style>body{margin:12px;background:Canvas;color:CanvasText}
:root{color-scheme:light dark}</style><main id="place"></main>"""
MODEL = """
async (count) => {
  const { default: module } = await import("/workbench.js");
  const heard = {};
  const told = (event, ...more) => [...(heard[event] ?? [])].forEach((each) => each(...more));
  const state = JSON.parse(await window.toKernel(JSON.stringify({ what: "state" })));
  let changed = {};
  const take = (messages) => {
    for (const { custom, update } of messages) {
      window.bytes += JSON.stringify(custom ?? update).length;
      window.messages += 1;
      if (custom) told("msg:custom", custom, []);
      const other = (name) => JSON.stringify(state[name]) !== JSON.stringify(update[name]);
      const names = Object.keys(update ?? {}).filter(other);
      for (const name of names) state[name] = update[name];
      for (const name of names) told("change:" + name, model, state[name]);
    }
  };
  const post = async (what, content) =>
    take(JSON.parse(await window.toKernel(JSON.stringify({ what, content }))));
  const model = {
    get: (name) => state[name],
    set: (name, value) => {
      if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = changed[name] = value;
      told("change:" + name, model, value);
    },
    save_changes: () => {
      const sent = changed;
      changed = {};
      if (Object.keys(sent).length) post("set", sent);
    },
    on: (event, callback) => (heard[event] ??= []).push(callback),
    off: (event, callback) => {
      heard[event] = (heard[event] ?? []).filter((each) => each !== callback);
    },
    send: (content) => post("ask", content),
  };
  Object.assign(window, { bytes: 0, messages: 0, take, model });
  for (let at = 0; at < count; at += 1) {
    const el = document.createElement("div");
    document.querySelector("#place").append(el);
    await module.render({ model, el, signal: new AbortController().signal });
  }
}
"""


class Shown:
    """A widget in a page. `push` delivers what Python changed or told by itself."""

    def __init__(self, page: Any, widget: Any, views: int = 1) -> None:
        self.page, self.widget = page, widget
        self._out: list[dict[str, Any]] = []
        self._keys = [
            name
            for name in widget.keys
            if name not in HOSTS and name[:5] not in ("_esm", "_css", "_mode", "_anyw", "_dom_")
        ]
        widget.send = lambda content, buffers=None: self._out.append({"custom": content})
        widget.observe(self._changed, names=self._keys)
        page.expose_function("toKernel", self._kernel)
        page.goto("http://widgets.test/")
        page.evaluate(MODEL, views)

    def _changed(self, change: Any) -> None:
        self._out.append({"update": {change["name"]: change["new"]}})

    def _kernel(self, message: str) -> str:
        asked = json.loads(message)
        if asked["what"] == "state":
            return json.dumps({name: getattr(self.widget, name) for name in self._keys})
        if asked["what"] == "set":
            self.widget.set_state(asked["content"])
            # What the page set comes back to it only where Python made something else of it.
            same = [{"update": {name: value}} for name, value in asked["content"].items()]
            self._out = [each for each in self._out if each not in same]
        else:
            self.widget._asked(self.widget, asked["content"], [])
        out, self._out = self._out, []
        return json.dumps(out)

    def push(self) -> None:
        out, self._out = self._out, []
        self.page.evaluate("(messages) => take(messages)", out)


HOSTS = {"layout", "tabbable", "tooltip", "_view_count", "_view_module", "_view_module_version", "_view_name"}
"""Traits that are the host's business."""


def chromium() -> str:
    """Where Chromium is. Without it a test is skipped; CI installs it and fails."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("chromium is missing: .ci/run installs it")
        pytest.skip("chromium is not installed: apt-get install chromium")
    return found


@contextmanager
def browsing() -> Iterator[Any]:
    """A Chromium."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        yield browser
        browser.close()


@contextmanager
def new_page(browser: Any, *, dark: bool = False, size: dict[str, int] | None = None) -> Iterator[Any]:
    """An empty page that knows our module and nothing else of the world; errors in it fail the test."""
    context = browser.new_context(
        viewport=size or LARGE, color_scheme="dark" if dark else "light", reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(10_000)
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: (troubles.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.route("**/*", _serve)
    yield page
    context.close()
    assert troubles == []


def _serve(route: Any) -> None:
    path = route.request.url.removeprefix("http://widgets.test/")
    kinds = {"workbench.js": "text/javascript", "workbench.css": "text/css"}
    if path in kinds:
        route.fulfill(body=(STATIC / path).read_text(encoding="utf-8"), content_type=kinds[path])
    elif path == "":
        route.fulfill(body=HTML, content_type="text/html")
    else:
        route.abort()
