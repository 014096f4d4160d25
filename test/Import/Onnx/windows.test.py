#===- test/Import/Onnx/windows.test.py - Two convolutions, and their length computed from the input's ---===#
# SPDX-License-Identifier: Apache-2.0
"""Exporters write ((L - 10) // 5 + 1 - 3) // 2 + 1 with ONNX's division, which rounds towards zero, before it
writes the convolutions that make sure that nothing is negative."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def constant(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


nodes = [
    helper.make_node("Shape", ["x"], ["extents"], start=2, end=3),
    helper.make_node("Sub", ["extents", "ten"], ["a"]), helper.make_node("Div", ["a", "five"], ["b"]),
    helper.make_node("Sub", ["b", "two"], ["c"]), helper.make_node("Div", ["c", "two"], ["d"]),
    helper.make_node("Add", ["d", "one"], ["places"]),
    helper.make_node("Concat", ["three", "places"], ["shape"], axis=0),
    helper.make_node("Conv", ["x", "w1"], ["h"], strides=[5], name="first"),
    helper.make_node("Conv", ["h", "w2"], ["z"], strides=[2], name="second"),
    helper.make_node("Expand", ["z", "whole"], ["wide"]),
    helper.make_node("Reshape", ["wide", "shape"], ["y"]),
]
random = np.random.default_rng(5)
weights = [numpy_helper.from_array(random.standard_normal(s).astype(np.float32), n)
           for n, s in (("w1", (4, 2, 10)), ("w2", (3, 4, 3)))]
numbers = [constant(n, *v) for n, v in (("ten", [10]), ("five", [5]), ("two", [2]), ("one", [1]), ("three", [3]), ("whole", [1, 3, 1]))]
value = helper.make_tensor_value_info
graph = helper.make_graph(nodes, "windows", [value("x", TensorProto.FLOAT, [1, 2, "L"])], [value("y", TensorProto.FLOAT, [3, None])],
                          weights + numbers)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
model.ir_version = 8
onnx.save(model, sys.argv[1])
