#===- tools/dev/full_check/roles.py - Which launches compute data, and which only shapes, positions and masks ---===#
# SPDX-License-Identifier: Apache-2.0

from onnx import TensorProto

from full_check.journal import Row

FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE}
# What these give says nothing about the numbers they read.
ASKING = {"Shape", "Size", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "IsNaN", "IsInf", "Not", "And", "Or", "Xor"}
# What these make of integers and a table of weights are numbers of the model: embeddings.
WEIGHTED = {"Gather", "GatherElements", "GatherND", "MatMul", "Gemm"}
# Operands that say where and how much, by position; None: all of them.
SHAPE_LIKE = {"Reshape": {1}, "Expand": {1}, "Tile": {1}, "ConstantOfShape": None, "Slice": {1, 2, 3, 4}, "Pad": {1, 3}, "Split": {1},
              "Squeeze": {1}, "Unsqueeze": {1}, "Resize": {1, 2, 3}, "Upsample": {1}, "Range": None, "TopK": {1}, "OneHot": {1},
              "Trilu": {1}, "CumSum": {1}, "Clip": {1, 2}, "Dropout": {1, 2}}
# The most launches of a model that compute positions or masks.
MOST = 4


def shape_like(node, position):
    if node.op_type.startswith("Reduce"):
        return position == 1
    return node.op_type in SHAPE_LIKE and (SHAPE_LIKE[node.op_type] is None or position in SHAPE_LIKE[node.op_type])


def data_nodes(graph):
    """Names of the nodes that a float input of the model or a table of weights reaches, not only by its shape or by a question."""
    tables = {t.name for t in graph.initializer if t.data_type in FLOATS and sum(extent > 1 for extent in t.dims) >= 2}
    constants = {t.name for t in graph.initializer}
    data = {i.name for i in graph.input if i.type.tensor_type.elem_type in FLOATS and i.name not in constants}
    found = set()
    for node in graph.node:
        read = [name for position, name in enumerate(node.input) if not shape_like(node, position)]
        weighted = node.op_type in WEIGHTED and not tables.isdisjoint(node.input[:2])
        if node.op_type not in ASKING and (weighted or not data.isdisjoint(read)):
            data.update(node.output)
            found.add(node.name)
    return found


def measuring_nodes(graph):
    """Names of the nodes whose results are read as shapes, axes, positions of slices, pads or scales alone, directly or by others
    of them."""
    readers, given_out = {}, {o.name for o in graph.output}
    for node in graph.node:
        for position, name in enumerate(node.input):
            readers.setdefault(name, []).append((node, position))
    found, names = set(), set()
    for node in reversed(graph.node):       # the file is in an order in which readers follow
        reads = [read for name in node.output for read in readers.get(name, [])]
        if reads and given_out.isdisjoint(node.output) and all(shape_like(r, position) or id(r) in found for r, position in reads):
            found.add(id(node))
            names.add(node.name)
    return names


def rows(model, report):
    """Launches that compute no data, and those that compute what no launch should read."""
    graph = model.graph()
    data, measuring = data_nodes(graph), measuring_nodes(graph)
    aside = [step["nodes"] for step in report["steps"] if data.isdisjoint(step["nodes"])]
    note = "; ".join(" ".join(nodes[:4]) + (" .." if len(nodes) > 4 else "") for nodes in aside)
    yield Row(model.name, "", "launches for positions and masks", str(len(aside)), str(MOST), len(aside) <= MOST, note)
    stored = [step["nodes"] for step in report["steps"] if measuring.issuperset(step["nodes"])]
    note = "; ".join(map(" ".join, stored))
    yield Row(model.name, "", "launches for shapes", str(len(stored)), "0", not stored, note)
