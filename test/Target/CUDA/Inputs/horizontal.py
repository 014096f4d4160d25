#===- test/Target/CUDA/Inputs/horizontal.py - kernels that can share a launch ---===#
# SPDX-License-Identifier: Apache-2.0
"""horizontal.py OUT.onnx: of one input, products of ragged sizes whose blocks share a long depth (both count their blocks), two convolutions
that are one kernel, one with another stride, sums and scaled copies; what follows each of them; all results are returned."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(5)
weights, nodes, results = [], [], []


def weight(name, *shape):
    values = random.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))
    weights.append(numpy_helper.from_array(values.astype(np.float32), name))
    return name


def add(op, inputs, output, **attributes):
    nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
    return output


for name, columns in (("wide", 72), ("narrow", 64)):
    product = add("MatMul", ["rows", weight(f"{name}_w", 4608, columns)], f"{name}_product")
    results.append(add("Relu", [product], f"{name}_relu"))
for name, stride in (("left", 1), ("right", 1), ("half", 2)):
    conv = add("Conv", ["image", weight(f"{name}_w", 16, 8, 3, 3)], f"{name}_conv", pads=[1] * 4, strides=[stride] * 2)
    results.append(add("Conv", [conv, weight(f"{name}_v", 8, 16, 1, 1)], f"{name}_behind"))
results += [add("ReduceSum", ["rows", "axis"], "sums"), add("ReduceMax", ["rows", "axis"], "maxima")]
results += [add("Tanh", ["image"], "bent"), add("Sigmoid", ["rows"], "between")]
weights.append(numpy_helper.from_array(np.array([1], np.int64), "axis"))
inputs = [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [37, 4608]),
          helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 8, 9, 11])]
outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results]
graph = helper.make_graph(nodes, "horizontal", inputs, outputs, weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), sys.argv[1])
