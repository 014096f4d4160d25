#===- test/models/more_ops.py - Cases of make_ops.py with random numbers of their own ---===#
# SPDX-License-Identifier: Apache-2.0
"""Cases for make_ops.py. Its own tables draw their numbers one after the other, so that a case among them would change all behind it."""

import numpy as np
from onnx import TensorProto

from op_models import Case, Const

NEWEST = 28
RANDOM = np.random.default_rng(20261125)


def floats(*shape, low=-2.0, high=2.0):
    return RANDOM.uniform(low, high, shape).astype(np.float32)


def ints(*shape, low=0, high=10):
    return RANDOM.integers(low, high, shape)


def scalar(value, kind=np.int64):
    return Const(value, kind=kind, shape=())


def case(op, *operands, since=1, until=NEWEST, outputs=1, **attributes):
    return Case(op, operands, attributes, since, until, outputs)


def bits():
    yield case("BitCast", floats(2, 3), to=TensorProto.INT32)
    yield case("BitCast", np.array([0x7fa00001, -1, 0x3f800000], np.int32), to=TensorProto.FLOAT)
    yield case("BitCast", ints(5, high=2).astype(bool), to=TensorProto.UINT8)


def matrices():
    yield case("Det", floats(3, 3))
    few = np.concatenate([ints(2, 2, 4, 4, high=2), np.ones((1, 2, 4, 4)), np.zeros((1, 2, 4, 4))]).astype(np.float32)
    yield case("Det", np.concatenate([floats(5, 2, 4, 4), few]))
    yield case("Det", floats(4, 1, 1))
    yield case("MelWeightMatrix", scalar(7), scalar(64), np.array(8192), np.float32(0), np.float32(4096))
    yield case("MelWeightMatrix", scalar(6), scalar(16), np.array(8000), np.float32(100), np.float32(4000))
    yield case("AffineGrid", floats(2, 3, 4), Const(2, 1, 3, 4, 5))
    yield case("AffineGrid", floats(1, 2, 3), Const(1, 1, 4, 3), align_corners=1)


def unpool_places(shape, sizes, strides, pads):
    """What MaxPool gives as its second result: a place of each window, in the result of MaxUnpool; some windows share one.
    `pads` has a list of both per dimension."""
    result = [(n - 1) * step + size - sum(pad) for n, size, step, pad in zip(shape[2:], sizes, strides, pads)]
    places = np.zeros(shape, np.int64)
    for at in np.ndindex(*shape):
        point = [min(max(i * step - pad[0] + int(RANDOM.integers(size)), 0), extent - 1)
                 for i, size, step, pad, extent in zip(at[2:], sizes, strides, pads, result)]
        places[at] = np.ravel_multi_index((*at[:2], *point), (*shape[:2], *result))
    return places


def unpools():
    apart = unpool_places((2, 2, 2, 3), (2, 2), (3, 2), ((0, 0), (0, 0)))
    yield case("MaxUnpool", floats(2, 2, 2, 3), apart, kernel_shape=[2, 2], strides=[3, 2], since=9)
    shared = unpool_places((1, 3, 6), (5,), (2,), ((1, 2),))
    yield case("MaxUnpool", floats(1, 3, 6), shared, Const(1, 3, 12), kernel_shape=[5], strides=[2], pads=[1, 2], since=9)


def draws():
    """What can be drawn in one way alone; test/Onnx/test_random.py looks at the rest."""
    logits = np.where(np.arange(5) == ints(7, 1, high=5), 0, -200).astype(np.float32)
    yield case("Multinomial", logits, sample_size=3, seed=2.0, until=21)
    yield case("RandomNormal", shape=[2, 3], mean=1.5, scale=1e-30)
    yield case("RandomNormalLike", floats(2, 3), mean=-1.5, scale=1e-30)
    yield case("RandomUniform", shape=[2, 3], low=2.5, high=2.5)
    yield case("RandomUniformLike", floats(2, 3), low=-2.5, high=-2.5)


def grams():
    pool = dict(ngram_counts=[0, 3], pool_int64s=[2, 3, 5, 2, 3, 3, 3, 5, 2], max_skip_count=2)
    weights = [1.5, -2.0, 3.0, 0.5, 7.0, 9.0]
    for mode in ("TF", "IDF", "TFIDF"):
        yield case("TfIdfVectorizer", ints(3, 9, low=2, high=6), mode=mode, min_gram_length=1, max_gram_length=2, weights=weights,
                   ngram_indexes=[0, 1, 2, 3, 4, 5], **pool)
    yield case("TfIdfVectorizer", ints(2, 9, low=2, high=6), mode="TFIDF", min_gram_length=1, max_gram_length=2, weights=weights,
               ngram_indexes=[2, 0, 6, 3, 1, 5], **pool)
    yield case("TfIdfVectorizer", ints(12, low=2, high=6).astype(np.int32), mode="TF", min_gram_length=2, max_gram_length=2,
               ngram_indexes=[2, 0, 5, 3, 1, 3], **pool)


def resizes():
    image = floats(1, 2, 4, 5)
    for mode in ("linear", "cubic"):
        for outside in (0, 1):
            scales = Const(1, 1, 0.6, 0.35, kind=np.float32)
            yield case("Resize", image, None, scales, mode=mode, antialias=1, exclude_outside=outside, since=18)
        yield case("Resize", image, None, None, Const(1, 2, 9, 4), mode=mode, antialias=1, since=18)
    # Extents that change: onnxruntime leaves an axis alone where none does, whatever its region.
    region = Const(0, 0, 0.2, 0.9, 1, 1, 1.2, 0.1, kind=np.float32)
    crop = dict(coordinate_transformation_mode="tf_crop_and_resize")
    for mode in ("nearest", "linear", "cubic"):
        yield case("Resize", image, region, None, Const(1, 2, 6, 3), mode=mode, extrapolation_value=7.5, since=13, **crop)
    yield case("Resize", image, np.array([0.3, 0.25, 0.6, 1], np.float32), None, Const(1, 7), axes=[2, 3], mode="linear", since=18, **crop)


def regions():
    yield case("RoiAlign", floats(2, 3, 8, 9), np.sort(floats(4, 4, low=0, high=8)), ints(4, high=2), output_height=3, output_width=2, since=16)
    pooled = np.concatenate([ints(4, 1, high=2), np.sort(floats(4, 4, low=0, high=8))], axis=1).astype(np.float32)
    yield case("MaxRoiPool", floats(2, 3, 8, 9), pooled, pooled_shape=[2, 3], spatial_scale=0.5, until=21)


def cases():
    return [*bits(), *matrices(), *unpools(), *grams(), *resizes(), *draws(), *regions()]
