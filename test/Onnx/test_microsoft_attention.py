#===- test/Onnx/test_microsoft_attention.py - Attentions of com.microsoft beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""Each op over random shapes, values and attributes, from a seed."""

import numpy as np
import pytest
from beside import Const
from microsoft import both, by_cupola, bytes_of, close, floats, number


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


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("mask", ["none", "lengths", "keys"])
def test_attention_of_integers(mask, causal, kind):
    random = np.random.default_rng(81)
    batch, length, heads, width = 2, 5, 3, 12
    masks = {"none": None, "lengths": np.array([3, 5], np.int32), "keys": mask_of(random, batch, length)}
    weights = Const((random.integers(-64, 64, (7, 3 * width)) + (kind == np.uint8) * 64).astype(kind))
    scale, zero = number(0.02), number(64 if kind == np.uint8 else 0, kind)
    operands = [bytes_of(random, batch, length, 7), weights, Const(floats(random, 3 * width)), number(0.03), scale, masks[mask],
                number(120, np.uint8), zero]
    close("QAttention", *operands, num_heads=heads, unidirectional=causal, tolerance=2e-5)
    past = floats(random, 2, batch, heads, 6, width // heads)
    if mask == "none":
        close("QAttention", *operands, past, num_heads=heads, unidirectional=1, results=2, tolerance=2e-5)


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
    return by_cupola("MultiHeadAttention", *operands, num_heads=3)


def test_packed_heads():
    """Which onnxruntime takes on GPUs alone: they are queries, keys and values side by side."""
    packed = floats(np.random.default_rng(58), 2, 5, 3, 3, 4)
    apart = [np.ascontiguousarray(packed[..., i, :]).reshape(2, 5, 12) for i in range(3)]
    np.testing.assert_allclose(attended(packed), attended(*apart), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(attended(apart[0], np.ascontiguousarray(packed[..., 1:, :])), attended(*apart), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("extra", [(), ("mask",), ("bias",), ("mask", "grid", "bias")])
@pytest.mark.parametrize("shared", [0, 1])
@pytest.mark.parametrize("dynamic", [False, True])
def test_one_new_token(shared, extra, dynamic):
    """Behind a cache that has rows for more, or that ends with the last token, which onnxruntime does on GPUs alone: it is what
    MultiHeadAttention makes."""
    random = np.random.default_rng(84)
    batch, heads, size, past, rows = 2, 3, 4, 6, 10
    q, k, v = (floats(random, batch, 1, heads * size) for _ in range(3))
    caches = [floats(random, batch, heads, rows if shared else past, size) for _ in range(2)]
    mask = mask_of(random, batch, past + 1) if "mask" in extra else None
    grid = floats(random, batch, heads, 1, past + 1) if "grid" in extra else None
    bias = floats(random, 3 * heads * size) if "bias" in extra else None
    options = dict(results=3, num_heads=heads, dynamic=dynamic)

    def found(*new):
        length = np.array([past], np.int32) if shared else None
        return by_cupola("DecoderMaskedMultiHeadAttention", *new, mask, grid, *caches, length, None, None, bias,
                         past_present_share_buffer=shared, **options)
    if shared:
        close("DecoderMaskedMultiHeadAttention", q, k, v, mask, grid, *caches, np.array([past], np.int32), None, None, bias,
              past_present_share_buffer=1, tolerance=2e-5, **options)
    else:
        expected = by_cupola("MultiHeadAttention", q, k, v, bias, mask, grid, *caches, **options)
        for a, b in zip(found(q, k, v), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
    if not dynamic:
        for a, b in zip(found(np.concatenate([q, k, v], -1), None, None), found(q, k, v), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


def test_one_new_token_over_an_encoder():
    random = np.random.default_rng(85)
    encoded = [floats(random, 2, 3, 7, 4) for _ in range(2)]
    close("DecoderMaskedMultiHeadAttention", floats(random, 2, 1, 12), *encoded, mask_of(random, 2, 7), num_heads=3, scale=0.3, tolerance=2e-5)


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


def buckets_of(queries, keys, count, largest, both_ways):
    """As T5 has them."""
    ahead = np.arange(keys) - np.arange(queries)[:, None]
    first = np.zeros_like(ahead)
    if both_ways:
        count //= 2
        first, distance = (ahead > 0) * count, np.abs(ahead)
    else:
        distance = np.maximum(-ahead, 0)
    exact = count // 2
    with np.errstate(divide="ignore"):
        far = exact + (np.log(distance / exact) / np.log(largest / exact) * (count - exact) + 1e-6)
    return first + np.where(distance < exact, distance, np.minimum(np.maximum(far, 0), count - 1).astype(np.int64))


@pytest.mark.parametrize("both_ways", [0, 1])
@pytest.mark.parametrize("length", [5, 300])
def test_relative_positions(both_ways, length):
    """Which onnxruntime has for GPUs alone. The table lies transposed."""
    table = floats(np.random.default_rng(82), 32, 4)
    found = by_cupola("RelativePositionBias", Const(np.ascontiguousarray(table.T).reshape(32, 4)), Const(np.array(length)),
                      Const(np.array(length)), max_distance=128, is_bidirectional=both_ways)
    np.testing.assert_array_equal(found, np.moveaxis(table[buckets_of(length, length, 32, 128, both_ways)], -1, 0)[None])


def test_gated_relative_positions():
    """Which onnxruntime has for GPUs alone."""
    random = np.random.default_rng(83)
    batch, length, heads, size = 2, 5, 3, 4
    query, bias = floats(random, batch, length, heads * size), floats(random, heads * size)
    positions, weight, offset, eco = floats(random, 1, heads, length, length), floats(random, size, 8), floats(random, 8), floats(
        random, 1, heads, 1, 1)
    layer = (query + bias).reshape(batch, length, heads, size).transpose(0, 2, 1, 3)
    gates = 1 / (1 + np.exp(-(layer @ weight + offset).reshape(batch, heads, length, 2, 4).sum(-1)))
    expected = (gates[..., :1] * (gates[..., 1:] * eco - 1) + 2) * positions
    found = by_cupola("GatedRelativePositionBias", query, bias, positions, weight, offset, eco, num_heads=heads)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("sink", ["given", "smooth"])
@pytest.mark.parametrize("past", [0, 6])
@pytest.mark.parametrize("attributes", [{}, {"softcap": 5.0, "local_window_size": 4}])
def test_a_score_beside_those_of_keys(sink, past, attributes):
    random = np.random.default_rng(86)
    batch, length, heads, groups, size = 1, 5, 4, 2, 16
    total = past + length
    q, k, v = floats(random, batch, length, heads * size), *(floats(random, batch, length, groups * size) for _ in range(2))
    cache = [floats(random, batch, groups, past, size) for _ in range(2)] if past else [None, None]
    lengths = np.full(batch, total - 1, np.int32), Const(np.array(total, np.int32))
    options = dict(num_heads=heads, kv_num_heads=groups, results=3, tolerance=2e-5, **attributes)
    bias = floats(random, 1, heads, length, total) if sink == "given" else None
    if sink == "given":
        close("GroupQueryAttention", q, k, v, *cache, *lengths, None, None, None, bias, floats(random, heads, low=-2, high=2), **options)
    else:
        close("GroupQueryAttention", q, k, v, *cache, *lengths, smooth_softmax=1, **options)


def resident(tokens, window, room):
    """Of so many tokens those that a cache of a window keeps: it drops several at once where it is full."""
    drops = room - window + 1
    return tokens - drops * max(0, -(-(tokens - room) // drops))


def same_tokens(pairs, counts):
    """Outputs, and of caches the rows that count, another number in each row of the batch."""
    np.testing.assert_allclose(*pairs[0], rtol=2e-5, atol=2e-5)
    for found, expected in pairs[1:]:
        for row, count in enumerate(counts):
            np.testing.assert_allclose(found[row, :, :count], expected[row, :, :count], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("window, room", [(4, 4), (4, 7), (1, 1)])
@pytest.mark.parametrize("before", [0, 3, 4, 9, 23])
@pytest.mark.parametrize("length", [1, 2, 12])
@pytest.mark.parametrize("attributes", [{}, {"do_rotary": 1, "smooth_softmax": 1}])
def test_a_cache_of_a_window(window, room, before, length, attributes):
    """Prompts and steps of several tokens, as long as the cache and longer."""
    random = np.random.default_rng(88)
    heads, groups, size, total = 4, 2, 16, before + length
    q, k, v = floats(random, 1, length, heads * size), *(floats(random, 1, length, groups * size) for _ in range(2))
    cache = [floats(random, 1, groups, room, size) for _ in range(2)]
    angles = floats(random, 64, size // 2, low=-3, high=3)
    caches = [Const(np.cos(angles)), Const(np.sin(angles))] if "do_rotary" in attributes else []
    pairs = both("GroupQueryAttention", q, k, v, *cache, np.array([total - 1], np.int32), Const(np.array(total, np.int32)), *caches,
                 num_heads=heads, kv_num_heads=groups, results=3, local_window_size=window, sliding_window_cache=1, **attributes)
    same_tokens(pairs, [resident(total, window, room)])


def test_caches_of_a_window_that_hold_other_numbers_of_tokens():
    random = np.random.default_rng(89)
    heads, groups, size, window, room = 4, 2, 16, 4, 6
    totals = np.array([1, 5, 7, 30])
    q, k, v = floats(random, 4, 1, heads * size), *(floats(random, 4, 1, groups * size) for _ in range(2))
    cache = [floats(random, 4, groups, room, size) for _ in range(2)]
    pairs = both("GroupQueryAttention", q, k, v, *cache, (totals - 1).astype(np.int32), Const(np.array(30, np.int32)), num_heads=heads,
                 kv_num_heads=groups, results=3, local_window_size=window, sliding_window_cache=1)
    same_tokens(pairs, [resident(total, window, room) for total in totals])


@pytest.mark.parametrize("window", [0, 4])
def test_steps_of_which_some_rows_count(window):
    """Of 5 rows of a step 5, 3 and 1 are tokens: onnxruntime is given these alone, one sequence after the other."""
    random = np.random.default_rng(90)
    heads, groups, size, length, room = 4, 2, 16, 5, 6 if window else 20
    counts, totals = [5, 3, 1], [5, 12, 8]
    rows = [floats(random, 3, length, heads * size), *(floats(random, 3, length, groups * size) for _ in range(2))]
    cache = [floats(random, 3, groups, room, size) for _ in range(2)]
    of_window = dict(local_window_size=window, sliding_window_cache=1) if window else {}
    options = dict(num_heads=heads, kv_num_heads=groups, results=3, **of_window)
    found = by_cupola("GroupQueryAttention", *rows, *cache, np.array(totals, np.int32) - 1, Const(np.array(20, np.int32)), *[None] * 9,
                      np.array(counts, np.int32), **options)
    for row, (count, total) in enumerate(zip(counts, totals)):
        one = slice(row, row + 1)
        expected = both("GroupQueryAttention", *(x[one, :count] for x in rows), *(x[one] for x in cache), np.array([total - 1], np.int32),
                        Const(np.array(total, np.int32)), **options)
        kept = resident(total, window, room) if window else total
        same_tokens([(x[one, :count] if i == 0 else x[one], pair[1]) for i, (x, pair) in enumerate(zip(found, expected))], [kept])


def test_heads_that_are_normalised():
    """Which onnxruntime has for GPUs alone: queries and keys that have gone through SimplifiedLayerNormalization."""
    random = np.random.default_rng(87)
    q, k, v = floats(random, 1, 5, 64), floats(random, 1, 5, 32), floats(random, 1, 5, 32)
    of_q, of_k = floats(random, 16), floats(random, 16)

    def normal(x, weight):
        heads = x.reshape(1, 5, -1, 16)
        return (heads / np.sqrt((heads ** 2).mean(-1, keepdims=True) + 1e-3) * weight).reshape(x.shape)
    rest = Const(np.array([4], np.int32)), Const(np.array(5, np.int32))
    options = dict(num_heads=4, kv_num_heads=2)
    found = by_cupola("GroupQueryAttention", q, k, v, None, None, *rest, *[None] * 7, of_q, of_k, qk_norm_epsilon=1e-3, **options)
    expected = by_cupola("GroupQueryAttention", normal(q, of_q), normal(k, of_k), v, None, None, *rest, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
