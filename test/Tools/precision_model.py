#===- test/Tools/precision_model.py - A small network in which two nodes do not bear 16 bits ---===#
# SPDX-License-Identifier: Apache-2.0
"""precision_model.py PREFIX: PREFIX.onnx is six layers with residual sums; layer 2 computes numbers beyond f16's, layer 4 adds a large
number and takes it away again. PREFIX.npz has inputs, PREFIX.case.npz those and onnxruntime's answer."""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

prefix = sys.argv[1]
rng = np.random.default_rng(7)
nodes, weights = [], []


def constant(name, value):
    weights.append(numpy_helper.from_array(np.asarray(value, np.float32), name))
    return name


def node(op, inputs, name):
    nodes.append(helper.make_node(op, inputs, [name], name))
    return name


value = "x"
for layer in range(6):
    size = 15000 if layer == 2 else 0.3  # the weights are numbers of f16, their products are not
    hidden = node("MatMul", [value, constant(f"w{layer}", rng.uniform(-size, size, (32, 32)))], f"layer{layer}/product")
    if layer == 2:
        largest = node("ReduceMax", [node("Abs", [hidden], f"layer{layer}/abs")], f"layer{layer}/largest")
        hidden = node("Div", [hidden, largest], f"layer{layer}/scaled")
    if layer == 4:
        hidden = node("Add", [hidden, constant("far", 4096)], f"layer{layer}/far")
        hidden = node("Tanh", [node("Sub", [hidden, "far"], f"layer{layer}/back")], f"layer{layer}/tanh")
    value = node("Add", [value, hidden], f"layer{layer}/sum")
nodes[-1].output[0] = "y"
rows = ["rows", 32]
graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, rows)],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, rows)], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.save(model, prefix + ".onnx")
x = rng.standard_normal((5, 32)).astype(np.float32)
y, = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})
np.savez(prefix + ".npz", x=x)
np.savez(prefix + ".case.npz", **{"in:x": x, "out:y": y})
