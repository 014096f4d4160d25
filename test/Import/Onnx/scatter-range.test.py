#===- test/Import/Onnx/scatter-range.test.py - Scatters at indices in and out of range ---===#
# SPDX-License-Identifier: Apache-2.0
"""scatter-range.test.py FOLDER DEVICE [FLAG...]: runs ScatterND and ScatterElements with both kinds of update at the first and the
last index that exist from either end, and at those next to them, and MaxUnpool at places in and out of a window; says what
`cupola run` does."""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

EXTENT = 5
FORMS = {"ScatterND": ([3, 1], [3, 4]), "ScatterElements": ([3, 2], [3, 2])}
folder, device = pathlib.Path(sys.argv[1]), sys.argv[2:]
folder.mkdir(exist_ok=True)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(nodes, inputs, result):
    """The model of `nodes`, which end with 'written', with an op before and one behind."""
    graph = helper.make_graph([helper.make_node("Neg", ["data"], ["negated"], name="before"), *nodes,
                               helper.make_node("Relu", ["written"], ["y"], name="after")], "scatter", inputs, [value("y", result)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), folder / "scatter.onnx")


def run(what, **feeds):
    np.savez(folder / "in.npz", **{"in:" + name: array for name, array in feeds.items()})
    done = subprocess.run(["cupola", "run", folder / "scatter.onnx", "--inputs", folder / "in.npz", "--device", *device],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"{what}:", "runs" if done.returncode == 0 else done.stdout.splitlines()[-1])


for op, (indices, updates) in FORMS.items():
    for reduction in ("none", "add"):
        inputs = [value("data", [EXTENT, 4]), value("indices", indices, TensorProto.INT64), value("updates", updates)]
        save([helper.make_node(op, ["negated", "indices", "updates"], ["written"], name="write", reduction=reduction)], inputs, [EXTENT, 4])
        for index in (-EXTENT - 1, -EXTENT, EXTENT - 1, EXTENT):
            places = np.zeros(indices, np.int64)
            places.flat[2] = index
            run(f"{op} {reduction} at {index}", data=np.ones((EXTENT, 4), np.float32), indices=places, updates=np.ones(updates, np.float32))

# The second of two planes of 4x4; of its four windows of 2x2 the last one has the places 26, 27, 30 and 31.
save([helper.make_node("MaxUnpool", ["negated", "indices"], ["written"], name="write", kernel_shape=[2, 2], strides=[2, 2])],
     [value("data", [1, 2, 2, 2]), value("indices", [1, 2, 2, 2], TensorProto.INT64)], [1, 2, 4, 4])
for index in (-1, 10, 25, 26, 31, 32):
    places = np.array([0, 2, 8, 10, 16, 18, 24, index]).reshape(1, 2, 2, 2)
    run(f"MaxUnpool at {index}", data=np.ones((1, 2, 2, 2), np.float32), indices=places)
