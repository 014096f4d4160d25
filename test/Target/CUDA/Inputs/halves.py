#===- test/Target/CUDA/Inputs/halves.py - Products of halves and a convolution, each of other extents and a kernel of its own ---===#
# SPDX-License-Identifier: Apache-2.0
"""halves.py OUT.onnx [32]: of f32 with the argument, without the convolution"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPE = TensorProto.FLOAT if "32" in sys.argv[2:] else TensorProto.FLOAT16
SHAPES = [(256, 256, 320, 0), (256, 256, 320, 1), (2048, 256, 64, 0), (40, 72, 520, 1)]   # m, n, k, whether rhs is [n][k]

nodes, inputs, outputs = [], [], []
for i, (m, n, k, turned) in enumerate(SHAPES):
    nodes.append(helper.make_node("Gemm", [f"a{i}", f"b{i}"], [f"c{i}"], transB=turned))
    inputs += [helper.make_tensor_value_info(f"a{i}", TYPE, [m, k]),
               helper.make_tensor_value_info(f"b{i}", TYPE, [n, k] if turned else [k, n])]
    outputs.append(helper.make_tensor_value_info(f"c{i}", TYPE, [m, n]))
# The first layer of a network for images: three channels, 64 columns.
initializers = []
if TYPE == TensorProto.FLOAT16:
    weights = ((np.arange(64 * 3 * 7 * 7) % 13 - 6) / 8).astype(np.float16).reshape(64, 3, 7, 7)
    nodes += [helper.make_node("Conv", ["image", "weights"], ["map"], kernel_shape=[7, 7], strides=[2, 2], pads=[3] * 4),
              helper.make_node("MaxPool", ["map"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2])]
    inputs.append(helper.make_tensor_value_info("image", TensorProto.FLOAT16, [1, 3, 32, 64]))
    initializers = [numpy_helper.from_array(weights, "weights")]
    outputs.append(helper.make_tensor_value_info("pooled", TensorProto.FLOAT16, [1, 64, 8, 16]))
graph = helper.make_graph(nodes, "halves", inputs, outputs, initializers)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), sys.argv[1])
