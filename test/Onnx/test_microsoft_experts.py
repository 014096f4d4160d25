#===- test/Onnx/test_microsoft_experts.py - Mixtures of experts of com.microsoft ---===#
# SPDX-License-Identifier: Apache-2.0
"""Beside onnxruntime where it has a kernel for CPUs, else beside what the op says, in numpy."""

import numpy as np
import pytest
from beside import Const
from microsoft import by_cupola, close, floats

HIDDEN, INNER, EXPERTS = 8, 16, 6


def operands_of(tokens, kind="silu", fusion=0, bias=True, third=False, seed=91, shape=None):
    random = np.random.default_rng(seed)
    columns = INNER * (2 if fusion else 1)
    x, router = floats(random, *(shape or (tokens, HIDDEN))), floats(random, tokens, EXPERTS, low=-3, high=3)
    layers = [(columns, HIDDEN), (HIDDEN, INNER)] + [(INNER, HIDDEN)] * third
    operands = [x, router]
    for out, inner in layers:
        operands += [Const(floats(random, EXPERTS, out, inner)), Const(floats(random, EXPERTS, out)) if bias else None]
    options = {"activation_type": kind, **({"swiglu_fusion": fusion} if kind == "swiglu" else {})}
    return operands, options


@pytest.mark.parametrize("tokens", [1, 5, 40])
@pytest.mark.parametrize("normalise", [0, 1])
@pytest.mark.parametrize("kind, fusion", [("relu", 0), ("gelu", 0), ("silu", 0), ("identity", 0), ("swiglu", 1)])
def test_experts(kind, fusion, normalise, tokens):
    """Few tokens choose matrices, many go through all."""
    operands, options = operands_of(tokens, kind, fusion)
    close("MoE", *operands, k=2, normalize_routing_weights=normalise, tolerance=2e-5, **options)
    close("MoE", *operands, k=1, tolerance=2e-5, dynamic=True, **options)


def test_numbers_of_swiglu():
    operands, options = operands_of(7, "swiglu", 1)
    close("MoE", *operands, k=3, activation_alpha=1.702, activation_beta=1.0, swiglu_limit=0.7, tolerance=2e-5, **options)


def test_sentences_and_no_bias():
    operands, options = operands_of(10, bias=False, shape=(2, 5, HIDDEN))
    close("MoE", *operands, k=2, tolerance=2e-5, **options)


@pytest.mark.parametrize("tokens", [3, 40])
@pytest.mark.parametrize("fusion", [0, 2])
def test_gates_apart(fusion, tokens):
    """Which onnxruntime has for GPUs alone: the columns of pairs in another order."""
    pairs, options = operands_of(tokens, "swiglu", 1)
    expected = by_cupola("MoE", *pairs, k=2, **options)
    weights, bias = (np.concatenate([o.array[:, 0::2], o.array[:, 1::2]], 1) for o in pairs[2:4])
    options["swiglu_fusion"] = fusion
    if fusion == 2:
        operands = [*pairs[:2], Const(weights), Const(bias), *pairs[4:]]
    else:
        gate, value = np.split(weights, 2, 1), np.split(bias, 2, 1)
        operands = [*pairs[:2], Const(gate[0]), Const(value[0]), *pairs[4:], Const(gate[1]), Const(value[1])]
    np.testing.assert_allclose(by_cupola("MoE", *operands, k=2, **options), expected, rtol=1e-5, atol=1e-5)


def test_halves():
    operands, options = operands_of(5, "swiglu", 1)
    expected = by_cupola("MoE", *operands, k=2, **options)
    half = [Const(o.array.astype(np.float16)) if isinstance(o, Const) else o.astype(np.float16) for o in operands]
    found = by_cupola("MoE", *half, k=2, kind=np.float16, **options)
    np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.02 * np.abs(expected).max())
