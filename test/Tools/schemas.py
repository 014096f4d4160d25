#===- test/Tools/schemas.py - Holds reports against the page that documents them ---===#
# SPDX-License-Identifier: Apache-2.0
"""schemas.py SCHEMAS.md REPORT.json...: every key of a report, at any depth, stands in back quotes in the report's section of the
page, and the keys on which others rely are there."""

import json
import re
import sys

OPEN = {"compile_ms", "arch", "sources"}            # objects whose keys are no part of the schema: phases, architectures, kernels
REQUIRED = {"cupola.inspect/1": {"format", "metadata", "inputs", "outputs", "composites", "symbols", "variants", "explain"},
            "cupola.explain/1": {"launches", "kernels", "edges", "memory"}, "cupola.verify/1": {"tolerance", "outputs"},
            "cupola.compile/1": {"compile_ms", "nvrtc_compiles", "llvm_compiles", "package_bytes", "peak_rss_bytes"},
            "cupola.doctor/1": {"checks"}, "cupola.check/2": {"supported", "summary", "problems"},
            "cupola.trace/1": {"traceEvents"}, "cupola.metrics/1": {"runs", "failures", "latency"},
            "cupola-run/1": {"device", "variant", "steps", "iterations", "latency_ms", "memory", "peak_rss_bytes", "outputs", "kernels"}}


def sections(page):
    """Words in back quotes by the name of the schema: a section may serve several."""
    with open(page, encoding="utf-8") as f:
        parts = re.split(r"^## `([^`]+)`.*$", f.read(), flags=re.M)
    return {name: set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", text)))) for name, text in zip(parts[1::2], parts[2::2])}


def keys(value, below=""):
    if isinstance(value, list):
        for item in value:
            yield from keys(item, below)
    elif isinstance(value, dict):
        for key, item in value.items():
            if below not in OPEN:
                yield key
            yield from keys(item, key)


documented, wrong = sections(sys.argv[1]), 0
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    parts = {report["schema"]: report}
    if "explain" in report:                         # a report in a report
        parts = {report["schema"]: {**report, "explain": None}, report["explain"]["schema"]: report["explain"]}
    unknown = sorted(key for name, part in parts.items() for key in set(keys(part)) - documented.get(name, set()) - {"schema"})
    first = report if report["schema"] == "cupola.inspect/1" else report.get("variants", [report])[0]
    unknown += [f"(no {key})" for key in sorted(REQUIRED[report["schema"]] - first.keys())]
    wrong += bool(unknown)
    print(f"{path}: {report['schema']}" + (f" is not as documented: {', '.join(unknown)}" if unknown else ""))
print(f"{len(sys.argv) - 2 - wrong} reports as documented")
sys.exit(wrong != 0)
