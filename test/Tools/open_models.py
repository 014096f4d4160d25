#===- test/Tools/open_models.py - Models that leave something open ---===#
# SPDX-License-Identifier: Apache-2.0
"""open_models.py STEM writes STEM.sr.onnx (a branch that a small input decides, unknown dimensions as exporters write them, ai.onnx imported
under both its names), STEM.dim.onnx (a branch that a dimension decides), STEM.sr_rank.onnx and STEM.dim_rank.onnx (the same
where a body gives a scalar), STEM.many.onnx (unknown ops, 150 of them in the graph and
others inside of bodies and a local function), STEM.huge.onnx (a result of 32 TiB), STEM.declared.onnx (a result of another rank than it
says) and STEM.npz (inputs of the first)."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

stem = sys.argv[1]
FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name, dims, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


def body(name, *nodes, inputs=(), outputs=("y",)):
    return helper.make_graph(list(nodes), name, list(inputs), [value(output, None) for output in outputs])


def save(name, nodes, inputs, opsets=(("", 17),), weights=(), declared=None, **more):
    graph = helper.make_graph(nodes, "g", inputs, [value("y", declared)], list(weights))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(*opset) for opset in opsets], **more)
    model.ir_version = 8
    onnx.save(model, f"{stem}.{name}.onnx")


def constant(name, number):
    return helper.make_node("Constant", [], [name], value=helper.make_tensor(name, INT, [], [number]))


def branch(condition, then="Relu", otherwise="Neg", **attributes):
    bodies = {"then_branch": body("then", helper.make_node(then, ["x"], ["t"], name="in_then"), outputs=["t"]),
              "else_branch": body("else", helper.make_node(otherwise, ["x"], ["e"], name="in_else", **attributes), outputs=["e"])}
    return helper.make_node("If", [condition], ["y"], name="branch", **bodies)


SCALAR = {"otherwise": "ReduceSum", "keepdims": 0}
for suffix, other in ("", {}), ("_rank", SCALAR):
    save("sr" + suffix, [constant("wide", 16000), helper.make_node("Equal", ["sr", "wide"], ["is_wide"], name="compare"),
                         branch("is_wide", **other)],
         [value("x", ["?", -1, "?", 0]), value("sr", [], INT)], opsets=[("", 17), ("ai.onnx", 17)])
    save("dim" + suffix, [helper.make_node("Shape", ["x"], ["shape"], name="shape"), constant("zero", 0),
                          helper.make_node("Gather", ["shape", "zero"], ["rows"], name="rows"), constant("eight", 8),
                          helper.make_node("Greater", ["rows", "eight"], ["is_long"], name="compare"), branch("is_long", **other)],
         [value("x", ["rows", 3])])

loop = body("loop", helper.make_node("Grumble", ["v"], ["w"], name="in_loop"),
            inputs=[value("i", [], INT), value("c", [], BOOL), value("v", None)], outputs=["c", "w"])
function = helper.make_function("local", "Mumble", ["a"], ["b"], [helper.make_node("Mutter", ["a"], ["b"], name="in_function")],
                                [helper.make_opsetid("", 16)])
many = [helper.make_node("Frobnicate", ["x"], [f"f{i}"], name=f"first{i}") for i in range(150)]
save("many", [*many, helper.make_node("ReduceMax", ["x"], ["most"], name="most", keepdims=0),
              helper.make_node("Cast", ["most"], ["b"], name="cast", to=BOOL), branch("b", then="Grouse", otherwise="Frobnicate"),
              helper.make_node("Loop", ["", "", "x"], ["z"], name="loop", body=loop),
              helper.make_node("Mumble", ["x"], ["m"], name="call", domain="local")],
     [value("x", [2])], opsets=[("", 17), ("local", 1)], functions=[function])
save("huge", [constant("one", 1 << 43), helper.make_node("Reshape", ["one", "list"], ["extents"], name="list"),
              helper.make_node("Expand", ["x", "extents"], ["y"], name="grow")], [value("x", [1])],
     weights=[helper.make_tensor("list", INT, [1], [1])])
save("declared", [helper.make_node("Relu", ["x"], ["y"], name="relu")], [value("x", [2, 3])], declared=[6])
np.savez(f"{stem}.npz", x=np.ones((2, 3, 4, 5), np.float32), sr=np.array(16000))
