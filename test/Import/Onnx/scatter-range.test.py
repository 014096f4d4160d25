#===- test/Import/Onnx/scatter-range.test.py - Scatters at indices in and out of range ---===#
# SPDX-License-Identifier: Apache-2.0
"""scatter-range.test.py FOLDER DEVICE [FLAG...]: runs ScatterND and ScatterElements with both kinds of update at the first and the
last index that exist from either end, and at those next to them; says what `cupola run` does."""

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

for op, (indices, updates) in FORMS.items():
    for reduction in ("none", "add"):
        value = helper.make_tensor_value_info
        inputs = [value("data", TensorProto.FLOAT, [EXTENT, 4]), value("indices", TensorProto.INT64, indices),
                  value("updates", TensorProto.FLOAT, updates)]
        nodes = [helper.make_node("Neg", ["data"], ["negated"], name="before"),
                 helper.make_node(op, ["negated", "indices", "updates"], ["written"], name="write", reduction=reduction),
                 helper.make_node("Relu", ["written"], ["y"], name="after")]
        graph = helper.make_graph(nodes, "scatter", inputs, [value("y", TensorProto.FLOAT, [EXTENT, 4])])
        path = folder / "scatter.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), path)
        for index in (-EXTENT - 1, -EXTENT, EXTENT - 1, EXTENT):
            places = np.zeros(indices, np.int64)
            places.flat[2] = index
            np.savez(folder / "in.npz", **{"in:data": np.ones((EXTENT, 4), np.float32), "in:indices": places,
                                           "in:updates": np.ones(updates, np.float32)})
            done = subprocess.run(["cupola", "run", path, "--inputs", folder / "in.npz", "--device", *device],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            print(f"{op} {reduction} at {index}:", "runs" if done.returncode == 0 else done.stdout.splitlines()[-1])
