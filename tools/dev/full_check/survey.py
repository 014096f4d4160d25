#===- tools/dev/full_check/survey.py - Every model of some folders: supported or not, right, race-free, no larger than its weights ---===#
# SPDX-License-Identifier: Apache-2.0
"""survey FOLDER...: for every MODEL.onnx of the folders, with its input sets MODEL.SET.npz (arrays in:NAME and out:NAME), and writes the
table: its package beside its distinct weights; every set on the CPU; the set b1 (else the first) in the simulator with all checks, on one
core, which is given up after 180 seconds. A model that Cupola does not support is a row that says why. What was found is kept in
a journal, as by full-check. Exits with 1 if anything is missed."""

import subprocess
from functools import partial

from full_check import answers, command
from full_check.journal import Row
from full_check.zoo import Model

UNSUPPORTED = 4


def in_simulator(model, label, tool):
    try:
        yield from answers.in_simulator(model, label, tool, answers.SIM_SECONDS)
    except subprocess.TimeoutExpired as late:
        yield Row(model.name, label, "sim", f"more than {late.timeout:.0f} s", "", True, "given up")


def examine(model, tool):
    labels = model.sets()
    checked = tool.run("check", model.path, *model.given(), report=True, check=False)
    if checked.code == UNSUPPORTED:
        reasons = " ".join(checked.output.split())
        yield Row(model.name, "", "supported", "no", "", True, reasons[:200])
        return
    yield from answers.on_cpu(model, tool)
    for label in [label for label in labels if label == "b1"] or labels[:1]:
        yield from in_simulator(model, label, tool)


def tasks(folders, tool):
    for path in sorted(path for folder in folders for path in folder.glob("*.onnx")):
        model = Model(path.parent, path.stem)
        yield f"survey {model.name}", partial(examine, model, tool)


if __name__ == "__main__":
    command.run("Survey", __doc__, {"nargs": "+"}, tasks)
