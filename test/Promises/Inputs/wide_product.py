#!/usr/bin/env python3
#===- test/Promises/Inputs/wide_product.py - A half-precision layer wide enough for every multiprocessor ---===#
# SPDX-License-Identifier: Apache-2.0
"""wide_product.py STEM [COLUMNS [DEPTH]]: writes STEM.onnx, relu(x w + b) in f16 with any number of rows, and STEM.ROWS.npz, cases for
`cupola verify`, whose answers are computed in f64."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper


def main(stem, columns=17408, depth=456):
    random = np.random.default_rng(20261123)
    weights = {"w": random.uniform(-1, 1, (depth, columns)), "b": random.uniform(-1, 1, columns)}
    weights = {name: array.astype(np.float16) for name, array in weights.items()}
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["product"]), helper.make_node("Add", ["product", "b"], ["sum"]),
         helper.make_node("Relu", ["sum"], ["y"])], "wide",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["rows", depth])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT16, ["rows", columns])],
        [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), stem + ".onnx")
    for rows in (130, 3):
        x = random.uniform(-1, 1, (rows, depth)).astype(np.float16)
        y = x.astype(np.float64) @ weights["w"].astype(np.float64)
        y = np.maximum(y + weights["b"].astype(np.float64), 0).astype(np.float16)
        np.savez(f"{stem}.{rows}.npz", **{"in:x": x, "out:y": y})


main(sys.argv[1], *map(int, sys.argv[2:]))
