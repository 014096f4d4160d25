#!/usr/bin/env python3
#===- test/Reference/node_suite.py - ONNX's own backend tests ---===#
# SPDX-License-Identifier: Apache-2.0
"""node_suite.py BIN [--write]: the tests of the onnx package, each through lib/Reference, judged by ONNX's own rule. A test passes, is
refused (exit code 4), or feeds what an .npz cannot hold; a valid model is never called a bad one (exit code 3). Those that
node_suite.txt names pass, and give the same on the CPU, many tests in one model. --write writes that list anew."""

import collections
import concurrent.futures
import glob
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import compose, numpy_helper

PASSING = pathlib.Path(__file__).with_suffix(".txt")
KINDS = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")
TOGETHER = 96                                            # tests in one model for the CPU
Test = collections.namedtuple("Test", "name model inputs outputs rtol atol")


def array(value):
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)


def stored(folder, prefix):
    count = len(glob.glob(f"{folder}/{prefix}_*.pb"))
    return [onnx.load_tensor(f"{folder}/{prefix}_{i}.pb") for i in range(count)]


def data_of(case):
    """Model, inputs and outputs of the first data set."""
    if case.model is not None:
        return case.model, *case.data_sets[0]
    folder = pathlib.Path(case.model_dir)
    return onnx.load(folder / "model.onnx"), stored(folder / "test_data_set_0", "input"), stored(folder / "test_data_set_0", "output")


def fed(model):
    initial = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in initial]


def load():
    """The tests whose operands are tensors that an .npz holds, and the number of others."""
    from onnx.backend.test.loader import load_model_tests, load_node_model_tests
    tests, others = [], 0
    cases = list(load_node_model_tests())
    cases += [case for kind in ("simple", "pytorch-converted", "pytorch-operator") for case in load_model_tests(kind=kind)]
    for case in sorted(cases, key=lambda case: case.name):
        model, inputs, outputs = data_of(case)
        plain = all(value.type.HasField("tensor_type") for value in (*model.graph.input, *model.graph.output))
        try:
            arrays = [array(value) for value in (*inputs, *outputs)] if plain else []
        except Exception:                                # of an element type that numpy has no name for
            plain = False
        if not plain or any(a.dtype.str.lstrip("<|") not in KINDS + ("b1",) for a in arrays):
            others += 1
            continue
        feeds = dict(zip([v.name for v in (fed(model) if len(inputs) == len(fed(model)) else model.graph.input)], arrays))
        feeds = {v.name: feeds[v.name] for v in fed(model)}
        expected = dict(zip([v.name for v in model.graph.output], arrays[len(inputs):]))
        tests.append(Test(case.name, model, feeds, expected, max(case.rtol, 1e-3), max(case.atol, 1e-7)))
    return tests, others


def wrong(test, found):
    """What is wrong with the outputs; None."""
    for name, expected in test.outputs.items():
        value = found[name]
        if value.dtype != expected.dtype or value.shape != expected.shape:
            return f"{name} is {value.dtype}{list(value.shape)}, expected {expected.dtype}{list(expected.shape)}"
        exact = expected.dtype.kind in "iub"
        # onnx rounds f16 after every step, a kernel of several steps once: both are within a unit in the last place of
        # the exact result, and so two of them apart.
        rtol = max(test.rtol, 2 ** -9) if expected.dtype == np.float16 else test.rtol
        if not np.allclose(value, expected, 0 if exact else rtol, 0 if exact else test.atol, equal_nan=not exact):
            return f"{name} has other elements"
    return None


def call(*command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def reference(bin_dir, test):
    """(exit code, what is wrong)"""
    with tempfile.TemporaryDirectory() as name:
        model, case, out = (pathlib.Path(name) / file for file in ("model.onnx", "in.npz", "out.npz"))
        model.write_bytes(test.model.SerializeToString())
        np.savez(case, **{"in:" + k: v for k, v in test.inputs.items()})
        done = call(bin_dir / "cupola-reference", model, case, out)
        return done.returncode, done.stdout if done.returncode else wrong(test, np.load(out))


def joined(tests):
    """One model of tests of one opset, and its feeds."""
    whole, feeds = None, {}
    for i, test in enumerate(tests):
        part = compose.add_prefix(test.model, f"t{i}_")
        feeds.update({f"t{i}_{k}": v for k, v in test.inputs.items()})
        if whole is None:
            whole = part
            continue
        for field in ("node", "input", "output", "initializer", "value_info"):
            getattr(whole.graph, field).extend(getattr(part.graph, field))
    return whole, feeds


def on_cpu(bin_dir, tests):
    """The failures of many tests in one model."""
    with tempfile.TemporaryDirectory() as name:
        path, case, out = (pathlib.Path(name) / file for file in ("model.onnx", "in.npz", "out.npz"))
        model, feeds = joined(tests)
        path.write_bytes(model.SerializeToString())
        np.savez(case, **feeds)
        done = call(bin_dir / "cupola", "run", path, "--inputs", case, "--outputs", out, "--device", "cpu", "--threads", 1)
        if done.returncode:
            return [f"{tests[0].name} to {tests[-1].name} on the CPU: exit code {done.returncode}\n{done.stdout}"]
        found = np.load(out)
        results = ((test, wrong(test, {k: found[f"t{i}_{k}"] for k in test.outputs})) for i, test in enumerate(tests))
        return [f"{test.name} on the CPU: {why}" for test, why in results if why]


def batches(tests):
    """Lists of tests of one opset, without those that call functions of their own."""
    groups = collections.defaultdict(list)
    for test in tests:
        if not test.model.functions:
            groups[tuple(sorted((o.domain, o.version) for o in test.model.opset_import))].append(test)
    return [group[i:i + TOGETHER] for group in groups.values() for i in range(0, len(group), TOGETHER)]


def main():
    warnings.simplefilter("ignore")
    bin_dir = pathlib.Path(sys.argv[1])
    tests, others = load()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip([t.name for t in tests], pool.map(lambda test: reference(bin_dir, test), tests)))
        passed = {name for name, (code, why) in results.items() if code == 0 and not why}
        if "--write" in sys.argv:
            PASSING.write_text("\n".join(sorted(passed)) + "\n")
        listed = set(PASSING.read_text().split())
        failures = [f"{name}: exit code {code}: {why}" for name, (code, why) in results.items()
                    if code not in (0, 4) or (name in listed and name not in passed)]
        chosen = [test for test in tests if test.name in listed & passed]
        failures += [line for lines in pool.map(lambda batch: on_cpu(bin_dir, batch), batches(chosen)) for line in lines]
    for line in failures:
        print("FAIL " + line)
    codes = collections.Counter(code for code, _ in results.values())
    print(f"{len(tests)} tests, {others} others; {len(passed)} pass, {codes[4]} refused, {codes[0] - len(passed)} differ, "
          f"{len(passed - listed)} pass that {PASSING.name} does not name, {len(failures)} failures")
    sys.exit(bool(failures))


main()
