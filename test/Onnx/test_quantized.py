#===- test/Onnx/test_quantized.py - Quantised ops beside onnxruntime, bit by bit ---===#
# SPDX-License-Identifier: Apache-2.0
"""Shapes and values are random, from a seed. Where onnxruntime multiplies uint8 by int8 it may saturate sums of pairs to 16 bits, as the
machine has it: those products are held against numpy."""

import cupola.backend
import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from beside import IR_VERSION, OPSET, OPTIONS, Const, by_cupola, equal, model_of
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

TYPES = [np.int8, np.uint8, np.int16, np.uint16]
BYTES = [(np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8), (np.int8, np.uint8)]
SEEDS = range(4)


def integers(random, kind, *shape):
    bounds = ml_dtypes.iinfo(kind)
    return random.integers(bounds.min, bounds.max + 1, shape).astype(kind)


def scales(random, *shape):
    return random.uniform(0.01, 2, shape).astype(np.float32)


def granularities(random, kind, shape):
    """(scale, zero point, attributes): one for all, along an axis, in blocks."""
    yield scales(random), integers(random, kind), {}
    axis = int(random.integers(len(shape)))
    yield scales(random, shape[axis]), integers(random, kind, shape[axis]), {"axis": axis - len(shape)}
    blocks = list(shape)
    blocks[axis] = -(-shape[axis] // 3)
    yield scales(random, *blocks), integers(random, kind, *blocks), {"axis": axis, "block_size": 3}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_between_numbers_and_integers(kind, dynamic):
    random = np.random.default_rng(11)
    shape = tuple(random.integers(4, 9, 3))
    for scale, zero, attributes in granularities(random, kind, shape):
        spread = np.iinfo(kind).max / 2
        x = (random.standard_normal(shape) * spread).astype(np.float32)
        equal("QuantizeLinear", x, scale, zero, dynamic=dynamic and "block_size" not in attributes, **attributes)
        equal("DequantizeLinear", integers(random, kind, *shape), scale, zero, dynamic=dynamic and "block_size" not in attributes,
              **attributes)


def test_ties_and_ends():
    x = np.array([0.25, 0.75, -0.25, -0.75, 1.25, 63.75, 64, 1e9, -1e9, np.inf, -np.inf, 0], np.float32)
    for kind in TYPES:
        equal("QuantizeLinear", x, Const(np.float32(0.5)), Const(kind(3)))


def test_halves():
    random = np.random.default_rng(12)
    x, scale = random.standard_normal((5, 7)).astype(np.float16), np.float16(0.03)
    equal("QuantizeLinear", x, np.asarray(scale), np.asarray(np.uint8(120)))
    equal("DequantizeLinear", integers(random, np.int8, 5, 7), np.asarray(scale), np.asarray(np.int8(-4)))


def test_integers_without_zero_point():
    equal("DequantizeLinear", integers(np.random.default_rng(13), np.int32, 5, 7), np.asarray(np.float32(0.3)))


@pytest.mark.parametrize("kind", [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2])
@pytest.mark.parametrize("shape", [(5, 7, 9), (1, 3, 1), (33, 64, 2)])
def test_narrow_integers(kind, shape):
    random = np.random.default_rng(17)
    for scale, zero, attributes in granularities(random, kind, shape):
        equal("DequantizeLinear", Const(integers(random, kind, *shape)), Const(scale), Const(zero), onnx_opset=25, **attributes)
        equal("DequantizeLinear", Const(integers(random, kind, *shape)), Const(scale), onnx_opset=25, **attributes)


@pytest.mark.parametrize("kind", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz])
def test_floats_of_8_bits(kind):
    every = np.arange(256, dtype=np.uint8).view(kind)
    equal("DequantizeLinear", Const(every), Const(np.float32(0.3)), Const(np.zeros((), kind)))
    equal("DequantizeLinear", Const(every.reshape(16, 16)), Const(scales(np.random.default_rng(18), 16)), axis=0)


@pytest.mark.parametrize("kind", [ml_dtypes.int4, ml_dtypes.uint2])
def test_narrow_integers_that_move(kind):
    """Larger than what is folded while importing."""
    random = np.random.default_rng(19)
    operands = {"w": integers(random, kind, 24, 35), "s": scales(random, 35), "shape": np.array([2, 12, 35])}
    ops = [("Reshape", ["w", "shape"], {}), ("Transpose", ["a"], {"perm": [1, 0, 2]}), ("Gather", ["b", "x"], {}),
           ("DequantizeLinear", ["c", "s"], {"axis": 2})]
    nodes = [helper.make_node(op, inputs, ["abcy"[i]], **attributes) for i, (op, inputs, attributes) in enumerate(ops)]
    nodes.append(helper.make_node("Cast", ["b"], ["z"], to=TensorProto.INT32))
    x, values = np.array([3, -1, 0, 11]), [numpy_helper.from_array(array, name) for name, array in operands.items()]
    graph = helper.make_graph(nodes, "one", [helper.make_tensor_value_info("x", TensorProto.INT64, ["n"])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
                               helper.make_tensor_value_info("z", TensorProto.INT32, None)], values)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13)
    for found, expected in zip(by_cupola(model, [x]), ReferenceEvaluator(model).run(None, {"x": x}), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [ml_dtypes.int4, ml_dtypes.uint4, np.int8])
@pytest.mark.parametrize("depth, columns, block", [(64, 96, 32), (96, 50, 16), (128, 33, 0), (48, 128, 16)])
@pytest.mark.parametrize("with_zero", [False, True])
def test_weights_of_products(kind, depth, columns, block, with_zero):
    """block 0: a scale for each column. Rows are one or some, and stay f32; the weights may be stored turned."""
    random = np.random.default_rng(20)
    for rows, is_turned in ((1, False), (5, True), (37, False)):
        attributes = {"axis": 0, "block_size": block} if block else {"axis": 1}
        shape, points = [depth, columns], [depth // block, columns] if block else [columns]
        if is_turned:
            attributes["axis"] = 1 - attributes["axis"]
            shape, points = shape[::-1], points[::-1]
        operands = {"w": integers(random, kind, *shape), "s": scales(random, *points)}
        if with_zero:
            operands["z"] = integers(random, kind, *points)
        nodes = [helper.make_node("DequantizeLinear", list(operands), ["f"], **attributes)]
        nodes += [helper.make_node("Transpose", ["f"], ["t"])] if is_turned else []
        nodes.append(helper.make_node("MatMul", ["x", "t" if is_turned else "f"], ["y"]))
        x = random.standard_normal((rows, depth)).astype(np.float32)
        graph = helper.make_graph(nodes, "one", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array(array, name) for name, array in operands.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        expected = ReferenceEvaluator(model).run(None, {"x": x})[0]
        np.testing.assert_allclose(by_cupola(model, [x], int8_rows="never")[0], expected, rtol=0, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize("values", [[], [0, 0], [3, 4], [-3, -4], [-1, 2, 5], [1e-30], [-7, 0.5]])
def test_dynamic_ranges(values):
    equal("DynamicQuantizeLinear", np.array(values, np.float32), results=3, onnx_opset=13)


@pytest.mark.parametrize("seed", SEEDS)
def test_dynamic_quantisation(seed):
    random = np.random.default_rng(seed)
    x = (random.standard_normal(tuple(random.integers(1, 30, 2))) * 3 + random.uniform(-2, 2)).astype(np.float32)
    equal("DynamicQuantizeLinear", x, results=3, onnx_opset=13, dynamic=bool(seed % 2))


def wide_product(a, zero_a, b, zero_b):
    return np.matmul(a.astype(np.int64) - zero_a, b.astype(np.int64) - zero_b)


def shapes(random):
    """Of two factors; some of rank 1, some with batches."""
    m, k, n = (int(e) for e in random.integers(1, 70, 3))
    return [((m, k), (k, n)), ((3, m, k), (k, n)), ((2, 1, m, k), (3, k, n))][int(random.integers(3))]


@pytest.mark.parametrize("left, right", BYTES)
@pytest.mark.parametrize("seed", SEEDS)
def test_products(left, right, seed):
    random = np.random.default_rng(seed)
    shape_a, shape_b = shapes(random)
    a, b = integers(random, left, *shape_a), integers(random, right, *shape_b)
    zero_a, zero_b = integers(random, left), integers(random, right, *(() if seed % 2 else shape_b[-1:]))
    operands = (a, Const(b) if seed % 2 else b, zero_a, Const(zero_b) if seed % 3 else zero_b)
    found, = by_cupola(model_of("MatMulInteger", operands, types=[np.int32], dynamic=seed == 2), operands)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, wide_product(a, zero_a, b, zero_b))
    if left == right == np.uint8:
        equal("MatMulInteger", *operands)


@pytest.mark.parametrize("device", ["CPU", "SIM"])
@pytest.mark.parametrize("shape_a, shape_b", [((37, 64), (64, 40)), ((2, 19, 48), (2, 48, 33)), ((1, 33), (33, 130))])
def test_weights_that_take_more_than_a_byte(shape_a, shape_b, device):
    """uint8 less zero points, one or one per column; those of the other factor are one, or one per row."""
    if not cupola.backend.supports_device(device):
        pytest.skip(f"this build has no device {device}")
    random = np.random.default_rng(22)
    a, b = integers(random, np.uint8, *shape_a), integers(random, np.uint8, *shape_b)
    columns, rows = integers(random, np.uint8, *shape_b[:-2], 1, shape_b[-1]), integers(random, np.uint8, *shape_a[:-1], 1)
    for zero_a, zero_b in ((np.asarray(np.uint8(7)), np.asarray(np.uint8(119))), (np.asarray(np.uint8(250)), columns), (rows, columns)):
        operands = (a, Const(b), zero_a, Const(zero_b))
        model = model_of("MatMulInteger", operands, types=[np.int32])
        found, = cupola.backend.prepare(model, device, **OPTIONS).run([a, zero_a])
        np.testing.assert_array_equal(found, wide_product(a, zero_a, b, zero_b))


@pytest.mark.parametrize("device", ["CPU", "SIM"])
@pytest.mark.parametrize("stride, pads, size", [(1, (1, 1, 1, 1), 3), (2, (0, 1, 1, 0), 3), (2, (0, 0, 0, 0), 1)])
def test_filters_that_take_more_than_a_byte(stride, pads, size, device):
    """uint8 less a zero point, and an image whose zero point, which its border has, is known when the model runs."""
    if not cupola.backend.supports_device(device):
        pytest.skip(f"this build has no device {device}")
    random = np.random.default_rng(23)
    x, w, zero = integers(random, np.uint8, 2, 32, 9, 11), integers(random, np.uint8, 48, 32, size, size), np.asarray(np.uint8(93))
    operands = (x, Const(w), zero, Const(np.uint8(119)))
    model = model_of("ConvInteger", operands, types=[np.int32], strides=[stride, stride], pads=pads)
    found, = cupola.backend.prepare(model, device, **OPTIONS).run([x, zero])
    expected, = ReferenceEvaluator(model).run(None, {"x0": x, "x2": zero})
    np.testing.assert_array_equal(found, expected)


def test_products_of_vectors():
    random = np.random.default_rng(14)
    for shape_a, shape_b in (((9,), (9, 4)), ((4, 9), (9,)), ((9,), (9,)), ((0, 9), (9, 4)), ((3, 0), (0, 2))):
        a, b = integers(random, np.uint8, *shape_a), integers(random, np.uint8, *shape_b)
        operands = (a, b, np.asarray(np.uint8(3)), np.asarray(np.uint8(200)))
        found, = by_cupola(model_of("MatMulInteger", operands, types=[np.int32]), operands)
        np.testing.assert_array_equal(found, wide_product(a, 3, b, 200))


def test_sums_that_leave_32_bits_wrap():
    a, b = np.full((1, 70000), 255, np.uint8), np.full((70000, 1), 255, np.uint8)
    found, = by_cupola(model_of("MatMulInteger", (a, b), types=[np.int32]), (a, b))
    assert found == np.array(70000 * 255 * 255).astype(np.int32)


def test_sums_wrap_where_the_op_gives_bytes():
    random = np.random.default_rng(21)
    a, b = integers(random, np.int8, 5, 9), integers(random, np.int8, 9, 20)
    for device in ("CPU", "SIM"):
        if cupola.backend.supports_device(device):
            model = model_of("Einsum", (a, b), types=[np.int8], equation="ij,jk->ik")
            found, = cupola.backend.prepare(model, device, **OPTIONS).run([a, b])
            np.testing.assert_array_equal(found, np.matmul(a.astype(np.int64), b).astype(np.int8))


def requantised(sums, factor, zero, kind):
    bounds = np.iinfo(kind)
    return np.clip(np.rint(sums.astype(np.float32) * factor).astype(np.int64) + zero, bounds.min, bounds.max).astype(kind)


@pytest.mark.parametrize("left, right", BYTES)
@pytest.mark.parametrize("seed", SEEDS)
def test_quantised_products(left, right, seed):
    random = np.random.default_rng(seed)
    shape_a, shape_b = shapes(random)
    columns = () if seed % 2 else shape_b[-1:]
    a, b = integers(random, left, *shape_a), integers(random, right, *shape_b)
    scale_a, scale_b = scales(random), scales(random, *columns)
    scale_y, zero_y = np.asarray(np.float32(16 * shape_a[-1])), integers(random, left)
    zero_a, zero_b = integers(random, left), integers(random, right, *columns)
    operands = (a, scale_a, zero_a, Const(b), Const(scale_b), Const(zero_b), scale_y, zero_y)
    found, = by_cupola(model_of("QLinearMatMul", operands, types=[left]), operands)
    sums = wide_product(a, zero_a, b, zero_b).astype(np.int32)
    np.testing.assert_array_equal(found, requantised(sums, scale_a * scale_b / scale_y, zero_y, left))
    if left == right == np.uint8 and not columns:
        equal("QLinearMatMul", *operands)


CONVOLUTIONS = [((1, 3, 9, 8), (5, 3, 3, 2), {"pads": [1, 0, 1, 1]}), ((2, 4, 7, 7), (6, 2, 3, 3), {"group": 2, "strides": [2, 1]}),
                ((1, 6, 8, 8), (6, 1, 3, 3), {"group": 6, "pads": [1, 1, 1, 1]}), ((2, 3, 11), (4, 3, 3), {"dilations": [2]}),
                ((1, 8, 4, 4), (16, 8, 1, 1), {}), ((1, 2, 4, 5, 6), (3, 2, 2, 3, 1), {"auto_pad": "SAME_UPPER"})]


@pytest.mark.parametrize("shape, filters, attributes", CONVOLUTIONS)
def test_convolutions(shape, filters, attributes):
    random = np.random.default_rng(15)
    x, w = integers(random, np.uint8, *shape), integers(random, np.uint8, *filters)
    zero_x, zero_w = Const(np.uint8(120)), Const(np.uint8(7))
    equal("ConvInteger", x, Const(w), zero_x, zero_w, **attributes)
    equal("ConvInteger", x, w, **attributes)
    equal("ConvInteger", x, Const(w), np.asarray(np.uint8(120)), Const(np.uint8(119)), **attributes)
    bias = random.integers(-9999, 9999, filters[0]).astype(np.int32)
    scale_y = Const(np.float32(np.prod(filters[1:])))
    one = (x, Const(np.float32(0.3)), zero_x, Const(w), Const(np.float32(0.7)), zero_w, scale_y, Const(np.uint8(131)))
    equal("QLinearConv", *one, **attributes)
    equal("QLinearConv", *one, Const(bias), **attributes)


@pytest.mark.parametrize("shape, filters, attributes", CONVOLUTIONS[:5])
def test_filters_with_scales_of_their_own(shape, filters, attributes):
    """7 bits of weights: no pair of products leaves 16 bits."""
    random = np.random.default_rng(16)
    x, w = integers(random, np.uint8, *shape), random.integers(-64, 64, filters).astype(np.int8)
    bias = random.integers(-9999, 9999, filters[0]).astype(np.int32)
    equal("QLinearConv", x, Const(np.float32(0.3)), Const(np.uint8(120)), Const(w), Const(scales(random, filters[0])),
          Const(np.zeros(filters[0], np.int8)), Const(np.float32(np.prod(filters[1:]))), Const(np.uint8(131)), Const(bias), **attributes)


def dequantised(kind, name, scale, zero, axis=1):
    """The nodes and constants of a DequantizeLinear of x, the input, or of w, a constant."""
    constants = [numpy_helper.from_array(np.asarray(scale), f"{name}_scale"), numpy_helper.from_array(np.asarray(zero, kind), f"{name}_zero")]
    return helper.make_node("DequantizeLinear", [name, f"{name}_scale", f"{name}_zero"], [f"{name}_real"], axis=axis), constants


def of_dequantised(op, x, w, scale_w, zero_w, axis, transposed=False, **attributes):
    """The op of (x - 120) * 0.3 and the dequantised w, requantised: as onnxruntime computes it in floats, but for one step where sums end
    between two integers."""
    left, constants = dequantised(x.dtype, "x", np.float32(0.3), 120)
    right, more = dequantised(w.dtype, "w", scale_w, zero_w, axis)
    nodes = [left, right]
    if transposed:
        nodes.append(helper.make_node("Transpose", ["w_real"], ["w_turned"], perm=[1, 0]))
    nodes.append(helper.make_node(op, ["x_real", "w_turned" if transposed else "w_real"], ["sum"], **attributes))
    size = np.asarray(np.float32(0.3 * np.max(scale_w) * 40 * np.sqrt(w.size / w.shape[0])))
    nodes.append(helper.make_node("QuantizeLinear", ["sum", "y_scale", "x_zero"], ["y"]))
    constants += [*more, numpy_helper.from_array(w, "w"), numpy_helper.from_array(size, "y_scale")]
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(nodes, "quantised", [helper.make_tensor_value_info("x", kind, x.shape)],
                              [helper.make_tensor_value_info(name, number, None) for name, number in
                               (("sum", TensorProto.FLOAT), ("y", kind))], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    sums, y = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    found_sums, found_y = cupola.backend.prepare(model, "CPU", **OPTIONS).run([x])
    np.testing.assert_allclose(found_sums, sums, rtol=1e-5, atol=1e-4 * float(size))
    assert np.max(np.abs(found_y.astype(int) - y.astype(int))) <= 1


@pytest.mark.parametrize("shape, filters, attributes", CONVOLUTIONS)
@pytest.mark.parametrize("own", [False, True])
def test_convolutions_of_dequantised_bytes(shape, filters, attributes, own):
    random = np.random.default_rng(18)
    x, w = integers(random, np.uint8, *shape), integers(random, np.int8, *filters)
    count = (filters[0], ) if own else ()
    of_dequantised("Conv", x, w, scales(random, *count), np.zeros(count), 0, **attributes)


@pytest.mark.parametrize("zero", [0, -3])
@pytest.mark.parametrize("form", ["columns", "one", "turned", "depth"])
def test_products_of_dequantised_bytes(form, zero):
    random = np.random.default_rng(19)
    x, w = integers(random, np.uint8, 2, 7, 33), integers(random, np.int8, *((18, 33) if form == "turned" else (33, 18)))
    axis = {"columns": 1, "one": 1, "turned": 0, "depth": 0}[form]
    count = () if form == "one" else (w.shape[axis], )
    of_dequantised("MatMul", x, w, scales(random, *count), np.full(count, zero), axis, transposed=form == "turned")
