#===- test/Python/test_chosen_matrices.py - Products of matrices that an index chooses ---===#
# SPDX-License-Identifier: Apache-2.0
"""Experts of a mixture: each row of a batch is multiplied by the weights that its index names, which are read where they lie."""

import itertools

import cupola
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

TARGETS = (("cpu", "x86-64-v3"), ("cpu", "x86-64-v4"), ("sim", "sm_75"), ("sim", "sm_80"), ("sim", "sm_90a"))
QUIET = {"cache_dir": "none", "progress": False, "isolate": False}
EXPERTS, BATCH = 5, 3


def model_of(rows, depth, columns, kind, order, by_nd=False):
    """y = x W[i]; `order`: of the weights [experts, ..], and the side on which they stand."""
    random = np.random.default_rng(1)
    shape = (EXPERTS, depth, columns) if order == "rows" else (EXPERTS, columns, depth)
    weights = random.standard_normal(shape).astype(kind)
    element = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    nodes = [helper.make_node("Unsqueeze", ["i", "last"], ["at"]), helper.make_node("GatherND", ["w", "at"], ["g"], "choice")] if by_nd else [
        helper.make_node("Gather", ["w", "i"], ["g"], "choice", axis=0)]
    if order == "rows":
        nodes.append(helper.make_node("MatMul", ["x", "g"], ["y"], "product"))
    elif order == "columns":
        nodes += [helper.make_node("Transpose", ["g"], ["t"], perm=[0, 2, 1]), helper.make_node("MatMul", ["x", "t"], ["y"], "product")]
    else:
        nodes += [helper.make_node("Transpose", ["x"], ["t"], perm=[0, 2, 1]), helper.make_node("MatMul", ["g", "t"], ["z"], "product"),
                  helper.make_node("Transpose", ["z"], ["y"], perm=[0, 2, 1])]
    graph = helper.make_graph(nodes, "experts", [helper.make_tensor_value_info("x", element, ["batch", rows, depth]),
                                                 helper.make_tensor_value_info("i", TensorProto.INT64, ["batch"])],
                              [helper.make_tensor_value_info("y", element, ["batch", rows, columns])],
                              [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array([-1]), "last")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    inputs = {"x": random.standard_normal((BATCH, rows, depth)).astype(kind), "i": np.array([-1, 0, 3])}
    chosen = weights[inputs["i"]].astype(np.float64)
    return model, inputs, inputs["x"].astype(np.float64) @ (chosen if order == "rows" else chosen.transpose(0, 2, 1))


def session_of(model, device, level):
    options = {"targets": "cpu", "cpu": level} if device == "cpu" else {"targets": "cuda", "arch": level}
    return cupola.Session(cupola.compile(model, **options, **QUIET), device, **({"arch": level} if device == "sim" else {}))


@pytest.mark.parametrize("order", ["rows", "columns", "left"])
@pytest.mark.parametrize("kind", [np.float32, np.float16])
@pytest.mark.parametrize("device, level", TARGETS)
def test_products(device, level, kind, order):
    for rows, (depth, columns) in itertools.product((1, 5, 70), ((64, 96), (40, 33))):
        model, inputs, expected = model_of(rows, depth, columns, kind, order, by_nd=rows == 5)
        found = session_of(model, device, level).run(inputs)["y"]
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0, atol=scale * (1e-6 if kind == np.float32 else 1e-3))


@pytest.mark.parametrize("device, level", TARGETS)
def test_an_index_out_of_range(device, level):
    model, inputs, _ = model_of(1, 64, 96, np.float32, "rows")
    with pytest.raises(cupola.Error, match="'choice'"):
        session_of(model, device, level).run({**inputs, "i": np.array([0, EXPERTS, 1])})


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_nothing_is_copied(target):
    model, _, _ = model_of(1, 64, 96, np.float32, "left")
    assert all(variant.launches == 1 for variant in cupola.explain(model, targets=target, **QUIET).variants)


def mixture(x, router, weights, k):
    """Of experts that are projections with SiLU between them: numpy's MoE of com.microsoft."""
    shares = np.exp(router - router.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    first, second = (w.astype(np.float64).transpose(0, 2, 1) for w in weights)
    inner = np.einsum("td,edh->eth", x, first)
    each = np.einsum("eth,ehd->etd", inner / (1 + np.exp(-inner)), second)
    chosen = np.argsort(-router, axis=1, kind="stable")[:, :k]
    return sum(np.take_along_axis(shares, at, 1) * each[at[:, 0], np.arange(len(x))] for at in chosen.T[:, :, None])


@pytest.mark.parametrize("kind", [np.float32, np.float16])
@pytest.mark.parametrize("device, level", TARGETS)
def test_tokens_by_groups(device, level, kind):
    """One model takes few tokens, each through its own experts, and many, of which those with one expert form groups."""
    random = np.random.default_rng(2)
    k, depth, inner = 2, 32, 48
    weights = [random.standard_normal((EXPERTS, *shape)).astype(kind) / 8 for shape in ((inner, depth), (depth, inner))]
    element = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    node = helper.make_node("MoE", ["x", "r", "w1", "", "w2"], ["y"], "mixture", domain="com.microsoft", k=k, activation_type="silu")
    graph = helper.make_graph([node], "experts", [helper.make_tensor_value_info(name, element, ["tokens", width])
                                                  for name, width in (("x", depth), ("r", EXPERTS))],
                              [helper.make_tensor_value_info("y", element, ["tokens", depth])],
                              [numpy_helper.from_array(w, f"w{i + 1}") for i, w in enumerate(weights)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    session = session_of(helper.make_model(graph, opset_imports=opsets, ir_version=8), device, level)
    for tokens in (1, 3, 60, 17):
        x, router = (random.standard_normal((tokens, width)).astype(kind) for width in (depth, EXPERTS))
        router[:, 2] += 2  # which most take
        expected = mixture(x.astype(np.float64), router.astype(np.float64), weights, k)
        found = session.run({"x": x, "r": router})["y"]
        np.testing.assert_allclose(found, expected, rtol=0, atol=np.abs(expected).max() * (2e-6 if kind == np.float32 else 3e-3))
