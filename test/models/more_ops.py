#===- test/models/more_ops.py - Cases of make_ops.py with random numbers of their own ---===#
# SPDX-License-Identifier: Apache-2.0
"""Cases for make_ops.py. Its own tables draw their numbers one after the other, so that a case among them would change all behind it."""

import numpy as np
from onnx import TensorProto

from op_models import Case

NEWEST = 28
RANDOM = np.random.default_rng(20261125)


def floats(*shape, low=-2.0, high=2.0):
    return RANDOM.uniform(low, high, shape).astype(np.float32)


def ints(*shape, low=0, high=10):
    return RANDOM.integers(low, high, shape)


def case(op, *operands, since=1, until=NEWEST, outputs=1, **attributes):
    return Case(op, operands, attributes, since, until, outputs)


def bits():
    yield case("BitCast", floats(2, 3), to=TensorProto.INT32)
    yield case("BitCast", np.array([0x7fa00001, -1, 0x3f800000], np.int32), to=TensorProto.FLOAT)
    yield case("BitCast", ints(5, high=2).astype(bool), to=TensorProto.UINT8)


def cases():
    return [*bits()]
