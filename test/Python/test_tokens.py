#===- test/Python/test_tokens.py - A decoder for prompts and single tokens, in the simulator beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""Kernels whose rows are tokens come twice, for one token and for any number; every run needs one of both."""

import cupola
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

HEADS, GROUPS, SIZE, WIDTH = 4, 2, 32, 64


def layer(kind, tokens="tokens"):
    """Projections, attention with a cache, and a gated product behind it; batch, tokens and cache are open."""
    random, weights, element = np.random.default_rng(5), [], helper.np_dtype_to_tensor_dtype(np.dtype(kind))

    def product(x, name, rows, columns):
        numbers = (random.standard_normal((rows, columns)) / rows**0.5).astype(np.float16)
        weights.append(numpy_helper.from_array(numbers.astype(kind), f"w_{name}"))
        return helper.make_node("MatMul", [x, f"w_{name}"], [name])

    nodes = [product("x", "q", WIDTH, HEADS * SIZE), product("x", "k", WIDTH, GROUPS * SIZE), product("x", "v", WIDTH, GROUPS * SIZE),
             helper.make_node("GroupQueryAttention", ["q", "k", "v", "keys", "values", "last", "total"], ["a", "new_keys", "new_values"],
                              domain="com.microsoft", num_heads=HEADS, kv_num_heads=GROUPS),
             product("a", "o", HEADS * SIZE, WIDTH), helper.make_node("Add", ["x", "o"], ["r"]),
             product("r", "up", WIDTH, 96), product("r", "gate", WIDTH, 96), helper.make_node("Sigmoid", ["gate"], ["s"]),
             helper.make_node("Mul", ["s", "up"], ["m"]), product("m", "down", 96, WIDTH), helper.make_node("Add", ["r", "down"], ["y"])]
    cache = ["batch", GROUPS, "past", SIZE]
    inputs = [("x", element, ["batch", tokens, WIDTH]), ("keys", element, cache), ("values", element, cache),
              ("last", TensorProto.INT32, ["batch"]), ("total", TensorProto.INT32, [])]
    outputs = [helper.make_tensor_value_info(name, element, None) for name in ("y", "new_keys", "new_values")]
    graph = helper.make_graph(nodes, "layer", [helper.make_tensor_value_info(*x) for x in inputs], outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)], ir_version=10)


def check(session, peer, runs):
    random = np.random.default_rng(6)
    for batch, tokens, past in runs:
        total = past + tokens
        feed = {"x": (batch, tokens, WIDTH), "keys": (batch, GROUPS, past, SIZE), "values": (batch, GROUPS, past, SIZE)}
        feed = {name: random.standard_normal(shape).astype(np.float16) for name, shape in feed.items()}
        rest = {"last": np.full(batch, total - 1, np.int32), "total": np.array(total, np.int32)}
        expected = peer.run(None, {name: x.astype(np.float32) for name, x in feed.items()} | rest)
        for found, value in zip(session.run(feed | rest).values(), expected, strict=True):
            np.testing.assert_allclose(found.astype(np.float32), value, rtol=4e-3, atol=4e-3, err_msg=f"{batch} {tokens} {past}")


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90a"])
def test_tokens_and_prompts(arch):
    peer = onnxruntime.InferenceSession(layer(np.float32).SerializeToString(), providers=["CPUExecutionProvider"])
    package = cupola.compile(layer(np.float16), targets="cuda", arch=arch, progress=False, isolate=False)
    check(cupola.Session(package, "sim", arch=arch), peer, ((1, 1, 70), (1, 1, 0), (2, 1, 9), (1, 2, 5), (1, 37, 40), (2, 3, 0)))


@pytest.mark.parametrize("tokens, attentions", [("tokens", 2), (1, 1)])
def test_kernels(tokens, attentions):
    """Of each product there are two, and of the attention where its rows are open."""
    text = str(cupola.explain(layer(np.float16, tokens), targets="cuda", arch="sm_80", progress=False))
    assert text.count(" matvec ") == text.count(" gemm_mma ") == 5 and text.count(" attention_mma ") == attentions, text


def test_sequences_of_a_token():
    peer = onnxruntime.InferenceSession(layer(np.float32, 1).SerializeToString(), providers=["CPUExecutionProvider"])
    session = cupola.Session(cupola.compile(layer(np.float16, 1), targets="cuda", progress=False, isolate=False), "sim", arch="sm_80")
    check(session, peer, ((1, 1, 70), (3, 1, 9), (1, 1, 0)))
