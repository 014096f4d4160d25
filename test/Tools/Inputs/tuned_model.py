#===- tuned_model.py - two products and a softmax, each a kernel that several schedules can run ---===#
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)
weights = {"w1": (48, 100), "b1": (100,), "w2": (100, 48)}
nodes = [helper.make_node("MatMul", ["x", "w1"], ["a"], name="up"), helper.make_node("Add", ["a", "b1"], ["b"], name="bias"),
         helper.make_node("Relu", ["b"], ["c"], name="relu"), helper.make_node("MatMul", ["c", "w2"], ["d"], name="down"),
         helper.make_node("Add", ["d", "x"], ["e"], name="residual"), helper.make_node("Softmax", ["e"], ["y"], name="soft")]
graph = helper.make_graph(nodes, "tuned", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 48])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 48])],
                          [numpy_helper.from_array((random.standard_normal(shape) / 8).astype("float32"), name)
                           for name, shape in weights.items()])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
