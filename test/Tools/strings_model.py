#===- test/Tools/strings_model.py - A model of strings, and files of them ---===#
# SPDX-License-Identifier: Apache-2.0
"""strings_model.py PREFIX: PREFIX.onnx, whose host steps join and split strings, PREFIX.equal.onnx, which has none, and inputs for both."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

prefix = sys.argv[1]


def save(name, nodes, outputs):
    values = [helper.make_tensor_value_info(*output) for output in outputs]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.STRING, [3])], values)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 4)], ir_version=9)
    onnx.save(model, f"{prefix}{name}.onnx")


dot = helper.make_node("Constant", [], ["dot"], value_string=".")
save("", [dot, helper.make_node("StringConcat", ["x", "dot"], ["y"], "join"), helper.make_node("StringSplit", ["y"], ["p", "n"], "split")],
     [("y", TensorProto.STRING, [3]), ("p", TensorProto.STRING, [3, "parts"]), ("n", TensorProto.INT64, [3])])
save(".equal", [dot, helper.make_node("Equal", ["x", "dot"], ["e"], "equal"), helper.make_node("Where", ["e", "x", "dot"], ["w"], "where"),
                helper.make_node("LabelEncoder", ["x"], ["l"], "labels", domain="ai.onnx.ml", keys_strings=["a b", "."],
                                 values_int64s=[3, 4])],
     [("e", TensorProto.BOOL, [3]), ("w", TensorProto.STRING, [3]), ("l", TensorProto.INT64, [3])])
x = np.array(["a b", ".", "été"])
np.savez(prefix + ".npz", x=x)
np.savez(prefix + ".bytes.npz", x=np.array([text.encode() for text in x]))
np.savez(prefix + ".objects.npz", x=x.astype(object))
np.savez(prefix + ".numbers.npz", x=np.arange(3))
case = {"in:x": x, "out:y": np.array(["a b.", "..", "été."]), "out:n": np.array([2, 1, 1])}
np.savez(prefix + ".case.npz", **case)
np.savez(prefix + ".wrong.npz", **{**case, "out:y": np.array(["a b.", "..", "ete."])})
