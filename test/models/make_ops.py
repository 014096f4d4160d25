#!/usr/bin/env python3
#===- test/models/make_ops.py - Every op at every version, as one model per opset with its answers ---===#
# SPDX-License-Identifier: Apache-2.0
"""make_ops.py -o FOLDER: writes ops.7.onnx ... ops.28.onnx and ops.N.npz (in:NAME and out:NAME, what `cupola verify --case` reads).
ops.N holds a node for every case below whose op has a version that begins at opset N (ops.7: or that opset 7 means). The answers
are onnxruntime's, or for opsets it does not read those of the reference implementation in the onnx package."""

import collections
import functools

import numpy as np
from onnx import TensorProto, defs, helper, numpy_helper

import more_ops
import sequence_ops
from op_models import Case, Const, add_case, answers, inferred
from references import output_folder, write_case

OLDEST, NEWEST = 7, 28
RANDOM = np.random.default_rng(20261121)


def floats(*shape, low=-2.0, high=2.0, kind=np.float32):
    return RANDOM.uniform(low, high, shape).astype(kind)


def ints(*shape, low=0, high=10):
    return RANDOM.integers(low, high, shape)


def bools(*shape):
    return RANDOM.integers(0, 2, shape).astype(bool)


CASES = []


def case(op, *operands, since=1, until=NEWEST, outputs=1, **attributes):
    CASES.append(Case(op, operands, attributes, since, until, outputs))


def scalar(value, kind=np.float32):
    return Const(value, kind=kind, shape=())


def elementwise():
    for op in ("Abs", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "HardSwish", "Mish", "Neg", "Relu", "Round", "Sigmoid", "Sign",
               "Sin", "Sinh", "Softplus", "Softsign", "Tan", "Tanh", "Elu", "Selu", "Celu", "LeakyRelu", "HardSigmoid", "Swish",
               "ThresholdedRelu", "Shrink", "Gelu", "Asinh", "Atan"):
        case(op, floats(3, 5))
    for op in ("Acos", "Asin", "Atanh"):
        case(op, floats(3, 5, low=-0.9, high=0.9))
    for op in ("Log", "Reciprocal", "Sqrt"):
        case(op, floats(3, 5, low=0.5, high=4))
    case("Acosh", floats(3, 5, low=1.1, high=4))
    case("Exp", floats(1))
    case("Exp", floats())
    case("Gelu", floats(3, 5), approximate="tanh")
    case("Elu", floats(4), alpha=0.5)
    case("LeakyRelu", floats(4), alpha=0.25)
    for op in ("Add", "Sub", "Mul", "Div"):
        case(op, floats(2, 3, 4), floats(3, 1, low=0.5))
        case(op, ints(2, 3, low=-9), ints(3, low=1))
    case("Pow", floats(2, 3, low=0.5), floats(3))
    case("Pow", floats(2, 3), Const(2, kind=np.int64), since=12)
    for op in ("Max", "Min", "Sum", "Mean"):
        case(op, floats(2, 3), floats(2, 3), floats(2, 3), until=7)
        case(op, floats(2, 3), floats(3), floats(2, 1), since=8)
    case("Mod", ints(2, 3, low=-9), ints(3, low=1))
    case("Mod", floats(2, 3), floats(3, low=0.5), fmod=1)
    case("PRelu", floats(2, 3, 4), floats(3, 1))
    case("Clip", floats(3, 5), min=-0.5, max=1.0, until=10)
    case("Clip", floats(3, 5), scalar(-0.5), scalar(1.0), since=11)
    case("Clip", floats(3, 5), None, scalar(1.0), since=11)
    case("Not", bools(4))
    for op in ("And", "Or", "Xor"):
        case(op, bools(2, 4), bools(4))
    for op in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
        case(op, ints(3, 4, high=3), ints(4, high=3), since=9 if op in ("Greater", "Less") else 1)
    for op in ("Greater", "Less"):
        case(op, floats(3, 4), floats(4), until=8)
    case("Where", bools(2, 1), floats(3), floats(2, 3))
    case("IsNaN", np.array([1, np.nan, np.inf, -np.inf], np.float32))
    case("IsInf", np.array([1, np.nan, np.inf, -np.inf], np.float32), detect_negative=0)
    for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        case(op, ints(2, 4), ints(4))
    case("BitwiseNot", ints(4))
    case("BitShift", ints(4).astype(np.uint32), ints(4, high=5).astype(np.uint32), direction="LEFT")
    for kind in (TensorProto.INT32, TensorProto.BOOL, TensorProto.FLOAT16, TensorProto.DOUBLE):
        case("Cast", floats(2, 3), to=kind)
    case("CastLike", floats(2, 3), ints(1))


def reductions():
    for op in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"):
        positive = floats(2, 3, 4, low=0.5)
        last = 12 if op == "Sum" else 17
        case("Reduce" + op, positive, axes=[0, 2], until=last)
        case("Reduce" + op, positive, axes=[1], keepdims=0, until=last)
        case("Reduce" + op, positive, Const(-1), keepdims=0, since=last + 1)
        case("Reduce" + op, positive, since=last + 1)
        case("Reduce" + op, positive, noop_with_empty_axes=1, since=last + 1)
    for op in ("ArgMax", "ArgMin"):
        case(op, floats(3, 4), axis=1)
        case(op, ints(3, 4, high=2), axis=0, keepdims=0)
        case(op, floats(3, 4), axis=-1, select_last_index=1, since=12)
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        case(op, floats(2, 3, 4, 5))
    case("CumSum", floats(2, 5), Const(1, shape=()))
    case("CumSum", ints(2, 5), Const(0, shape=()), exclusive=1, reverse=1)


def normalisations():
    for op in ("Softmax", "LogSoftmax"):
        case(op, floats(2, 3, 4))
        case(op, floats(2, 3, 4), axis=2)
        case(op, floats(7, 1), axis=1)
    case("LayerNormalization", floats(5, 1), floats(1))
    case("LayerNormalization", floats(2, 3, 4), floats(4), floats(4), axis=-1, epsilon=1e-6)
    case("LayerNormalization", floats(2, 3, 4), floats(3, 4), axis=1)
    case("RMSNormalization", floats(2, 3, 4), floats(4), axis=-1)
    case("InstanceNormalization", floats(2, 3, 4, 5), floats(3), floats(3))
    case("GroupNormalization", floats(2, 6, 4), floats(6), floats(6), num_groups=3)
    case("BatchNormalization", floats(2, 3, 4, 4), floats(3), floats(3), floats(3), floats(3, low=0.5))
    case("MeanVarianceNormalization", floats(2, 3, 4, 4))


def contractions():
    case("MatMul", floats(2, 3, 4), floats(4, 5))
    case("MatMul", floats(4), floats(2, 4, 5))
    case("MatMul", floats(2, 1, 3, 4), floats(3, 4, 2))
    case("Gemm", floats(3, 4), floats(4, 5), floats(5))
    case("Gemm", floats(4, 3), floats(5, 4), floats(3, 1), alpha=0.5, beta=2.0, transA=1, transB=1)
    case("Gemm", floats(3, 4), floats(4, 5), since=11)
    for equation, shapes in (("bqhd,bkhd->bhqk", ((2, 3, 2, 4), (2, 5, 2, 4))), ("ij,jk", ((2, 3), (3, 4))),
                             ("...ij,...jk->...ik", ((2, 2, 3), (3, 4))), ("bij->bji", ((2, 3, 4),)), ("ij->i", ((3, 4),)),
                             ("i,j->ij", ((3,), (4,)))):
        case("Einsum", *(floats(*shape) for shape in shapes), equation=equation)
    case("Attention", floats(1, 4, 3, 8), floats(1, 2, 5, 8), floats(1, 2, 5, 8))
    case("Attention", floats(2, 3, 16), floats(2, 5, 16), floats(2, 5, 16), bools(3, 5), q_num_heads=2, kv_num_heads=2)
    case("Attention", floats(1, 2, 5, 8), floats(1, 2, 5, 8), floats(1, 2, 5, 8), is_causal=1, scale=0.5, softcap=2.0)
    case("RotaryEmbedding", floats(1, 2, 3, 8), floats(9, 4), floats(9, 4), ints(1, 3, high=9))
    case("RotaryEmbedding", floats(2, 3, 16), floats(2, 3, 2), floats(2, 3, 2), num_heads=2, rotary_embedding_dim=4, interleaved=1)


def convolutions():
    case("Conv", floats(2, 3, 7, 8), floats(5, 3, 3, 2), floats(5))
    case("Conv", floats(1, 4, 9), floats(6, 2, 3), group=2, strides=[2], pads=[1, 2])
    case("Conv", floats(1, 3, 6, 6), floats(3, 1, 3, 3), floats(3), group=3, pads=[1, 1, 1, 1])
    case("Conv", floats(1, 4, 5, 5), floats(8, 1, 2, 2), group=4, dilations=[2, 3])
    case("Conv", floats(1, 2, 5, 6), floats(3, 2, 3, 3), auto_pad="SAME_UPPER", strides=[2, 2])
    case("Conv", floats(1, 2, 5, 6), floats(3, 2, 2, 2), auto_pad="SAME_LOWER")
    case("Conv", floats(1, 2, 4, 5, 6), floats(3, 2, 2, 3, 1))
    case("Conv", floats(2, 4, 3, 3), floats(6, 4, 1, 1), floats(6), kernel_shape=[1, 1])
    case("ConvTranspose", floats(1, 3, 4, 5), floats(3, 2, 2, 2), floats(2), strides=[2, 2])
    case("ConvTranspose", floats(2, 3, 4, 5), floats(3, 2, 3, 3), strides=[2, 3], pads=[1, 0, 1, 2], output_padding=[1, 0])
    case("ConvTranspose", floats(1, 4, 7), floats(4, 3, 5), floats(6), strides=[3], group=2, dilations=[2], pads=[2, 1])
    case("ConvTranspose", floats(1, 2, 3, 3), floats(2, 1, 3, 3), strides=[2, 2], output_shape=[6, 6])
    case("ConvTranspose", floats(1, 2, 3, 3), floats(2, 2, 3, 3), auto_pad="SAME_UPPER", strides=[2, 2])
    case("ConvTranspose", floats(1, 3, 2, 3, 4), floats(3, 2, 2, 3, 2), floats(2), strides=[2, 1, 3], pads=[0, 1, 0, 1, 0, 1])


def pools():
    case("MaxPool", floats(1, 2, 7, 8), kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
    case("MaxPool", floats(2, 3, 9), kernel_shape=[4])
    case("MaxPool", floats(1, 1, 7, 7), kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, since=10)
    case("MaxPool", floats(1, 2, 2, 5), kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, since=10)
    case("MaxPool", floats(1, 2, 9, 9), kernel_shape=[3, 3], dilations=[2, 3], since=10)
    # One axis after the other.
    case("MaxPool", floats(1, 2, 20, 20), kernel_shape=[13, 13], pads=[6, 6, 6, 6])
    case("MaxPool", floats(2, 1, 15, 14), kernel_shape=[9, 7], strides=[2, 3], pads=[4, 3, 2, 1], ceil_mode=1, since=10)
    case("MaxPool", floats(1, 2, 20, 20), kernel_shape=[7, 7], dilations=[2, 2], since=10)
    case("MaxPool", floats(1, 1, 8, 9, 7), kernel_shape=[5, 4, 5], strides=[2, 2, 2], pads=[1, 2, 2, 2, 1, 0])
    case("MaxPool", ints(1, 2, 6, 6).astype(np.int8), kernel_shape=[2, 2], pads=[1, 1, 0, 0], since=12)
    case("AveragePool", floats(1, 2, 7, 8), kernel_shape=[3, 2], strides=[2, 2])
    case("AveragePool", floats(1, 2, 7, 8), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    case("AveragePool", floats(1, 2, 7, 8), kernel_shape=[3, 3], pads=[1, 0, 1, 2], count_include_pad=1)
    case("AveragePool", floats(1, 2, 7, 8), kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, pads=[1, 0, 1, 0], since=19)
    case("AveragePool", floats(1, 1, 9), kernel_shape=[3], dilations=[2], since=19)
    case("LpPool", floats(1, 2, 6, 7), kernel_shape=[2, 3], p=2)
    case("LpPool", floats(1, 2, 6, 7, low=0.5), kernel_shape=[3, 3], p=3, strides=[2, 2])
    case("GlobalLpPool", floats(2, 3, 4, 5), p=2, until=21)
    case("LRN", floats(1, 7, 3, 4), size=3)
    case("LRN", floats(2, 6, 5, 2), size=5, alpha=0.5, beta=0.5, bias=2.0)


def resizes():
    def scales(*values):
        return Const(*values, kind=np.float32)

    image = floats(1, 2, 4, 5)
    for mode in ("nearest", "linear"):
        case("Upsample", image, mode=mode, scales=[1.0, 1.0, 2.0, 3.0], until=8)
        case("Upsample", image, scales(1, 1, 2, 3), mode=mode, since=9, until=9)
        case("Resize", image, scales(1, 1, 2, 0.5), mode=mode, until=10)
    for mode in ("nearest", "linear", "cubic"):
        for place in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"):
            options = dict(mode=mode, coordinate_transformation_mode=place, since=11)
            case("Resize", image, scales(), scales(1, 1, 2, 1.6), **options)
            case("Resize", image, scales(), scales(), Const(1, 2, 3, 9), **options)
        case("Resize", image, None, None, Const(1, 2, 8, 7), mode=mode, since=13)
    for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        case("Resize", image, scales(), scales(1, 1, 0.6, 3), nearest_mode=rounding, since=11)
        case("Resize", image, scales(), scales(1, 1, 2, 2), nearest_mode=rounding, coordinate_transformation_mode="asymmetric",
             since=11)
    case("Resize", image, scales(), scales(1, 1, 0.8, 1.6), mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5, since=11)
    case("Resize", image, None, scales(1.5, 2), axes=[3, 2], mode="linear", since=18)
    case("Resize", image, None, None, Const(7, 7), axes=[2, 3], keep_aspect_ratio_policy="not_larger", since=18)
    case("Resize", image, None, scales(1, 1, 1.3, 1.3), coordinate_transformation_mode="half_pixel_symmetric", mode="linear",
         since=19)


def shapes():
    case("Shape", floats(2, 3, 4))
    case("Shape", floats(2, 3, 4), start=1, end=-1, since=15)
    case("Size", floats(2, 3, 4))
    case("Reshape", floats(2, 3, 4), Const(0, -1))
    case("Reshape", floats(2, 0), Const(0, 3), allowzero=1, since=14)
    case("Flatten", floats(2, 3, 4), axis=2)
    case("Flatten", floats(2, 3, 4), axis=-1, since=11)
    case("Squeeze", floats(1, 3, 1), axes=[0], until=12)
    case("Squeeze", floats(1, 3, 1), Const(-1), since=13)
    case("Squeeze", floats(1, 3, 1))
    case("Unsqueeze", floats(3, 4), axes=[0, 2], until=12)
    case("Unsqueeze", floats(3, 4), Const(0, -1), since=13)
    case("Expand", floats(3, 1), Const(2, 1, 4))
    case("Transpose", floats(2, 3, 4))
    case("Transpose", floats(2, 3, 4), perm=[1, 2, 0])
    case("DepthToSpace", floats(1, 8, 2, 3), blocksize=2)
    case("DepthToSpace", floats(1, 8, 2, 3), blocksize=2, mode="CRD", since=11)
    case("SpaceToDepth", floats(1, 2, 4, 6), blocksize=2)
    case("Identity", floats(3))
    case("Dropout", floats(3))


def parts():
    case("Slice", floats(4, 6), starts=[1, 0], ends=[1000, -1], axes=[0, 1], until=9)
    case("Slice", floats(4, 6), Const(1, 0), Const(1000, -1), since=10)
    case("Slice", floats(4, 6), Const(-1, 4), Const(-(2**63) + 1, 0), Const(0, 1), Const(-1, -2), since=10)
    case("Split", floats(6, 2), axis=0, until=12, outputs=3)
    case("Split", floats(6, 2), axis=0, split=[1, 5], until=12, outputs=2)
    case("Split", floats(6, 2), Const(1, 5), axis=0, since=13, outputs=2)
    case("Split", floats(7, 2), axis=0, num_outputs=3, since=18, outputs=3)
    case("Split", floats(5, 2), axis=0, num_outputs=4, since=18, outputs=4)  # of 2, 2, 1 and none
    case("Concat", floats(2, 3), floats(2, 1), axis=1)
    case("Concat", ints(2), ints(3), axis=-1, since=11)
    case("Tile", floats(2, 3), Const(2, 3))
    case("Tile", floats(2, 2, 1, 3, 2, 2), Const(2, 1, 3, 2, 2, 1))  # more extents apart than ranks have
    case("Tile", floats(2, 1, 2, 1, 2, 1, 2, 2), Const(2, 1, 2, 2, 0, 1, 2, 2))
    case("Trilu", floats(3, 4))
    case("Trilu", floats(2, 3, 4), Const(-1, shape=()), upper=0)
    for mode in ("constant", "edge", "reflect"):
        case("Pad", floats(3, 4), pads=[1, 0, 2, 1], mode=mode, until=10)
        case("Pad", floats(3, 4), Const(1, 0, 2, 1), mode=mode, since=11)
    case("Pad", floats(3, 4), Const(0, 1, 0, 2), scalar(0.5), since=11)
    case("Pad", floats(3, 4), Const(0, -1, 0, 2), scalar(0.5), since=11)
    case("Pad", floats(3, 4), Const(1, 2), None, Const(1), since=18)
    case("Pad", floats(3, 4), Const(1, 0, 2, 1), mode="wrap", since=19)
    case("Gather", floats(3, 4), ints(2, 2, low=-3, high=3))
    case("Gather", floats(3, 4), ints(2, high=4), axis=-1)
    case("GatherElements", floats(3, 4), ints(3, 2, low=-4, high=4), axis=1)
    case("GatherND", floats(3, 4, 2), ints(5, 2, high=3))
    case("GatherND", floats(2, 3, 4), ints(2, 1, high=3), batch_dims=1, since=12)


def samples():
    image, places = floats(2, 3, 4, 5), floats(2, 3, 2, 2, low=-1.4, high=1.4)
    for padding in ("zeros", "border", "reflection"):
        for corners in (0, 1):
            options = dict(padding_mode=padding, align_corners=corners)
            case("GridSample", image, places, **options)
            case("GridSample", image, places, mode="nearest", **options)
    case("GridSample", floats(1, 2, 3, 4, 5), floats(1, 2, 3, 2, 3, low=-1.4, high=1.4), since=20)


def scatters():
    rows = np.stack([RANDOM.permutation(5)[:3] for _ in range(2)])         # no place twice: their order is open
    places = np.array([[0, 1], [2, -1], [1, 0]])
    for op in ("Scatter", "ScatterElements"):
        case(op, floats(2, 5), rows, floats(2, 3), axis=1)
        case(op, floats(6, 4), Const(0, -2, 3, 5, 1, 2, shape=(3, 2)), floats(3, 2), axis=0)    # covers the front of data
        case(op, floats(2, 3, 6), Const(1, 4, shape=(1, 1, 2)), floats(1, 1, 2), axis=-1)
    case("ScatterND", floats(3, 4, 2), places, floats(3, 2))
    case("ScatterND", floats(5), Const(4, 0, shape=(2, 1)), floats(2))
    case("ScatterND", ints(3, 4), places.reshape(1, 3, 2), ints(1, 3))
    for reduction in ("add", "mul", "max", "min"):
        since = 16 if reduction in ("add", "mul") else 18
        case("ScatterElements", floats(3, 4), ints(3, 6, low=-4, high=4), floats(3, 6), axis=1, reduction=reduction, since=since)
        case("ScatterND", floats(4, 3), ints(6, 1, high=4), floats(6, 3), reduction=reduction, since=since)
        case("ScatterND", ints(4, 3), ints(5, 2, high=3), ints(5), reduction=reduction, since=since)


def sorts():
    case("TopK", floats(3, 7), k=3, outputs=2, until=9)
    case("TopK", floats(3, 7), Const(3), outputs=2, since=10)
    case("TopK", floats(4, 2, 3), Const(4), axis=0, outputs=2, since=10)
    case("TopK", ints(3, 9, high=4), Const(5), largest=0, outputs=2, since=11)                  # ties: the lower position first


def recurrent():
    for op, gates, states in (("RNN", 1, 1), ("GRU", 3, 1), ("LSTM", 4, 2)):
        def operands(directions, kind):
            weights = [kind(directions, gates * 5, 4), kind(directions, gates * 5, 5), kind(directions, 2 * gates * 5)]
            return [floats(3, 2, 4)] + weights + [None] + [floats(directions, 2, 5) for _ in range(states)]
        def weights(*shape):
            return Const(*floats(*shape, low=-1, high=1).flat, kind=np.float32, shape=shape)
        case(op, *operands(1, floats), hidden_size=5, outputs=1 + states)
        case(op, *operands(2, weights), hidden_size=5, direction="bidirectional", outputs=1 + states)
        case(op, *operands(1, weights)[:3], hidden_size=5, direction="reverse", clip=0.5)


def constants():
    case("Constant", value=numpy_helper.from_array(floats(2, 3)))
    case("Constant", value_ints=[1, 2, 3], since=12)
    case("Constant", value_float=0.5, since=12)
    case("ConstantOfShape", Const(2, 3))
    case("ConstantOfShape", Const(400), value=numpy_helper.from_array(np.array([7], np.int64)))
    case("Range", Const(2, shape=()), Const(20, shape=()), Const(3, shape=()))
    case("Range", scalar(5.0), scalar(-1.0), scalar(-0.75))
    case("OneHot", ints(2, 3, low=-4, high=4), Const(4, shape=()), floats(2))
    case("OneHot", ints(3, high=5), Const(4, shape=()), floats(2), axis=0)
    case("EyeLike", floats(3, 4), k=1)
    case("NonZero", Const(0, 1, 2, 0, 3, 4, shape=(2, 3)))


def sized():
    """Data decide how large the results are."""
    case("NonZero", ints(4, 3, high=3), since=9)
    case("NonZero", ints(300, high=2))
    case("Compress", floats(3, 4), bools(4), axis=1, since=9)
    case("Compress", floats(3, 4), bools(9))
    case("Unique", ints(4, 5, high=6), outputs=4, since=11, until=27)          # the reference of opset 28 takes vectors alone
    case("Unique", ints(17, high=6), outputs=4, since=11)
    case("Unique", ints(17, high=6), outputs=4, sorted=0, since=11)
    case("Unique", ints(6, 2, high=2), outputs=4, axis=0, since=11)
    case("NonMaxSuppression", floats(2, 9, 4, low=0.0), floats(2, 3, 9), Const(4),
         Const(0.4, kind=np.float32), Const(-1.0, kind=np.float32), since=10)


def quantisations():
    """Scales are powers of two and zero points even: no tie is rounded another way before or after a zero point is added."""
    def zeros(*values, kind=np.uint8):
        return Const(*values, kind=kind)

    def scales(*values):
        return Const(*values, kind=np.float32)

    image, bytes_ = floats(2, 3, 5, low=-200.0, high=200.0), ints(2, 3, 5, high=256).astype(np.uint8)
    for op, value in (("QuantizeLinear", image), ("DequantizeLinear", bytes_)):
        case(op, value, scalar(0.5), scalar(4, kind=np.uint8))
        case(op, value, scalar(2.0))
        case(op, value, scales(0.5, 1, 2), zeros(6, 0, 128), since=13)
        case(op, value, scales(0.5, 1, 2, 4, 0.25), zeros(6, 0, 128, 2, 4), axis=-1, since=13)
        blocks = floats(2, 3, 3, low=0.5), Const(*range(0, 36, 2), kind=np.uint8, shape=(2, 3, 3))
        case(op, value, *blocks, axis=2, block_size=2, since=21)
    case("QuantizeLinear", image, scalar(0.5), output_dtype=TensorProto.INT8, since=21)
    case("DequantizeLinear", ints(2, 3, low=-128, high=128).astype(np.int8), scalar(0.5), scalar(-4, kind=np.int8))
    case("DequantizeLinear", ints(4, low=-9).astype(np.int32), scalar(0.5))
    case("DynamicQuantizeLinear", floats(3, 4), outputs=3)
    case("DynamicQuantizeLinear", floats(5, low=0.5), outputs=3)
    left, right = ints(3, 4, high=256).astype(np.uint8), ints(4, 5, high=256).astype(np.uint8)
    case("MatMulInteger", left, right)
    case("MatMulInteger", left, right, scalar(12, kind=np.uint8), zeros(0, 1, 2, 128, 255))
    case("QLinearMatMul", left, scalar(0.5), scalar(12, kind=np.uint8), right, scalar(0.25), scalar(130, kind=np.uint8), scalar(64.0),
         scalar(100, kind=np.uint8))
    picture, filters = ints(1, 2, 6, 5, high=256).astype(np.uint8), ints(4, 2, 3, 3, high=256).astype(np.uint8)
    case("ConvInteger", picture, filters, scalar(12, kind=np.uint8), pads=[1, 1, 0, 1])
    case("ConvInteger", picture, filters[:2, :1], scalar(12, kind=np.uint8), scalar(9, kind=np.uint8), group=2, strides=[2, 1])
    case("QLinearConv", picture, scalar(0.5), scalar(12, kind=np.uint8), filters, scalar(0.25), scalar(130, kind=np.uint8), scalar(128.0),
         scalar(100, kind=np.uint8), Const(-900, 0, 70, 4000, kind=np.int32), pads=[1, 1, 1, 1])


def bodies():
    case("If", Const(False, kind=bool, shape=()), then_branch=branch("then", 1), else_branch=branch("else", 2))
    case("If", np.array(True), then_branch=branch("taken", 1), else_branch=branch("left", 2))
    case("Loop", np.array(3), Const(True, kind=bool, shape=()), floats(2, 3), body=loop_body(), outputs=2)
    case("Scan", None, floats(1, 2), floats(1, 5, 2), body=sum_body(), num_scan_inputs=1, since=8, until=8, outputs=2)
    case("Scan", floats(2), floats(5, 2), body=sum_body(), num_scan_inputs=1, since=9, outputs=2)


def branch(name, value):
    node = helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array([value], np.float32)))
    return helper.make_graph([node], name, [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1])])


def loop_body():
    """Adds what is carried to itself; a row of each iteration is its negative."""
    nodes = [helper.make_node("Identity", ["loop_c"], ["loop_go"]), helper.make_node("Add", ["loop_v", "loop_v"], ["loop_w"]),
             helper.make_node("Neg", ["loop_w"], ["loop_row"])]
    kinds = {"loop_i": (TensorProto.INT64, []), "loop_c": (TensorProto.BOOL, []), "loop_go": (TensorProto.BOOL, [])}
    def value(name):
        return helper.make_tensor_value_info(name, *kinds.get(name, (TensorProto.FLOAT, [2, 3])))
    return helper.make_graph(nodes, "loop", list(map(value, ["loop_i", "loop_c", "loop_v"])),
                             list(map(value, ["loop_go", "loop_w", "loop_row"])))


def sum_body():
    """The sum of all rows, and those up to each."""
    nodes = [helper.make_node("Add", ["scan_sum", "scan_next"], ["scan_now"]), helper.make_node("Identity", ["scan_now"], ["scan_row"])]
    def values(*names):
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in names]
    return helper.make_graph(nodes, "scan", values("scan_sum", "scan_next"), values("scan_now", "scan_row"))


def signals():
    case("DFT", floats(2, 6, 1), axis=1, until=19)
    case("DFT", floats(2, 6, 5, 2), Const(4, shape=()), axis=1, inverse=1, until=19)
    case("DFT", floats(2, 7, 3, 2), None, Const(-3, shape=()), since=20, inverse=1)
    case("DFT", floats(2, 6, 1), Const(5, shape=()), Const(1, shape=()), since=20, onesided=1)
    case("STFT", floats(2, 32, 1), Const(5, shape=()), floats(9), onesided=1)


def rows_and_places():
    for op in ("Hardmax", "LpNormalization"):
        case(op, floats(2, 3, 4))
        case(op, ints(2, 3, 4, high=4).astype(np.float32), axis=1)
    case("CumProd", floats(2, 5), Const(0, shape=()), exclusive=1, reverse=1)
    case("ReverseSequence", ints(3, 5), np.array([5, 1, 3]), batch_axis=0, time_axis=1)
    case("TensorScatter", floats(2, 6, 4), floats(2, 3, 4), np.array([5, 1]), mode="circular", axis=1)
    case("Col2Im", floats(1, 6, 9), Const(7, 9), Const(3, 2), strides=[2, 3], dilations=[1, 2], pads=[1, 0, 0, 2])
    case("Col2Im", floats(2, 12, 12), Const(7, 9), Const(3, 2), strides=[2, 3], pads=[1, 0, 0, 2])
    case("Col2Im", floats(1, 81, 4), Const(10, 10), Const(9, 9))  # more overlap than are added as views
    case("MaxPool", floats(2, 2, 7, 8), kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1], outputs=2, since=8)
    case("MaxPool", ints(1, 2, 6, 6, high=3).astype(np.float32), kernel_shape=[2, 2], storage_order=1, outputs=2, since=8)
    case("SpaceToDepth", floats(1, 2, 4, 6), blocksize=2, mode="CRD", since=28)
    case("Einsum", floats(2, 3, 2, 3), floats(3, 2), equation="abab,bc->ac")
    for border in ("zeros", "border", "reflection"):
        for align in (0, 1):
            for mode, versions in (("bicubic", dict(until=19)), ("cubic", dict(since=20))):
                case("GridSample", floats(1, 2, 5, 6), floats(1, 3, 4, 2, low=-1.5, high=1.5), padding_mode=border, align_corners=align,
                     mode=mode, **versions)
    case("GridSample", floats(1, 2, 3, 1), floats(1, 2, 2, 2), padding_mode="reflection", align_corners=1)
    case("ConvTranspose", floats(2, 4, 2, 3, 2), floats(4, 3, 2, 3, 2), floats(6), strides=[2, 1, 3], group=2)
    case("RoiAlign", floats(2, 3, 8, 9), np.sort(floats(4, 4, low=0, high=8)), ints(4, high=2), output_height=3, sampling_ratio=2)
    case("DeformConv", floats(1, 4, 5, 6), floats(6, 2, 2, 3), floats(1, 24, 4, 4), floats(6), floats(1, 12, 4, 4), group=2, offset_group=2)
    for mode in range(4):
        case("Attention", floats(1, 4, 3, 8), floats(1, 2, 5, 8), floats(1, 2, 5, 8), floats(3, 5), None, None, softcap=2.0 * (mode > 0),
             qk_matmul_output_mode=mode, outputs=4)
    case("Attention", floats(2, 2, 3, 8), floats(2, 2, 5, 8), floats(2, 2, 5, 8), None, None, None, np.array([5, 3]), is_causal=1, since=24)


def functions():
    """What ONNX itself makes of other ops."""
    for op in ("BlackmanWindow", "HammingWindow", "HannWindow"):
        case(op, Const(10, shape=()), periodic=0)
    case("AffineGrid", floats(2, 2, 3), Const(2, 3, 4, 5), align_corners=1)
    case("CenterCropPad", floats(5, 8), Const(7, 4))
    for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        case(op, floats(3, 5, 2), ints(3, 2, high=5))
        case(op, floats(3, 5, 2), ints(3, 2, high=5), floats(5, low=0.5), reduction="sum", ignore_index=1)


def more():
    CASES.extend(more_ops.cases() + sequence_ops.cases())


@functools.lru_cache(maxsize=None)
def beginnings(op):
    """The opsets at which a version of `op` begins, where one older than OLDEST begins there."""
    versions = sorted(s.since_version for s in defs.get_all_schemas_with_history()
                      if s.name == op and s.domain == "" and not s.deprecated)
    current = [v for v in versions if v <= OLDEST][-1:]
    return [OLDEST] * len(current) + [v for v in versions if v > OLDEST]


def write_opset(folder, opset):
    graph, feeds = collections.defaultdict(list), {}
    for index, entry in enumerate(CASES):
        if opset in beginnings(entry.of or entry.op) and entry.since <= opset <= entry.until:
            add_case(graph, feeds, index, entry)
    if not graph["nodes"]:
        return 0
    model = inferred(graph, opset)
    path = folder / f"ops.{opset}.onnx"
    path.write_bytes(model.SerializeToString())
    write_case(folder / f"ops.{opset}.npz", feeds, answers(model, path, feeds))
    return len(graph["nodes"])


def make_cases():
    """Fills CASES."""
    for fill in (elementwise, reductions, normalisations, contractions, convolutions, pools, resizes, shapes, parts, samples, scatters, sorts,
                 recurrent, constants, bodies, signals, rows_and_places, functions, quantisations, sized, more):
        fill()


def main():
    folder = output_folder(__doc__)
    make_cases()
    for opset in range(OLDEST, NEWEST + 1):
        count = write_opset(folder, opset)
        if count:
            print(f"ops.{opset}.onnx: {count} nodes")


if __name__ == "__main__":
    main()
