#===- test/models/op_models.py - A model of single ops and its answers ---===#
# SPDX-License-Identifier: Apache-2.0
"""What make_ops.py and tests of types make of a case, an op with operands and attributes: a node of a model of many."""

import collections

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from references import reference


class Const:
    """An operand that is an initialiser."""

    def __init__(self, *values, kind=np.int64, shape=None):
        self.array = np.array(values, kind).reshape((len(values),) if shape is None else shape)


# `of`: the op of which the case is where it is in a body of `op`.
Case = collections.namedtuple("Case", "op operands attributes since until outputs of", defaults=[None])


def add_case(graph, feeds, index, entry):
    """Appends the node of a case; `graph` collects nodes, inputs, initialisers and output names."""
    names = []
    for position, operand in enumerate(entry.operands):
        name = f"{entry.op}_{index}_{position}"
        names.append("" if operand is None else name)
        if isinstance(operand, Const):
            graph["initializer"].append(numpy_helper.from_array(operand.array, name))
        elif operand is not None:
            kind = helper.np_dtype_to_tensor_dtype(operand.dtype)
            graph["inputs"].append(helper.make_tensor_value_info(name, kind, operand.shape))
            feeds[name] = operand
    outputs = [f"{entry.op}_{index}_out{i}" for i in range(entry.outputs)]
    graph["nodes"].append(helper.make_node(entry.op, names, outputs, name=f"{entry.op}_{index}", **entry.attributes))
    graph["outputs"].extend(outputs)


def shape_flags(feeds):
    """An extent that a model declares as 0 is unknown: static ones are given to cupola."""
    return [flag for name, value in feeds.items() if value.size == 0
            for flag in ("--shape", f"{name}={'x'.join(map(str, value.shape))}")]


def inferred(graph, opset):
    """A ModelProto whose outputs have the types that ONNX infers."""
    body = helper.make_graph(graph["nodes"], f"ops{opset}", graph["inputs"], [], graph["initializer"])
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = helper.find_min_ir_version_for(model.opset_import)
    if model.ir_version < 4:
        model.graph.input.extend(helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in graph["initializer"])
    types = {v.name: v for v in onnx.shape_inference.infer_shapes(model).graph.value_info}
    untyped = [n for n in graph["outputs"] if n not in types]      # inference gives up on a few; all of those are floats
    types.update((n, helper.make_tensor_value_info(n, TensorProto.FLOAT, None)) for n in untyped)
    model.graph.output.extend(types[n] for n in graph["outputs"])
    return model


def single(model, node):
    """The model of one node, whose operands are inputs and initialisers of `model`."""
    graph = model.graph
    def of_node(values, names):
        return [v for v in values if v.name in names]
    body = helper.make_graph([node], node.name, of_node(graph.input, node.input), of_node(graph.output, node.output),
                             of_node(graph.initializer, node.input))
    return helper.make_model(body, opset_imports=model.opset_import, ir_version=model.ir_version)


def answer(model, path, feeds):
    """onnxruntime's outputs, or those of the reference implementation where it refuses."""
    path.write_bytes(model.SerializeToString())
    feeds = {i.name: feeds[i.name] for i in model.graph.input if i.name in feeds}
    try:
        return reference(path, feeds)
    except Exception:                                    # onnxruntime has no one class for "not implemented"
        values = ReferenceEvaluator(model).run(None, feeds)
        return dict(zip([o.name for o in model.graph.output], values))
    finally:
        path.unlink()


def answers(model, path, feeds):
    try:
        return reference(path, feeds)
    except Exception:                                    # some node: all of them one by one
        outputs = {}
        for node in model.graph.node:
            outputs.update(answer(single(model, node), path.with_suffix(".node"), feeds))
        return outputs
