#===- tools/dev/full_check/compiling.py - Time and memory of the compiler; new shapes without it ---===#
# SPDX-License-Identifier: Apache-2.0

import shutil
import sys

import numpy as np

from full_check.journal import Row

COLD_SECONDS, WARM_SECONDS, KERNELS = 15, 3, 20
SHAPES = 100


def cold_and_warm(model, tool):
    """For the CPU and sm_80, with an empty cache and again."""
    cache = tool.work / "cold"
    shutil.rmtree(cache, ignore_errors=True)
    package = tool.work / "model.cupola"
    for name, limit in (("cold", COLD_SECONDS), ("warm", WARM_SECONDS)):
        done = tool.run("compile", model.path, "-o", package, "--target", "cpu,cuda", "--arch", "sm_80", "--cache-dir", cache, report=True)
        compiles = done.report["nvrtc_compiles"], done.report["llvm_compiles"]
        passed = done.seconds <= limit and (name == "cold" or compiles == (0, 0))
        figure = f"{done.seconds:.1f} s, {compiles[0]} NVRTC, {compiles[1]} LLVM"
        yield Row(model.name, "", f"compile, {name}", figure, f"{limit} s" + ", 0, 0" * (name == "warm"), passed)
    shutil.rmtree(cache)
    distinct = len(tool.explain(model.path)["kernels"])
    yield Row(model.name, "", "distinct kernels", str(distinct), str(KERNELS), distinct <= KERNELS)


def memory(model, tool):
    """For both targets, with an empty cache."""
    cache = tool.work / "cold"
    shutil.rmtree(cache, ignore_errors=True)
    done = tool.run("compile", model.path, "-o", tool.work / "model.cupola", "--cache-dir", cache, report=True)
    shutil.rmtree(cache)
    # Not what wait4 says: a child counts its parent's memory until it becomes another program.
    limit, peak = 2.5 * model.weight_bytes() + 500e6, done.report["peak_rss_bytes"]
    yield Row(model.name, "", "memory of compile", f"{peak / 1e6:.0f} MB", f"{limit / 1e6:.0f} MB", peak <= limit, f"{done.seconds:.1f} s")


def random_feeds(random):
    """Of an encoder or a prefill."""
    shape = int(random.integers(1, 5)), int(random.integers(1, 129))
    values = {"input_ids": random.integers(0, 1000, shape), "attention_mask": np.ones(shape, np.int64)}
    values["position_ids"] = np.tile(np.arange(shape[1]), (shape[0], 1))
    return values


def new_shapes(model, tool):
    """One package, many shapes, in a process that has no compiler; every tenth against onnxruntime."""
    import onnxruntime
    sys.path.insert(0, str(tool.build / "python"))
    import cupola
    package, _ = tool.package(model.path, "--target", "cpu")
    peer = onnxruntime.InferenceSession(str(model.path), providers=["CPUExecutionProvider"])
    random, worst = np.random.Generator(np.random.Philox(key=9)), 0.0
    session = cupola.Session(package, "cpu", threads=2)
    for i in range(SHAPES):
        feeds = {entry.name: value for value_name, value in random_feeds(random).items() for entry in peer.get_inputs()
                 if entry.name == value_name}
        outputs = session.run(feeds)
        if i % 10 == 0:
            for found, value in zip(outputs.values(), peer.run(list(outputs), feeds)):
                error = np.abs(found - value) / (np.abs(value).max() + np.abs(value))
                worst = max(worst, float(error.max()))
    yield Row(model.name, f"{SHAPES} shapes", "new shapes", f"{worst:.2e}", f"{model.tolerance():g}", worst <= model.tolerance())
