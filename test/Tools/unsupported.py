#===- test/Tools/unsupported.py - A model with two ops that nobody knows ---===#
# SPDX-License-Identifier: Apache-2.0

import sys

import onnx
from onnx import TensorProto, helper

nodes = [helper.make_node("Frobnicate", ["x"], ["a"], name="first"), helper.make_node("Grumble", ["a"], ["y"], name="second")]
values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
model = helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:]), opset_imports=[helper.make_opsetid("", 17)])
onnx.save(model, sys.argv[1])
