#===- test/Onnx/test_microsoft.py - Ops of com.microsoft beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""Each op over random shapes, values and attributes, from a seed."""

import itertools
import math

import beside
import numpy as np
import onnx
import onnxruntime
import pytest
from beside import Const
from microsoft import DOMAIN, by_cupola, close, equal, floats
from onnx import TensorProto, helper, numpy_helper


def by_onnxruntime(op, *operands, **attributes):
    return beside.by_onnxruntime(beside.model_of(op, operands, **attributes), operands)[0]


# ---- Activations and products ----

@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("op, least", [("Gelu", 1), ("QuickGelu", 1), ("FastGelu", 1), ("FastGelu", 2), ("BiasGelu", 2)])
def test_gelus(op, least, dynamic):
    random = np.random.default_rng(21)
    close(op, *(floats(random, 3, 5, 8, low=-4, high=4), floats(random, 8))[:least], dynamic=dynamic, tolerance=2e-5)


def test_factor_of_quick_gelu():
    close("QuickGelu", floats(np.random.default_rng(22), 33, low=-4, high=4), alpha=0.7)


@pytest.mark.parametrize("batch_a, batch_b, trans_a, trans_b", list(itertools.product((0, 1), repeat=4)))
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
    found = by_cupola("NhwcConv", x, w, bias, **attributes)
    first = (np.moveaxis(x, -1, 1), np.moveaxis(w, -1, 1), bias)
    expected = by_onnxruntime("Conv", *first, **attributes)
    np.testing.assert_allclose(found, np.moveaxis(expected, 1, -1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("activation", [{}, {"activation": "Relu"}, {"activation": "Clip", "activation_params": [-0.2, 0.5]}])
def test_nhwc_fused_conv(activation):
    """Filters have ONNX's own order."""
    random = np.random.default_rng(61)
    x, w, bias, z = floats(random, 2, 7, 6, 4), floats(random, 6, 2, 3, 3), floats(random, 6), floats(random, 2, 7, 6, 6)
    attributes = {"group": 2, "pads": [1, 1, 1, 1]}
    expected = np.moveaxis(by_onnxruntime("Conv", np.moveaxis(x, -1, 1), w, bias, **attributes), 1, -1) + z
    bounds = activation.get("activation_params", [0, np.inf] if activation else [-np.inf, np.inf])
    found = by_cupola("NhwcFusedConv", x, w, bias, z, **attributes, **activation)
    np.testing.assert_allclose(found, np.clip(expected, *bounds), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("bias", [True, False])
def test_gemm_fast_gelu(bias):
    random = np.random.default_rng(62)
    x, w, b = floats(random, 2, 5, 8, low=-2, high=2), floats(random, 8, 6), floats(random, 6)
    value = x.astype(np.float64) @ w + (b if bias else 0)
    expected = 0.5 * value * (1 + np.tanh(np.sqrt(2 / np.pi) * (value + 0.044715 * value ** 3)))
    np.testing.assert_allclose(by_cupola("GemmFastGelu", x, w, *([b] if bias else [])), expected, rtol=1e-5, atol=1e-5)


def test_sums_around_products():
    """Which onnxruntime has for GPUs alone."""
    random = np.random.default_rng(63)
    x, bias, skip = floats(random, 2, 5, 8, low=-3, high=3), floats(random, 8), floats(random, 2, 5, 8)
    np.testing.assert_allclose(by_cupola("BiasAdd", x, bias, skip), x + bias + skip, rtol=1e-6, atol=1e-6)
    left, right = np.split(x.astype(np.float64) + bias, 2, axis=-1)
    expected = left * right * 0.5 * (1 + np.vectorize(math.erf)(right / np.sqrt(2)))
    np.testing.assert_allclose(by_cupola("BiasSplitGelu", x, bias), expected, rtol=1e-5, atol=1e-5)


def test_transposed_product():
    random = np.random.default_rng(64)
    close("TransposeMatMul", floats(random, 2, 4, 3), floats(random, 2, 4, 5), transA=1, alpha=0.5)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [0, 1])
def test_samples(mode, padding, align):
    random = np.random.default_rng(65)
    close("GridSample", floats(random, 2, 3, 6, 5), floats(random, 2, 4, 7, 2, low=-1.2, high=1.2), mode=mode, padding_mode=padding,
          align_corners=align, tolerance=1e-5)


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


def group_norm(x, gamma, beta, groups, epsilon, activation):
    """Of [N, spatial.., C]."""
    parts = x.astype(np.float64).reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    mean, variance = parts.mean((1, 3), keepdims=True), parts.var((1, 3), keepdims=True)
    y = ((parts - mean) / np.sqrt(variance + epsilon)).reshape(x.shape) * gamma + beta
    return y / (1 + np.exp(-y)) if activation else y


@pytest.mark.parametrize("activation", [0, 1])
@pytest.mark.parametrize("kind, tolerance", [(np.float32, 1e-5), (np.float16, 2e-3)])
def test_group_norm(activation, kind, tolerance):
    """Which onnxruntime has for GPUs alone."""
    random = np.random.default_rng(66)
    x, gamma, beta = floats(random, 2, 5, 4, 12).astype(kind), floats(random, 12), floats(random, 12)
    expected = group_norm(x, gamma, beta, 3, 1e-3, activation)
    options = dict(kind=kind, groups=3, epsilon=1e-3, activation=activation)
    np.testing.assert_allclose(by_cupola("GroupNorm", x, gamma, beta, **options), expected, rtol=tolerance, atol=tolerance)
    first = by_cupola("GroupNorm", np.ascontiguousarray(np.moveaxis(x, -1, 1)), gamma, beta, channels_last=0, **options)
    np.testing.assert_allclose(np.moveaxis(first, 1, -1), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("skip", [(2, 5, 4, 12), (2, 1, 1, 12), (2, 12)])
@pytest.mark.parametrize("bias", [True, False])
def test_group_norm_of_sums(skip, bias):
    random = np.random.default_rng(67)
    x, gamma, beta, skip, b = (floats(random, *shape) for shape in ((2, 5, 4, 12), (12,), (12,), skip, (12,)))
    total = x + (skip if skip.ndim == 4 else skip[:, None, None]) + (b if bias else 0)
    found, sums = by_cupola("SkipGroupNorm", x, gamma, beta, skip, *([b] if bias else []), results=2, groups=4, activation=1)
    np.testing.assert_allclose(sums, total, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found, group_norm(total, gamma, beta, 4, 1e-5, 1), rtol=1e-5, atol=1e-5)


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
    found, = beside.by_cupola(optimised, (x,))
    np.testing.assert_allclose(found, session.run(None, {"x": x})[0], rtol=1e-5, atol=1e-5)
