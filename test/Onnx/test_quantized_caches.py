#===- test/Onnx/test_quantized_caches.py - Caches of bytes and of four bits beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""com.microsoft.GroupQueryAttention with `k_scale` and `v_scale`: each op over random values and attributes, from a seed."""

import beside
import cupola
import ml_dtypes
import numpy as np
import pytest
from beside import Const
from microsoft import DOMAIN, both, by_cupola, floats

HEADS, GROUPS, SIZE = 4, 2, 16


def scales_of(random, kind, bits):
    """By which some numbers leave what so many bits hold."""
    return floats(random, GROUPS * SIZE if kind == "PER_CHANNEL" else 1, low=0.8, high=1.2) / (2 ** (bits - 1) - 1)


def cache_of(random, bits, batch, rows):
    if bits == 4:
        return random.integers(0, 256, (batch, GROUPS, rows, SIZE // 2)).astype(np.uint8)
    return random.integers(-128, 128, (batch, GROUPS, rows, SIZE)).astype(np.int8)


def step_of(random, batch, length):
    return floats(random, batch, length, HEADS * SIZE), *(floats(random, batch, length, GROUPS * SIZE) for _ in range(2))


def options_of(bits, k="PER_TENSOR", v="PER_TENSOR", **more):
    return dict(num_heads=HEADS, kv_num_heads=GROUPS, k_quant_type=k, v_quant_type=v, kv_cache_bit_width=bits, **more)


def same(pairs, counts):
    """Outputs, and of caches the rows that count, to the bit."""
    np.testing.assert_allclose(*pairs[0], rtol=3e-5, atol=3e-5)
    for found, expected in pairs[1:]:
        assert found.dtype == expected.dtype
        for row, count in enumerate(counts):
            np.testing.assert_array_equal(found[row, :, :count], expected[row, :, :count])


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("kind", ["PER_TENSOR", "PER_CHANNEL"])
@pytest.mark.parametrize("past, length", [(0, 5), (6, 1), (6, 3)])
@pytest.mark.parametrize("attributes", [{}, {"do_rotary": 1, "softcap": 5.0}])
def test_prompts_and_tokens(bits, kind, past, length, attributes):
    """Numbers of this step are read as the cache has them."""
    random = np.random.default_rng(91)
    total = past + length
    angles = floats(random, 32, SIZE // 2, low=-3, high=3)
    tables = [Const(np.cos(angles)), Const(np.sin(angles))] if "do_rotary" in attributes else [None, None]
    pairs = both("GroupQueryAttention", *step_of(random, 1, length), *(cache_of(random, bits, 1, past) for _ in range(2)),
                 np.array([total - 1], np.int32), Const(np.array(total, np.int32)), *tables, None, None, None,
                 Const(scales_of(random, kind, bits)), Const(scales_of(random, kind, bits)), results=3,
                 **options_of(bits, kind, kind, **attributes))
    same(pairs, [total])


def test_scales_of_channels_and_one_of_all():
    """Which onnxruntime's kernel for CPUs does not have beside each other."""
    random = np.random.default_rng(95)
    step, cache = step_of(random, 1, 3), [cache_of(random, 8, 1, 6) for _ in range(2)]
    k, v = scales_of(random, "PER_CHANNEL", 8), scales_of(random, "PER_TENSOR", 8)

    def found(kind, scale):
        operands = *step, *cache, np.array([8], np.int32), Const(np.array(9, np.int32)), *[None] * 5, Const(k), Const(scale)
        model = beside.model_of("GroupQueryAttention", operands, 3, domain=DOMAIN, types=[np.float32, np.int8, np.int8],
                                **options_of(8, "PER_CHANNEL", kind))
        return beside.by_cupola(model, operands)
    for a, b in zip(found("PER_TENSOR", v), found("PER_CHANNEL", np.repeat(v, GROUPS * SIZE)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("bits", [8, 4])
def test_rows_of_a_cache_that_end_early(bits):
    random = np.random.default_rng(92)
    counts = [3, 8, 12]
    scale = Const(scales_of(random, "PER_CHANNEL", bits))
    pairs = both("GroupQueryAttention", *step_of(random, 3, 1), *(cache_of(random, bits, 3, 12) for _ in range(2)),
                 np.array(counts, np.int32) - 1, Const(np.array(12, np.int32)), *[None] * 5, scale, scale,
                 results=3, **options_of(bits, "PER_CHANNEL", "PER_CHANNEL"))
    same(pairs, counts)


@pytest.mark.parametrize("window, room", [(4, 4), (4, 7)])
@pytest.mark.parametrize("before, length", [(3, 1), (23, 1), (9, 12)])
def test_a_window_of_bytes(window, room, before, length):
    """Which is the numbers of such a cache in a window of floats: onnxruntime has no such kernel."""
    random = np.random.default_rng(93)
    step, cache, total = step_of(random, 1, length), [cache_of(random, 8, 1, room) for _ in range(2)], before + length
    scale = scales_of(random, "PER_TENSOR", 8)
    rest = np.array([total - 1], np.int32), Const(np.array(total, np.int32)), *[None] * 5
    of_window = dict(local_window_size=window, sliding_window_cache=1)
    operands = *step, *cache, *rest, Const(scale), Const(scale)
    model = beside.model_of("GroupQueryAttention", operands, 3, domain=DOMAIN, types=[np.float32, np.int8, np.int8],
                            **options_of(8, **of_window))
    found = beside.by_cupola(model, operands)
    rounded = [step[0], *(np.clip(np.rint(x / scale), -128, 127) * scale for x in step[1:])]
    expected = by_cupola("GroupQueryAttention", *rounded, *(x * scale for x in cache), *rest[:2], num_heads=HEADS, kv_num_heads=GROUPS,
                         results=3, **of_window)
    for a, b in zip([found[0], found[1] * scale, found[2] * scale], expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-5, atol=3e-5)


def test_float8():
    """Which onnxruntime has for GPUs alone: numbers of this step are rounded to those of float8e4m3fn."""
    random = np.random.default_rng(94)
    kind, past, total = ml_dtypes.float8_e4m3fn, 6, 9
    step, cache = step_of(random, 1, 3), [floats(random, 1, GROUPS, past, SIZE, low=-400, high=400).astype(kind) for _ in range(2)]
    scale = np.array([0.002], np.float32)  # numbers from 0.896 on leave the type
    rest = np.array([total - 1], np.int32), Const(np.array(total, np.int32))
    operands = *step, *cache, *rest, *[None] * 5, Const(scale), Const(scale)
    model = beside.model_of("GroupQueryAttention", operands, 3, domain=DOMAIN, types=[np.float32, kind, kind], **options_of(8))
    found = beside.by_cupola(model, operands)

    def stored(x):
        return np.clip(x / scale, -448, 448).astype(kind)
    numbers = [stored(x).astype(np.float32) * scale for x in step[1:]], [x.astype(np.float32) * scale for x in cache]
    expected = by_cupola("GroupQueryAttention", step[0], *numbers[0], *numbers[1], *rest, num_heads=HEADS, kv_num_heads=GROUPS, results=3)
    np.testing.assert_allclose(found[0], expected[0], rtol=3e-5, atol=3e-5)
    for i in (1, 2):
        new = stored(step[i]).reshape(1, 3, GROUPS, SIZE).transpose(0, 2, 1, 3)
        np.testing.assert_array_equal(found[i].view(np.uint8), np.concatenate([cache[i - 1], new], 2).view(np.uint8))


@pytest.mark.parametrize("bits, kind", [(8, "PER_CHANNEL"), (8, "PER_TENSOR"), (4, "PER_CHANNEL")])
@pytest.mark.parametrize("past, length", [(130, 1), (70, 20)])
def test_of_halves_in_the_simulator(bits, kind, past, length):
    """Bytes become halves on their way to the matrix units. Steps of 64 keys, of which the last has fewer."""
    random = np.random.default_rng(96)
    total = past + length
    halves = [x.astype(np.float16) for x in step_of(random, 1, length)]
    rest = *(cache_of(random, bits, 1, past) for _ in range(2)), np.array([total - 1], np.int32), Const(np.array(total, np.int32)), *[None] * 5
    scales = [Const(scales_of(random, kind, bits)) for _ in range(2)]
    options = dict(results=3, domain=DOMAIN, **options_of(bits, kind, kind))
    wide = [x.astype(np.float32) for x in halves]
    expected = beside.by_onnxruntime(beside.model_of("GroupQueryAttention", [*wide, *rest, *scales], **options), [*wide, *rest, *scales])
    operands = [*halves, *rest, *scales]
    model = beside.model_of("GroupQueryAttention", operands, types=[np.float16, *[rest[0].dtype] * 2], **options)
    package = cupola.compile(model, targets="cuda", progress=False, **beside.OPTIONS)
    found = cupola.Session(package, "sim", arch="sm_80").run(beside.feeds_of(operands))
    found = [np.asarray(x) for x in (found.values() if isinstance(found, dict) else found)]
    np.testing.assert_allclose(found[0].astype(np.float32), expected[0], rtol=2e-3, atol=2e-3)
    for a, b in zip(found[1:], expected[1:], strict=True):  # ties may go the other way, as 1 / scale is rounded there
        assert (a != b).mean() < 1e-3
