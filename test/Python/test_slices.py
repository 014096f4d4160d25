#===- test/Python/test_slices.py - Slices whose bounds follow from extents ---===#
# SPDX-License-Identifier: Apache-2.0

import cupola
import numpy as np
import pytest
from onnx import parser

QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "isolate": False}


def session_of(body):
    model = parser.parse_model('<ir_version: 8, opset_import: ["": 17]>' + body)
    return cupola.Session(cupola.compile(model, **QUIET), "cpu", threads=1)


def rows(count):
    return np.arange(2 * count, dtype=np.float32).reshape(2, count)


def test_the_last_as_many():
    """x[:, -s:], which for s = 0 would be all of x: that is refused, unless there is nothing."""
    session = session_of("""g (float[b,s] x, float[b,t] w) => (float[b,q] y)
      <int64[1] one = {1}, int64[1] end = {9223372036854775807}>
      { sh = Shape <start: int = 1, end: int = 2> (x) n = Neg (sh) last = Slice (w, n, end, one) y = Add (last, x) }""")
    for count in (1, 3, 8):
        x, w = rows(count), rows(8)
        assert np.array_equal(session.run({"x": x, "w": w})["y"], w[:, -count:] + x)
    assert session.run({"x": rows(0), "w": rows(0)})["y"].size == 0
    with pytest.raises(cupola.errors.UsageError, match="how far from the end"):
        session.run({"x": rows(0), "w": rows(8)})


def test_from_a_place_that_falls():
    """w[:, 8 - s:], of which a negative start would count from the end: that is refused."""
    session = session_of("""g (float[b,s] x, float[1,8] w) => (float[b,q] y)
      <int64[1] one = {1}, int64[1] end = {9223372036854775807}, int64[1] c = {8}>
      { sh = Shape <start: int = 1, end: int = 2> (x) n = Sub (c, sh) t = Slice (w, n, end, one) y = Add (x, t) }""")
    w = rows(8)[:1]
    for count in (1, 5, 8):
        assert np.array_equal(session.run({"x": rows(count), "w": w})["y"], w[:, 8 - count:] + rows(count))
    with pytest.raises(cupola.errors.UsageError, match="begins or ends"):
        session.run({"x": rows(9), "w": w})
