#===- test/Onnx/beside.py - One node, compiled and in onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""Models of one node for tests of ops that ONNX's own tests know too little of, or nothing."""

import cupola.backend
import numpy as np
import onnxruntime
from onnx import helper, numpy_helper

OPTIONS = {"isolate": False, "threads": 1, "cache_dir": "none"}
OPSET, IR_VERSION = 21, 10


class Const:
    """An operand that is an initialiser."""

    def __init__(self, array):
        self.array = np.asarray(array)


def model_of(op, operands, results=1, domain="", version=1, onnx_opset=OPSET, dynamic=False, outputs=None, types=None,
             **attributes):
    """`version`: of the domain; `results`: how many; `outputs`: their names, where some are left out; `types`: theirs, where onnxruntime does
    not say them; `dynamic`: no extent of an input is known, or none along those axes."""
    names, inputs, constants = [], [], []
    for i, operand in enumerate(operands):
        names.append("" if operand is None else f"x{i}")
        if isinstance(operand, Const):
            constants.append(numpy_helper.from_array(operand.array, names[-1]))
        elif operand is not None:
            unknown = range(operand.ndim) if dynamic is True else dynamic or ()
            shape = [f"d{i}_{axis}" if axis in unknown else extent for axis, extent in enumerate(operand.shape)]
            inputs.append(helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(operand.dtype), shape))
    outputs = outputs or [f"y{i}" for i in range(results)]
    node = helper.make_node(op, names, outputs, name="node", domain=domain, **attributes)
    values = [helper.make_empty_tensor_value_info(name) for name in outputs if name]
    for value, kind in zip(values, types or ()):
        value.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    graph = helper.make_graph([node], "one", inputs, values, constants)
    opsets = [helper.make_opsetid("", onnx_opset)] + ([helper.make_opsetid(domain, version)] if domain else [])
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def feeds_of(operands):
    return {f"x{i}": o for i, o in enumerate(operands) if o is not None and not isinstance(o, Const)}


def by_onnxruntime(model, operands):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds_of(operands))


def by_cupola(model, operands, **options):
    return cupola.backend.prepare(model, "CPU", **OPTIONS, **options).run(list(feeds_of(operands).values()))


def both(op, *operands, results=1, **options):
    """The results of both."""
    expected = by_onnxruntime(model_of(op, operands, results, **options), operands)
    model = model_of(op, operands, results, types=[array.dtype for array in expected], **options)
    found = by_cupola(model, operands)
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape, (op, a.dtype, a.shape, b.dtype, b.shape)
    return list(zip(found, expected))


def equal(op, *operands, **options):
    for found, expected in both(op, *operands, **options):
        np.testing.assert_array_equal(found, expected)


def close(op, *operands, tolerance=1e-5, **options):
    """Within `tolerance` of the largest value."""
    for found, expected in both(op, *operands, **options):
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1) if expected.size else 1
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * scale)


def near(op, *operands, steps=1, **options):
    """Integers that differ by a step where the numbers that they stand for were rounded."""
    for found, expected in both(op, *operands, **options):
        assert np.abs(found.astype(np.int64) - expected.astype(np.int64)).max(initial=0) <= steps
