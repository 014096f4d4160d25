#===- test/Promises/Inputs/many.py - Models with very many of the same ---===#
# SPDX-License-Identifier: Apache-2.0
"""many.py NAME COUNT OUT.onnx"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def value(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def siblings(count):
    """Equal nodes, each a result."""
    nodes = [helper.make_node("Relu", ["x"], [f"y{i}"], name=f"relu{i}") for i in range(count)]
    return nodes, [value("x", 4)], [value(f"y{i}", 4) for i in range(count)], []


def chain(count):
    names = ["x"] + [f"y{i}" for i in range(count)]
    nodes = [helper.make_node("Relu", [names[i]], [names[i + 1]], name=f"relu{i}") for i in range(count)]
    return nodes, [value("x", 4)], [value(names[-1], 4)], []


def concat(count):
    names = [f"x{i}" for i in range(count)]
    return [helper.make_node("Concat", names, ["y"], name="all", axis=1)], [value(n, 2, 3) for n in names], [value("y", 2, 3 * count)], []


def slices(count):
    """Windows of one tensor, one after the other; the pieces of a Split in reverse are the same thing."""
    weights = [numpy_helper.from_array(np.array([1]), "axis")]
    weights += [numpy_helper.from_array(np.array([at]), f"at{at}") for at in range(count + 3)]
    nodes = [helper.make_node("Slice", ["x", f"at{i}", f"at{i + 3}", "axis"], [f"x{i}"], name=f"slice{i}") for i in range(count)]
    return nodes + concat(count)[0], [value("x", 2, count + 2)], [value("y", 2, 3 * count)], weights


def blocks(count, width=16):
    """Attention and two linear layers each, every block with weights of its own."""
    random, nodes, weights, x = np.random.default_rng(0), [], [], "x"
    for i in range(count):
        def weight(name, *shape):
            weights.append(numpy_helper.from_array((random.standard_normal(shape) * 0.1).astype(np.float32), f"{name}{i}"))
            return f"{name}{i}"

        def node(op, name, *inputs, **attributes):
            nodes.append(helper.make_node(op, inputs, [f"{name}_{i}"], name=f"block{i}/{name}", **attributes))
            return f"{name}_{i}"

        normal = node("LayerNormalization", "norm", x, weight("scale", width), weight("shift", width))
        q, k, v = (node("MatMul", n, normal, weight(n, width, width)) for n in "qkv")
        scores = node("Softmax", "soft", node("MatMul", "scores", q, node("Transpose", "kt", k, perm=[0, 2, 1])))
        attended = node("MatMul", "out", node("MatMul", "attend", scores, v), weight("o", width, width))
        rest = node("Add", "rest", x, attended)
        inner = node("Relu", "relu", node("Add", "plus1", node("MatMul", "up", rest, weight("u", width, 4 * width)), weight("b", 4 * width)))
        outer = node("Add", "plus2", node("MatMul", "down", inner, weight("d", 4 * width, width)), weight("c", width))
        x = node("Add", "block", rest, outer)
    return nodes, [value("x", 1, 8, width)], [value(x, 1, 8, width)], weights


def shared(count, width=128):
    """One weight: a duplicate initialiser, behind Identities, reshaped, and transposed by Gemm, in every layer."""
    weight = (np.random.default_rng(0).standard_normal((width, width)) / width).astype(np.float32)
    weights = [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate((weight, weight, weight.reshape(1, width, width)))]
    nodes, x = [], "x"
    for i in range(count):
        nodes += [helper.make_node("Identity", ["w0"], [f"i{i}"], name=f"identity{i}"),
                  helper.make_node("Identity", [f"i{i}"], [f"j{i}"], name=f"again{i}"),
                  helper.make_node("MatMul", [x, f"j{i}"], [f"a{i}"], name=f"a{i}"),
                  helper.make_node("Softmax", [f"a{i}"], [f"as{i}"], name=f"as{i}"),
                  helper.make_node("MatMul", [f"as{i}", "w1"], [f"b{i}"], name=f"b{i}"),
                  helper.make_node("Softmax", [f"b{i}"], [f"bs{i}"], name=f"bs{i}"),
                  helper.make_node("Squeeze", ["w2"], [f"s{i}"], name=f"squeeze{i}"),
                  helper.make_node("Gemm", [f"bs{i}", f"s{i}"], [f"c{i}"], name=f"c{i}", transB=1),
                  helper.make_node("Softmax", [f"c{i}"], [f"y{i}"], name=f"cs{i}")]
        x = f"y{i}"
    return nodes, [value("x", 4, width)], [value(x, 4, width)], weights


name, count, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
nodes, inputs, outputs, weights = globals()[name](count)
graph = helper.make_graph(nodes, name, inputs, outputs, weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
