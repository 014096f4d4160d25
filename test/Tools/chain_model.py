#===- test/Tools/chain_model.py - A model with many nodes ---===#
# SPDX-License-Identifier: Apache-2.0
"""chain_model.py NODES MODEL.onnx: small residual blocks of five nodes each."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

count, path = int(sys.argv[1]) // 5, sys.argv[2]
weights = [numpy_helper.from_array(np.full((32, 32), 0.01 * (i + 1), np.float32), f"w{i}") for i in range(4)]
weights.append(numpy_helper.from_array(np.ones(32, np.float32), "bias"))
nodes = []
for i in range(count):
    x, where = f"x{i}", f"/model/layers.{i // 8}/block.{i % 8}"
    nodes += [helper.make_node("MatMul", [x, f"w{i % 4}"], [f"a{i}"], f"{where}/proj/MatMul"),
              helper.make_node("Add", [f"a{i}", "bias"], [f"b{i}"], f"{where}/proj/Add"),
              helper.make_node("Tanh", [f"b{i}"], [f"c{i}"], f"{where}/act/Tanh"),
              helper.make_node("Softmax", [f"c{i}"], [f"d{i}"], f"{where}/norm/Softmax"),
              helper.make_node("Add", [f"d{i}", x], [f"x{i + 1}"], f"{where}/residual/Add")]
graph = helper.make_graph(nodes, "chain", [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [8, 32])],
                          [helper.make_tensor_value_info(f"x{count}", TensorProto.FLOAT, [8, 32])], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
