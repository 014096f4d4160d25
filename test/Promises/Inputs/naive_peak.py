#===- test/Promises/Inputs/naive_peak.py - The live bytes of an ONNX graph run in file order, from the model alone ---===#
# SPDX-License-Identifier: Apache-2.0
"""naive_peak.py MODEL.onnx: prints the largest number of bytes that are alive at once when the nodes of a static model run in the
order of the file and each value is freed after its last use. Inputs, outputs, weights and what depends on nothing else are not
counted. Sizes are those that onnxruntime computes when every value is an output: shape inference does not find them all."""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper


def sizes(model):
    """Bytes of every value of the model."""
    graph, inner = model.graph, onnx.ModelProto()
    inner.CopyFrom(model)
    names = [name for node in graph.node for name in node.output if name]
    del inner.graph.output[:]
    inner.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(inner.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = {}
    for info in graph.input:
        kind = info.type.tensor_type
        dims = [d.dim_value for d in kind.shape.dim]
        assert all(dims), f"input {info.name} is dynamic"
        feeds[info.name] = np.ones(dims, helper.tensor_dtype_to_np_dtype(kind.elem_type))
    return {name: value.nbytes for name, value in zip(names, session.run(names, feeds))}


def naive_peak(model):
    graph, size = model.graph, sizes(model)
    constant = {t.name for t in graph.initializer} | {""}
    outside = {v.name for v in [*graph.input, *graph.output]}
    last = {name: step for step, node in enumerate(graph.node) for name in node.input}
    live, peak = {}, 0
    for step, node in enumerate(graph.node):
        if all(name in constant for name in node.input):
            constant.update(node.output)
            continue
        live.update({name: size[name] for name in node.output if name and name not in outside})
        peak = max(peak, sum(live.values()))
        live = {name: size for name, size in live.items() if last.get(name, -1) > step}
    return peak


print(naive_peak(onnx.load(sys.argv[1])))
