#!/usr/bin/env python3
#===- test/Promises/Inputs/deep_products.py - two products whose depth blocks share ---===#
# SPDX-License-Identifier: Apache-2.0
"""deep_products.py PATH: writes PATH.onnx, f16: y = relu(x w) + x v, one of them in a branch, and PATH.npz, a case of it."""
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

path = sys.argv[1]
rng = np.random.default_rng(7)
x = (rng.standard_normal((40, 4096)) / 8).astype(np.float16)
weights = {name: (rng.standard_normal((4096, 72)) / 8).astype(np.float16) for name in ("w", "v")}


def product(weight, result, *more):
    """A branch that returns x times a weight."""
    value = helper.make_tensor_value_info(result, TensorProto.FLOAT16, None)
    return helper.make_graph([helper.make_node("MatMul", ["x", weight], [result]), *more], result, [], [value])


nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
         helper.make_node("If", ["flag"], ["c"], then_branch=product("v", "c1"), else_branch=product("w", "c2")),
         helper.make_node("Add", ["b", "c"], ["y"])]
graph = helper.make_graph(
    nodes, "deep_products",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT16, x.shape), helper.make_tensor_value_info("flag", TensorProto.BOOL, [])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT16, [40, 72])],
    [numpy_helper.from_array(value, name) for name, value in weights.items()])
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path + ".onnx")
product_of = {name: x.astype(np.float64) @ value.astype(np.float64) for name, value in weights.items()}
y = np.maximum(product_of["w"], 0) + product_of["v"]
np.savez(path + ".npz", **{"in:x": x, "in:flag": np.array(True), "out:y": y.astype(np.float16)})
