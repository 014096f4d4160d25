#===- test/Hostile/models.py - Models that are not sound, or ask for too much ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import onnx
from onnx import TensorProto, helper

from case import Case, ints, model, relu, value, weight, write

F = TensorProto.FLOAT


def saved(build):
    return lambda folder: write(folder, build())


def case(name, code, text, *nodes, weights=(), **more):
    return Case(name, code, text, saved(lambda: model(list(nodes), weights, **more)))


def node(op, inputs, outputs=("y",), name="bad", **attributes):
    return helper.make_node(op, inputs, outputs, name=name, **attributes)


def changed(change):
    """A sound model after change(model)."""
    def build():
        result = model([node("Add", ["x", "w"])], [weight("w", np.arange(3, dtype=np.float32))])
        change(result)
        return result
    return saved(build)


def tensor(change):
    return changed(lambda m: change(m.graph.initializer[0]))


def set_opset(version):
    return changed(lambda m: setattr(m.opset_import[0], "version", version))


def attribute(*attributes):
    def change(m):
        m.graph.node[0].CopyFrom(node("Transpose", ["x"]))
        m.graph.node[0].attribute.extend(attributes)
    return changed(change)


def function_model(bodies, call):
    """Local functions by name, each a list of (op, domain)."""
    result = model([helper.make_node(call, ["x"], ["y"], name="bad", domain="f")])
    result.opset_import.append(helper.make_opsetid("f", 1))
    for name, calls in bodies.items():
        nodes = [helper.make_node(op, [f"t{i}"], [f"t{i + 1}"], domain=domain) for i, (op, domain) in enumerate(calls)]
        result.functions.append(helper.make_function("f", name, ["t0"], [f"t{len(calls)}"], nodes, result.opset_import))
    return result


def recursion_in_if():
    """A function whose If has a branch that calls the function."""
    result = function_model({"a": [("Relu", "")]}, "a")
    call = helper.make_graph([helper.make_node("a", ["t0"], ["r"], domain="f")], "then", [], [value("r", None)])
    stop = helper.make_graph([helper.make_node("Relu", ["t0"], ["r"])], "else", [], [value("r", None)])
    nodes = [helper.make_node("ReduceMax", ["t0"], ["m"], keepdims=0), helper.make_node("Cast", ["m"], ["c"], to=TensorProto.BOOL),
             helper.make_node("If", ["c"], ["t1"], then_branch=call, else_branch=stop)]
    result.functions[0].CopyFrom(helper.make_function("f", "a", ["t0"], ["t1"], nodes, result.opset_import))
    return result


def bomb():
    bodies = {f"b{i}": [(f"b{i + 1}", "f")] * 2 for i in range(40)}
    return function_model({**bodies, "b40": [("Relu", "")]}, "b0")


def no_graph():
    result = onnx.ModelProto(ir_version=8)
    result.opset_import.append(helper.make_opsetid("", 17))
    return result


def both_data(t):
    t.float_data.extend([1, 2, 3])


def unknown_domain(m):
    m.graph.node[0].domain = "com.example"
    m.opset_import.append(helper.make_opsetid("com.example", 1))


def raw(size):
    return tensor(lambda t: setattr(t, "raw_data", bytes(size)))


def dims(*extents):
    return tensor(lambda t: (t.ClearField("dims"), t.dims.extend(extents)))


HUGE = 1 << 40
CASES = [
    Case("07 no graph", 3, "graph", saved(no_graph)),
    Case("07 empty graph", 3, "", changed(lambda m: (m.graph.ClearField("node"), m.graph.ClearField("output")))),
    Case("07 no outputs", 3, "output", changed(lambda m: m.graph.ClearField("output"))),
    case("09 cycle", 3, "'(bad|act)'", node("Add", ["x", "y"], ["s"]), relu(source="s")),
    case("10 output named twice", 3, "'s'", relu("one", "x", "s"), relu("two", "x", "s"), relu("act", "s")),
    case("11 undefined input", 3, "'absent'", node("Add", ["x", "absent"])),
    case("13 unknown op", 4, "Frobnicate", node("Frobnicate", ["x"])),
    Case("13 unknown domain", 4, "com.example", changed(unknown_domain)),
    Case("14 opset 99", 3, "99", set_opset(99)),
    Case("14 no opset", 3, "opset", changed(lambda m: m.ClearField("opset_import"))),
    Case("14 IR version 99", 3, "99", changed(lambda m: setattr(m, "ir_version", 99))),
    Case("15 a function calls itself", 3, "f", saved(lambda: function_model({"a": [("a", "f")]}, "a"))),
    Case("15 functions call each other", 3, "f", saved(lambda: function_model({"a": [("b", "f")], "b": [("a", "f")]}, "a"))),
    Case("15 a function calls itself inside an If", 3, "f", saved(recursion_in_if)),
    Case("16 function bomb", 5, "--limit", saved(bomb)),
    Case("19 attribute of a wrong type", 3, "perm", attribute(helper.make_attribute("perm", 1.5))),
    Case("19 attribute twice", 3, "perm", attribute(*[helper.make_attribute("perm", [1, 0])] * 2)),
    case("19 attribute missing", 3, "[Aa]ttribute.*to.*bad|bad.*attribute.*to", node("Cast", ["x"])),
    case("20 types differ", 3, "'bad'", node("Add", ["x", "n"]), weights=[ints("n", 1, 2, 3)]),
    Case("21 negative dimension", 3, "-3", dims(-3)),
    Case("22 dimensions overflow", 3, "w", dims(1 << 32, 1 << 32)),
    Case("23 too few bytes", 3, "8.*12|12.*8", raw(8)),
    Case("23 too many bytes", 3, "16.*12|12.*16", raw(16)),
    Case("24 two kinds of data", 3, "w", tensor(both_data)),
    case("32 Split with a wrong sum", 3, "'bad'", node("Split", ["x", "n"], ["y", "z"], axis=1), weights=[ints("n", 1, 1)]),
    case("32 Split with a negative size", 3, "'bad'", node("Split", ["x", "n"], ["y", "z"], axis=1), weights=[ints("n", -1, 4)]),
    case("33 perm repeats an axis", 3, "'bad'", node("Transpose", ["x"], perm=[0, 0])),
    case("34 axis 99", 3, "'bad'.*99", node("Softmax", ["x"], axis=99)),
    case("37 ConstantOfShape of 2^40", 5, "", node("ConstantOfShape", ["n"]), weights=[ints("n", HUGE)]),
    case("38 Expand to 2^40", 5, "", node("Expand", ["w", "n"], ["s"]), node("Add", ["s", "w"]),
         weights=[weight("w", np.ones(1, np.float32)), ints("n", HUGE)]),
    case("38 Range to 2^40", 5, "", node("Range", ["a", "b", "c"], ["s"]), node("Add", ["s", "c"]),
         weights=[weight(n, np.int64(v)) for n, v in (("a", 0), ("b", HUGE), ("c", 1))],
         outputs=[value("y", None, TensorProto.INT64)]),
]
