#===- test/Import/Onnx/facts.test.py - A model whose inputs must fit each other ---===#
# SPDX-License-Identifier: Apache-2.0

import sys

import onnx
from onnx import TensorProto, helper


def value(name, *dims):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)


nodes = [helper.make_node("Concat", ["a", "b"], ["c"], axis=1, name="cat"), helper.make_node("Add", ["c", "d"], ["y"], name="sum")]
graph = helper.make_graph(nodes, "facts", [value("a", "N", 4), value("b", "M", 4), value("d", "K", 8)], [value("y", "N", 8)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
model.ir_version = 8
onnx.save(model, sys.argv[1])
