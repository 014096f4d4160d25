#===- tools/dev/fuzzing/__main__.py - Models of many seeds, their verdicts, and the table ---===#
# SPDX-License-Identifier: Apache-2.0
"""fuzz --seed S --count N: random models of the seeds S, S+1, .., each compiled and run by Cupola twice, with all passes, and with no
library and a drawn half of the passes that may be left out. Both answers are held against what onnxruntime and ONNX's reference give
node by node. A model is a graph of 4 to 24 nodes of some 150 ops, with weights, attributes, broadcasting, bodies, extents of 1 and 0,
several inputs and outputs; one in twenty has infinities and what is no number. With --dynamic inputs have extents that are named, and
the same package runs at others, too.

The generator is our own and not NNSmith, which would bring PyTorch and a solver along: each node is run before the next one is drawn
(draft.py), so all shapes and values are known without a rule per op, and a model is a function of its seed and the pinned packages. Failing
models are kept with --keep, cut down by `cupola verify --reduce` where they are wrong. Verdicts:

    ok           both answers are right
    wrong        an output differs, or has another shape or type
    unsupported  refused, with the reason
    crash        an internal error, or the process fell
    timeout      no answer within --limit seconds
    unjudged     the model has no node, or rounding decides about an output

Exits with 1 if any model is wrong, unsupported, crashes or takes too long."""

import argparse
import pathlib
import subprocess
import sys
import time
import warnings

from fuzzing import generate, peers, report
from fuzzing.worker import Worker, some_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
WIDEST = 2e-2


def read_options():
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="of the first model")
    parser.add_argument("--count", type=int, default=100, help="models")
    parser.add_argument("--device", choices=("cpu", "sim"), default="cpu")
    parser.add_argument("--dynamic", action="store_true", help="give some extents of the inputs names")
    parser.add_argument("--ops", default="", help="draw from these ops alone, as Add,Conv")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the models that fail, as seedS.onnx and seedS.caseN.npz")
    parser.add_argument("--limit", type=float, default=120, help="seconds per compilation and run (default: 120)")
    parser.add_argument("--out", type=pathlib.Path, help="write the table to this file, too")
    return parser.parse_args()


def compare(case, found):
    """What is wrong, or an empty text."""
    _, wanted, tolerances = case
    for name, expected in wanted.items():
        array, tolerance = found[name], tolerances[name]
        if array.dtype != expected.dtype or array.shape != expected.shape:
            return f"{name} is {array.dtype}{list(array.shape)}, expected {expected.dtype}{list(expected.shape)}"
        if (apart := peers.distance(array, expected)) > tolerance:
            return f"{name} ({expected.dtype}{list(expected.shape)}) is {apart:.2e} apart, allowed are {tolerance:.1e}"
    return ""


def judge(sample, worker, passes):
    """(verdict, message)"""
    if not sample.expected or not sample.feeds or sample.tolerance() > WIDEST:
        return "unjudged", ""
    data = sample.model.SerializeToString()
    disabled = some_of(passes, sample.seed)
    for options in ({"libraries": "none" if sample.wild else "auto"}, {"libraries": "none", "disabled_passes": disabled}):
        verdict, answer = worker.ask(data, [feeds for feeds, _, _ in sample.cases()], **options)
        if verdict == "ok":
            differences = [difference for case, found in zip(sample.cases(), answer) if (difference := compare(case, found))]
            verdict, answer = ("wrong", differences[0]) if differences else ("ok", "")
        if verdict != "ok":
            return verdict, answer + (f" [without {', '.join(disabled)}]" if "disabled_passes" in options else "")
    return "ok", ""


def keep(sample, verdict, options):
    path = generate.save(sample, options.keep)
    if verdict == "wrong" and options.device == "cpu":
        command = [options.build / "bin" / "cupola", "--quiet", "verify", path, "--device", "cpu", "--cache-dir", "none",
                   "--case", path.with_suffix(".case0.npz"), "--tol", str(max(sample.tolerance(), 1e-4)),
                   "--reduce", path.with_suffix(".part.onnx")]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    options, begin = read_options(), time.monotonic()
    warnings.simplefilter("ignore")     # of numpy, about what overflows
    worker, table = Worker(options.build, options.device, options.limit), report.Table()
    passes = worker.passes()
    for seed in range(options.seed, options.seed + options.count):
        sample = generate.generate(seed, options.dynamic, tuple(filter(None, options.ops.split(","))))
        verdict, message = judge(sample, worker, passes)
        table.add(sample, verdict, message)
        if verdict not in ("ok", "unjudged"):
            print(f"{verdict} {seed}: {' '.join(message.split())[:500]}", flush=True)
            if options.keep:
                keep(sample, verdict, options)
    worker.stop()
    text = table.text(options, time.monotonic() - begin)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")
    sys.exit(0 if table.is_clean() else 1)


if __name__ == "__main__":
    main()
