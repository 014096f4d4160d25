#===- test/Tools/page.py - Holds pages of reports against the JSON reports beside them ---===#
# SPDX-License-Identifier: Apache-2.0
"""page.py STEM...: STEM.html has the elements of the frame alone, style and script with the hashes of its policy, and as data exactly
what STEM.json has."""

import base64
import hashlib
import html.parser
import json
import os
import re
import sys

TAGS = {"html", "head", "meta", "title", "style", "body", "header", "h1", "p", "label", "select", "nav", "main", "aside", "input", "div",
        "section", "span", "button", "canvas", "pre", "script"}
MISLEADING = re.compile("[\0\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


class Page(html.parser.HTMLParser):
    """Its elements, and the texts of those that are read as they stand."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.policy, self.open = [], set(), [], "", None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        self.attributes |= given.keys()
        self.open = (tag, given.get("type"))
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]

    def handle_data(self, data):
        if self.open and self.open[0] in ("script", "style"):
            self.texts.append((*self.open, data))

    def handle_endtag(self, tag):
        self.open = None

    def text(self, tag, kind=None):
        return "".join(data for found, of, data in self.texts if (found, of) == (tag, kind))


def source_hash(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def kernels_told(variants):
    for variant in variants:
        for kernel in variant["kernels"]:
            if kernel["launches"]:                                      # of the others an init step makes use
                yield kernel["name"], variant.get("sources", {}).get(kernel["name"], "")


for stem in sys.argv[1:]:
    with open(f"{stem}.html", encoding="utf-8") as file:
        source = file.read()
    with open(f"{stem}.json", encoding="utf-8") as file:
        report = json.load(file)
    page = Page(source)
    unknown = set(page.tags) - TAGS
    assert not unknown, f"{stem}: elements {unknown}"
    assert page.tags.count("script") == 2
    assert not any(name.startswith("on") or name in ("src", "href") for name in page.attributes), page.attributes
    assert not MISLEADING.search(source), "a character that misleads"
    script, style = page.text("script"), page.text("style")
    assert page.policy == (f"default-src 'none'; script-src {source_hash(script)}; style-src {source_hash(style)}; "
                           "base-uri 'none'; form-action 'none'")
    assert json.loads(page.text("script", "application/json")) == report, "the page has another report"
    explained = report if report["schema"] == "cupola.explain/1" else report["explain"]
    variants = explained.get("variants", [explained])
    told = list(kernels_told(variants))
    texts = "every kernel has a text" if all(text for _, text in told) else "no text of kernels"
    assert all(not text or name in text or "kernel.func" in text for name, text in told)
    assert texts[0] == "e" or not any(text for _, text in told), "some kernels have no text"
    print(f"{os.path.basename(stem)}.html: {report['schema']}, {len(variants)} variants, {texts}")
