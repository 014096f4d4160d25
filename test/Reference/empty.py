#!/usr/bin/env python3
#===- test/Reference/empty.py - Tensors without elements, op by op ---===#
# SPDX-License-Identifier: Apache-2.0
"""empty.py BIN [OPS]: the cases of test/models/make_ops.py with extents of 0. A form of a case has 0 for one dimension of one operand,
or for all dimensions of one extent (rows, columns and depth of a product, a batch). Those that onnx.reference answers go through
lib/Reference and the CPU twice: with the 0 in the model, and with a dimension that is 0 only when shapes are bound. The simulator
runs all of the first kind and every SAMPLE-th of the second; NVRTC compiles all, for sm_80. OPS: a regular expression that chooses ops by
name."""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "models"))
import make_ops   # noqa: E402
from make_ops import CASES   # noqa: E402
from op_models import add_case, inferred, shape_flags   # noqa: E402

OPSET = 23
# What onnx.reference answers although the standard gives no meaning to it, or what cannot be known before shapes are.
REFUSED = ("a window of .* does not fit", "the sum of the sizes and the extent", "expected a last extent of 1 to",
           "shapes of (indices (with data )?and updates|X and I|theta and of its matrices)",
           "extent . of the windows' shape and that of input 2", "the extent of the axis that elements are chosen from",
           "the extents of rois and batch_indices", "the coordinates of a region and 4",
           "supported (is|are) a? ?constant", "which may or may not be 1", "supported are windows of at least 1")
SAMPLE = 8
# Not the bodies: onnx.reference joins the rows of a loop where onnxruntime and the types that ONNX infers stack them.
GROUPS = (make_ops.elementwise, make_ops.reductions, make_ops.normalisations, make_ops.contractions, make_ops.convolutions,
          make_ops.pools, make_ops.resizes, make_ops.shapes, make_ops.parts, make_ops.samples, make_ops.scatters, make_ops.sorts,
          make_ops.constants, make_ops.more)


def places(entry):
    """Sets of (operand, dimension): each alone, then all of one extent."""
    dims = [(i, d, extent) for i, operand in enumerate(entry.operands) if isinstance(operand, np.ndarray)
            for d, extent in enumerate(operand.shape)]
    sets = [((i, d),) for i, d, _ in dims]
    sets += [tuple((i, d) for i, d, extent in dims if extent == value) for value in sorted({e for _, _, e in dims})]
    return list(dict.fromkeys(sets))


def emptied(entry, zeros):
    """The case with 0 for these dimensions."""
    def operand(i, array):
        if not isinstance(array, np.ndarray):
            return array
        shape = [0 if (i, d) in zeros else extent for d, extent in enumerate(array.shape)]
        return np.zeros(shape, array.dtype) if 0 in shape else array
    return entry._replace(operands=tuple(operand(i, array) for i, array in enumerate(entry.operands)))


def answers(model, feeds):
    """onnx.reference's outputs; None where it has no answer."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = ReferenceEvaluator(model).run(None, feeds)
    except Exception:                     # of every class: shapes do not fit, an op refuses
        return None
    return dict(zip([o.name for o in model.graph.output], map(np.asarray, values)))


Form = collections.namedtuple("Form", "entry zeros answers")


def forms(fill, ops):
    """The forms of a group's cases that onnx.reference answers."""
    first = len(CASES)
    fill()
    for entry in CASES[first:]:
        if not max(entry.since, min(make_ops.beginnings(entry.op))) <= OPSET <= entry.until or not re.search(ops, entry.op):
            continue
        for zeros in places(entry):
            graph, feeds = collections.defaultdict(list), {}
            changed = emptied(entry, zeros)
            add_case(graph, feeds, 0, changed)
            try:
                found = answers(inferred(graph, OPSET), feeds)
            except onnx.shape_inference.InferenceError:
                continue
            if found is not None:
                yield Form(changed, zeros, found)


def joined(chosen, dynamic):
    """One model of many forms, its feeds, and the answers."""
    graph, feeds, expected = collections.defaultdict(list), {}, {}
    for index, form in enumerate(chosen):
        add_case(graph, feeds, index, form.entry)
        expected.update(zip(graph["outputs"][-form.entry.outputs:], form.answers.values()))
    model = inferred(graph, OPSET)
    for value in model.graph.input if dynamic else ():
        _, index, position = value.name.rsplit("_", 2)
        for d, dim in enumerate(value.type.tensor_type.shape.dim):
            if (int(position), d) in chosen[int(index)].zeros:
                dim.dim_param = f"n{index}"
    return model, feeds, expected


def without_elements(feeds):
    return [name for name, value in feeds.items() if value.size == 0]


def same(found, expected):
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if found.dtype.kind == "f":
        return np.allclose(found, expected, rtol=1e-4, atol=1e-5, equal_nan=True)
    return np.array_equal(found, expected)


def text(array):
    return f"{array.dtype}{list(array.shape)} {array.ravel()[:4]}"


class Runner:
    def __init__(self, bin_dir, folder):
        self.bin_dir, self.folder, self.failures = bin_dir, folder, 0

    def call(self, *command):
        return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def supported(self, chosen, dynamic):
        """Without the forms that are refused for a reason of REFUSED."""
        path = self.folder / "check.onnx"
        model, feeds, _ = joined(chosen, dynamic)
        path.write_bytes(model.SerializeToString())
        done = self.call(self.bin_dir / "cupola", "check", path, *([] if dynamic else shape_flags(feeds)))
        refused = {}
        for index, why in re.findall(r"node '\w+?_(\d+)' \([^)]*\): (.*)", done.stdout):
            refused[int(index)] = chosen[int(index)].entry.op
            if not any(re.search(reason, why) for reason in REFUSED):
                print(f"FAIL {refused[int(index)]}: {why}")
                self.failures += 1
        if done.returncode not in (0, 3, 4) or bool(done.returncode) != bool(refused):
            self.fail("check", done)
        print("refused:", ", ".join(f"{count} {op}" for op, count in sorted(collections.Counter(refused.values()).items())))
        return [form for i, form in enumerate(chosen) if i not in refused]

    def fail(self, what, done):
        print(f"FAIL {what}: exit code {done.returncode}\n{done.stdout}")
        self.failures += 1

    def compare(self, what, chosen, dynamic, *command):
        """Runs `command` MODEL IN OUT on a joined model."""
        model, feeds, expected = joined(chosen, dynamic)
        path, inputs, outputs = (self.folder / name for name in ("model.onnx", "in.npz", "out.npz"))
        path.write_bytes(model.SerializeToString())
        prefix = "" if "run" in command else "in:"
        np.savez(inputs, **{prefix + k: v for k, v in feeds.items()})
        fixed = [] if dynamic else shape_flags(feeds) if "run" in command else without_elements(feeds)
        done = self.call(*(c.format(model=path, inputs=inputs, outputs=outputs) for c in map(str, command)), *fixed)
        if done.returncode:
            return self.fail(what, done)
        found = np.load(outputs)
        wrong = [name for name, value in expected.items() if not same(found[name], value)]
        for name in wrong:
            print(f"FAIL {what}: {name} is {text(found[name])}, expected {text(expected[name])}")
        self.failures += len(wrong)
        print(f"{what}: {len(expected) - len(wrong)} of {len(expected)} outputs right")

    def compile(self, what, chosen, dynamic):
        """Every kernel of a joined model passes NVRTC."""
        model, feeds, _ = joined(chosen, dynamic)
        path = self.folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        done = self.call(self.bin_dir / "cupola", "compile", path, "--target", "cuda", "--arch", "sm_80", "-o",
                         self.folder / "model.cupola", *([] if dynamic else shape_flags(feeds)))
        if done.returncode:
            self.fail(what, done)
        print(f"{what}: {done.stdout.strip().splitlines()[-1].split(': ')[-1]}")

    def run(self, what, chosen, dynamic):
        device = ("run", "{model}", "--inputs", "{inputs}", "--outputs", "{outputs}", "--threads", 2, "--device")
        self.compare(what + ", reference", chosen, dynamic, self.bin_dir / "cupola-reference", "{model}", "{inputs}", "{outputs}")
        self.compare(what + ", cpu", chosen, dynamic, self.bin_dir / "cupola", *device, "cpu")
        self.compile(what + ", cuda", chosen, dynamic)
        self.compare(what + ", sim", chosen[::SAMPLE] if dynamic else chosen, dynamic, self.bin_dir / "cupola", *device, "sim")


def main():
    with tempfile.TemporaryDirectory() as name:
        runner = Runner(pathlib.Path(sys.argv[1]), pathlib.Path(name))
        every = [form for fill in GROUPS for form in forms(fill, sys.argv[2] if len(sys.argv) > 2 else "")]
        print(f"{len(every)} forms of {len({form.entry.op for form in every})} ops")
        static = runner.supported(every, False)
        runner.run("static", static, False)
        # A mask for fewer keys than there are is completed where both numbers are constants.
        bound = [form for form in static if form.entry.op != "Attention" or form.zeros != ((3, 1),)]
        runner.run("dynamic", runner.supported(bound, True), True)
    sys.exit(runner.failures > 0)


main()
