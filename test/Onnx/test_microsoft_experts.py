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


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("tokens, k, favoured", [(40, 2, [3]), (130, 3, [0, 5]), (400, 2, [0, 1, 2, 3, 4, 5]), (13, 6, [])])
def test_groups_of_tokens(tokens, k, favoured, dynamic):
    """Of experts that have all tokens, some or none; groups of 8 to 64 rows."""
    operands, options = operands_of(tokens, "swiglu", 1)
    operands[1][:, favoured] += 6
    close("MoE", *operands, k=k, normalize_routing_weights=1, tolerance=2e-5, dynamic=dynamic, **options)


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


def packed(integers, bits):
    """[.., n] -> bytes, the first number in the low bits."""
    per = 8 // bits
    padded = np.concatenate([integers, np.zeros((*integers.shape[:-1], -integers.shape[-1] % per), integers.dtype)], -1)
    groups = padded.reshape(*padded.shape[:-1], -1, per).astype(np.uint8)
    return sum(groups[..., i] << (i * bits) for i in range(per)).astype(np.uint8)


def quantised(tokens, bits, block, points, fusion=1, hidden=32, inner=64, seed=92):
    """The operands, and the same experts as numbers."""
    random = np.random.default_rng(seed)
    x, router = floats(random, tokens, hidden), floats(random, tokens, EXPERTS, low=-3, high=3)
    operands, plain, zeros = [x, router], [x, router], []
    for out, depth in ((inner * 2 if fusion else inner, hidden), (hidden, inner)):
        blocks = depth // block if block else 1
        integers = random.integers(0, 2 ** bits, (EXPERTS, out, depth))
        scales, bias = floats(random, EXPERTS, out, blocks, low=0.01, high=0.05), floats(random, EXPERTS, out)
        shape = (EXPERTS, out, blocks)
        zero = random.integers(0, 2 ** bits, shape) if points else np.full(shape, 2 ** (bits - 1))
        numbers = (integers.reshape(*shape, -1) - zero[..., None]) * scales[..., None]
        operands += [Const(packed(integers, bits)), Const(scales if block else scales[..., 0]), Const(bias)]
        plain += [Const(numbers.reshape(integers.shape).astype(np.float32)), Const(bias)]
        zeros.append(Const(packed(zero if block else zero[..., 0], bits)) if points else None)
    options = {"activation_type": "swiglu", "swiglu_fusion": 1} if fusion else {"activation_type": "silu"}
    return operands, zeros, plain, options


@pytest.mark.parametrize("tokens", [1, 5, 40])
@pytest.mark.parametrize("bits, block, points", [(4, 0, False), (8, 0, False), (4, 32, False), (4, 16, True), (8, 32, True), (4, 0, True)])
def test_experts_of_integers(bits, block, points, tokens):
    operands, zeros, plain, options = quantised(tokens, bits, block, points)
    expected = by_cupola("MoE", *plain, k=2, normalize_routing_weights=1, **options)
    found = by_cupola("QMoE", *operands, None, None, None, *zeros, k=2, normalize_routing_weights=1, expert_weight_bits=bits,
                      **({"block_size": block} if block else {}), **options)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("block", [0, 32])
def test_experts_of_integers_beside_onnxruntime(block):
    """Which rounds products of 8 bits, and of 4 a little."""
    operands, _, _, options = quantised(5, 4, block, points=False)
    close("QMoE", *operands, k=2, normalize_routing_weights=1, expert_weight_bits=4, tolerance=2e-2, **({"block_size": block} if block else {}),
          **options)


def test_shares_of_their_own():
    """Whose experts the router chooses."""
    operands, _, plain, options = quantised(5, 4, 0, points=False)
    shares = floats(np.random.default_rng(93), 5, EXPERTS, low=0, high=1)
    found = by_cupola("QMoE", *operands, *[None] * 6, shares, k=2, **options)
    chosen = np.argsort(-plain[1], axis=1)[:, :2]
    masked = np.zeros_like(shares)
    np.put_along_axis(masked, chosen, np.take_along_axis(shares, chosen, 1), 1)
    alone = [np.repeat(np.eye(EXPERTS, dtype=np.float32)[e:e + 1], 5, 0) for e in range(EXPERTS)]
    each = [by_cupola("MoE", plain[0], router, *plain[2:], k=1, normalize_routing_weights=1, **options) for router in alone]
    np.testing.assert_allclose(found, sum(m[:, None] * y for m, y in zip(masked.T, each)), rtol=1e-4, atol=1e-4)
