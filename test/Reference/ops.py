#!/usr/bin/env python3
#===- test/Reference/ops.py - lib/Reference against the reference implementation in the onnx package ---===#
# SPDX-License-Identifier: Apache-2.0
"""ops.py BIN: every op of the graph dialect over element types, shapes and attributes. Models of many nodes go through
BIN/cupola-reference, and each of their outputs is held against onnx.reference (or against the answer that a case states, where
ONNX leaves it open). The models then go through `BIN/cupola verify --device cpu` without a case, which holds the compiled model
against lib/Reference."""

import collections
import pathlib
import subprocess
import sys
import tempfile
import warnings

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, parser
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "models"))
from op_models import Case, Const, add_case, inferred, shape_flags   # noqa: E402

OPSET = 23
BF16 = np.dtype(ml_dtypes.bfloat16)
F16, F32, F64 = np.dtype("f2"), np.dtype("f4"), np.dtype("f8")
FLOATS = (F16, F32, F64)
SIGNED = tuple(np.dtype(f"i{n}") for n in (1, 2, 4, 8))
UNSIGNED = tuple(np.dtype(f"u{n}") for n in (1, 2, 4, 8))
BOOL = np.dtype(bool)
# Of the largest value of an output: onnx.reference computes in the element type itself, step by step.
TOLERANCE = {F16: 4e-3, BF16: 3e-2, F32: 4e-6, F64: 1e-13}
SINGLE = ("Erf", "HardSwish", "Gelu")   # computed or with constants in f32 by onnx.reference, whatever the type
RANDOM = np.random.default_rng(7)


def values(kind, *shape, low=-2.0, high=2.0):
    if kind == BOOL:
        return RANDOM.integers(0, 2, shape).astype(bool)
    if kind in SIGNED + UNSIGNED:
        bounds = np.iinfo(kind)
        return RANDOM.integers(max(bounds.min, -100), 100, shape).astype(kind)
    return RANDOM.uniform(low, high, shape).astype(kind)


class Model:
    """Nodes for one model; `expect` holds answers that onnx.reference is not asked for."""

    def __init__(self):
        self.graph, self.feeds, self.expect, self.count = collections.defaultdict(list), {}, {}, 0

    def add(self, op, *operands, answer=None, outputs=1, **attributes):
        add_case(self.graph, self.feeds, self.count, Case(op, operands, attributes, 1, OPSET, outputs))
        if answer is not None:
            self.expect[self.graph["outputs"][-1]] = answer
        self.count += 1


def special(kind):
    return np.array([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1, -1, 3, -7, 20, -20, np.inf, -np.inf, np.nan], kind)


def unary_floats(model):
    anywhere = ("Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "HardSwish", "Mish", "Neg", "Relu", "Round", "Sigmoid", "Sign", "Sin",
                "Softplus", "Softsign", "Tanh", "Elu", "Selu", "Celu", "LeakyRelu", "HardSigmoid", "ThresholdedRelu", "Shrink",
                "Gelu", "Asinh", "Atan", "Reciprocal")
    infinite = {"Cos": 13, "Sin": 13, "Mish": 12, "Gelu": 13, "HardSwish": 13, "Erf": 15, "Softsign": 13, "Softplus": 13, "Selu": 13,
                "Elu": 13, "Celu": 13, "Shrink": 15, "HardSigmoid": 15, "ThresholdedRelu": 15, "LeakyRelu": 15}
    for kind in FLOATS:
        for op in anywhere:
            model.add(op, values(kind, 3, 5))
            # Beyond the first element whose formula onnx.reference does not carry to infinity or NaN.
            usable = special(kind)[:infinite.get(op, 16)]
            model.add(op, usable if op != "Reciprocal" else usable[2:])
        for op in ("Acos", "Asin", "Atanh"):
            model.add(op, values(kind, 7, low=-0.9, high=0.9))
        for op in ("Log", "Sqrt"):
            model.add(op, values(kind, 7, low=0.1, high=9))
            model.add(op, np.array([0, 1, np.inf, np.nan, -1], kind))
        for op in ("Sinh", "Cosh", "Tan"):
            model.add(op, values(kind, 2, 3, low=-1, high=1))
        model.add("Acosh", values(kind, 5, low=1.1, high=4))
        model.add("Gelu", values(kind, 3, 5), approximate="tanh")
        model.add("Elu", values(kind, 9), alpha=0.25)
        model.add("Celu", values(F32, 9), alpha=3.0)
        model.add("Selu", values(kind, 9), alpha=1.25, gamma=0.5)
        model.add("LeakyRelu", values(kind, 9), alpha=0.25)
        model.add("ThresholdedRelu", values(kind, 9), alpha=0.5)
        model.add("Shrink", values(kind, 9), lambd=0.5, bias=0.25)
        model.add("HardSigmoid", values(kind, 9, low=-5, high=5), alpha=0.25, beta=0.75)
        model.add("IsNaN", special(kind))
    for kind in (F32, F64):
        for negative in (0, 1):
            for positive in (0, 1):
                model.add("IsInf", special(kind), detect_negative=negative, detect_positive=positive)
    model.add("Not", values(BOOL, 3, 4))


def binary_floats(model):
    for kind in FLOATS:
        pair = special(kind)
        left, right = np.repeat(pair, len(pair)), np.tile(pair, len(pair))
        for op in ("Add", "Sub", "Mul", "Div", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Max", "Min"):
            model.add(op, left, right)
            model.add(op, values(kind, 2, 3, 4), values(kind, 3, 1))
        model.add("Pow", values(kind, 3, 4, low=0.5), values(kind, 4))
        model.add("Pow", values(kind, 5), Const(2, kind=np.int64))
        model.add("Mod", values(kind, 3, 4, low=-9, high=9), values(kind, 3, 1, low=1, high=3), fmod=1)
        model.add("PRelu", values(kind, 2, 3, 4), values(kind, 3, 1))
        model.add("Sum", values(kind, 3), values(kind, 2, 1), values(kind, 1))
        model.add("Mean", values(kind, 2, 3), values(kind, 2, 1))
        model.add("Clip", values(kind, 9), Const(-0.5, kind=kind, shape=()), Const(0.75, kind=kind, shape=()))


def wrapped(kind, numbers):
    """Python integers as two's complement of the type."""
    bits = 8 * kind.itemsize
    return np.array([int(n) & ((1 << bits) - 1) for n in numbers], np.dtype(f"u{kind.itemsize}")).view(kind)


def truncated(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integers(model):
    for kind in SIGNED + UNSIGNED:
        bounds = np.iinfo(kind)
        edge = np.array(sorted({bounds.min, bounds.min + 1, bounds.max, 0, 1, 2, 3, 7, 100, *(() if bounds.min == 0 else (-1, -2, -7))}),
                        kind)
        left, right = np.repeat(edge, len(edge)), np.tile(edge, len(edge))
        pairs = [(int(a), int(b)) for a, b in zip(left, right)]
        for op, function in (("Add", lambda a, b: a + b), ("Sub", lambda a, b: a - b), ("Mul", lambda a, b: a * b),
                             ("Div", truncated), ("Max", max), ("Min", min)):
            model.add(op, left, right, answer=wrapped(kind, [function(a, b) for a, b in pairs]))
        model.add("Mod", left, right, answer=wrapped(kind, [a % b if b else 0 for a, b in pairs]))
        model.add("Mod", left, right, fmod=1, answer=wrapped(kind, [a - truncated(a, b) * b if b else 0 for a, b in pairs]))
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
            model.add(op, left, right)
        model.add("BitwiseNot", edge)
        model.add("Abs", edge, answer=wrapped(kind, [abs(int(a)) for a in edge]))
        model.add("Sign", edge)
        if kind in SIGNED:
            model.add("Neg", edge, answer=wrapped(kind, [-int(a) for a in edge]))
            model.add("Relu", edge)
        else:
            counts = np.array([0, 1, 7, 8 * kind.itemsize - 1] * 2, kind)
            for direction in ("LEFT", "RIGHT"):
                model.add("BitShift", np.resize(edge, 8), counts, direction=direction)
    for kind in (np.dtype("i4"), np.dtype("i8")):
        base, exponent = np.array([0, 1, -1, 2, -3, 5, -1, 2, 1], kind), np.array([0, 5, 3, 10, 3, 0, -3, -1, -4], kind)
        model.add("Pow", base, exponent, answer=np.array([1, 1, -1, 1024, -27, 1, -1, 0, 1], kind))
    model.add("Pow", np.array([2, 3, 4, 9], np.int32), np.array([0.5, 2.5, 0.5, 1.5], F32), answer=np.array([1, 15, 2, 27], np.int32))
    model.add("Pow", np.array([2, -2, 5], np.int32), np.array([2**33 + 1, 3, -1]), answer=np.array([0, -8, 0], np.int32))
    for op in ("And", "Or", "Xor", "Equal"):
        model.add(op, values(BOOL, 3, 4), values(BOOL, 4))


def casts(model):
    every = FLOATS + SIGNED + UNSIGNED + (BOOL,)
    for source in every:
        for target in every:
            to = helper.np_dtype_to_tensor_dtype(target)
            numbers = [0, 1, 2, 63, 100] + ([] if source in UNSIGNED + (BOOL,) or target in UNSIGNED else [-1, -100])
            numbers += [0.25, 1.75, 99.9] if source in FLOATS else []
            model.add("Cast", np.array(numbers).astype(source), to=to)
    halves = np.arange(65536, dtype=np.uint16).view(F16)
    model.add("Cast", halves, to=TensorProto.FLOAT)
    singles = RANDOM.integers(0, 2**32, 4000).astype(np.uint32).view(F32)
    near = np.nextafter(halves[:31744].astype(F32)[::7], np.float32(np.inf))
    ties = (halves[:31743].astype(F64) + halves[1:31744].astype(F64))[::5] / 2
    for array in (singles, near, ties, np.array([65519.9, 65520, 1e30, 2.0**-25, 2.0**-24, 3e-8, 1e-300, -2.0**-25])):
        with np.errstate(all="ignore"):
            model.add("Cast", array, to=TensorProto.FLOAT16, answer=array.astype(F16))
            model.add("Cast", array.astype(F32), to=TensorProto.BFLOAT16, answer=array.astype(F32).astype(BF16))
    wide = np.array([2**53 + 1, 2**62 + 2**38, 2**62 + 2**38 + 1, -(2**62) - 2**38 - 1, 2**63 - 1, 65519, 65520], np.int64)
    model.add("Cast", wide, to=TensorProto.FLOAT)
    model.add("Cast", wide, to=TensorProto.DOUBLE)
    model.add("Cast", wide[-2:], to=TensorProto.FLOAT16)
    huge = np.array([300, -300, 1e10, -1e10, 1e30, -1e30, np.inf, -np.inf, np.nan, -0.9, 2.9], F32)
    for target in SIGNED + UNSIGNED:   # ONNX leaves this open
        bounds = np.iinfo(target)
        exact = [0 if np.isnan(x) else bounds.max if x >= bounds.max else bounds.min if x <= bounds.min else int(x) for x in huge]
        model.add("Cast", huge, to=helper.np_dtype_to_tensor_dtype(target), answer=np.array(exact, target))
    model.add("Cast", np.array([0.0, -0.0, np.nan, np.inf, 0.1], F32), to=TensorProto.BOOL)


def views(model):
    for kind in (BOOL, F16, F32, np.dtype("i8")):
        cube = values(kind, 2, 3, 4)
        model.add("Identity", cube)
        model.add("Transpose", cube, perm=[2, 0, 1])
        model.add("Transpose", values(kind, 2, 0, 3), perm=[2, 0, 1])
        model.add("Reshape", cube, Const(4, -1))
        model.add("Reshape", values(kind, 1, 1), Const(kind=np.int64, shape=(0,)))
        model.add("Expand", values(kind, 3, 1), Const(2, 3, 4))
        model.add("Expand", values(kind), Const(2, 3))
        model.add("Expand", values(kind, 1, 3), Const(0, 3))
        model.add("Where", values(BOOL, 2, 1), values(kind, 3), values(kind, 2, 3))
        model.add("Slice", cube, Const(-1, 1), Const(-100, 3), Const(0, 2), Const(-1, 1))
        model.add("Slice", cube, Const(3), Const(0), Const(2), Const(-2))
        model.add("Slice", cube, Const(2), Const(1), Const(1))
        model.add("Split", cube, Const(1, 0, 3), axis=2, outputs=3)
        model.add("Concat", cube, values(kind, 2, 0, 4), values(kind, 2, 5, 4), axis=1)
        model.add("Concat", values(kind, 3), values(kind, 1), axis=0)
        model.add("Tile", values(kind, 2, 3), Const(2, 3))
        model.add("Trilu", values(kind, 2, 4, 3), Const(-1, shape=()), upper=0)
        cropped = np.pad(cube[:, :, :3], ((0, 1), (1, 0), (2, 0)), constant_values=kind.type(1))
        model.add("Pad", cube, Const(0, 1, 2, 1, 0, -1), Const(1, kind=kind, shape=()), answer=cropped)
        if kind != BOOL:
            for mode in ("edge", "reflect", "wrap"):
                model.add("Pad", values(kind, 3, 4), Const(2, 1, 1, 3), mode=mode)
        model.add("Gather", cube, values(np.dtype("i8"), 5) % 2, axis=0)
        model.add("Gather", cube, Const(-1, 0, -3, shape=(3, 1)), axis=1)
        model.add("Gather", values(kind, 0, 3), Const(kind=np.int64, shape=(0,)), axis=0)
        model.add("GatherElements", cube, Const(*RANDOM.integers(-4, 4, 12), shape=(2, 3, 2)), axis=2)
        corner = np.array([[[-1, 0], [2, 1]]])
        model.add("GatherElements", cube, Const(*corner.flat, shape=corner.shape), axis=2,
                  answer=np.take_along_axis(cube[:1, :2], corner, 2))
        model.add("GatherND", cube, Const(1, -1, 0, 2, shape=(2, 2)))
        model.add("GatherND", cube, Const(2, 0, shape=(2, 1)), batch_dims=1)
    for pads in ([0, 7], [5, 0], [9, 9]):
        model.add("Pad", values(F32, 3), Const(*pads), mode="wrap")
    model.add("Range", Const(5, shape=()), Const(-7, shape=()), Const(-3, shape=()))
    model.add("OneHot", Const(0, 2, -1, 9, shape=(4,)), Const(3, shape=()), Const(2, 5, kind=np.float32))
    model.add("EyeLike", values(F32, 3, 4), k=-1)


def reductions(model):
    for kind in FLOATS + (np.dtype("i4"), np.dtype("i8")):
        small = RANDOM.integers(-2, 3, (3, 4, 5)).astype(kind)
        positive = (np.abs(small) + 1).astype(kind)
        for op in ("Max", "Min", "Sum", "Prod", "SumSquare", "L1"):
            for axes in ((0,), (1, 2), (-1,), (0, 1, 2)):
                for keep in (0, 1):
                    answer = (small * small).sum(axes, keepdims=keep == 1, dtype=kind) if op == "SumSquare" else None
                    model.add("Reduce" + op, small, Const(*axes), keepdims=keep, answer=answer)
            model.add("Reduce" + op, values(kind, 0, 4), Const(1), answer=np.zeros((0, 1), kind))
        if kind in FLOATS:
            for op in ("Mean", "L2", "LogSum", "LogSumExp"):
                model.add("Reduce" + op, positive, Const(0, 2), keepdims=0)
            model.add("ReduceMean", positive, Const(1))
        for op, answer in (("Sum", 0), ("Prod", 1)):
            model.add("Reduce" + op, values(kind, 2, 0), Const(1), answer=np.full((2, 1), answer, kind))
        for op, sign in (("Max", -1), ("Min", 1)):
            bounds = np.iinfo(kind) if kind not in FLOATS else None
            empty = sign * np.inf if bounds is None else bounds.min if sign < 0 else bounds.max
            model.add("Reduce" + op, values(kind, 2, 0), Const(1), keepdims=0, answer=np.full(2, empty, kind))
        for op in ("ArgMax", "ArgMin"):
            for axis in (0, 1, -1):
                for last in (0, 1):
                    model.add(op, small, axis=axis, select_last_index=last, keepdims=last)
    for op, answer in (("Max", False), ("Min", True)):
        model.add("Reduce" + op, values(BOOL, 2, 0), Const(1), answer=np.full((2, 1), answer))
    model.add("ReduceMean", values(F32, 2, 0), Const(1), keepdims=0, answer=np.full(2, np.nan, F32))
    # What is between the elements and the result may be beyond their type.
    model.add("ReduceL2", np.array([300, 400], F16), answer=np.array([500], F16))
    model.add("ReduceMean", np.array([7, -8, -10], np.int32), answer=np.array([-3], np.int32))
    model.add("Mean", *np.full((3, 1), 60000, F16), answer=np.array([60000], F16))
    nans = np.array([[1, np.nan, 2], [3, 4, 5]], F32)
    for op in ("ReduceMax", "ReduceMin", "ReduceSum"):
        model.add(op, nans, Const(1))
    many = values(F32, 3, 5000, low=0, high=1)   # a sum in f32, one by one, would be off by more
    model.add("ReduceSum", many, Const(1), answer=many.astype(F64).sum(1, keepdims=True).astype(F32))
    model.add("CumSum", values(F32, 3, 5), Const(1, shape=()), exclusive=1, reverse=1)


def rows(model):
    for kind in FLOATS:
        for op in ("Softmax", "LogSoftmax"):
            for axis in (0, 1, -1):
                model.add(op, values(kind, 2, 3, 5, low=-3, high=3), axis=axis)
            model.add(op, values(kind, 0, 3), axis=1)
            model.add(op, values(kind, 3, 0), axis=1)
        model.add("Softmax", np.array([[1, -np.inf, 0], [-np.inf, -np.inf, 5]], kind))
        model.add("LayerNormalization", values(kind, 2, 3, 5), values(kind, 5), values(kind, 5), axis=-1)
        model.add("LayerNormalization", values(kind, 2, 3, 5), values(kind, 3, 5), axis=1, epsilon=0.5)
        model.add("RMSNormalization", values(kind, 2, 3, 5), values(kind, 5), axis=-1, epsilon=0.25)


def contractions(model):
    for kind in FLOATS:
        for left, right in (((2, 3, 5), (5, 7)), ((5,), (2, 5, 3)), ((3, 5), (5,)), ((2, 1, 3, 4), (3, 4, 2)), ((17, 9), (9, 300)),
                            ((0, 3), (3, 2)), ((2, 3), (3, 0))):
            model.add("MatMul", values(kind, *left), values(kind, *right))
        model.add("Gemm", values(kind, 4, 3), values(kind, 5, 4), values(kind, 3, 1), alpha=0.5, beta=2.0, transA=1, transB=1)
    for kind in (np.dtype("i4"), np.dtype("i8"), np.dtype("u4"), np.dtype("u8")):
        for left, right in (((2, 3, 5), (5, 7)), ((5,), (2, 5, 3)), ((17, 9), (9, 300)), ((1, 64), (64, 40))):
            model.add("MatMul", values(kind, *left), values(kind, *right))
        large = np.full((2, 2), np.iinfo(kind).max, kind)
        model.add("MatMul", large, large, answer=wrapped(kind, [2 * int(large[0, 0])**2] * 4).reshape(2, 2))
        model.add("Gemm", values(kind, 4, 3), values(kind, 5, 4), values(kind, 3, 1), alpha=2.0, beta=3.0, transA=1, transB=1)
        model.add("Einsum", values(kind, 2, 3, 4), values(kind, 2, 5, 4), equation="bij,bkj->bik")
    model.add("MatMul", values(F32, 2, 0), values(F32, 0, 3))
    model.add("Einsum", values(F32, 2, 3, 4), values(F32, 2, 5, 4), equation="bij,bkj->bik")


def windows(model):
    for kind in FLOATS:
        model.add("Conv", values(kind, 2, 3, 7, 8), values(kind, 5, 3, 3, 2), values(kind, 5), pads=[1, 0, 2, 1], strides=[2, 1])
        model.add("Conv", values(kind, 1, 4, 9), values(kind, 6, 2, 3), group=2, dilations=[2])
        model.add("Conv", values(kind, 1, 3, 6, 6), values(kind, 3, 1, 3, 3), group=3, pads=[1, 1, 1, 1])
        model.add("Conv", values(kind, 0, 3, 4), values(kind, 2, 3, 2))
        model.add("ConvTranspose", values(kind, 1, 3, 4, 5), values(kind, 3, 2, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1])
        model.add("MaxPool", values(kind, 1, 2, 7, 8), kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
        model.add("AveragePool", values(kind, 1, 2, 7, 8), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    for kind in (np.dtype("i1"), np.dtype("u1")):
        image = values(kind, 1, 2, 5, 6)
        padded = np.pad(image, ((0, 0), (0, 0), (1, 0), (1, 0)), constant_values=np.iinfo(kind).min)
        answer = np.max([padded[:, :, i:i + 5, j:j + 6] for i in (0, 1) for j in (0, 1)], 0)
        model.add("MaxPool", image, kernel_shape=[2, 2], pads=[1, 1, 0, 0], answer=answer)
    high = np.full((1, 1, 3), 60000, F16)
    model.add("AveragePool", high, kernel_shape=[3], pads=[1, 1], answer=high)
    rising, rows = np.arange(1, 17, dtype=np.uint8).reshape(4, 4), np.array([[1, 2, 4], [6, 7, 9], [11, 12, 14]], np.uint8)
    model.add("Resize", rising, None, Const(0.8, 0.8, kind=F32), mode="linear", answer=rows)    # truncated at the end, as onnxruntime
    model.add("Pad", np.array([1]), Const(1, 0), Const(2**53 + 1, shape=()), answer=np.array([2**53 + 1, 1]))
    image = values(F32, 2, 6, 3, 4)        # onnx.reference forgets all but the first channels
    squares = np.pad(image.astype(F64)**2, ((0, 0), (1, 2), (0, 0), (0, 0)))
    total = sum(squares[:, i:i + 6] for i in range(4))
    model.add("LRN", image, size=4, alpha=0.5, answer=(image / (1 + 0.5 / 4 * total)**0.75).astype(F32))
    model.add("MaxPool", np.array([[[np.nan, 1, 2, -np.inf]]], F32), kernel_shape=[2],
              answer=np.array([[[np.nan, 2, 2]]], F32))


def brain_floats(model):
    """onnx.reference has few ops in bf16: one rounding of the answer in f64 is what we promise."""
    a, b = values(BF16, 3, 5), values(BF16, 3, 5)
    x, y = a.astype(F64), b.astype(F64)
    for op, answer in (("Add", x + y), ("Sub", x - y), ("Mul", x * y), ("Div", x / y), ("Max", np.maximum(x, y))):
        model.add(op, a, b, answer=answer.astype(BF16))
    for op, function in (("Exp", np.exp), ("Tanh", np.tanh), ("Neg", np.negative), ("Relu", lambda v: np.maximum(v, 0))):
        model.add(op, a, answer=function(x).astype(BF16))
    model.add("MatMul", a, values(BF16, 5, 4), answer=None)
    model.expect[model.graph["outputs"][-1]] = (x @ model.feeds[f"MatMul_{model.count - 1}_1"].astype(F64)).astype(BF16)
    model.add("Transpose", a, perm=[1, 0], answer=a.T)


def differs(name, found, expected):
    """What is wrong with an output, or None."""
    expected = np.asarray(expected)
    if found.dtype == np.dtype("V2"):      # numpy's name of what it does not know
        found = found.view(BF16)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{name}: {found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if name.startswith("Cast") or found.dtype not in TOLERANCE:
        same = (found == expected) | ((found != found) & (expected != expected))
    else:
        a, b = found.astype(F64), expected.astype(F64)
        finite = b[np.isfinite(b)]
        scale = np.abs(finite).max(initial=0)
        kind = F32 if found.dtype == F64 and name.startswith(SINGLE) else found.dtype
        with np.errstate(invalid="ignore"):
            same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= TOLERANCE[kind] * scale)
    if same.all():
        return None
    at = tuple(np.argwhere(~same)[0])
    return f"{name}: {found[at]} at {list(map(int, at))}, expected {expected[at]} ({(~same).sum()} of {same.size} differ)"


def answers(proto, model):
    """By output: what the case states, else onnx.reference's."""
    wanted = [o.name for o in proto.graph.output if o.name not in model.expect]
    asked = type(proto)()
    asked.CopyFrom(proto)
    kept = [n for n in proto.graph.node if any(o in wanted for o in n.output)]
    del asked.graph.node[:], asked.graph.output[:]
    asked.graph.node.extend(kept)
    asked.graph.output.extend(o for o in proto.graph.output if o.name in wanted)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ReferenceEvaluator(asked).run(None, model.feeds)
    return {**dict(zip(wanted, found)), **model.expect}


def plain(array):
    return array.view("V2") if array.dtype == BF16 else array


def run(command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def check_model(bin_dir, folder, fill):
    """Whether all outputs of one model are right; prints those that are not."""
    model = Model()
    fill(model)
    proto = inferred(model.graph, OPSET)
    path = folder / f"{fill.__name__}.onnx"
    path.write_bytes(proto.SerializeToString())
    inputs = folder / f"{fill.__name__}.npz"
    np.savez(inputs, **{"in:" + k: plain(v) for k, v in model.feeds.items()})
    done = run([bin_dir / "cupola-reference", path, inputs, folder / "out.npz"])
    if done.returncode:
        print(f"FAIL {fill.__name__}: exit code {done.returncode}\n{done.stdout}")
        return False
    found, expected = np.load(folder / "out.npz"), answers(proto, model)
    problems = [p for p in (differs(name, found[name], value) for name, value in expected.items()) if p]
    for problem in problems:
        print(f"FAIL {fill.__name__}: {problem}")
    print(f"{fill.__name__}: {len(expected) - len(problems)} of {len(expected)} outputs right")
    return not problems and len(expected) > 0


def dynamic_model():
    """Dimensions that are known when inputs are: broadcasts, products and halves of them, shape arithmetic as data."""
    text = """
        <ir_version: 10, opset_import: ["": 23]>
        dynamic (float[n, c, 8] x, float[c, 1] y, int64[n] i) => (float[a, b] flat, float[c, n, 8] scaled, int64[3] s, float[d, e, f] half) {
            keep = Constant<value_ints = [0, -1]>()
            flat = Reshape(x, keep)
            sum = Add(x, y)
            z = Transpose<perm = [1, 0, 2]>(sum)
            count = Size(x)
            one = CastLike(count, x)
            scale = Reciprocal(one)
            scaled = Mul(z, scale)
            s = Shape(scaled)
            picked = Gather<axis = 0>(sum, i)
            zero = Constant<value_ints = [0]>()
            top = Constant<value_ints = [1000]>()
            axis = Constant<value_ints = [2]>()
            step = Constant<value_ints = [3]>()
            half = Slice(picked, zero, top, axis, step)
        }"""
    return parser.parse_model(text)


def check_dynamic(bin_dir, folder):
    """One model with symbols at several shapes, zero elements among them; then what must be refused."""
    proto = dynamic_model()
    path = folder / "dynamic.onnx"
    path.write_bytes(proto.SerializeToString())
    command = [bin_dir / "cupola-reference", path, folder / "in.npz", folder / "out.npz"]
    problems, compared = [], 0
    for n, c in ((1, 1), (2, 3), (5, 1), (3, 17)):
        feeds = {"x": values(F32, n, c, 8), "y": values(F32, c, 1), "i": RANDOM.integers(-n, n, n)}
        np.savez(folder / "in.npz", **{"in:" + k: v for k, v in feeds.items()})
        done = run(command)
        found = np.load(folder / "out.npz") if done.returncode == 0 else {}
        for name, value in zip([o.name for o in proto.graph.output], ReferenceEvaluator(proto).run(None, feeds)):
            problem = differs(name, found[name], value) if name in found else f"{name}: {done.stdout}"
            problems += [f"{problem} for n = {n}, c = {c}"] * (problem is not None)
            compared += 1
    fine = {"x": values(F32, 2, 3, 8), "y": values(F32, 3, 1), "i": np.array([0, 1])}
    for change, text in (({"i": np.array([0, 2])}, "index 2 is out of range for extent 2"),
                         ({"y": values(F32, 4, 1)}, "input 1 is f32[4, 1], expected f32[3, 1]"),
                         ({"x": values(F64, 2, 3, 8)}, "input 0 is f64[2, 3, 8], expected f32[2, 3, 8]"),
                         ({"x": values(F32, 2, 3)}, "input 0 has rank 2, expected 3")):
        np.savez(folder / "in.npz", **{"in:" + k: v for k, v in {**fine, **change}.items()})
        done = run(command)
        problems += [f"expected exit code 2 and '{text}', found {done.returncode}: {done.stdout}"] * \
            (done.returncode != 2 or text not in done.stdout)
    for problem in problems:
        print(f"FAIL dynamic: {problem}")
    print(f"dynamic: {compared} outputs compared, {len(problems)} problems")
    return not problems


def check_compiled(bin_dir, folder, fill):
    """The compiled model against lib/Reference, on inputs that cupola makes."""
    with np.load(folder / f"{fill.__name__}.npz") as arrays:
        shapes = shape_flags({name.removeprefix("in:"): arrays[name] for name in arrays})
    done = run([bin_dir / "cupola", "verify", folder / f"{fill.__name__}.onnx", "--device", "cpu", "--tol", "2e-3", *shapes])   # f16 is in it
    lines = done.stdout.splitlines()
    print("\n".join([line for line in lines if not line.startswith("pass")]))
    return done.returncode == 0


def main():
    bin_dir = pathlib.Path(sys.argv[1])
    groups = (unary_floats, binary_floats, integers, casts, views, reductions, rows, contractions, windows, brain_floats)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        passed = [check_model(bin_dir, folder, fill) for fill in groups]
        passed.append(check_dynamic(bin_dir, folder))
        passed += [check_compiled(bin_dir, folder, fill) for fill in groups]
    print(f"{sum(passed)} of {len(passed)} models pass")
    sys.exit(not all(passed))


main()
