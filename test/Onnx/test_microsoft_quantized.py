#===- test/Onnx/test_microsoft_quantized.py - Quantised ops of com.microsoft beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""Each op over random shapes, values and attributes, from a seed."""

import ml_dtypes
import numpy as np
import pytest
from beside import Const
from microsoft import by_cupola, bytes_of, close, equal, floats, near, number

SEEDS = range(3)
NUMPYS = (np.uint8, np.int8, np.uint16, np.int16)   # as others onnxruntime returns nothing


# ---- Quantised functions ----

@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_quantised_arithmetic(op, kind):
    random = np.random.default_rng(41)
    for shape in ((3, 5, 7), (7,), (3, 1, 7)):
        near(op, bytes_of(random, 3, 5, 7, kind=kind), number(0.03), number(5, kind), bytes_of(random, *shape, kind=kind), number(0.05),
             number(-3 if kind == np.int8 else 9, kind), number(0.07), number(11, kind))


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("op, attributes", [
    ("QLinearSigmoid", {}), ("QLinearLeakyRelu", {"alpha": 0.2}), ("QLinearSoftmax", {"opset": 13, "axis": 1}),
    ("QLinearSoftmax", {"opset": 11, "axis": 1})])
def test_quantised_functions(op, attributes, kind):
    x = bytes_of(np.random.default_rng(42), 3, 5, 7, kind=kind)
    near(op, x, number(0.05), number(7, kind), number(1 / 256), number(0 if kind == np.uint8 else -128, kind), **attributes)


@pytest.mark.parametrize("last", [0, 1])
def test_quantised_pools(last):
    random = np.random.default_rng(43)
    x = bytes_of(random, 2, 7, 6, 3) if last else bytes_of(random, 2, 3, 7, 6)
    step = (number(0.05), number(7, np.uint8), number(0.04), number(9, np.uint8))
    near("QLinearGlobalAveragePool", x, *step, channels_last=last)
    for attributes in ({}, {"pads": [1, 0, 1, 1], "strides": [2, 2]}, {"pads": [1, 1, 1, 1], "count_include_pad": 1}):
        near("QLinearAveragePool", x, *step, kernel_shape=[3, 2], channels_last=last, **attributes)


def test_quantised_concat():
    random = np.random.default_rng(44)
    parts = [bytes_of(random, 2, n, 5) for n in (3, 1, 4)]
    steps = [(number(s), number(z, np.uint8)) for s, z in ((0.02, 3), (0.05, 128), (0.02, 0))]
    operands = [o for part, step in zip(parts, steps) for o in (part, *step)]
    near("QLinearConcat", number(0.04), number(7, np.uint8), *operands, axis=1)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int16, ml_dtypes.int4, ml_dtypes.uint4])
def test_steps(kind):
    """One for all, and one for each position along an axis."""
    random = np.random.default_rng(71)
    x = floats(random, 3, 5, 7, low=-40, high=40)
    zeros = random.integers(0, 8, 5).astype(kind)
    scales = floats(random, 5, low=0.01, high=2)
    if np.dtype(kind) in NUMPYS:
        near("QuantizeLinear", x, number(0.7), Const(zeros[0]))
        near("QuantizeLinear", x, Const(scales), Const(zeros), axis=1)
    codes = Const(random.integers(0, 8, x.shape).astype(kind))
    close("DequantizeLinear", codes, number(0.7), Const(zeros[0]))
    close("DequantizeLinear", codes, Const(scales), Const(zeros), axis=-2)


def test_steps_of_halves():
    random = np.random.default_rng(72)
    near("QuantizeLinear", floats(random, 3, 7, low=-40, high=40).astype(np.float16), number(0.5, np.float16))
    close("DequantizeLinear", random.integers(-999, 999, (3, 7)).astype(np.int32), number(0.5))


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_quantised_choice(kind):
    random = np.random.default_rng(73)
    near("QLinearWhere", random.integers(0, 2, (3, 1, 7)).astype(bool), bytes_of(random, 3, 5, 7, kind=kind), number(0.03), number(5, kind),
         bytes_of(random, 5, 7, kind=kind), number(0.05), number(9, kind), number(0.07), number(11, kind))


@pytest.mark.parametrize("keepdims", [0, 1])
def test_quantised_mean(keepdims):
    """Which onnxruntime has no kernel for."""
    x = bytes_of(np.random.default_rng(74), 3, 5, 7)
    mean = ((x.astype(np.float64) - 7) * 0.05).mean((1, 2), keepdims=bool(keepdims))
    found = by_cupola("QLinearReduceMean", x, number(0.05), number(7, np.uint8), number(0.02), number(100, np.uint8), kind=np.uint8,
                      axes=[1, -1], keepdims=keepdims)
    assert found.shape == mean.shape
    assert np.abs(found - np.clip(np.rint(mean / 0.02) + 100, 0, 255)).max() <= 1


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_largest_of_windows(kind):
    random = np.random.default_rng(75)
    for attributes in ({}, {"pads": [1, 0, 1, 1], "strides": [2, 1]}, {"ceil_mode": 1, "strides": [2, 2]}):
        equal("NhwcMaxPool", bytes_of(random, 2, 7, 6, 3, kind=kind), kernel_shape=[3, 2], **attributes)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("columns", [False, True])
def test_quantised_conv(last, columns):
    random = np.random.default_rng(76)
    x = bytes_of(random, 2, 7, 6, 4) if last else bytes_of(random, 2, 4, 7, 6)
    scales = Const(floats(random, 6, low=0.01, high=0.1)) if columns else number(0.04)
    w, bias = Const(random.integers(-64, 64, (6, 2, 3, 3)).astype(np.int8)), Const(random.integers(-999, 999, 6).astype(np.int32))
    zero = Const(np.zeros(6 if columns else (), np.int8))
    near("QLinearConv", x, number(0.02), number(120, np.uint8), w, scales, zero, number(0.3), number(90, np.uint8), bias, group=2,
         pads=[1, 0, 1, 1], strides=[2, 1], channels_last=last)


@pytest.mark.parametrize("segments", [False, True])
def test_quantised_embeddings(segments):
    random = np.random.default_rng(77)

    def ids(high):
        return random.integers(0, high, (2, 5)).astype(np.int32)
    tables = [Const(bytes_of(random, *shape)) for shape in ((11, 8), (9, 8), (3, 8), (8,), (8,))]
    scales = [number(s) for s in (0.02, 0.01, 0.03, 0.005, 0.004)]
    zeros = [number(z, np.uint8) for z in (128, 100, 90, 3, 120)]
    if not segments:
        tables[2] = scales[2] = zeros[2] = None
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    close("QEmbedLayerNormalization", ids(11), ids(3) if segments else None, *tables, mask, *scales, *zeros, results=2)


# ---- Quantised products ----

@pytest.mark.parametrize("transposed", [0, 1])
@pytest.mark.parametrize("columns", [False, True])
def test_quantised_gemm(transposed, columns):
    random = np.random.default_rng(45)
    a = bytes_of(random, 6, 9)
    b = bytes_of(random, *((7, 9) if transposed else (9, 7)))
    scale_b = Const(floats(random, 7, low=0.01, high=0.1)) if columns else number(0.03)
    zero_b = Const(bytes_of(random, 7)) if columns else number(100, np.uint8)
    bias = Const(random.integers(-999, 999, 7).astype(np.int32))
    first = (a, number(0.02), number(120, np.uint8), Const(b), scale_b, zero_b)
    close("QGemm", *first, bias, None, None, transB=transposed, tolerance=1e-6)
    near("QGemm", *first, bias, number(0.5), number(90, np.uint8), transB=transposed, alpha=0.5, steps=0)
    near("QGemm", *first, None, number(0.5), number(90, np.uint8), transB=transposed, steps=0)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("seed", SEEDS)
def test_integer_products_to_floats(kind, seed):
    random = np.random.default_rng(seed)
    m, k, n = (int(e) for e in random.integers(1, 40, 3))
    b = Const(bytes_of(random, k, n) if kind == np.uint8 else random.integers(-64, 64, (k, n)).astype(np.int8))
    columns = (n,) if seed % 2 else ()
    scale = Const(floats(random, *columns, low=0.01, high=0.1))
    zero = Const(bytes_of(random, *columns) if kind == np.uint8 else np.zeros(columns, np.int8))
    bias = floats(random, n)
    close("DynamicQuantizeMatMul", floats(random, m, k), b, scale, zero, bias, tolerance=1e-6)
    close("DynamicQuantizeMatMul", floats(random, 2, m, k), b, scale, tolerance=1e-6)
    close("DynamicQuantizeMatMul", floats(random, k), b, scale, tolerance=1e-6)
    close("MatMulIntegerToFloat", bytes_of(random, m, k), b, number(0.03), scale, number(77, np.uint8), zero, bias, tolerance=1e-6)
    close("MatMulIntegerToFloat", bytes_of(random, m, k), b, number(0.03), scale, tolerance=1e-6)


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("optional", [(), ("B",), ("B", "h", "c"), ("B", "lengths"), ("B", "P", "c")])
def test_quantised_lstm(direction, kind, optional):
    """One value that is rounded the other way changes the scale of a step by nothing, but a product by one step of the quantisation."""
    random = np.random.default_rng(49)
    length, batch, width, hidden, parts = 6, 3, 10, 8, 2 if direction == "bidirectional" else 1
    per_column = (4 * hidden,) if "h" in optional or "P" in optional else ()

    def weights(rows):
        values = random.integers(-64, 64, (parts, rows, 4 * hidden))
        zero = np.zeros if kind == np.int8 else np.ones   # onnxruntime's, where columns have their own
        return Const((values + (kind == np.uint8) * 64).astype(kind)), (Const(floats(random, parts, *per_column, low=0.002, high=0.01)), Const(
            zero((parts, *per_column), kind) * kind(0 if kind == np.int8 else 67)))
    (w, of_w), (r, of_r) = weights(width), weights(hidden)
    operands = {"B": floats(random, parts, 8 * hidden), "lengths": np.array([6, 4, 1], np.int32), "h": floats(random, parts, batch, hidden),
                "c": floats(random, parts, batch, hidden), "P": floats(random, parts, 3 * hidden)}
    middle = [operands[name] if name in optional else None for name in operands]
    x = floats(random, length, batch, width, low=-2, high=3)
    close("DynamicQuantizeLSTM", x, w, r, *middle, *of_w, *of_r, results=3, tolerance=5e-3, hidden_size=hidden, direction=direction)


def test_quantised_lstm_of_open_length():
    random = np.random.default_rng(50)
    x, hidden = floats(random, 17, 1, 24), 32
    w, r = (Const(bytes_of(random, 2, rows, 4 * hidden)) for rows in (24, hidden))
    numbers = Const(floats(random, 2, low=0.002, high=0.004)), Const(np.array([120, 130], np.uint8))
    close("DynamicQuantizeLSTM", x, w, r, Const(floats(random, 2, 8 * hidden)), None, None, None, None, *numbers, *numbers, results=3,
          tolerance=5e-3, dynamic=True, hidden_size=hidden, direction="bidirectional")


@pytest.mark.parametrize("bits, points", [(4, "none"), (4, "packed"), (4, "floats"), (8, "none"), (8, "packed")])
@pytest.mark.parametrize("depth, block", [(64, 32), (80, 16), (50, 32), (160, 16)])
@pytest.mark.parametrize("rows", [6, 72])
def test_weights_of_few_bits(bits, points, depth, block, rows):
    """Many of them stay packed, some of those in another order."""
    random = np.random.default_rng(46)
    blocks = -(-depth // block)
    weights, scales = bytes_of(random, rows, blocks, block * bits // 8), floats(random, rows, blocks, low=0.01, high=0.1)
    zero = {"none": None, "packed": Const(bytes_of(random, rows, -(-blocks * bits // 8))),
            "floats": Const(floats(random, rows, blocks, low=0, high=2 ** bits))}[points]
    options = dict(K=depth, N=rows, bits=bits, block_size=block)
    close("MatMulNBits", floats(random, 2, 3, depth), Const(weights), Const(scales), zero, tolerance=2e-5, **options)
    close("MatMulNBits", floats(random, 1, depth), Const(weights), Const(scales), zero, None, floats(random, rows), tolerance=2e-5, **options)


@pytest.mark.parametrize("quant_type", [0, 1])
@pytest.mark.parametrize("depth, rows, block", [(64, 48, 64), (24, 5, 16), (7, 3, 32), (33, 9, 64)])
def test_weights_of_a_codebook(quant_type, depth, rows, block):
    """Blocks go on over the ends of rows, and the last byte may be half empty."""
    random = np.random.default_rng(49)
    codes = bytes_of(random, -(-depth * rows // 2))
    codes[:8] = np.arange(0, 16, 2) << 4 | np.arange(1, 16, 2)
    scales = floats(random, -(-depth * rows // block), low=0.01, high=2)
    options = dict(K=depth, N=rows, block_size=block, quant_type=quant_type, tolerance=1e-6)
    close("MatMulBnb4", floats(random, 2, 3, depth), Const(codes), Const(scales), **options)
    close("MatMulBnb4", floats(random, 1, depth), codes, Const(scales), transB=1, **options)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("shape, block", [((9, 64), 16), ((5, 3, 80), 32), ((4, 16), 128)])
@pytest.mark.parametrize("with_zero", [False, True])
def test_rows_of_packed_blocks(bits, shape, block, with_zero):
    """Some bytes of zero points are not full."""
    random = np.random.default_rng(47)
    blocks = (*shape[:-1], -(-shape[-1] // block))
    data, scales = bytes_of(random, *shape[:-1], shape[-1] * bits // 8), floats(random, *blocks, low=0.01, high=0.1)
    zero = [Const(bytes_of(random, *blocks[:-1], -(-blocks[-1] * bits // 8)))] if with_zero else []
    options = dict(bits=bits, block_size=block, quantize_axis=len(shape) - 1)
    for indices in (random.integers(-shape[0], shape[0], (2, 5)), random.integers(0, shape[0], 7).astype(np.int32)):
        close("GatherBlockQuantized", Const(data), indices, Const(scales), *zero, tolerance=1e-6, **options)
    close("GatherBlockQuantized", Const(data), random.integers(0, shape[0], (2, 3)), Const(scales.astype(np.float16)), *zero, tolerance=1e-3,
          dynamic=True, **options)


@pytest.mark.parametrize("kind", [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float8_e4m3fn])
@pytest.mark.parametrize("gather, quantize", [(0, 1), (1, 0), (0, 2), (-1, 1), (2, 0)])
def test_rows_of_narrow_blocks(kind, gather, quantize):
    random = np.random.default_rng(48)
    shape = (18, 33, 7)
    blocks = [-(-e // 16) if axis == quantize else e for axis, e in enumerate(shape)]
    data, zero = (bytes_of(random, *s).astype(np.float32) / 16 for s in (shape, blocks))
    zero = () if kind == ml_dtypes.float8_e4m3fn else (Const((zero // 2).astype(kind)),)
    for points in {(), zero}:
        close("GatherBlockQuantized", Const((data // 2).astype(kind)), random.integers(0, 7, (2, 3)),
              Const(floats(random, *blocks, low=0.01, high=0.1)), *points, tolerance=1e-6, block_size=16, gather_axis=gather,
              quantize_axis=quantize)
