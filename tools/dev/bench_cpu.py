#===- tools/dev/bench_cpu.py - Latency on the CPU beside onnxruntime's, rounds of both in alternation ---===#
# SPDX-License-Identifier: Apache-2.0
"""Compiles each model with and without library calls, loads both in Cupola's Python package and the model in its peers (onnxruntime with all
graph optimisations; OpenVINO where it is installed), and times them in one process: a round is several runs of the one, then as many of
the next, and counts with the medians. A figure is the median over the rounds of (Cupola's time / the peer's time): load on the machine
that lasts longer than a round hits all alike. Outputs are compared first. onnxruntime's threads stop spinning when a run ends, as
Cupola's do, so no engine takes the other's cores. A model's inputs are those of MODEL.b1.npz beside it, else random. With --busy the
rounds are repeated beside processes that keep every core busy, and the medians compared with the quiet ones."""

import argparse
import contextlib
import datetime
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

try:
    import openvino
except ImportError:
    openvino = None     # an optional peer

PEERS = ("onnxruntime", "openvino")
REST_SECONDS = 0.1
ENGINES = ("cupola", "alone", *PEERS)
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
            raise ValueError(f"input '{entry.name}' has shape {entry.shape}; give its values with --case")
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


def openvino_run(model, threads, feeds):
    """A function that runs the model once, or None where OpenVINO is missing or refuses it."""
    settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    try:
        request = openvino.Core().compile_model(str(model), "CPU", settings).create_infer_request()
        request.infer(feeds, share_inputs=True, share_outputs=True)
    except (AttributeError, RuntimeError):
        return None
    return lambda: request.infer(feeds, share_inputs=True, share_outputs=True)


def cupola_run(model, libraries, feeds, arguments):
    """A function that runs the model once, in arrays that the device uses where they lie, and returns the outputs by name."""
    sys.path.insert(0, str(arguments.build / "python"))
    import cupola
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "model.cupola"
        subprocess.run([arguments.build / "bin" / "cupola", "compile", model, "--target", "cpu", "--libraries", libraries, "-o", package,
                        *arguments.flag], check=True, stdout=subprocess.DEVNULL)
        session = cupola.Session(package, "cpu", threads=arguments.threads)
    inputs = {name: cupola.empty(value.shape, value.dtype) for name, value in feeds.items()}
    for name, value in feeds.items():
        inputs[name][...] = value
    shapes, outputs = session.bind({name: value.shape for name, value in feeds.items()}), session.run(inputs)
    kept = {name: value for name, value in outputs.items() if -1 not in shapes[name]}
    return lambda: session.run(inputs, kept)


def milliseconds(run):
    begin = time.perf_counter()
    run()
    return (time.perf_counter() - begin) * 1e3


@contextlib.contextmanager
def busy_cores():
    """One process that computes for each core that this one may use."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        time.sleep(0.5)     # they have started, and the system has spread them
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def turn(run, count):
    """The median of `count` runs, after the threads of the engine before have stopped spinning and one run to wake up."""
    time.sleep(REST_SECONDS)
    run()
    return statistics.median(milliseconds(run) for _ in range(count))


def medians(runs, count, rounds):
    """Of every round, the median time by engine."""
    return [{name: turn(run, count) for name, run in runs.items()} for _ in range(rounds)]


def largest_error(ours, theirs):
    """Over all outputs, relative to the largest value of each."""
    errors = [np.abs(a.astype(np.float64) - b).max() / (np.abs(b).max() + 1e-30) for a, b in zip(ours, theirs) if b.size]
    return float(max(errors, default=0))


def case_path(model, arguments):
    beside = pathlib.Path(model).with_suffix(".b1.npz")
    return arguments.case or (beside if beside.exists() else None)


def engines(model, peer, feeds, arguments):
    """Functions that run the model once, by the engine's name, and the largest error of ours."""
    runs = {"cupola": cupola_run(model, "auto", feeds, arguments), "alone": cupola_run(model, "none", feeds, arguments)}
    error = 0
    for run in runs.values():
        outputs = run()
        error = max(error, largest_error(outputs.values(), peer.run(list(outputs), feeds)))
    runs["onnxruntime"] = lambda: peer.run(None, feeds)
    other = openvino_run(model, arguments.threads, feeds)
    return ({**runs, "openvino": other} if other else runs), error


def measure(model, arguments):
    peer = onnxruntime_session(model, arguments.threads)
    case = case_path(model, arguments)
    feeds = case_of(case) if case else random_case(peer)
    feeds = {entry.name: feeds[entry.name] for entry in peer.get_inputs()}
    runs, error = engines(model, peer, feeds, arguments)
    slowest = max(min(milliseconds(run) for _ in range(3)) for run in runs.values())
    count = max(3, int(arguments.seconds * 1e3 / slowest))
    rounds = medians(runs, count, arguments.rounds)
    peers = [name for name in PEERS if name in runs]
    ratios = {"ratio": [r["cupola"] / r["onnxruntime"] for r in rounds], "alone_ratio": [r["alone"] / r["onnxruntime"] for r in rounds],
              "best_ratio": [r["cupola"] / min(r[name] for name in peers) for r in rounds]}
    row = {"model": pathlib.Path(model).stem, "case": pathlib.Path(case).name if case else "random", "error": error,
           "rounds": arguments.rounds, "runs_per_round": count}
    for name in runs:
        row[name + "_ms"] = statistics.median(r[name] for r in rounds)
    if arguments.busy:
        with busy_cores():
            busy = medians(runs, count, arguments.rounds)
        row.update({name + "_busy_ms": statistics.median(r[name] for r in busy) for name in runs})
    for name, values in ratios.items():
        row.update({name: statistics.median(values), name + "_min": min(values), name + "_max": max(values)})
    return row


def print_row(row):
    cells = [f"{row[name + '_ms']:.3f}" if name + "_ms" in row else "-" for name in ENGINES]
    cells += [f"{row[name]:.2f}" for name in ("ratio", "alone_ratio", "best_ratio", "best_ratio_min", "best_ratio_max")]
    print("| " + " | ".join([row["model"], *cells, f"{row['error']:.1e}"]) + " |", flush=True)


def print_busy(rows):
    """How many times the quiet latency it is beside busy cores."""
    print("\n| busy cores | Cupola ms | Cupola x quiet | onnxruntime x quiet | OpenVINO x quiet |")
    print("|---" * 5 + "|")
    for row in rows:
        cells = [f"{row[name + '_busy_ms'] / row[name + '_ms']:.2f}" if name + "_ms" in row else "-" for name in ("cupola", *PEERS)]
        print("| " + " | ".join([row["model"], f"{row['cupola_busy_ms']:.3f}", *cells]) + " |", flush=True)


def print_summary(rows):
    """Of the models that take a millisecond or more; shorter ones measure the calls."""
    ratios = sorted(row["best_ratio"] for row in rows if row["cupola_ms"] >= 1)
    if ratios:
        mean = math.exp(statistics.mean(map(math.log, ratios)))
        worst = max(rows, key=lambda row: row["best_ratio"])
        print(f"\ntime / faster peer: geometric mean {mean:.2f} over {len(ratios)} models of 1 ms and more; "
              f"the largest of all {worst['best_ratio']:.2f} ({worst['model']})")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), "unknown")


def main():
    parser = argparse.ArgumentParser(prog="bench-cpu", description=__doc__)
    parser.add_argument("models", nargs="+", metavar="MODEL.onnx")
    parser.add_argument("--case", help="values of the inputs, .npz: an array per input, or in:NAME (default: MODEL.b1.npz, else random)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each engine per round, at least 3 runs (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="of each engine (default: %(default)s)")
    parser.add_argument("--busy", action="store_true", help="also beside processes that keep every core busy")
    parser.add_argument("--flag", action="append", default=[], help="further flag of 'cupola compile', as --flag=--cpu=x86-64-v3")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD, help="Cupola's build folder (default: build)")
    parser.add_argument("--json", help="write the rows to this file")
    arguments = parser.parse_args()
    print(f"{datetime.date.today()}, {processor()}, {arguments.threads} threads, onnxruntime {onnxruntime.__version__}, "
          f"OpenVINO {openvino.__version__.split('-')[0] if openvino else '(not installed)'}")
    print("ratio: Cupola (with oneDNN where it gains) / onnxruntime; alone: --libraries none; best: Cupola / the faster peer\n")
    print("| model | Cupola ms | alone ms | onnxruntime ms | OpenVINO ms | ratio | alone | best | min | max | error |")
    print("|---" * 11 + "|")
    rows, failed = [], []
    for model in arguments.models:
        try:
            rows.append(measure(model, arguments))
            print_row(rows[-1])
        except Exception as error:      # an engine cannot run it, each says so in its own way: the other models are timed
            failed.append(f"{model}: {str(error)[:200]}")
    print_summary(rows)
    if arguments.busy:
        print_busy(rows)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    if failed:
        sys.exit("bench-cpu: not measured: " + "\n".join(failed))


main()
