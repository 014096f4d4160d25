#===- test/Tools/page_browser.py - Pages of reports in a browser ---===#
# SPDX-License-Identifier: Apache-2.0
"""page_browser.py views|fails|inert|smooth PAGE...: what a person does with a page, and what must not happen meanwhile."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "dev"))
from browser import Browser

MISLEADING = "/[\\u0000\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069]/"


def text(browser, identifier):
    return browser.evaluate(f"document.getElementById('{identifier}').textContent")


def middle(browser, identifier):
    return browser.evaluate(f"(() => {{ const box = document.getElementById('{identifier}').getBoundingClientRect();"
                            "return [box.left + box.width / 2, box.top + box.height / 2]; })()")


def tabs(browser):
    return browser.evaluate("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)")


def is_drawn(browser, identifier):
    """Whether a canvas has more than its paper."""
    return browser.evaluate(f"(() => {{ const canvas = document.getElementById('{identifier}'); const pixels = new Uint32Array("
                            "canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);"
                            "return pixels.some((pixel) => pixel !== pixels[0]); })()")


def look_at_views(browser, path):
    """Every tab, by the keyboard."""
    found = tabs(browser)
    browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').focus()")
    for _ in found:
        view = browser.evaluate("document.activeElement.textContent")
        assert not browser.evaluate(f"document.getElementById('view-{view}').hidden"), view
        for canvas in {"graph", "roofline", "memory"} & {view}:
            # Nothing lies between the steps of a model whose sizes depend on shapes: that view is a sentence.
            assert is_drawn(browser, canvas) or (view == "memory" and "depend on shapes" in text(browser, "memory-note")), f"{view} is blank"
        browser.press("ArrowRight")
        browser.settle()
    print(f"{os.path.basename(path).split('.tmp.')[-1]}: {' '.join(found)}")


def find_and_open(browser):
    """Search, Enter, the kernel's nodes, source and verdicts; the verdict of an edge on hover."""
    browser.evaluate("document.getElementById('tab-graph').click(); document.getElementById('search').focus()")
    browser.type("layer.1/attention/self/softmax")
    assert text(browser, "found") == "1 match" and browser.evaluate("document.querySelectorAll('#steps .row').length") == 1
    browser.press("Enter")
    browser.settle()
    details = text(browser, "details")
    assert "layer.1/attention/self/Softmax" in details and "fused: " in details, details
    browser.evaluate("document.getElementById('tab-kernels').click()")
    browser.settle()
    assert text(browser, "source").startswith("CUPOLA_KERNEL(") and text(browser, "kernel-name").startswith("attention")
    assert browser.evaluate("document.querySelectorAll('#kernel-nodes .row').length") > 5
    browser.evaluate("document.getElementById('tab-graph').click()")
    browser.settle()
    x, y = middle(browser, "graph")
    seen = set()
    for i in range(60):                                                 # down the middle: through boxes and the edges between them
        browser.mouse("mouseMoved", x, y - 240 + 8 * i)
        browser.settle()
        seen.add(browser.evaluate("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent"))
    assert any(tip.startswith("not fused: ") and " -> " in tip and "(" in tip for tip in seen), seen


def go_by_keys(browser):
    """Along the edges of the graph from the canvas alone."""
    browser.evaluate("document.getElementById('graph').focus()")
    seen = []
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        browser.press(key)
        browser.settle()
        seen.append(text(browser, "details"))
    assert len(set(seen)) >= 4 and all("step" in told or "input" in told for told in seen), seen
    before = browser.evaluate("document.getElementById('graph').toDataURL()")
    for key in ("Enter", "+", "0"):
        browser.press(key)
        browser.settle()
        after = browser.evaluate("document.getElementById('graph').toDataURL()")
        assert after != before, f"{key} changes nothing"
        before = after


def views(browser, pages):
    for path in pages:
        browser.open(path)
        look_at_views(browser, path)
    browser.open(pages[0])
    find_and_open(browser)
    browser.open(pages[0])
    go_by_keys(browser)


def fails(browser, pages):
    """A verification that failed: said first, the worst first."""
    browser.open(pages[0])
    assert text(browser, "summary").startswith("FAIL")
    first = browser.evaluate("document.querySelector('#differences .row').textContent")
    print(f"{first}; {text(browser, 'differences-note')}")


def inert(browser, pages):
    for path in pages:
        browser.open(path)
        title = browser.evaluate("document.title")
        assert title == os.path.basename(path).removesuffix(".html") + ".onnx" or title.endswith("evil.onnx"), title
        for tab in tabs(browser):
            browser.evaluate(f"document.getElementById('tab-{tab}').click()")
            for row in range(3):
                browser.evaluate(f"(document.querySelectorAll('.view:not([hidden]) .row, #steps .row')[{row}] || document.body).click()")
            browser.evaluate("document.getElementById('tab-graph').click(); document.getElementById('open-all').click()")
            x, y = middle(browser, "graph")
            for i in range(10):
                browser.mouse("mouseMoved", x, y - 100 + 20 * i)
            browser.settle()
            assert browser.evaluate("document.title") == title, "a name ran"
            odd = "img, b, iframe, object, embed, a, link, svg, body script ~ script ~ script"
            assert browser.evaluate(f"document.querySelectorAll('{odd}').length") == 0, "a name is markup"
            assert not browser.evaluate(f"{MISLEADING}.test(document.body.innerText)"), "a name misleads"
            assert browser.evaluate("document.documentElement.innerText.length") < 60000, "a long name is not cut"
        print("nothing but texts")


def smooth(browser, pages):
    browser.open(pages[0])
    nodes = browser.evaluate("JSON.parse(document.getElementById('report').textContent).explain.steps.flatMap((step) => step.nodes).length")
    x, y = middle(browser, "graph")

    def zoom():
        for i in range(30):
            browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-150 if i < 15 else 150)
            browser.settle()

    def hover():
        for i in range(20):
            browser.mouse("mouseMoved", x - 150 + 13 * i, y - 100 + 7 * i)
            browser.settle()

    def search():
        browser.evaluate("document.getElementById('search').focus()")
        browser.type("layers.1/block.3/act")

    tasks = {work.__name__: browser.traced(work) for work in (zoom, hover, search)}
    browser.evaluate("document.getElementById('open-all').click()")
    tasks["opened"] = browser.traced(zoom)
    longest = {name: found[0] for name, found in tasks.items()}
    assert all(len(found) > 20 for found in tasks.values()), "the trace is empty"
    assert max(longest.values()) < 50, longest
    print(f"{nodes} nodes: longest task {', '.join(f'{name} {ms:.1f} ms' for name, ms in longest.items())}")


with Browser() as window:
    {"views": views, "fails": fails, "inert": inert, "smooth": smooth}[sys.argv[1]](window, sys.argv[2:])
    assert not window.problems, window.problems
