#===- test/Onnx/test_microsoft.py - Ops of com.microsoft beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""Each op over random shapes, values and attributes, from a seed. onnxruntime multiplies uint8 by int8 inexactly on some machines: weights
of 7 bits do not show it."""

import functools
import itertools

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from beside import Const, both, by_cupola, close, equal, model_of, near
from onnx import TensorProto, helper, numpy_helper

DOMAIN = "com.microsoft"
close, equal, near, both = (functools.partial(f, domain=DOMAIN) for f in (close, equal, near, both))
SEEDS = range(3)


def floats(random, *shape, low=-1.0, high=1.0):
    return random.uniform(low, high, shape).astype(np.float32)


def bytes_of(random, *shape, kind=np.uint8):
    bounds = np.iinfo(kind)
    return random.integers(bounds.min, bounds.max + 1, shape).astype(kind)


def number(value, kind=np.float32):
    return Const(np.array(value, kind))


# ---- Activations and products ----

@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("op, least", [("Gelu", 1), ("QuickGelu", 1), ("FastGelu", 1), ("FastGelu", 2), ("BiasGelu", 2)])
def test_gelus(op, least, dynamic):
    random = np.random.default_rng(21)
    close(op, *(floats(random, 3, 5, 8, low=-4, high=4), floats(random, 8))[:least], dynamic=dynamic, tolerance=2e-5)


def test_factor_of_quick_gelu():
    close("QuickGelu", floats(np.random.default_rng(22), 33, low=-4, high=4), alpha=0.7)


@pytest.mark.parametrize("batch_a, batch_b, trans_a, trans_b", itertools.product((0, 1), repeat=4))
def test_fused_matmul(batch_a, batch_b, trans_a, trans_b):
    random = np.random.default_rng(23)
    b, m, k, n = (int(e) for e in random.integers(2, 9, 4))

    def factor(rows, columns, transposed, batch_last):
        shape = (columns, rows) if transposed else (rows, columns)
        return floats(random, *((shape[0], b, shape[1]) if batch_last else (b, *shape)))
    close("FusedMatMul", factor(m, k, trans_a, batch_a), factor(k, n, trans_b, batch_b), alpha=0.25, transA=trans_a, transB=trans_b,
          transBatchA=batch_a, transBatchB=batch_b)


def test_fused_matmul_of_matrices_and_vectors():
    random = np.random.default_rng(24)
    close("FusedMatMul", floats(random, 4, 3), floats(random, 5, 4), transA=1, transB=1)
    close("FusedMatMul", floats(random, 2, 3, 4), floats(random, 4, 5), dynamic=True)


@pytest.mark.parametrize("activation, parameters", [
    ("Relu", ()), ("Sigmoid", ()), ("Tanh", ()), ("LeakyRelu", (0.3,)), ("HardSigmoid", (0.3, 0.4)), ("Elu", (0.7,)), ("Softplus", ()),
    ("Softsign", ()), ("ThresholdedRelu", (0.2,))])
def test_fused_gemm(activation, parameters):
    random = np.random.default_rng(25)
    attributes = dict(zip(("activation_alpha", "activation_beta"), parameters))
    close("FusedGemm", floats(random, 4, 6), floats(random, 5, 6), floats(random, 5), alpha=0.5, beta=2.0, transB=1, activation=activation,
          **attributes)


@pytest.mark.parametrize("activation, parameters", [
    ("Relu", None), ("Sigmoid", None), ("Tanh", None), ("LeakyRelu", [0.3]), ("HardSigmoid", [0.3, 0.4]), ("Clip", [-0.2, 0.5])])
def test_fused_conv(activation, parameters):
    random = np.random.default_rng(26)
    attributes = {} if parameters is None else {"activation_params": parameters}
    x, w, bias = floats(random, 2, 4, 7, 6), floats(random, 6, 2, 3, 3), floats(random, 6)
    close("FusedConv", x, w, bias, floats(random, 2, 6, 7, 6), group=2, pads=[1, 1, 1, 1], activation=activation, **attributes)
    close("FusedConv", x, w, bias, group=2, activation=activation, **attributes)


def test_nhwc_conv():
    """Which onnxruntime has for GPUs alone: it is Conv of other layouts."""
    random = np.random.default_rng(27)
    x, w, bias = floats(random, 2, 7, 6, 4), floats(random, 6, 3, 3, 2), floats(random, 6)
    attributes = {"group": 2, "pads": [1, 0, 1, 1], "strides": [2, 1]}
    found, = by_cupola(model_of("NhwcConv", (x, w, bias), 1, domain=DOMAIN, types=[np.float32], **attributes), (x, w, bias))
    first = (np.moveaxis(x, -1, 1), np.moveaxis(w, -1, 1), bias)
    expected, = by_cupola(model_of("Conv", first, 1, types=[np.float32], **attributes), first)
    np.testing.assert_allclose(found, np.moveaxis(expected, 1, -1), rtol=1e-5, atol=1e-5)


def test_cdist():
    random = np.random.default_rng(28)
    a, b = floats(random, 5, 7), floats(random, 9, 7)
    close("CDist", a, b, metric="euclidean", tolerance=1e-4)
    close("CDist", a, b, metric="sqeuclidean", tolerance=1e-4)


def test_trilu():
    x = floats(np.random.default_rng(29), 2, 4, 5)
    equal("Trilu", x, Const(np.array(-1)), upper=0)
    equal("Trilu", x)


# ---- Normalisations ----

@pytest.mark.parametrize("dynamic", [False, True])
def test_normalisations_of_sums(dynamic):
    random = np.random.default_rng(31)
    x, skip, gamma, beta, bias = floats(random, 2, 5, 8), floats(random, 2, 5, 8), *(floats(random, 8) for _ in range(3))
    close("SkipLayerNormalization", x, skip, gamma, beta, bias, epsilon=1e-3, dynamic=dynamic)
    close("SkipLayerNormalization", x, skip, gamma, dynamic=dynamic)
    close("SkipSimplifiedLayerNormalization", x, skip, gamma, bias, epsilon=1e-3, dynamic=dynamic)
    close("SkipSimplifiedLayerNormalization", x, skip, gamma, dynamic=dynamic)
    close("SkipLayerNormalization", x, skip[0], gamma, beta)


@pytest.mark.parametrize("op, operands", [("SkipLayerNormalization", 5), ("SkipSimplifiedLayerNormalization", 4)])
def test_the_sum_itself(op, operands):
    random = np.random.default_rng(32)
    x = [floats(random, 2, 5, 8), floats(random, 2, 5, 8), *(floats(random, 8) for _ in range(3))][:operands]
    close(op, *x, outputs=("y", "", "", "sum"), epsilon=1e-5)


def test_normalisations_in_onnx_own_domain():
    random = np.random.default_rng(33)
    x, gamma, beta = floats(random, 2, 5, 8), floats(random, 8), floats(random, 8)
    close("LayerNormalization", x, gamma, beta, domain="", onnx_opset=14, epsilon=1e-3)
    close("SimplifiedLayerNormalization", x, gamma, domain="", onnx_opset=17, axis=-1, epsilon=1e-3, stash_type=1)


@pytest.mark.parametrize("segments", [False, True])
def test_embeddings(segments):
    random = np.random.default_rng(34)

    def ids(high):
        return random.integers(0, high, (2, 5)).astype(np.int32)
    tables = [floats(random, rows, 8) for rows in (11, 9, 3)]
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)
    close("EmbedLayerNormalization", ids(11), ids(3) if segments else None, Const(tables[0]), Const(tables[1]),
          Const(tables[2]) if segments else None, floats(random, 8), floats(random, 8), mask, *([ids(9)] if segments else []), results=2)


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


# ---- Attention ----

def mask_of(random, batch, keys):
    """Whole keys at first, as padding has it."""
    return (np.arange(keys) < random.integers(1, keys + 1, (batch, 1))).astype(np.int32)


def grid_of(random, batch, queries, keys):
    """Every query sees a key: without one all that is left of scores are the last bits of large numbers."""
    grid = random.integers(0, 2, (batch, queries, keys)).astype(np.int32)
    grid[..., 0] = 1
    return grid


@pytest.mark.parametrize("heads, interleaved, part", [(2, 0, 0), (2, 1, 0), (3, 0, 4)])
@pytest.mark.parametrize("rank", [3, 4])
def test_rotary(heads, interleaved, part, rank):
    random = np.random.default_rng(51)
    size = 8
    x = floats(random, 2, 5, heads * size) if rank == 3 else floats(random, 2, heads, 5, size)
    angles = floats(random, 17, (part or size) // 2, low=-3, high=3)
    caches = Const(np.cos(angles)), Const(np.sin(angles))
    options = dict(interleaved=interleaved, **({"rotary_embedding_dim": part, "num_heads": heads} if part else {}))
    close("RotaryEmbedding", x, random.integers(0, 17, (2, 5)), *caches, **options)
    close("RotaryEmbedding", x, np.array([3]), *caches, **options)


@pytest.mark.parametrize("mask", ["none", "lengths", "both ends", "keys", "grid"])
@pytest.mark.parametrize("causal", [0, 1])
def test_attention(mask, causal):
    random = np.random.default_rng(52)
    batch, length, heads, size = 2, 5, 3, 4
    width = heads * size
    masks = {"none": None, "lengths": np.array([3, 5], np.int32), "both ends": np.array([3, 5, 0, 1], np.int32),
             "keys": mask_of(random, batch, length), "grid": grid_of(random, batch, length, length)}
    operands = [floats(random, batch, length, 7), Const(floats(random, 7, 3 * width)), Const(floats(random, 3 * width)), masks[mask]]
    close("Attention", *operands, num_heads=heads, unidirectional=causal, tolerance=2e-5)
    close("Attention", *operands, None, floats(random, batch, heads, length, length), num_heads=heads, unidirectional=causal, tolerance=2e-5)


def test_attention_with_a_past():
    random = np.random.default_rng(53)
    past = floats(random, 2, 2, 3, 6, 4)
    close("Attention", floats(random, 2, 5, 7), Const(floats(random, 7, 36)), Const(floats(random, 36)), None, past, num_heads=3,
          unidirectional=1, results=2, tolerance=2e-5)
    close("Attention", floats(random, 2, 5, 7), Const(floats(random, 7, 32)), Const(floats(random, 32)), num_heads=2, scale=0.3,
          qkv_hidden_sizes=[12, 12, 8], tolerance=2e-5)


@pytest.mark.parametrize("mask", ["none", "lengths", "keys", "grid"])
@pytest.mark.parametrize("causal", [0, 1])
def test_multi_head_attention(mask, causal):
    random = np.random.default_rng(54)
    batch, queries, keys, heads, size = 2, 5, 5 if causal else 7, 3, 4
    masks = {"none": None, "lengths": np.array([3, keys], np.int32), "keys": mask_of(random, batch, keys),
             "grid": grid_of(random, batch, queries, keys)}
    q, k, v = floats(random, batch, queries, 12), floats(random, batch, keys, 12), floats(random, batch, keys, 18)
    close("MultiHeadAttention", q, k, v, None, masks[mask], num_heads=heads, unidirectional=causal, tolerance=2e-5)
    close("MultiHeadAttention", q, k, v, floats(random, 42), masks[mask], floats(random, 1, heads, queries, keys), num_heads=heads,
          unidirectional=causal, tolerance=2e-5)


def test_heads_and_caches():
    random = np.random.default_rng(55)
    close("MultiHeadAttention", floats(random, 2, 5, 12), floats(random, 2, 3, 7, 4), floats(random, 2, 3, 7, 4), num_heads=3, tolerance=2e-5)
    new = [floats(random, 2, 5, 12) for _ in range(3)]
    close("MultiHeadAttention", *new, None, None, None, floats(random, 2, 3, 6, 4), floats(random, 2, 3, 6, 4), num_heads=3, unidirectional=1,
          results=3, tolerance=2e-5)


def attended(*operands):
    return by_cupola(model_of("MultiHeadAttention", operands, domain=DOMAIN, types=[np.float32], num_heads=3), operands)[0]


def test_packed_heads():
    """Which onnxruntime takes on GPUs alone: they are queries, keys and values side by side."""
    packed = floats(np.random.default_rng(58), 2, 5, 3, 3, 4)
    apart = [np.ascontiguousarray(packed[..., i, :]).reshape(2, 5, 12) for i in range(3)]
    np.testing.assert_allclose(attended(packed), attended(*apart), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(attended(apart[0], np.ascontiguousarray(packed[..., 1:, :])), attended(*apart), rtol=1e-6, atol=1e-6)


GROUPED = [{}, {"softcap": 5.0}, {"scale": 0.2}, {"local_window_size": 4}, {"do_rotary": 1}, {"do_rotary": 1, "rotary_interleaved": 1}]


@pytest.mark.parametrize("attributes", GROUPED)
@pytest.mark.parametrize("past", [0, 6])
def test_grouped_queries(attributes, past):
    """A prompt, and tokens behind a cache that is full."""
    random = np.random.default_rng(56)
    batch, length, heads, groups, size = 1 if past else 2, 5, 4, 2, 16
    total = past + length
    q, k, v = floats(random, batch, length, heads * size), *(floats(random, batch, length, groups * size) for _ in range(2))
    cache = [floats(random, batch, groups, past, size) for _ in range(2)] if past else [None, None]
    lengths = np.full(batch, total - 1, np.int32), Const(np.array(total, np.int32))
    angles = floats(random, 32, size // 2, low=-3, high=3)
    caches = [Const(np.cos(angles)), Const(np.sin(angles))] if "do_rotary" in attributes else []
    options = dict(num_heads=heads, kv_num_heads=groups, results=3, tolerance=2e-5, **attributes)
    close("GroupQueryAttention", q, k, v, *cache, *lengths, *caches, **options)
    packed = np.concatenate([q, k, v], axis=-1)
    close("GroupQueryAttention", packed, None, None, *cache, *lengths, *caches, **options)


def test_rows_of_a_cache_that_end_early():
    """Each row of the batch has another number of keys; the rows of the cache behind them are of no meaning."""
    random = np.random.default_rng(57)
    batch, heads, groups, size, room = 3, 4, 2, 16, 12
    q, k, v = floats(random, batch, 1, heads * size), *(floats(random, batch, 1, groups * size) for _ in range(2))
    cache = [floats(random, batch, groups, room, size) for _ in range(2)]
    lengths = np.array([2, 7, 11], np.int32)
    pairs = both("GroupQueryAttention", q, k, v, *cache, lengths, Const(np.array(room, np.int32)), num_heads=heads, kv_num_heads=groups,
                 results=3)
    np.testing.assert_allclose(*pairs[0], rtol=2e-5, atol=2e-5)
    for found, expected in pairs[1:]:
        for row, last in enumerate(lengths):
            np.testing.assert_allclose(found[row, :, :last + 1], expected[row, :, :last + 1], rtol=1e-6)


# ---- What onnxruntime's own optimiser writes ----

def test_what_the_optimiser_writes(tmp_path):
    """A layer with everything that becomes ops of com.microsoft."""
    random = np.random.default_rng(61)
    names = {"w1": floats(random, 16, 32), "b1": floats(random, 32), "w2": floats(random, 32, 16), "b2": floats(random, 16),
             "g": floats(random, 16), "b": floats(random, 16), "root2": np.float32(2 ** 0.5), "one": np.float32(1), "half": np.float32(0.5)}
    nodes = [helper.make_node("MatMul", ["x", "w1"], ["m"]), helper.make_node("Add", ["m", "b1"], ["h"]),
             helper.make_node("Div", ["h", "root2"], ["d"]), helper.make_node("Erf", ["d"], ["e"]),
             helper.make_node("Add", ["e", "one"], ["f"]), helper.make_node("Mul", ["h", "f"], ["p"]),
             helper.make_node("Mul", ["p", "half"], ["gelu"]),
             helper.make_node("MatMul", ["gelu", "w2"], ["n"]), helper.make_node("Add", ["n", "b2"], ["o"]),
             helper.make_node("Add", ["o", "x"], ["sum"]), helper.make_node("LayerNormalization", ["sum", "g", "b"], ["y"], epsilon=1e-5)]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "layer", [value("x", TensorProto.FLOAT, [2, 5, 16])], [value("y", TensorProto.FLOAT, [2, 5, 16])],
                              [numpy_helper.from_array(np.asarray(a), n) for n, a in names.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    optimised = onnx.load(tmp_path / "optimised.onnx")
    assert {"Gelu", "SkipLayerNormalization"} <= {node.op_type for node in optimised.graph.node if node.domain == DOMAIN}
    x = floats(random, 2, 5, 16)
    found, = by_cupola(optimised, (x,))
    np.testing.assert_allclose(found, session.run(None, {"x": x})[0], rtol=1e-5, atol=1e-5)
