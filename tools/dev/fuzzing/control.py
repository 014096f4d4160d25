#===- tools/dev/fuzzing/control.py - Branches and loops ---===#
# SPDX-License-Identifier: Apache-2.0
"""Bodies are short chains of ops, which read values from outside, too. onnxruntime runs the node with its bodies as one."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from fuzzing.draft import BOOLS, F32, SINGLE
from fuzzing.elementwise import TYPES

UNARIES = ("Tanh", "Sigmoid", "Abs", "Neg", "Relu", "Softsign", "Cos")
BINARIES = ("Add", "Sub", "Mul", "Max")


def chain(b, name, others, length):
    """Nodes from a value on, each with one of `others`, and the last one's result."""
    nodes = []
    for _ in range(length):
        made = b.name("b")
        if b.chance(0.5):
            nodes.append(helper.make_node(b.random.choice(UNARIES), [name], [made]))
        else:
            nodes.append(helper.make_node(b.random.choice(BINARIES), b.random.sample([name, b.random.choice(others)], 2), [made]))
        name = made
    return nodes, name


def info(name, kind=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def weights_of(b, shape):
    name = b.name("w")
    return name, numpy_helper.from_array(b.weight(F32, shape), name)


def branch(b):
    """Two ways to compute a result of one shape, of what is outside."""
    a = b.pick(SINGLE, range(1, 5), lambda value: value.array.size)
    conditions = [value for value in b.known() if value.dtype in BOOLS and value.array.size == 1 and value.rank < 2]
    condition = b.random.choice(conditions) if conditions else b.input(BOOLS, (0,))
    bodies = []
    for which in ("then", "else"):
        name, weights = weights_of(b, a.shape[-1:])
        nodes, last = chain(b, a.name, [name], b.random.randint(1, 4))
        bodies.append(helper.make_graph(nodes, which, [], [info(last)], [weights]))
    b.put("If", [condition], around=[a], then_branch=bodies[0], else_branch=bodies[1])


def loop(b):
    """A carried value, one that is collected, a count, and an end that the data may bring."""
    a = b.pick(SINGLE, range(1, 4), lambda value: 0 < value.array.size <= 300)
    trips, step, going, carried = b.random.randint(1, 5), b.name("i"), b.name("g"), b.name("s")
    name, weights = weights_of(b, a.shape[-1:])
    nodes, last = chain(b, carried, [name, a.name], b.random.randint(1, 4))
    passed = b.name("g")
    if early := b.chance(0.4):
        limit = b.name("w")
        nodes.append(helper.make_node("Constant", [], [limit], value=numpy_helper.from_array(np.int64(b.random.randint(0, 4)))))
        nodes.append(helper.make_node("Less", [step, limit], [passed]))
    else:
        nodes.append(helper.make_node("Identity", [going], [passed]))
    collected = b.chance(0.6)
    nodes += [helper.make_node("Tanh", [last], [b.name("c")])] * collected
    outputs = [info(passed, TensorProto.BOOL, []), info(last), *[info(nodes[-1].output[0])] * collected]
    body = helper.make_graph(nodes, "body", [info(step, TensorProto.INT64, []), info(going, TensorProto.BOOL, []), info(carried)], outputs,
                             [weights])
    b.put("Loop", [np.int64(trips), np.bool_(True), a], around=[a], results=1 + collected, opens=(1,) if early else (), body=body)


def scan(b):
    """A state along the rows of a value."""
    a = b.pick(SINGLE, range(2, 4), lambda value: value.array.size and value.shape[0] <= 20)
    state, row, rest = b.name("s"), b.name("r"), a.shape[1:]
    start = b.weight(F32, rest)
    nodes, last = chain(b, state, [row], b.random.randint(2, 4))
    out = b.name("c")
    nodes.append(helper.make_node(b.random.choice(BINARIES), [last, row], [out]))
    body = helper.make_graph(nodes, "body", [info(state, TYPES[F32], rest), info(row, TYPES[F32], rest)], [info(last), info(out)])
    ways = {"scan_input_directions": [1]} if b.chance(0.3) else {}
    if b.chance(0.3):
        ways["scan_output_directions"] = [1]
    b.put("Scan", [start, a], results=2, body=body, num_scan_inputs=1, **ways)


OPS = {"If": (13, branch), "Loop": (13, loop), "Scan": (13, scan)}
