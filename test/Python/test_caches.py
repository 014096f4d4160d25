#===- test/Python/test_caches.py - Caches that stay where they are ---===#
# SPDX-License-Identifier: Apache-2.0

import os

import cupola
import graphs
import numpy as np
import pytest

QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "isolate": False}


def test_a_cache_stays_where_it_is():
    """Step after step writes one row of the same memory; nothing is copied."""
    session = cupola.Session(cupola.compile(graphs.append(), **QUIET, alias={"past": "present"}), "cpu")
    cache = cupola.empty((2, 6, 16))
    cache[...] = np.nan
    plain = np.zeros((2, 0, 16), np.float32)
    past = cache[:, :0]
    for step in range(6):
        new = graphs.aligned(np.full((2, 1, 16), step + 1, np.float32))
        plain = np.concatenate([plain, new], axis=1)
        answers = session.run({"past": past, "new": new})
        past = answers["present"]
        assert past.ctypes.data == cache.ctypes.data and past.shape == (2, step + 1, 16)
        assert np.array_equal(past, plain) and np.allclose(answers["sum"], plain.sum(1))
    assert np.array_equal(cache, plain) and session.copied_tensors == 0
    with pytest.raises(cupola.UsageError, match="has room for 6 by its strides"):
        session.run({"past": past, "new": new})
    short = np.ndarray((2, 2, 16), np.float32, cupola.empty((130,)), 0, cache.strides)  # whose second half ends too early
    with pytest.raises(cupola.UsageError, match="no room"):
        session.run({"past": short, "new": new})


def test_a_kv_cache_is_the_longer_prefill(models):
    """Decode steps with caches in place give what steps that copy them give."""
    path = os.path.join(models, "decoder_llama_decode.onnx")
    plain = cupola.Session(cupola.compile(path, **QUIET), "cpu")
    caches = {tensor.name: np.zeros((1, 2, 0, 16), np.float32) for tensor in plain.inputs if tensor.name.startswith("past")}
    session = cupola.Session(cupola.compile(path, **QUIET, alias={"past_*": "present_*"}), "cpu")
    cache = cupola.KVCache(session, rows=4, extents={"s15": 1})
    memory = {name: view.ctypes.data for name, view in cache._views.items()}
    for again in range(2):
        assert cache.rows == 0
        steps = {name: array[:, :, :0] for name, array in caches.items()}
        for length, token in enumerate([17, 4, 99, 3]):
            feed = {"input_ids": [[token]], "position_ids": [[length]], "attention_mask": np.ones((1, length + 1), np.int64)}
            expected, answer = plain.run({**feed, **steps}), cache.run(feed)
            assert np.allclose(answer["logits"], expected["logits"], atol=1e-4) and cache.rows == length + 1
            steps = {name: expected[name.replace("past", "present")] for name in steps}
        assert {name: view.ctypes.data for name, view in cache._views.items()} == memory
        with pytest.raises(cupola.UsageError, match="has room for 4 by its strides"):
            cache.run(feed | {"attention_mask": np.ones((1, 5), np.int64)})
        assert cache.rows == 4
        cache.clear()
    with pytest.raises(cupola.UsageError, match="has the extent 's15', and extents says {}"):
        cupola.KVCache(session, rows=4)
    with pytest.raises(cupola.UsageError, match="compile the model with alias"):
        cupola.KVCache(plain, rows=4)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("bits", [0, 8, 4])
def test_a_cache_of_grouped_queries_stays_where_it_is(device, bits):
    """A prompt of three tokens, then steps of one; each sequence has as many tokens as its cache has rows, or the run fails."""
    options = QUIET if device == "cpu" else {**QUIET, "targets": "cuda"}
    plain = cupola.Session(cupola.compile(graphs.grouped(bits), **options), device)
    session = cupola.Session(cupola.compile(graphs.grouped(bits), **options, alias={"past_*": "present_*"}), device)
    cache = cupola.KVCache(session, rows=6, extents={"batch": 2})
    random = np.random.default_rng(5)
    empty = np.zeros((2, 2, 0, 8 if bits == 4 else 16), {0: np.float32, 8: np.int8, 4: np.uint8}[bits])
    past = {name: empty for name in ("past_key", "past_value")}
    for count in (3, 1, 1):
        rows = cache.rows
        feed = {"qkv": random.standard_normal((2, count, 128), np.float32), "mask": np.ones((2, rows + count), np.int64)}
        expected, answer = plain.run({**feed, **past}), cache.run(feed)
        for name in ("y", "present_key", "present_value"):
            assert np.allclose(answer[name], expected[name], atol=1e-5), name
        assert cache.rows == rows + count
        past = {name: expected[name.replace("past", "present")] for name in past}
    feed = {"qkv": feed["qkv"], "mask": np.array([[1] * 6, [1] * 4 + [0] * 2])}
    with pytest.raises(cupola.Error, match="node 'attention'.*index lies outside"):
        cache.run(feed)
    with pytest.raises(cupola.UsageError, match="total_sequence_length"):
        cache.run({**feed, "mask": np.ones((2, 7), np.int64)})
