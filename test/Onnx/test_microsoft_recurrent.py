#===- test/Onnx/test_microsoft_recurrent.py - Ops of com.microsoft that keep a state, beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""Each op over random shapes, values and attributes, from a seed."""

import numpy as np
import pytest
from beside import Const
from microsoft import by_cupola, close, floats

TIGHT, HALF = {"tolerance": 1e-5}, {"tolerance": 2e-3}


# ---- CausalConvWithState ----

def causal(random, length, taps=4, dilation=1, last=False, channels=(6,), batch=2, bias=True, past=True):
    """Its operands; `last`: channels last, perhaps in several dimensions."""
    count, state = int(np.prod(channels)), (taps - 1) * dilation

    def rows(extent):
        return floats(random, batch, extent, *channels) if last else floats(random, batch, count, extent)
    weight = Const(floats(random, count, 1, taps))
    return rows(length), weight, Const(floats(random, count)) if bias else None, rows(state) if past else None


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("past", [False, True])
@pytest.mark.parametrize("length", [0, 1, 2, 9])
def test_causal_convolution(length, past, last, dynamic):
    random = np.random.default_rng(101)
    for activation, bias in (("none", True), ("silu", False), ("swish", True)):
        close("CausalConvWithState", *causal(random, length, last=last, bias=bias, past=past), results=2, activation=activation,
              dynamic=dynamic, **({"channels_last": 1} if last else {}), **TIGHT)


@pytest.mark.parametrize("taps, dilation", [(1, 1), (1, 3), (2, 1), (3, 2), (4, 5)])
@pytest.mark.parametrize("last", [0, 1])
def test_causal_convolution_of_other_windows(taps, dilation, last):
    random = np.random.default_rng(102)
    for length in (1, 4, 30):
        for past in (False, True):
            close("CausalConvWithState", *causal(random, length, taps, dilation, last, past=past), results=2, ndim=1, dilation=dilation,
                  channels_last=last, **TIGHT)


def test_causal_convolution_of_several_axes_of_channels():
    random = np.random.default_rng(103)
    for past in (False, True):
        close("CausalConvWithState", *causal(random, 5, last=True, channels=(2, 3), past=past), results=2, channels_last=1, activation="silu",
              **TIGHT)


def test_causal_convolution_of_float16():
    random = np.random.default_rng(104)
    for length in (1, 7):
        x, weight, bias, past = causal(random, length)
        operands = x, weight.array, bias.array, past
        close("CausalConvWithState", *(o.astype(np.float16) for o in operands), results=2, activation="silu", **HALF)


def test_steps_of_a_causal_convolution_are_its_whole():
    random = np.random.default_rng(105)
    x, *rest = causal(random, 12)
    whole, last = by_cupola("CausalConvWithState", x, *rest, results=2)
    parts, state = [], rest.pop()
    for begin, end in ((0, 1), (1, 3), (3, 12)):
        part, state = by_cupola("CausalConvWithState", np.ascontiguousarray(x[..., begin:end]), *rest, state, results=2)
        parts.append(part)
    np.testing.assert_allclose(np.concatenate(parts, -1), whole, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(state, last)


# ---- LinearAttention ----

KEY, VALUE = 8, 12  # elements of a head


def linear(random, length, heads=2, queries=2, keys=0, per_key=False, one_rate=False, past=True, batch=2):
    """Its operands. Keys have a length of 1, as those of models have: with longer ones states grow beyond all bounds."""
    keys = keys or heads
    k = floats(random, batch, length, keys, KEY)
    k /= np.sqrt((k ** 2).sum(-1, keepdims=True))
    return (floats(random, batch, length, queries * KEY), k.reshape(batch, length, keys * KEY), floats(random, batch, length, heads * VALUE),
            floats(random, batch, heads, KEY, VALUE) if past else None,
            floats(random, batch, length, heads * (KEY if per_key else 1), low=-2, high=0),
            floats(random, batch, length, 1 if one_rate else heads, low=0))


def attends(operands, heads=2, queries=2, **options):
    close("LinearAttention", *operands, results=2, q_num_heads=queries, kv_num_heads=heads, **{**TIGHT, **options})


RULES = ["linear", "gated", "delta", "gated_delta"]


@pytest.mark.parametrize("dynamic", [(), (0, 1)])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("length", [0, 1, 2, 11])
def test_rules(length, rule, dynamic):
    """Operands that a rule does not read may be there."""
    random = np.random.default_rng(111)
    for past, per_key, one_rate in ((True, False, False), (False, True, True)):
        operands = linear(random, length, past=past, per_key=per_key, one_rate=one_rate)
        attends(operands, update_rule=rule, dynamic=dynamic)
        if rule in ("linear", "gated"):
            attends(operands[:4 + (rule == "gated")], update_rule=rule)
        elif rule == "delta":
            attends((*operands[:4], None, operands[5]), update_rule=rule)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("heads, queries, keys", [(2, 6, 2), (1, 3, 1), (4, 2, 4), (4, 2, 2), (4, 4, 1), (4, 8, 2), (6, 2, 3)])
def test_heads_that_are_shared(heads, queries, keys, rule):
    random = np.random.default_rng(112)
    for length, per_key in ((1, True), (5, False)):
        operands = linear(random, length, heads, queries, keys, per_key)
        attends(operands, heads, queries, update_rule=rule, scale=0.3)


def test_default_rule():
    attends(linear(np.random.default_rng(113), 7), chunk_size=4)


@pytest.mark.parametrize("length", [1, 6])
def test_linear_attention_of_float16(length):
    """States stay in float32 between steps."""
    random = np.random.default_rng(114)
    operands = [None if o is None else o.astype(np.float16) for o in linear(random, length)]
    attends(operands, **HALF)
    attends([*operands[:3], operands[3].astype(np.float32), *operands[4:]], **HALF)


def test_steps_of_linear_attention_are_its_whole():
    """Steps of one token and of several, by one package."""
    random = np.random.default_rng(115)
    q, k, v, state, decay, rate = linear(random, 12)
    options = dict(results=2, q_num_heads=2, kv_num_heads=2)
    whole, last = by_cupola("LinearAttention", q, k, v, state, decay, rate, **options)
    parts = []
    for begin, end in ((0, 1), (1, 3), (3, 12)):
        q1, k1, v1, decay1, rate1 = (np.ascontiguousarray(o[:, begin:end]) for o in (q, k, v, decay, rate))
        part, state = by_cupola("LinearAttention", q1, k1, v1, state, decay1, rate1, **options)
        parts.append(part)
    np.testing.assert_allclose(np.concatenate(parts, 1), whole, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(state, last, rtol=1e-5, atol=1e-5)
