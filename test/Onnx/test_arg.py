#===- test/Onnx/test_arg.py - Where the best value stands, among ties, NaN and infinities ---===#
# SPDX-License-Identifier: Apache-2.0
"""Rows and columns that threads share, against numpy: NaN beats every number, and of equal values the first or the last counts."""

import cupola.backend
import numpy as np
import pytest
from beside import OPTIONS, model_of


def values(shape, axis, kind):
    """Few different numbers; where there are NaN one in 500, and a row of -inf, one of inf, one of NaN."""
    generator = np.random.default_rng(7)
    x = generator.integers(-3, 4, shape).astype(kind)
    if x.dtype.kind == "f":
        x[generator.random(shape) < 0.002] = np.nan
        rows = np.moveaxis(x, axis, 0).reshape(shape[axis], -1)
        rows[:, :3] = [-np.inf, np.inf, np.nan]
        x = np.moveaxis(rows.reshape(np.moveaxis(x, axis, 0).shape), 0, axis)
    return np.ascontiguousarray(x)


def position(op, x, axis, last):
    find = np.argmax if op == "ArgMax" else np.argmin
    if last:
        return x.shape[axis] - 1 - find(np.flip(x, axis), axis=axis, keepdims=True)
    return find(x, axis=axis, keepdims=True)


# A warp for a row, a block for a row, warps for a column, a thread for a row.
@pytest.mark.parametrize("shape, axis", [((4, 100), 1), ((3, 3000), 1), ((2, 200, 40), 1), ((400, 5), 1)])
@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int32])
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("device", ["CPU", "SIM"])
def test_position(shape, axis, kind, op, last, device):
    x = values(shape, axis, kind)
    model = model_of(op, [x], types=[np.int64], axis=axis, select_last_index=last)
    found = cupola.backend.prepare(model, device, **OPTIONS).run([x])[0]
    np.testing.assert_array_equal(found, position(op, x, axis, last))
