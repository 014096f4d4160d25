#===- tools/dev/fuzzing/peers.py - One node by onnxruntime and by ONNX's reference, and how far results are apart ---===#
# SPDX-License-Identifier: Apache-2.0

import warnings

import numpy as np
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

IR_VERSION = 10
# Up to here two results are the same, |a - b| <= T * max|b| + T * |b|. Integers and booleans have none.
TOLERANCE = {np.dtype(np.float16): 5e-3, np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-4}
# Where ONNX's reference is known to be wrong, and onnxruntime alone is asked: it joins what a loop collects instead of stacking it, counts
# MaxPool's places within a channel, and drops an axis of GlobalMaxPool's results.
ONNXRUNTIME_ALONE = ("Loop", "MaxPool", "GlobalMaxPool")


def one_node(node, opset, arrays):
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in arrays.items()]
    graph = helper.make_graph([node], "one", inputs, [helper.make_empty_tensor_value_info(name) for name in node.output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)


def by_onnxruntime(model):
    """A function from feeds to results, or None where it does not take the model."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception:       # each of its errors is a class of its own
        return None
    return lambda feeds: session.run(None, feeds)


def by_reference(model):
    if any(node.op_type in ONNXRUNTIME_ALONE for node in model.graph.node):
        return None
    try:
        evaluator = ReferenceEvaluator(model)
    except Exception:       # a missing op, a type that it does not know, ..
        return None
    return lambda feeds: evaluator.run(None, feeds)


def attempt(function, feeds):
    """The arrays, or None where it fails or gives something else."""
    if function is None:
        return None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            results = function(feeds)
    except Exception:       # whatever it stumbles over
        return None
    arrays = [np.asarray(result) for result in results]
    return arrays if all(array.dtype.kind in "biuf" for array in arrays) else None


def distance(found, expected):
    """The smallest T with |a - b| <= T * max|b| + T * |b|, two steps of subnormals apart (their rounding is no share of the number);
    infinite for other shapes, types, or numbers that are not finite in one alone."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return float("inf")
    if expected.dtype.kind != "f":
        return 0.0 if np.array_equal(found, expected) else float("inf")
    a, b = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return float("inf")
    a, b = a[finite], b[finite]
    if not b.size or np.array_equal(a, b):
        return 0.0
    scale = np.abs(b).max() + np.abs(b)
    limits = np.finfo(expected.dtype)
    apart = np.maximum(np.abs(a - b) - 2 * float(limits.smallest_subnormal), 0)
    return float(np.max(apart / np.where(scale > 0, scale, limits.tiny)))


def agree(found, expected):
    return len(found) == len(expected) and all(distance(a, b) <= TOLERANCE.get(b.dtype, 0) for a, b in zip(found, expected))
