#===- tools/dev/full_check/__main__.py - The tasks, in order, and the table ---===#
# SPDX-License-Identifier: Apache-2.0
"""full-check FOLDER: holds models of real architectures, as exporters write them, against what Cupola promises for them, and writes
the table. FOLDER has NAME.VARIANT.onnx and NAME.VARIANT.SET.npz (arrays in:NAME and out:NAME) for every model of zoo.py; the light
CNNs come from the onnx package. What was found is kept in a journal: an interrupted check goes on where it stopped, one of another
build begins anew. Exits with 1 if anything is missed."""

import argparse
import pathlib
import sys
import time
from functools import partial

from full_check import answers, compiling, kernels, light, plans, report, speed
from full_check.journal import Journal
from full_check.tool import Tool
from full_check.zoo import Model, models

ROOT = pathlib.Path(__file__).resolve().parents[3]
SIMULATED = [("mobilenet_v3_large.static", "b1"), ("llama_decode.dyn", "b1"), ("llama_decode.op23", "b1"), ("sd_unet.fp16", "b1")]
DECODERS = [("gpt2", "dyn"), ("llama", "dyn"), ("llama", "op23")]


def tasks(folder, tool):
    """(name, function) each, the cheap ones first."""
    for model in models(folder):
        yield f"cpu {model.name}", partial(answers.on_cpu, model, tool)
    for model in models(folder):
        yield f"reference {model.name}", partial(answers.by_reference, model, tool)
    for model in models(folder):
        yield f"steps {model.name}", partial(plans.steps, model, tool)
        yield f"arena {model.name}", partial(plans.arena, model, tool)
    for name in light.names():
        yield f"light {name}", partial(answers.light_cnn, name, tool)
    for family, variant in DECODERS:
        for device in ("cpu", "sim"):
            yield f"decode {family}.{variant} {device}", partial(answers.decode_steps, folder, family, variant, device, tool)
    for name, label in SIMULATED:
        yield f"sim {name}", partial(answers.in_simulator, Model(folder, name), label, tool)
    odd = {"image": (1, 3, 50, 43)}
    yield "sim unet_convt.dyn", partial(answers.in_simulator_at, Model(folder, "unet_convt.dyn"), odd, tool)
    yield "compile resnet50.static", partial(compiling.cold_and_warm, Model(folder, "resnet50.static"), tool)
    for name in ("bert_base.static", "gpt2_decode.static", "gpt2_decode.dyn"):
        yield f"memory {name}", partial(compiling.memory, Model(folder, name), tool)
    for name in ("bert_base.dyn", "gpt2_prefill.dyn"):
        yield f"shapes {name}", partial(compiling.new_shapes, Model(folder, name), tool)
    for name in speed.MODELS:
        yield f"speed {name}", partial(speed.beside_onnxruntime, Model(folder, name), tool)
    for model in models(folder):
        yield f"architectures {model.name}", partial(kernels.for_all_architectures, model, tool)


def main():
    parser = argparse.ArgumentParser(prog="full-check", description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="models and their input sets")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--work", type=pathlib.Path, help="folder of the journal and the packages (default: full-check in the build folder)")
    parser.add_argument("--only", default="", help="only tasks whose name has this text, as 'cpu ' or 'resnet50'")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "results" / "full-check.md", help="the table")
    options = parser.parse_args()
    work = options.work or options.build / "full-check"
    work.mkdir(parents=True, exist_ok=True)
    tool = Tool(options.build, work)
    journal = Journal(work / "journal.jsonl", tool.cupola)
    rows, begin = [], time.monotonic()
    for name, function in tasks(options.folder, tool):
        if options.only not in name:
            continue
        rows += journal.told(name, function)
    report.write(options.out, "Full check", rows, sum(journal.seconds.values()))
    missed = sum(not row.passed for row in rows)
    print(f"full-check: {len(rows)} rows, {missed} missed, {time.monotonic() - begin:.0f} s; {options.out}")
    sys.exit(1 if missed or not rows else 0)


main()
