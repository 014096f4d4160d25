#===- test/Onnx/microsoft.py - What tests of com.microsoft share ---===#
# SPDX-License-Identifier: Apache-2.0
"""Operands from a seed, and beside.py for this domain. onnxruntime multiplies uint8 by int8 inexactly on some machines: weights of 7 bits do
not show it."""

import functools

import beside
import numpy as np
from beside import Const

DOMAIN = "com.microsoft"
close, equal, near, both = (functools.partial(f, domain=DOMAIN) for f in (beside.close, beside.equal, beside.near, beside.both))


def floats(random, *shape, low=-1.0, high=1.0):
    return random.uniform(low, high, shape).astype(np.float32)


def bytes_of(random, *shape, kind=np.uint8):
    bounds = np.iinfo(kind)
    return random.integers(bounds.min, bounds.max + 1, shape).astype(kind)


def number(value, kind=np.float32):
    return Const(np.array(value, kind))


def by_cupola(op, *operands, results=1, kind=np.float32, **attributes):
    """Where onnxruntime has no kernel for CPUs."""
    model = beside.model_of(op, operands, results, domain=DOMAIN, types=[kind] * results, **attributes)
    found = beside.by_cupola(model, operands)
    return found if results > 1 else found[0]
