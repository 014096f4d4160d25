#===- test/Tools/norms.test.py - layers of products with norms between them ---===#
# SPDX-License-Identifier: Apache-2.0
"""norms.test.py FOLDER: `post` adds what was normalised, `pre` what was not, and is normalised by the root of squares; `halves` is `post`
with tensors of f16. Rows that no tile divides."""

import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

ROWS, WIDTH, HIDDEN = 45, 96, 160
numbers = np.random.default_rng(7)


class Layer:
    def __init__(self, op, before, dtype=np.float32):
        self.op, self.before, self.dtype = op, before, dtype
        self.nodes, self.weights = [], []

    def weight(self, name, values):
        self.weights.append(numpy_helper.from_array(values.astype(self.dtype), name))
        return name

    def node(self, op, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name

    def product(self, name, x, depth, columns):
        made = self.node("MatMul", name + "_product", x,
                         self.weight(name + "_w", numbers.standard_normal((depth, columns)) / np.sqrt(depth)))
        return self.node("Add", name, made, self.weight(name + "_b", numbers.standard_normal(columns) / 2))

    def norm(self, name, x):
        factors = [self.weight(name + "_factor", 1 + numbers.standard_normal(WIDTH) / 4)]
        if self.op == "LayerNormalization":
            factors.append(self.weight(name + "_shift", numbers.standard_normal(WIDTH) / 2))
        return self.node(self.op, name, x, *factors, axis=-1, epsilon=1e-5)

    def model(self):
        attended = self.node("Add", "attended", self.product("mixed", "x", WIDTH, WIDTH), "x")
        first = self.norm("first", attended)
        wide = self.node("Relu", "active", self.product("wide", first, WIDTH, HIDDEN))
        added = self.node("Add", "added", self.product("narrow", wide, HIDDEN, WIDTH), attended if self.before else first)
        last = self.product("last", self.norm("second", added), WIDTH, 2 * WIDTH)
        tensors = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype)), [ROWS, columns])
                   for name, columns in (("x", WIDTH), (last, 2 * WIDTH))]
        graph = helper.make_graph(self.nodes, "layer", tensors[:1], tensors[1:], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)


for file, layer in (("post", Layer("LayerNormalization", False)), ("pre", Layer("RMSNormalization", True)),
                    ("halves", Layer("LayerNormalization", False, np.float16))):
    save(layer.model(), f"{sys.argv[1]}/{file}.onnx")
