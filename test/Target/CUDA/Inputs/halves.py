#===- test/Target/CUDA/Inputs/halves.py - Products of halves, each of other extents and a kernel of its own ---===#
# SPDX-License-Identifier: Apache-2.0
"""halves.py OUT.onnx"""

import sys

import onnx
from onnx import TensorProto, helper

SHAPES = [(256, 256, 320, 0), (256, 256, 320, 1), (2048, 256, 64, 0), (40, 72, 520, 1)]   # m, n, k, whether rhs is [n][k]

nodes, inputs, outputs = [], [], []
for i, (m, n, k, turned) in enumerate(SHAPES):
    nodes.append(helper.make_node("Gemm", [f"a{i}", f"b{i}"], [f"c{i}"], transB=turned))
    inputs += [helper.make_tensor_value_info(f"a{i}", TensorProto.FLOAT16, [m, k]),
               helper.make_tensor_value_info(f"b{i}", TensorProto.FLOAT16, [n, k] if turned else [k, n])]
    outputs.append(helper.make_tensor_value_info(f"c{i}", TensorProto.FLOAT16, [m, n]))
graph = helper.make_graph(nodes, "halves", inputs, outputs)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), sys.argv[1])
