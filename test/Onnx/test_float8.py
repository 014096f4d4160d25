#===- test/Onnx/test_float8.py - Products of float8 operands beside ONNX's reference ---===#
# SPDX-License-Identifier: Apache-2.0
"""Operands are quantised to float8 and back before a product, as exporters write it; values and shapes are random, from a seed. On the
simulator kernels multiply float8, as units of it where the architecture has some and else as f16; on a CPU they are f32."""

import cupola
import cupola.backend
import ml_dtypes
import numpy as np
import pytest
from beside import OPTIONS, by_cupola
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
PAIRS = [(E4M3, E4M3), (E5M2, E5M2), (E4M3, E5M2), (E5M2, E4M3)]
DEVICES = ["CPU", "SIM"]
ARCHS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"]


def normal(random, *shape):
    return random.standard_normal(shape).astype(np.float32)


def quantised(random, kind, values, axis=None):
    """(elements, scale): one, or one for each index of `axis`."""
    kept = None if axis is None else tuple(i for i in range(values.ndim) if i != axis)
    scale = np.abs(values).max(axis=kept) / float(ml_dtypes.finfo(kind).max) * random.uniform(1, 2)
    shape = [-1 if i == axis else 1 for i in range(values.ndim)]
    return (values / (scale if axis is None else scale.reshape(shape))).astype(kind), scale.astype(np.float32)


def model_of(op, x, w, left, right, random, axis=None, turned=False, wide=TensorProto.FLOAT, dynamic=False, **attributes):
    """x is quantised as it comes in, by a power of two, so that halves are divided exactly; w is stored as float8 beside its scales."""
    real = helper.tensor_dtype_to_np_dtype(wide)
    elements, scale = quantised(random, right, w, axis)
    step = np.asarray(np.exp2(np.ceil(np.log2(np.abs(x).max().astype(np.float32) / float(ml_dtypes.finfo(left).max)))))
    constants = {"w": elements, "t": scale.astype(real), "s": step.astype(real), "z": np.zeros((), left)}
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]), helper.make_node("DequantizeLinear", ["q", "s", "z"], ["a"]),
             helper.make_node("DequantizeLinear", ["w", "t"], ["f"], **({} if axis is None else {"axis": axis}))]
    if turned:
        nodes.append(helper.make_node("Transpose", ["f"], ["g"]))
    nodes.append(helper.make_node(op, ["a", "g" if turned else "f"], ["y"], name="product", **attributes))
    shape = [f"d{axis}" for axis in range(x.ndim)] if dynamic else x.shape
    graph = helper.make_graph(nodes, "one", [helper.make_tensor_value_info("x", wide, shape)],
                              [helper.make_tensor_value_info("y", wide, None)],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def check(model, x, device="SIM", tolerance=1e-5):
    expected = ReferenceEvaluator(model).run(None, {"x": x})[0].astype(np.float64)
    found = cupola.backend.prepare(model, device, **OPTIONS).run([x])[0].astype(np.float64)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())




@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("left, right", PAIRS)
def test_matrices(left, right, device):
    random = np.random.default_rng(31)
    for m, k, n in ((64, 128, 64), (33, 19, 70), (5, 68, 40), (1, 64, 32), (130, 208, 16)):
        x, w = normal(random, m, k), normal(random, k, n)
        check(model_of("MatMul", x, w, left, right, random), x, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("turned", [False, True])
def test_scales_of_columns(turned, device):
    random = np.random.default_rng(32)
    x, w = normal(random, 40, 96), normal(random, *((72, 96) if turned else (96, 72)))
    check(model_of("MatMul", x, w, E4M3, E4M3, random, axis=0 if turned else 1, turned=turned), x, device)
    check(model_of("MatMul", x, w, E4M3, E4M3, random, axis=0 if turned else 1, turned=turned, dynamic=True), x, device)


@pytest.mark.parametrize("device", DEVICES)
def test_batches_and_gemm(device):
    random = np.random.default_rng(33)
    x, w = normal(random, 3, 20, 48), normal(random, 48, 32)
    check(model_of("MatMul", x, w, E4M3, E4M3, random), x, device)
    x, w = normal(random, 24, 48), normal(random, 32, 48)
    check(model_of("Gemm", x, w, E4M3, E5M2, random, transB=1), x, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("channels, groups, attributes", [(16, 1, {"pads": [1, 1, 1, 1]}), (3, 1, {"strides": [2, 2]}),
                                                          (32, 2, {"pads": [1, 0, 0, 1], "dilations": [1, 2]})])
def test_convolutions(channels, groups, attributes, device):
    random = np.random.default_rng(34)
    x, w = normal(random, 2, channels, 9, 8), normal(random, 32, channels // groups, 3, 3)
    check(model_of("Conv", x, w, E4M3, E4M3, random, axis=0, group=groups, **attributes), x, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("wide, tolerance", [(TensorProto.FLOAT16, 2e-3), (TensorProto.BFLOAT16, 2e-2)])
def test_halves(wide, tolerance, device):
    random = np.random.default_rng(35)
    x, w = normal(random, 24, 64).astype(helper.tensor_dtype_to_np_dtype(wide)), normal(random, 64, 32)
    check(model_of("MatMul", x, w, E4M3, E4M3, random, wide=wide), x, device, tolerance)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("left, right", PAIRS)
def test_architectures(left, right, arch):
    """Units of float8, f16 made by an instruction, and f16 made by arithmetic; NaN and what is infinite spread as they do in f32."""
    random = np.random.default_rng(36)
    x, w = normal(random, 48, 64), normal(random, 64, 32)
    model = model_of("MatMul", x, w, left, right, random)
    package = cupola.compile(model, targets="cuda", progress=False)
    assert b"warp_mma_tile_float8<" in bytes(package.contents())
    session = cupola.Session(package, "sim", arch=arch)
    x[3, 5], x[7, 0] = np.nan, -np.nan
    expected = ReferenceEvaluator(model).run(None, {"x": x})[0]
    assert np.isnan(expected[[3, 7]]).all() and np.isfinite(expected[0]).all()
    found = session.run({"x": x})["y"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.nanmax(np.abs(expected)))


@pytest.mark.parametrize("device", DEVICES)
def test_casts(device):
    """What comes in as float8, and becomes it by Cast."""
    random = np.random.default_rng(37)
    x, w = normal(random, 24, 64).astype(E4M3), normal(random, 64, 32).astype(E4M3)
    nodes = [helper.make_node("Cast", ["x"], ["a"], to=TensorProto.FLOAT), helper.make_node("Cast", ["w"], ["f"], to=TensorProto.FLOAT),
             helper.make_node("MatMul", ["a", "f"], ["p"]), helper.make_node("Cast", ["p"], ["y"], to=TensorProto.FLOAT8E5M2)]
    graph = helper.make_graph(nodes, "one", [helper.make_tensor_value_info("x", TensorProto.FLOAT8E4M3FN, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT8E5M2, None)], [numpy_helper.from_array(w, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    found = cupola.backend.prepare(model, device, **OPTIONS).run([x])[0]
    product = x.astype(np.float32) @ w.astype(np.float32)
    np.testing.assert_allclose(found.astype(np.float32), product, rtol=0.13, atol=1e-5)
