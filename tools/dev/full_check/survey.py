#===- tools/dev/full_check/survey.py - Every model of some folders: supported or not, right, race-free, no larger than its weights ---===#
# SPDX-License-Identifier: Apache-2.0
"""survey FOLDER...: for every MODEL.onnx of the folders, with its input sets MODEL.SET.npz (arrays in:NAME and out:NAME), and writes the
table: its package beside its distinct weights; every set on the CPU; the set b1 (else the first) in the simulator with all checks, on one
core, which is given up after 180 seconds. A model that Cupola does not support is a row that says why. What was found is kept in
a journal, as by full-check. Exits with 1 if anything is missed."""

import argparse
import pathlib
import subprocess
import sys
import time
from functools import partial

from full_check import answers, report
from full_check.journal import Journal, Row
from full_check.tool import Tool
from full_check.zoo import Model

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNSUPPORTED = 4


def in_simulator(model, label, tool):
    try:
        yield from answers.in_simulator(model, label, tool, answers.SIM_SECONDS)
    except subprocess.TimeoutExpired as late:
        yield Row(model.name, label, "sim", f"more than {late.timeout:.0f} s", "", True, "given up")


def examine(model, tool):
    checked = tool.run("check", model.path, report=True, check=False)
    if checked.code == UNSUPPORTED:
        reasons = " ".join(checked.output.split())
        yield Row(model.name, "", "supported", "no", "", True, reasons[:200])
        return
    labels = model.sets()
    yield from answers.on_cpu(model, tool)
    for label in [label for label in labels if label == "b1"] or labels[:1]:
        yield from in_simulator(model, label, tool)


def models(folders):
    paths = sorted(path for folder in folders for path in folder.glob("*.onnx"))
    return [Model(path.parent, path.stem) for path in paths]


def main():
    parser = argparse.ArgumentParser(prog="survey", description=__doc__)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="models and their input sets")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--work", type=pathlib.Path, help="folder of the journal and the packages (default: survey in the build folder)")
    parser.add_argument("--only", default="", help="only models whose name has this text")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "results" / "survey.md", help="the table")
    options = parser.parse_args()
    work = options.work or options.build / "survey"
    work.mkdir(parents=True, exist_ok=True)
    tool = Tool(options.build, work)
    journal = Journal(work / "journal.jsonl", tool.cupola)
    rows, begin = [], time.monotonic()
    for model in models(options.folders):
        if options.only in model.name:
            rows += journal.told(f"survey {model.name}", partial(examine, model, tool))
    report.write(options.out, "Survey", rows, sum(journal.seconds.values()))
    missed = sum(not row.passed for row in rows)
    print(f"survey: {len(rows)} rows, {missed} missed, {time.monotonic() - begin:.0f} s; {options.out}")
    sys.exit(1 if missed or not rows else 0)


if __name__ == "__main__":
    main()
