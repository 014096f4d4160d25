#===- test/Onnx/test_narrow.py - Element types of 2, 4 and 8 bits ---===#
# SPDX-License-Identifier: Apache-2.0
"""Every value of every type, as an input, an output and between; held against ml_dtypes and ONNX's own rules."""

import cupola.backend
import ml_dtypes
import numpy as np
import onnx.parser
import pytest
from beside import OPTIONS, Const, by_cupola, model_of
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

INTEGERS = [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2]
EIGHTS = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz]
SIGNED = [ml_dtypes.float4_e2m1fn, *EIGHTS]
POWERS = ml_dtypes.float8_e8m0fnu
NARROW = [*INTEGERS, *SIGNED, POWERS]
WIDE = [np.float32, np.float16, ml_dtypes.bfloat16, np.float64, np.int8, np.uint8, np.int32, np.int64, np.bool_]


def number(kind):
    return helper.np_dtype_to_tensor_dtype(np.dtype(kind))


def every(kind):
    info = ml_dtypes.iinfo(kind) if kind in INTEGERS else ml_dtypes.finfo(kind)
    return np.arange(1 << info.bits, dtype=np.uint8).view(kind)


def node(op, *operands, opset=25, result, **attributes):
    """One result of a type."""
    found = by_cupola(model_of(op, operands, onnx_opset=opset, types=[result], **attributes), operands)[0]
    assert found.dtype == np.dtype(result)
    return found


def same(found, expected, bits=True):
    """NaN as NaN, all others bit by bit, or where `bits` is false by value."""
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if found.dtype.kind in "iub" or found.dtype in INTEGERS:
        return np.testing.assert_array_equal(found, expected)
    a, b = found.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_array_equal(a, b)
    if bits:
        np.testing.assert_array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)]))


def rows(kind):
    """Numbers about those of a type: each of them, ties of neighbours, what is next to a tie, and what is beyond."""
    values = every(kind).astype(np.float64)
    values = np.unique(values[np.isfinite(values)])
    ties = (values[1:] + values[:-1]) / 2
    near = [np.nextafter(ties.astype(np.float32), np.float32(end)) for end in (-np.inf, np.inf)]
    beyond = np.array([1.03, 1.07, 1.2, 2, 1e6]) * values.max()
    beyond = np.concatenate([beyond, -beyond, [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-40, -1e-40]])
    return np.concatenate([values, ties, *near, beyond]).astype(np.float32)


@pytest.mark.parametrize("kind", NARROW)
def test_bits_go_through(kind):
    x = every(kind)
    same(node("Identity", x, result=kind), x)
    assert node("Identity", x, result=kind).tobytes() == x.tobytes()
    turned = node("Transpose", x.reshape(2, -1), result=kind)
    assert turned.tobytes() == np.ascontiguousarray(x.reshape(2, -1).T).tobytes()
    assert node("Transpose", np.zeros((0, 3), kind), result=kind).shape == (3, 0)


@pytest.mark.parametrize("kind", [*INTEGERS, ml_dtypes.float4_e2m1fn])
def test_bits_above_an_element_say_nothing(kind):
    """A byte of 255 is the element of the lowest bits."""
    x = np.arange(256, dtype=np.uint8)
    low = x & np.uint8(every(kind).size - 1)
    same(node("Cast", x.view(kind), result=np.float32, to=TensorProto.FLOAT), low.view(kind).astype(np.float32))
    assert np.array_equal(node("Identity", x.view(kind), result=kind).view(np.uint8), low)


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("wide", WIDE)
def test_every_value_as_a_number(kind, wide):
    """What is no number of an integer type is undefined there."""
    x = every(kind)
    values = x.astype(np.float64)
    if np.dtype(wide).kind in "iu":
        info = np.iinfo(wide)
        x = x[(values > info.min - 1) & (values < info.max + 1)]
    with np.errstate(all="ignore"):
        expected = x.astype(np.float64).astype(wide)
    same(node("Cast", x, result=wide, to=number(wide)), expected)
    same(node("CastLike", x, np.zeros(1, wide), result=wide), expected)
    same(node("Cast", Const(x), result=wide, to=number(wide)), expected)


@pytest.mark.parametrize("kind", SIGNED)
@pytest.mark.parametrize("saturate", [0, 1])
def test_numbers_are_rounded_once(kind, saturate):
    x = rows(kind)
    if kind == ml_dtypes.float4_e2m1fn:
        x = x[~np.isnan(x)]                              # it has none
    finite = ml_dtypes.finfo(kind)
    bounded = np.clip(x, float(finite.min), float(finite.max)) if saturate else x
    expected = bounded.astype(kind)
    same(node("Cast", x, result=kind, to=number(kind), saturate=saturate), expected)
    same(node("CastLike", x, np.zeros(1, kind), result=kind, saturate=saturate), expected)


@pytest.mark.parametrize("kind", SIGNED)
def test_doubles_are_rounded_once(kind):
    """Beside a tie, which they would be as float32."""
    values = every(kind).astype(np.float64)
    values = np.unique(np.abs(values[np.isfinite(values)]))
    ties = (values[1:] + values[:-1]) / 2
    for numbers, expected in ((ties * (1 + 2.0 ** -45), values[1:]), (ties * (1 - 2.0 ** -45), values[:-1])):
        same(node("Cast", numbers, result=kind, to=number(kind)), expected.astype(kind))
        same(node("Cast", -numbers, result=kind, to=number(kind)), (-expected).astype(kind))


@pytest.mark.parametrize("kind", SIGNED)
@pytest.mark.parametrize("wide", [np.float16, ml_dtypes.bfloat16, np.int8, np.uint16, np.int32, np.int64, np.bool_])
def test_other_types_are_rounded(kind, wide):
    random = np.random.default_rng(3)
    x = (random.standard_normal(300) * 200).astype(np.int64).astype(wide) if np.dtype(wide).kind in "iub" else \
        (random.standard_normal(300) * 50).astype(wide)
    finite = ml_dtypes.finfo(kind)
    expected = np.clip(x.astype(np.float64), float(finite.min), float(finite.max)).astype(np.float32).astype(kind)
    same(node("Cast", x, result=kind, to=number(kind)), expected)


@pytest.mark.parametrize("kind", SIGNED)
@pytest.mark.parametrize("source", NARROW)
def test_between_narrow_types(kind, source):
    x = every(source)
    numbers = x.astype(np.float32)
    if kind == ml_dtypes.float4_e2m1fn:
        x, numbers = x[~np.isnan(numbers)], numbers[~np.isnan(numbers)]
    finite = ml_dtypes.finfo(kind)
    expected = x if source == kind else np.clip(numbers, float(finite.min), float(finite.max)).astype(kind)
    same(node("Cast", x, result=kind, to=number(kind)), expected)


def powers(x, mode, saturate):
    """By ONNX's table, of x >= 0."""
    with np.errstate(all="ignore"):
        exponent = np.log2(x.astype(np.float64))
        low = np.floor(exponent)
        up = {"up": np.ceil(exponent), "down": low, "nearest": low + (x >= 1.5 * 2.0 ** low)}[mode]
    code = np.where(np.isnan(x), 255, np.clip(up, -127, 127) + 127)
    outside = (up < -127) | (up > 127)
    return np.where(outside & (not saturate), 255, code).astype(np.uint8).view(POWERS)


@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("opset", [24, 25])
def test_powers_of_two(mode, saturate, opset):
    exact = every(POWERS).astype(np.float64)[:-1]
    x = np.concatenate([exact * scale for scale in (1, 1.25, 1.5, 1.75, 1.0001, 1.9999)] + [[0.0, 2.0 ** -128, 2.0 ** -140]])
    with np.errstate(over="ignore"):
        x = np.concatenate([x.astype(np.float32), np.array([np.inf, np.nan], np.float32)])
    attributes = {"to": TensorProto.FLOAT8E8M0, "round_mode": mode, "saturate": saturate, "opset": opset}
    same(node("Cast", x, result=POWERS, **attributes), powers(x, mode, saturate))
    same(node("Cast", x.astype(np.float64), result=POWERS, **attributes), powers(x.astype(np.float64), mode, saturate))
    halves = np.array([0.5, 3, 1000, 65504, 2.0 ** -24], np.float16)
    same(node("Cast", halves, result=POWERS, **attributes), powers(halves, mode, saturate))


def test_powers_of_two_as_onnx_has_them():
    """Where its reference and its table agree: normal numbers of f32."""
    x = np.exp2(np.random.default_rng(4).uniform(-120, 120, 500)).astype(np.float32)
    for mode in ("up", "down", "nearest"):
        expected = numpy_helper.to_float8e8m0(x, True, mode)
        same(node("Cast", x, result=POWERS, to=TensorProto.FLOAT8E8M0, round_mode=mode), expected)


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_keep_their_low_bits(kind):
    x = np.arange(-300, 300)
    for wide in (np.int64, np.int32, np.int16):
        same(node("Cast", x.astype(wide), result=kind, to=number(kind)), x.astype(kind))
        same(node("Cast", Const(x.astype(wide)), result=kind, to=number(kind)), x.astype(kind))
    numbers = np.linspace(-20, 20, 201, dtype=np.float32)
    same(node("Cast", numbers, result=kind, to=number(kind)), numbers.astype(np.int32).astype(kind))
    same(node("CastLike", x, Const(np.zeros(1, kind)), result=kind), x.astype(kind))
    for source in INTEGERS:
        same(node("Cast", every(source), result=kind, to=number(kind)), every(source).astype(np.int32).astype(kind))


def reference(op, operands, result, opset=25, **attributes):
    model = model_of(op, operands, onnx_opset=opset, types=[result], **attributes)
    return ReferenceEvaluator(model).run(None, {f"x{i}": o for i, o in enumerate(operands) if not isinstance(o, Const)})[0]


@pytest.mark.parametrize("kind", [*INTEGERS, *SIGNED])
@pytest.mark.parametrize("constant", [False, True])
def test_quantised(kind, constant):
    random = np.random.default_rng(5)
    spread = 3 * float((ml_dtypes.iinfo if kind in INTEGERS else ml_dtypes.finfo)(kind).max)
    x = (random.standard_normal((6, 9)) * spread).astype(np.float32)
    x[0, :4] = [0, spread * 1e6, -spread * 1e6, 0.5]
    given = Const if constant else np.asarray
    zeros = every(kind)[:9] if kind in INTEGERS else np.zeros(9, kind)
    cases = [((1,), (1,), {}), ((9,), (9,), {"axis": 1}), ((6, 3), (6, 3), {"axis": 1, "block_size": 3})]
    for scale_shape, zero_shape, attributes in cases:
        scale = random.uniform(0.5, 2, scale_shape).astype(np.float32)
        zero = np.resize(zeros, zero_shape)
        expected = reference("QuantizeLinear", [x, scale, zero], kind, **attributes)
        same(node("QuantizeLinear", x, given(scale), given(zero), result=kind, **attributes), expected, bits=False)
        expected = reference("QuantizeLinear", [x, scale], kind, output_dtype=number(kind), **attributes)
        same(node("QuantizeLinear", x, given(scale), result=kind, output_dtype=number(kind), **attributes), expected, bits=False)
        back = expected
        expected = reference("DequantizeLinear", [back, scale, zero], np.float32, **attributes)
        same(node("DequantizeLinear", back, given(scale), given(zero), result=np.float32, **attributes), expected)
    same(node("QuantizeLinear", x[:0], given(np.ones(1, np.float32)), given(zeros[:1]), result=kind), np.zeros((0, 9), kind))


@pytest.mark.parametrize("kind", EIGHTS)
def test_quantised_without_saturation(kind):
    x = np.array([0, 1, 3e38, -3e38, np.inf, np.nan, 300, -500], np.float32)
    expected = reference("QuantizeLinear", [x, np.ones(1, np.float32), np.zeros(1, kind)], kind, saturate=0)
    same(node("QuantizeLinear", x, np.ones(1, np.float32), np.zeros(1, kind), result=kind, saturate=0), expected)


def test_scales_are_powers_of_two():
    random = np.random.default_rng(6)
    x, scale = random.standard_normal((4, 8)).astype(np.float32), np.array([[0.25, 2]] * 4).astype(POWERS)
    attributes = {"axis": 1, "block_size": 4}
    kind = ml_dtypes.float4_e2m1fn
    found = node("QuantizeLinear", x, scale, result=kind, output_dtype=number(kind), **attributes)
    factors = np.repeat(scale.astype(np.float32), 4, axis=1)
    same(found, (x / factors).astype(kind))
    same(node("DequantizeLinear", found, scale, result=np.float32, output_dtype=TensorProto.FLOAT, **attributes),
         found.astype(np.float32) * factors)


@pytest.mark.parametrize("kind", NARROW)
def test_what_moves_elements(kind):
    x = np.resize(every(kind), (4, 6))
    one = every(kind)[1:2]
    moves = [("Reshape", [x, Const(np.array([3, 8]))], {}, x.reshape(3, 8)), ("Squeeze", [x[None]], {}, x),
             ("Unsqueeze", [x, Const(np.array([1]))], {}, x[:, None]), ("Flatten", [x[None]], {"axis": 2}, x),
             ("Concat", [x, x[:1]], {"axis": 0}, np.concatenate([x, x[:1]])),
             ("Expand", [x[:1], Const(np.array([3, 6]))], {}, np.repeat(x[:1], 3, 0)),
             ("Tile", [x, Const(np.array([2, 1]))], {}, np.tile(x, (2, 1))),
             ("Gather", [x, np.array([2, -1])], {}, x[[2, -1]]),
             ("GatherElements", [x, np.array([[1, 0, 2]])], {"axis": 0}, np.array([[x[1, 0], x[0, 1], x[2, 2]]])),
             ("GatherND", [x, np.array([[3, 1]])], {}, x[3, 1:2]),
             ("Slice", [x, Const(np.array([1])), Const(np.array([3]))], {}, x[1:3]),
             ("Pad", [x, Const(np.array([1, 0, 0, 2])), Const(one.reshape(()))], {}, padded(x, one)),
             ("Pad", [x, Const(np.array([1, 0, 0, 2])), one.reshape(())], {}, padded(x, one)),
             ("Pad", [x, Const(np.array([1, 0, 0, 2]))], {}, padded(x, every(kind)[:1])),
             ("Pad", [x, Const(np.array([1, 0, 0, 2]))], {"mode": "edge"}, np.concatenate(
                 [x[:1], x])[:, [0, 1, 2, 3, 4, 5, 5, 5]]),
             ("ConstantOfShape", [Const(np.array([2, 3]))], {"value": numpy_helper.from_array(one)}, np.resize(one, (2, 3))),
             ("ConstantOfShape", [Const(np.array([40, 50]))], {"value": numpy_helper.from_array(one)}, np.resize(one, (40, 50)))]
    for op, operands, attributes, expected in moves:
        found = node(op, *operands, result=kind, **attributes)
        assert found.shape == expected.shape and found.tobytes() == expected.tobytes(), op
    assert list(node("Shape", x, result=np.int64)) == [4, 6] and node("Size", x, result=np.int64) == 24


def padded(x, fill):
    result = np.resize(fill, (5, 8))
    result[1:, :6] = x
    return result


@pytest.mark.parametrize("kind", NARROW)
def test_parts_and_caches(kind):
    x = np.resize(every(kind), (2, 6, 3))
    model = model_of("Split", [x], results=2, onnx_opset=25, types=[kind, kind], axis=1, num_outputs=2)
    for found, expected in zip(by_cupola(model, [x]), np.split(x, 2, axis=1), strict=True):
        assert found.tobytes() == expected.tobytes() and found.dtype == expected.dtype
    expected = x.copy()
    expected[:, 2:4] = x[:, :2]
    found = node("TensorScatter", x, np.ascontiguousarray(x[:, :2]), np.array([2, 2]), result=kind, axis=1)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("kind", EIGHTS)
def test_bits_as_bytes(kind):
    x = every(kind)
    assert node("BitCast", x, opset=26, result=np.uint8, to=TensorProto.UINT8).tobytes() == x.tobytes()
    assert node("BitCast", x.view(np.int8), opset=26, result=kind, to=number(kind)).tobytes() == x.tobytes()


def test_bits_of_four():
    x = every(ml_dtypes.int4)
    for kind in (ml_dtypes.uint4, ml_dtypes.float4_e2m1fn):
        found = node("BitCast", x, opset=26, result=kind, to=number(kind))
        assert found.tobytes() == x.tobytes()
        assert node("BitCast", found, opset=26, result=ml_dtypes.int4, to=TensorProto.INT4).tobytes() == x.tobytes()


CAST_TWICE = """<ir_version: 10, opset_import: ["" : 21]>
    g ({a}[N] x) => ({a}[N] y) {{ q = Cast <to = {to}> (x) y = Cast <to = {back}> (q) }}"""


@pytest.mark.parametrize("device", ["CPU", "SIM"])
@pytest.mark.parametrize("between", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32])
def test_casts_round(kind, between, device):
    """Kernels compute 16 bits in f32; what a Cast says is rounded all the same."""
    model = onnx.parser.parse_model(CAST_TWICE.format(a=TensorProto.DataType.Name(number(kind)).lower(), to=number(between),
                                                      back=number(kind)))
    if kind == np.int32:
        x = np.array([0, -3, 255, 257, 2049, 4097, 65000, -65503], kind)
    else:
        x = np.array([1.0004883, 1 / 3, 65519, 65520, -3e-8, 1.00390625, 3e38, np.inf, -np.inf, np.nan, -0.0], kind)
    found, = cupola.backend.prepare(model, device, **OPTIONS).run([x])
    with np.errstate(over="ignore"):
        same(found, x.astype(between).astype(kind))


BODIES = {
    "If": """<ir_version: 13, opset_import: ["" : 25]>
        g (bool yes, {t}[N] x) => ({t}[M] y) {{
          y = If (yes) <then_branch = one () => ({t}[M] v) {{ v = Identity(x) }},
                        else_branch = two () => ({t}[M] v) {{ v = Concat <axis = 0> (x, x) }}>
        }}""",
    "Loop": """<ir_version: 13, opset_import: ["" : 25]>
        g (int64 n, {t}[N] x) => ({t}[M] y, {t}[A, B] rows) <bool yes = {{1}}, int64[1] front = {{1}}, int64[1] zero = {{0}}> {{
          y, rows = Loop (n, yes, x) <body = one (int64 i, bool c, {t}[K] v) => (bool d, {t}[K] w, {t}[1] r) {{
            d = Identity(c)
            r = Slice(v, zero, front)
            w = Concat <axis = 0> (v, r)
          }}>
        }}""",
    "Scan": """<ir_version: 13, opset_import: ["" : 25]>
        g ({t}[S] state, {t}[N, S] x) => ({t}[S] last, {t}[N, S] rows) {{
          last, rows = Scan <num_scan_inputs = 1, body = one ({t}[S] s, {t}[S] e) => ({t}[S] t, {t}[S] r) {{
            r = Identity(s)
            t = Identity(e)
          }}> (state, x)
        }}""",
}


@pytest.mark.parametrize("kind", [ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e4m3fn, POWERS])
def test_bodies(kind):

    def run(op, *inputs):
        model = onnx.parser.parse_model(BODIES[op].format(t=TensorProto.DataType.Name(number(kind)).lower()))
        results = cupola.backend.prepare(model, "CPU", **OPTIONS).run(inputs)
        assert all(result.dtype == np.dtype(kind) for result in results)
        return [result.tobytes() for result in results]

    x = every(kind)[:4].copy()
    assert run("If", np.array(True), x) == [x.tobytes()]
    assert run("If", np.array(False), x) == [x.tobytes() * 2]
    assert run("Loop", np.array(3), x) == [x.tobytes() + x[:1].tobytes() * 3, x[:1].tobytes() * 3]
    steps = np.stack([x, x[::-1]])
    assert run("Scan", x, steps) == [steps[1].tobytes(), x.tobytes() + steps[0].tobytes()]
