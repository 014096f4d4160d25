#===- tools/dev/fuzzing/rows.py - Reductions, scans, normalisations ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np

from fuzzing.draft import F32, FLOATS, I32, I64, SINGLE, Unfit
from fuzzing.moves import integers

WHOLE = (I64, I32)


def reduce(op, kinds=FLOATS[:1], inputs_since=18, exact=False):
    """`inputs_since`: the opset from which on axes are an input."""
    def draw(b):
        a = b.pick(kinds, fits=lambda value: value.array.size and (op != "ReduceLogSum" or value.array.min() > 0.05))
        axes = b.axes(a.rank) if a.rank and b.chance(0.85) else None
        keep = {"keepdims": b.one(0, 1)} if b.chance(0.8) else {}
        if axes is None:
            noop = {"noop_with_empty_axes": 1} if b.opset >= inputs_since and b.chance(0.2) else {}
            b.put(op, [a], exact=exact, **keep, **noop)
        elif b.opset >= inputs_since:
            b.put(op, [a, integers(axes)], exact=exact, **keep)
        else:
            b.put(op, [a], exact=exact, axes=axes, **keep)
    return draw


def arg_reduce(op):
    def draw(b):
        a = b.pick(FLOATS[:1] + WHOLE, range(1, 6), lambda value: value.array.size and value.is_finite())
        b.put(op, [a], axis=b.axis(a.rank), keepdims=b.one(0, 1), select_last_index=b.one(0, 0, 1))
    return draw


def top_k(b):
    a = b.pick(FLOATS[:1] + WHOLE, range(1, 5), lambda value: value.is_finite())    # no order is defined for what is no number
    axis = b.axis(a.rank)
    if not a.shape[axis]:
        raise Unfit
    b.move("TopK", [a, integers([b.random.randint(1, a.shape[axis])])], results=2, axis=axis, largest=b.one(0, 1), sorted=1)


def cumulative(b):
    a = b.pick(FLOATS[:1] + WHOLE, range(1, 5))
    b.put("CumSum", [a, np.asarray(b.axis(a.rank), b.one(np.int64, np.int32))], exclusive=b.one(0, 1), reverse=b.one(0, 1))


def by_axis(op, kinds=FLOATS):
    def draw(b):
        a = b.pick(kinds, range(1, 6), lambda value: op != "Hardmax" or value.is_finite() and 0 not in value.shape, op != "Hardmax")
        b.put(op, [a], **({"axis": b.axis(a.rank)} if b.chance(0.85) else {}))
    return draw


def lp_normalization(b):
    a = b.pick(SINGLE, range(1, 5), lambda value: value.array.size and np.abs(value.array).min() > 0.01)
    b.put("LpNormalization", [a], axis=b.axis(a.rank), p=b.one(1, 2))


def varied(value):
    """Whether a normalisation has something to divide by."""
    return value.array.size and value.array.std() > 0.05


def scale(b, shape, kind=F32):
    """A constant, or a value that lies at hand."""
    others = [value for value in b.known() if value.shape == tuple(shape) and value.dtype == kind]
    return b.random.choice(others) if others and b.chance(0.3) else b.weight(kind, shape) + np.asarray(0.5, kind)


def layer_norm(b):
    a = b.pick(FLOATS[:1] + FLOATS[2:], range(1, 6), varied)
    axis = b.axis(a.rank)
    if np.prod(a.shape[axis:]) < 2:
        raise Unfit
    operands = [a, scale(b, a.shape[axis:], a.dtype), scale(b, a.shape[axis:], a.dtype)][:b.one(2, 3, 3)]
    b.put("LayerNormalization", operands, axis=axis, epsilon=b.one(1e-5, 1e-2))


def rms_norm(b):
    a = b.pick(SINGLE, range(1, 6), varied)
    axis = b.axis(a.rank)
    b.put("RMSNormalization", [a, scale(b, a.shape[axis:])], axis=axis, epsilon=b.one(1e-5, 1e-2))


def batch_norm(b):
    a = b.pick(SINGLE, range(2, 6))
    channels = (a.shape[1],)
    b.put("BatchNormalization", [a, scale(b, channels), scale(b, channels), b.weight(F32, channels),
                                 np.abs(b.weight(F32, channels)) + np.float32(0.3)], epsilon=b.one(1e-5, 1e-2))


def spread_out(value):
    """Every channel of every image varies."""
    return value.array.size and value.array.reshape(*value.shape[:2], -1).std(-1).min() > 0.05


def instance_norm(b):
    a = b.pick(SINGLE, range(3, 6), spread_out)
    b.put("InstanceNormalization", [a, scale(b, (a.shape[1],)), scale(b, (a.shape[1],))], epsilon=b.one(1e-5, 1e-2))


def group_norm(b):
    a = b.pick(SINGLE, range(3, 6), spread_out)
    groups = b.random.choice([n for n in range(1, a.shape[1] + 1) if a.shape[1] % n == 0])
    b.put("GroupNormalization", [a, scale(b, (a.shape[1],)), scale(b, (a.shape[1],))], num_groups=groups)


def mean_variance(b):
    a = b.pick(SINGLE, (4,), spread_out)
    b.put("MeanVarianceNormalization", [a], **({"axes": sorted(b.axes(4, False))} if b.chance(0.5) else {}))


def lrn(b):
    b.put("LRN", [b.pick(SINGLE, (4,))], size=b.one(1, 3, 5), alpha=b.one(1e-4, 0.1), beta=b.one(0.5, 0.75), bias=b.one(1.0, 2.0))


#===--- The same as exporters write them, which passes look for ---===#


def written_layer_norm(b):
    a = b.pick(SINGLE, range(2, 5), varied)
    if a.shape[-1] < 2 or b.opset >= 18:
        raise Unfit
    centred = b.put("Sub", [a, b.put("ReduceMean", [a], axes=[-1])])
    squares = b.put("Pow", [centred, np.float32(2)]) if b.chance(0.5) else b.put("Mul", [centred, centred])
    variance = b.put("ReduceMean", [squares], axes=[-1])
    normal = b.put("Div", [centred, b.put("Sqrt", [b.put("Add", [variance, np.float32(b.one(1e-5, 0.1))])])])
    b.put("Add", [b.put("Mul", [normal, scale(b, a.shape[-1:])]), scale(b, a.shape[-1:])])


def written_softmax(b):
    a = b.pick(SINGLE, range(1, 5), lambda value: value.array.size)
    axis = b.axis(a.rank)
    shifted = b.put("Sub", [a, reduced(b, "ReduceMax", a, axis)])
    powers = b.put("Exp", [shifted])
    b.put("Div", [powers, reduced(b, "ReduceSum", powers, axis)])


def reduced(b, op, a, axis):
    since = 13 if op == "ReduceSum" else 18
    return b.put(op, [a, integers([axis])]) if b.opset >= since else b.put(op, [a], axes=[axis])


def written_gelu(b):
    a = b.pick(SINGLE)
    whole = b.put("Add", [b.put("Erf", [b.put("Div", [a, np.float32(np.sqrt(2))])]), np.float32(1)])
    half = np.float32(0.5)
    b.put("Mul", [b.put("Mul", [a, whole]), half] if b.chance(0.5) else [b.put("Mul", [a, half]), whole])


def written_silu(b):
    a = b.pick(SINGLE)
    b.put("Mul", [a, b.put("Sigmoid", [a])])


SUMS = FLOATS[:1] + WHOLE
OPS = {
    "ReduceSum": (13, reduce("ReduceSum", FLOATS + WHOLE, 13)), "ReduceMean": (13, reduce("ReduceMean", FLOATS)),
    "ReduceMax": (13, reduce("ReduceMax", FLOATS + WHOLE, exact=True)), "ReduceMin": (13, reduce("ReduceMin", SUMS, exact=True)),
    "ReduceProd": (13, reduce("ReduceProd", SUMS)), "ReduceL1": (13, reduce("ReduceL1", SUMS)), "ReduceL2": (13, reduce("ReduceL2")),
    "ReduceLogSum": (13, reduce("ReduceLogSum")), "ReduceLogSumExp": (13, reduce("ReduceLogSumExp")),
    "ReduceSumSquare": (13, reduce("ReduceSumSquare", SUMS)), "ArgMax": (13, arg_reduce("ArgMax")), "ArgMin": (13, arg_reduce("ArgMin")),
    "TopK": (11, top_k), "CumSum": (14, cumulative), "Softmax": (13, by_axis("Softmax")), "LogSoftmax": (13, by_axis("LogSoftmax", SINGLE)),
    "Hardmax": (13, by_axis("Hardmax", SINGLE)), "LpNormalization": (1, lp_normalization), "LayerNormalization": (17, layer_norm),
    "RMSNormalization": (23, rms_norm), "BatchNormalization": (15, batch_norm), "InstanceNormalization": (6, instance_norm),
    "GroupNormalization": (21, group_norm), "MeanVarianceNormalization": (13, mean_variance), "LRN": (13, lrn),
    "LayerNormalization ": (13, written_layer_norm), "Softmax ": (13, written_softmax), "Gelu ": (13, written_gelu),
    "Silu ": (13, written_silu),
}
