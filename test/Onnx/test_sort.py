#===- test/Onnx/test_sort.py - TopK of long rows ---===#
# SPDX-License-Identifier: Apache-2.0
"""Rows long enough for the best of their parts to be found first, against numpy's stable order: of equal values the first goes first."""

import cupola
import cupola.backend
import numpy as np
import onnx
import pytest
from beside import OPTIONS, Const, model_of
from onnx import helper


def values(shape, kind, few):
    generator = np.random.default_rng(11)
    if few or np.dtype(kind).kind != "f":
        info = np.iinfo(kind) if np.dtype(kind).kind in "iu" else None
        numbers = generator.integers(0 if info is not None and info.min == 0 else -20, 20, shape).astype(kind)
        if info is not None: # as what fills up the last part
            numbers.flat[::97] = info.min
            numbers.flat[1::97] = info.max
        return numbers
    numbers = generator.standard_normal(shape).astype(kind)
    numbers.flat[::97], numbers.flat[1::97] = -np.inf, np.inf
    return numbers


def expected(x, k, axis, largest):
    order = np.argsort(np.flip(x, axis) if largest else x, axis=axis, kind="stable")
    if largest:
        order = np.flip(x.shape[axis] - 1 - order, axis)
    index = np.take(order, np.arange(k), axis=axis)
    return np.take_along_axis(x, index, axis), index


def check(x, k, axis, largest, device):
    model = model_of("TopK", [x, Const(np.array([k]))], results=2, types=[x.dtype, np.int64], axis=axis, largest=largest)
    found = cupola.backend.prepare(model, device, **OPTIONS).run([x])
    for a, b in zip(found, expected(x, k, axis, largest), strict=True):
        np.testing.assert_array_equal(a, b)


# One part more or less, primes, an axis in the middle, rows that are all in one part.
SHAPES = [((2, 1025), 1, 1), ((2, 4097), 1, 1), ((1, 5003), 1, 50), ((2, 8400, 2), 1, 300), ((9000, ), 0, 1125), ((3, 4000), 1, 7)]


@pytest.mark.parametrize("shape, axis, k", SHAPES)
@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("kind, few", [(np.float32, False), (np.float32, True), (np.float16, True), (np.int64, True), (np.uint8, True)])
def test_long_rows(shape, axis, k, largest, kind, few):
    check(values(shape, kind, few), k, axis, largest, "CPU")


@pytest.mark.parametrize("largest", [0, 1])
def test_longest(largest):
    check(values((1, 50257), np.float32, True), 50, 1, largest, "CPU")


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("step", [1, -1])
def test_rows_in_order(step, largest):
    """Every element of such a row goes before those so far, or none does."""
    check(np.arange(10007, dtype=np.float32)[None, ::step], 90, 1, largest, "CPU")


def test_simulator():
    check(values((1, 5003), np.float32, True), 20, 1, 1, "SIM")


@pytest.mark.parametrize("kind, device", [(np.float32, "CPU"), (np.float16, "CPU"), (np.float64, "CPU"), (np.float32, "SIM")])
@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("length", [700, 5003])
def test_no_numbers(length, largest, kind, device):
    """They are above infinity, whatever their bits are, and zeros of both signs are equal."""
    x = values((2, length), kind, False)
    x[:, 1::61], x[:, 2::59], x[0, 60:200], x[1, 3::5], x[1, 4::5] = np.nan, -np.nan, np.nan, 0.0, -0.0
    check(x, 40, 1, largest, device)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("k, largest", [(1, 1), (1, 0), (7, 1), (7, 0), (40, 1)])
def test_open_lengths(k, largest, device):
    """One package for rows of all lengths: shorter than a part, of one, of several, with what fills up the last part."""
    inputs = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["b", "n"])]
    outputs = [helper.make_tensor_value_info("v", onnx.TensorProto.FLOAT, None),
               helper.make_tensor_value_info("i", onnx.TensorProto.INT64, None)]
    node = helper.make_node("TopK", ["x", "k"], ["v", "i"], axis=1, largest=largest)
    graph = helper.make_graph([node], "g", inputs, outputs, [helper.make_tensor("k", onnx.TensorProto.INT64, [1], [k])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    package = cupola.compile(model, targets="cpu" if device == "cpu" else "cuda", progress=False, isolate=False)
    session = cupola.Session(package, device, **({} if device == "cpu" else {"arch": "sm_80"}))
    for length in (k, 127, 128, 129, 700):
        x = values((2, max(length, k)), np.float32, True)
        found = session.run({"x": x})
        for a, b in zip(found.values(), expected(x, k, 1, largest), strict=True):
            np.testing.assert_array_equal(a, b)
