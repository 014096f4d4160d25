#===- test/Onnx/test_random.py - Ops that draw random numbers ---===#
# SPDX-License-Identifier: Apache-2.0
"""The generator against one of this file's own, and what is drawn against its distribution. Everything has a seed: no test fails by chance."""

import math

import cupola
import numpy as np
import pytest
from beside import Const, by_cupola, model_of
from onnx import TensorProto, parser

FLOATS = {np.float16: TensorProto.FLOAT16, np.float32: TensorProto.FLOAT, np.float64: TensorProto.DOUBLE}


def philox(counter, key):
    """Philox4x32-10 as its paper has it; four words."""
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(second >> 32) ^ c[1] ^ k[0], second & 0xFFFFFFFF, (first >> 32) ^ c[3] ^ k[1], first & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def words(count, key, iteration=0, outer=0):
    return np.array([philox([i, 0, iteration, outer], key) for i in range(count)], np.uint64)


def key_of(seed):
    return [int(np.float32(seed).view(np.uint32)), 0]


def uniform(w, kind):
    if kind == np.float64:
        return ((w[:, 0] << np.uint64(21)) | (w[:, 1] >> np.uint64(11))) * 2.0**-53
    return (w[:, 0] >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)


def drawn(op, *operands, kinds=(np.float32, ), **attributes):
    model = model_of(op, operands, len(kinds), types=kinds, onnx_opset=attributes.pop("opset", 22), **attributes)
    return by_cupola(model, operands)


def test_the_generator_of_this_file_gives_the_published_answers():
    """The known answers that come with the authors' code."""
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("opset", [13, 22])
def test_uniform_numbers(kind, opset):
    y, = drawn("RandomUniform", shape=[5, 7], seed=3.5, dtype=FLOATS[kind], opset=opset, kinds=[kind])
    assert y.shape == (5, 7) and y.dtype == kind
    np.testing.assert_array_equal(y.ravel(), uniform(words(35, key_of(3.5)), kind).astype(kind))
    x = np.zeros((5, 7), np.float32)
    like, = drawn("RandomUniformLike", x, seed=3.5, dtype=FLOATS[kind], low=-2.0, high=6.0, opset=opset, kinds=[kind])
    np.testing.assert_allclose(like, y.astype(np.float64) * 8 - 2, atol={np.float16: 1e-2, np.float32: 1e-6, np.float64: 1e-15}[kind])


@pytest.mark.parametrize("kind", FLOATS)
def test_normal_numbers(kind):
    y, = drawn("RandomNormal", shape=[64], seed=1.0, mean=2.0, scale=0.5, dtype=FLOATS[kind], kinds=[kind])
    w = words(64, key_of(1.0))
    u, v = (uniform(w, kind), uniform(w[:, 2:], kind)) if kind == np.float64 else (uniform(w, kind), uniform(w[:, 1:], kind))
    expected = np.sqrt(-2 * np.log(1 - u.astype(np.float64))) * np.cos(2 * math.pi * v) * 0.5 + 2
    np.testing.assert_allclose(y, expected.astype(kind), rtol=0, atol={np.float16: 2e-3, np.float32: 2e-6, np.float64: 1e-14}[kind])


def test_nodes_without_a_seed_draw_other_numbers_and_the_same_in_each_run():
    model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
        g (float[2, 40] x) => (float[2, 40] a, float[2, 40] b) { a = RandomUniformLike(x) b = RandomUniformLike(x) }""")
    session = cupola.InferenceSession(model.SerializeToString())
    for _ in range(2):
        a, b = session.run(None, {"x": np.zeros((2, 40), np.float32)})
        np.testing.assert_array_equal(a.ravel(), uniform(words(80, [0, 1]), np.float32))
        np.testing.assert_array_equal(b.ravel(), uniform(words(80, [1, 1]), np.float32))


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_every_device_draws_the_same(device):
    """As one kernel each, and node by node in the reference."""
    model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
        g (float[3, 37] x) => (float[3, 37] u, double[3, 37] d, float[3, 37] n, int64[3, 37] m) {
          u = RandomUniformLike(x) d = RandomUniformLike<dtype = 11>(x) z = RandomNormalLike(x) n = Add(z, x)
          m = Multinomial<dtype = 7, sample_size = 37>(x) }""")
    report = cupola.verify(model.SerializeToString(), device, tolerance=1e-6, isolate=False, cache_dir="none")
    assert report.passed


def test_iterations_draw_other_numbers():
    model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
        g (float[6] x, int64 n, bool yes) => (float[m, n, 6] rows) {
          rows = Loop(n, yes) <body = outer (int64 i, bool more) => (bool go, float[n, 6] inner) {
            go = Identity(more)
            inner = Loop(n, more) <body = body (int64 j, bool on) => (bool next, float[6] row) {
              next = Identity(on) row = RandomUniformLike<seed = 2.0>(x) }>
          }> }""")
    feeds = {"x": np.zeros(6, np.float32), "n": np.array(3, np.int64), "yes": np.array(True)}
    rows, = cupola.InferenceSession(model.SerializeToString()).run(None, feeds)
    for i in range(3):
        for j in range(3):
            np.testing.assert_array_equal(rows[i, j], uniform(words(6, key_of(2.0), j, i), np.float32))


def kolmogorov(sample, distribution):
    """The largest distance of the sample's distribution from the one that is given, in units where 1.95 is passed once in 1,000 times."""
    x = np.sort(sample.ravel().astype(np.float64))
    at = distribution(x)
    steps = np.arange(len(x) + 1) / len(x)
    return max((steps[1:] - at).max(), (at - steps[:-1]).max()) * math.sqrt(len(x))


@pytest.mark.parametrize("seed", [0.0, 1.0, -7.25])
def test_distributions(seed):
    u, = drawn("RandomUniform", shape=[400, 250], seed=seed, low=-1.0, high=3.0)
    assert u.min() >= -1 and u.max() <= 3 and kolmogorov(u, lambda x: (x + 1) / 4) < 1.95
    n, = drawn("RandomNormal", shape=[400, 250], seed=seed, mean=-1.0, scale=2.0)
    assert np.isfinite(n).all() and kolmogorov(n, np.vectorize(lambda x: 0.5 * math.erfc(-(x + 1) / 2 / math.sqrt(2)))) < 1.95
    for sample in (u, n):  # neighbours along both axes know nothing of each other
        z = (sample - sample.mean()) / sample.std()
        assert abs((z[1:] * z[:-1]).mean()) < 4 / 300 and abs((z[:, 1:] * z[:, :-1]).mean()) < 4 / 300


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_multinomial(kind):
    chances = np.array([[0.5, 0.25, 0.125, 0.125], [0.0, 1.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]])
    with np.errstate(divide="ignore"):
        logits = np.log(chances).astype(np.float32) + np.float32(3)
    y, = drawn("Multinomial", logits, sample_size=20000, seed=5.0, dtype=TensorProto.INT32 if kind == np.int32 else TensorProto.INT64,
               kinds=[kind])
    assert y.dtype == kind and y.shape == (3, 20000)
    for row, p in zip(y, chances):
        counts = np.bincount(row, minlength=4) / 20000
        assert (np.abs(counts - p) < 4 * np.sqrt(p * (1 - p) / 20000) + 1e-12).all()


@pytest.mark.parametrize("kind", FLOATS)
def test_bernoulli(kind):
    p = np.linspace(0, 1, 50000).astype(kind).reshape(100, 500)
    y, = drawn("Bernoulli", p, seed=11.0, dtype=TensorProto.INT32, kinds=[np.int32])
    assert set(np.unique(y)) == {0, 1} and abs(y.mean() - 0.5) < 0.01
    assert (y[0, p[0] == 0] == 0).all() and (y[-1, p[-1] == 1] == 1).all()


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("ratio", [None, 0.0, 0.25])
def test_dropout_while_training(kind, ratio):
    x = np.arange(1, 40001, dtype=kind).reshape(200, 200) % 97 + 1
    operands = [x, None if ratio is None else np.array(ratio, np.float32), Const(np.array(True))]
    y, mask = drawn("Dropout", *operands, seed=4, kinds=[kind, np.bool_])
    ratio = 0.5 if ratio is None else ratio
    assert y.dtype == kind and mask.dtype == np.bool_ and abs(mask.mean() - (1 - ratio)) < 0.01
    np.testing.assert_array_equal(mask.ravel()[:50], uniform(words(50, [4, 0]), kind) >= ratio)
    np.testing.assert_allclose(y, np.where(mask, x.astype(np.float64) / (1 - ratio), 0).astype(kind), rtol=1e-3 if kind == np.float16 else 1e-6)


def test_nothing_is_drawn_for_no_elements():
    x = np.zeros((0, 3), np.float32)
    for op in ("RandomUniformLike", "RandomNormalLike"):
        y, = drawn(op, x)
        assert y.shape == (0, 3)


@pytest.mark.parametrize("op, operands, attributes, reason", [
    ("RandomNormal", [], {"shape": [2, -1]}, "attribute 'shape' has the extent -1, expected 0 or more"),
    ("RandomUniform", [], {"shape": [2], "dtype": TensorProto.INT32}, "the type of the result is int32, expected a float"),
    ("RandomUniformLike", [np.zeros(3, np.int32)], {}, "the type of the result is int32, expected a float"),
    ("Multinomial", [np.zeros(3, np.float32)], {}, "the input has the shape [3], expected [batch, classes]"),
    ("Multinomial", [np.zeros((2, 3), np.float32)], {"sample_size": 0}, "attribute 'sample_size' is 0, expected 1 or more"),
    ("Multinomial", [np.zeros((2, 3), np.float32)], {"dtype": TensorProto.FLOAT}, "attribute 'dtype' is float32, expected int32 or int64"),
])
def test_refused(op, operands, attributes, reason):
    with pytest.raises(Exception) as caught:
        drawn(op, *operands, **attributes)
    assert reason in str(caught.value)
