#===- test/models/softmax_forms.py - Softmax and its guards as exporters write them out ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np
from onnx import TensorProto

# Softmax. The input "mask" hides a whole row.

def masked(n):
    return n.op("Where", "mask", "x", n.number(-np.inf))


def guarded(n, softmax):
    return n.op("Where", n.op("IsNaN", softmax), n.number(0), softmax)


def softmax_nan_guard(n):
    return guarded(n, n.op("Softmax", masked(n), axis=-1))


def softmax_nan_guard_half(n):
    """Softmax between casts."""
    return guarded(n, n.narrow(n.op("Softmax", n.wide(masked(n)), axis=-1)))


def softmax_row_guard(n, all_of):
    x = masked(n)
    return n.op("Where", all_of(n.op("Equal", x, n.number(-np.inf))), n.number(0), n.op("Softmax", x, axis=-1))


def softmax_all_guard(n):
    """torch's safe softmax: all(x == -inf) by the least of integers."""
    def all_of(hidden):
        return n.op("Cast", n.axes_op("ReduceMin", 18, n.op("Cast", hidden, to=TensorProto.INT64), [-1], keepdims=1),
                    to=TensorProto.BOOL)
    return softmax_row_guard(n, all_of)


def softmax_any_guard(n):
    """not any(x != -inf), by a sum."""
    def all_of(hidden):
        count = n.axes_op("ReduceSum", 13, n.op("Cast", n.op("Not", hidden), to=TensorProto.INT64), [-1], keepdims=1)
        return n.op("Not", n.op("Cast", count, to=TensorProto.BOOL))
    return softmax_row_guard(n, all_of)


def softmax_not_guard(n):
    """Where(not all, softmax, 0)."""
    x = masked(n)
    least = n.axes_op("ReduceMin", 18, n.op("Cast", n.op("Equal", x, n.number(-np.inf)), to=TensorProto.INT32), [-1], keepdims=1)
    seen = n.op("Not", n.op("Cast", least, to=TensorProto.BOOL))
    return n.op("Where", seen, n.op("Softmax", x, axis=-1), n.number(0))


def softmax_bool_mask(n):
    """A mask of bool as one of numbers, added."""
    added = n.op("Where", "mask", n.number(0), n.number(-np.inf))
    return guarded(n, n.op("Softmax", n.op("Add", "x", added), axis=-1))


def softmax_written(n):
    powers = n.op("Exp", n.op("Sub", "x", n.axes_op("ReduceMax", 18, "x", [-1], keepdims=1)))
    return n.op("Div", powers, n.axes_op("ReduceSum", 13, powers, [-1], keepdims=1))


def softmax_written_product(n):
    powers = n.op("Exp", n.op("Sub", "x", n.axes_op("ReduceMax", 18, "x", [-1], keepdims=1)))
    return n.op("Mul", powers, n.op("Reciprocal", n.axes_op("ReduceSum", 13, powers, [-1], keepdims=1)))


def log_softmax_written(n):
    low = n.op("Sub", "x", n.axes_op("ReduceMax", 18, "x", [-1], keepdims=1))
    return n.op("Sub", low, n.op("Log", n.axes_op("ReduceSum", 13, n.op("Exp", low), [-1], keepdims=1)))
