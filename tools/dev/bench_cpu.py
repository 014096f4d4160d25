#===- tools/dev/bench_cpu.py - Latency on the CPU beside onnxruntime's, rounds of both in alternation ---===#
# SPDX-License-Identifier: Apache-2.0
"""Compiles each model with and without library calls, loads both in Cupola's runtime and the model in onnxruntime (all graph
optimisations), and times the three in one process: a round is several runs of the one, then as many of the next, and counts with the
medians. The figure is the median over the rounds of (Cupola's time / onnxruntime's time): load on the machine that lasts longer than a
round hits all alike. Outputs are compared first. onnxruntime's threads stop spinning when a run ends, as Cupola's do, so no engine
takes the other's cores."""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

from cupola_runtime import Session

BUILD = pathlib.Path(__file__).resolve().parents[2] / "build"


def case_of(path):
    """Inputs of an .npz file: arrays by the inputs' names, or in:NAME beside out:NAME."""
    arrays = np.load(path)
    named = {name[3:]: arrays[name] for name in arrays.files if name.startswith("in:")}
    return named or {name: arrays[name] for name in arrays.files}


def random_case(session):
    """Floats N(0,1), integers 1; every dimension has to be fixed."""
    random, feeds = np.random.default_rng(0), {}
    for entry in session.get_inputs():
        if not all(isinstance(extent, int) for extent in entry.shape):
            sys.exit(f"bench-cpu: input '{entry.name}' has shape {entry.shape}; give its values with --case")
        floating = entry.type == "tensor(float)"
        feeds[entry.name] = random.normal(size=entry.shape).astype(np.float32) if floating else np.ones(entry.shape, np.int64)
    return feeds


def onnxruntime_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.add_session_config_entry("session.force_spinning_stop", "1")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def cupola_session(model, libraries, feeds, arguments):
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "model.cupola"
        subprocess.run([arguments.build / "bin" / "cupola", "compile", model, "--target", "cpu", "--libraries", libraries, "-o", package,
                        *arguments.flag], check=True, stdout=subprocess.DEVNULL)
        return Session(str(arguments.build / "lib" / "libcupola_runtime.so"), str(package), feeds, arguments.threads)


def milliseconds(run):
    begin = time.perf_counter()
    run()
    return (time.perf_counter() - begin) * 1e3


def largest_error(ours, theirs):
    """Over all outputs, relative to the largest value of each."""
    errors = [np.abs(a.astype(np.float64) - b).max() / (np.abs(b).max() + 1e-30) for a, b in zip(ours, theirs) if b.size]
    return float(max(errors, default=0))


def measure(model, arguments):
    peer = onnxruntime_session(model, arguments.threads)
    feeds = case_of(arguments.case) if arguments.case else random_case(peer)
    feeds = {entry.name: feeds[entry.name] for entry in peer.get_inputs()}
    sessions = {"cupola": cupola_session(model, "auto", feeds, arguments), "alone": cupola_session(model, "none", feeds, arguments)}
    runs = {**{name: session.run for name, session in sessions.items()}, "onnxruntime": lambda: peer.run(None, feeds)}
    error = 0
    for session in sessions.values():
        session.run()
        error = max(error, largest_error(session.outputs.values(), peer.run(list(session.outputs), feeds)))
    slowest = max(min(milliseconds(run) for _ in range(3)) for run in runs.values())
    count = max(3, int(arguments.seconds * 1e3 / slowest))
    rounds = [{name: statistics.median(milliseconds(run) for _ in range(count)) for name, run in runs.items()}
              for _ in range(arguments.rounds)]
    ratios, alone = ([r[name] / r["onnxruntime"] for r in rounds] for name in sessions)
    return {"model": pathlib.Path(model).name, "case": pathlib.Path(arguments.case).name if arguments.case else "random",
            **{name + "_ms": statistics.median(r[name] for r in rounds) for name in runs},
            "ratio": statistics.median(ratios), "ratio_min": min(ratios), "ratio_max": max(ratios),
            "alone_ratio": statistics.median(alone), "alone_ratio_min": min(alone), "alone_ratio_max": max(alone),
            "rounds": arguments.rounds, "runs_per_round": count, "error": error}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), "unknown")


def main():
    parser = argparse.ArgumentParser(prog="bench-cpu", description=__doc__)
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx")
    parser.add_argument("--case", help="values of the inputs, .npz: an array per input, or in:NAME (default: random)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each engine per round, at least 3 runs (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="of each engine (default: %(default)s)")
    parser.add_argument("--flag", action="append", default=[], help="further flag of 'cupola compile', as --flag=--cpu=x86-64-v3")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD, help="Cupola's build folder (default: build)")
    parser.add_argument("--json", help="write the rows to this file")
    arguments = parser.parse_args()
    print(f"{datetime.date.today()}, {processor()}, {arguments.threads} threads, onnxruntime {onnxruntime.__version__}")
    print("ratio: with oneDNN where it gains; alone: --libraries none")
    print(f"{'model':32} {'cupola ms':>10} {'alone ms':>10} {'ort ms':>10} {'ratio':>7} {'min':>7} {'max':>7} {'alone':>7} {'error':>9}")
    rows = []
    for model in arguments.models:
        rows.append(measure(model, arguments))
        print("{model:32} {cupola_ms:10.3f} {alone_ms:10.3f} {onnxruntime_ms:10.3f} {ratio:7.2f} {ratio_min:7.2f} {ratio_max:7.2f} "
              "{alone_ratio:7.2f} {error:9.1e}".format(**rows[-1]), flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


main()
