#===- test/Python/test_numbers_of_data.py - Lengths, sizes and places that data decides, beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0

import cupola
import numpy as np
import onnx.parser
import onnxruntime
import pytest

QUIET = {"progress": False, "isolate": False}
CPU = {"targets": "cpu", "cpu": "x86-64-v3", **QUIET}
SIM = {"targets": "cuda", "arch": "sm_80", **QUIET}
RNG = np.random.default_rng(7)
# `n` and `m` are numbers of data: no elements of small inputs, and no shapes.
NUMBERS = "sums = ReduceSum<keepdims = 1>(v) n = Cast<to = 7>(sums) most = ReduceMax<keepdims = 1>(v) m = Cast<to = 6>(most)"


def model_of(body, inputs="float[a, 6] x, float[k] v", constants="", output="y"):
    """A graph in ONNX's text."""
    text = f'<ir_version: 8, opset_import: ["" : 17]> g ({inputs}) => (float {output}) <{constants}> {{ {NUMBERS} {body} }}'
    model = onnx.parser.parse_model(text)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    return model


def lengths(*numbers):
    return np.array(numbers, np.float32)


def rows(count, width=6):
    return RNG.standard_normal((count, width)).astype(np.float32)


BODIES = {
    "range": "n0 = Squeeze(n) r = Range(zero, n0, two) f = Cast<to = 1>(r) y = Concat<axis = 0>(f, v)",
    "range_of_floats": "s0 = Squeeze(sums) r = Range(fzero, s0, half) y = Identity(r)",
    "constant_of_shape": "m7 = Cast<to = 7>(m) s = Concat<axis = 0>(n, m7) y = ConstantOfShape<value = float[1] {2.5}>(s)",
    "expand": "s = Concat<axis = 0>(n, wild, six) w = Concat<axis = 0>(wild, wild, wild) e = Equal(s, w)"
              " o = ConstantOfShape<value = int64[1] {1}>(three) t = Where(e, o, s) u = Unsqueeze(x, zeros) y = Expand(u, t)",
    "tile": "t = Concat<axis = 0>(ones, n) y = Tile(x, t)",
    "slice": "e = Add(n, twos) b = Slice(x, n, e, zeros) c = Slice(x, zeros, n, zeros) y = Concat<axis = 0>(c, b)",
    "reshape": "t = Concat<axis = 0>(wild, n) r = Concat<axis = 0>(ones, n) h = Tile(x, r) y = Reshape(h, t)",
    "pad": "p = Concat<axis = 0>(n, zeros, zeros, twos) y = Pad(x, p)",
    "top": "y, i = TopK<axis = 0>(x, twos_or_n)",
    "resize": "s = Concat<axis = 0>(ones, ones, n, six) i = Unsqueeze(x, front) y = Resize<mode = \"linear\">(i, , , s)",
    "one_hot": "d0 = Squeeze(n) c = Cast<to = 7>(v) y = OneHot(c, d0, values)",
    "product": "q = Mul(n, twos) r = Min(q, six) y = ConstantOfShape<value = float[1] {1.5}>(r)",
    "joined": "z = ConstantOfShape(six_by_n) t = Transpose(z) y = Concat<axis = 0>(t, x)",
}
CONSTANTS = ("int64 zero = {0}, int64 two = {2}, float fzero = {0}, float half = {0.5}, int64[1] wild = {-1}, int64[1] six = {6},"
             " int64[1] three = {3}, int64[1] zeros = {0}, int64[1] ones = {1}, int64[1] twos = {2}, int64[2] front = {0, 1},"
             " float[2] values = {0, 1}")
BEFORE = {"top": "twos_or_n = Min(n, twos)", "joined": "six_by_n = Concat<axis = 0>(six, n)"}


@pytest.mark.parametrize("name", BODIES)
def test_sizes(name):
    model = model_of(BEFORE.get(name, "") + BODIES[name], constants=CONSTANTS)
    peer = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    sessions = [cupola.Session(cupola.compile(model, **CPU), "cpu", threads=1), cupola.Session(cupola.compile(model, **SIM), "sim")]
    for count, numbers in ((7, lengths(1, 2, 1)), (9, lengths(3)), (5, lengths(2, 0, 1.4))):
        feed = {"x": rows(count), "v": numbers}
        expected, = peer.run(None, feed)
        for session in sessions:
            answer = session.run(feed)["y"]
            assert answer.shape == expected.shape
            np.testing.assert_allclose(answer, expected, rtol=1e-5, atol=1e-6)


def test_in_a_loop():
    """A counter that the loop carries, as TensorFlow's loops have it, and a size of each row."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[a, 6] x, int64[a] sizes) => (float[1, 6] y)
      <int64[1] one = {1}, int64 start = {0}, float[1, 6] none = {0, 0, 0, 0, 0, 0}, int64[1] axis = {0}, int64[1] six = {6}> {
        shape = Shape(x) rows = Gather<axis = 0>(shape, start) always = Constant<value = bool {1}>()
        i, y = Loop(rows, always, start, none) <body = body (int64 k, bool c, int64 at, float[1, 6] sum)
          => (bool go, int64 next, float[1, 6] more) {
            go = Identity(c) first = Unsqueeze(at, axis) end = Add(first, one) row = Slice(x, first, end, axis) next0 = Squeeze(end)
            next = Identity(next0) size = Gather<axis = 0>(sizes, first) kept = Slice(row, axis, size, one)
            rest = Sub(six, size) zeros = Concat<axis = 0>(axis, axis, axis, rest) filled = Pad(kept, zeros) more = Add(sum, filled)
        }> }""")
    peer = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for options, device in ((CPU, "cpu"), (SIM, "sim")):
        session = cupola.Session(cupola.compile(model, **options), device)
        for count in (4, 1):
            feed = {"x": rows(count), "sizes": RNG.integers(0, 7, count)}
            np.testing.assert_allclose(session.run(feed)["y"], peer.run(None, feed)[0], rtol=1e-5, atol=1e-6)


def test_wrong_numbers():
    """What a run finds of them is its error, with the node and the number; the session goes on."""
    session = cupola.Session(cupola.compile(model_of(BODIES["constant_of_shape"], constants=CONSTANTS), **CPU), "cpu")
    with pytest.raises(cupola.UsageError, match=r"ConstantOfShape.* gives .*'element 1 of input 0 \(input\)' = -2, .*0\.\."):
        session.run({"x": rows(1), "v": lengths(-2, -3)})
    assert session.run({"x": rows(1), "v": lengths(3)})["y"].shape == (3, 3)
    both = model_of("z = ConstantOfShape(s) y = Concat<axis = 1>(z, x)".replace("z =", "s = Concat<axis = 0>(n, six) z ="), constants=CONSTANTS)
    session = cupola.Session(cupola.compile(both, **CPU), "cpu")
    assert session.run({"x": rows(3), "v": lengths(3)})["y"].shape == (3, 12)
    with pytest.raises(cupola.UsageError, match="needs them equal"):
        session.run({"x": rows(3), "v": lengths(4)})


FAR = 2**63 - 1
SLICES = ('<ir_version: 10, opset_import: ["" : 21]> g (float[n] x, float[k] given) => (float[a] y0, float[b] y1, float[c] y2, float[d] y3)'
          '<int64[1] zero = {0}, int64[1] back = {-1}, int64[1] two = {2}, int64[1] five = {5}, float limit = {0},'
          f' int64[1] far = {{{FAR}}}, int64[1] low = {{{-FAR}}}>')
MOST = "most = ReduceMax <keepdims = 1> (given) at = Cast <to = 7> (most) "


def sessions_of(nodes):
    model = onnx.parser.parse_model(f"{SLICES} {{ {nodes} }}")
    return [cupola.Session(cupola.compile(model, **CPU), "cpu", threads=1), cupola.Session(cupola.compile(model, **SIM), "sim")]


def check(sessions, x, given, expected):
    """As numpy slices, but that steps back from before the first element begin at it."""
    for session in sessions:
        answers = session.run({"x": x, "given": lengths(*given)}).values()
        assert [answer.tolist() for answer in answers] == [value.tolist() for value in expected]


def vectors():
    return [np.arange(n, dtype=np.float32) for n in (0, 1, 5, 8)]


def test_a_place_counts_from_either_end():
    sessions = sessions_of(MOST + """behind = Add(at, two) y0 = Slice(x, at, far) y1 = Slice(x, zero, at) y2 = Slice(x, at, behind)
                                     y3 = Slice(x, at, low, zero, back)""")
    for x in vectors():
        for at in (-20, -8, -3, -2, -1, 0, 1, 5, 7, 20):
            check(sessions, x, [at - 1, at], [x[at:], x[:at], x[at:at + 2], x[max(at, -len(x))::-1]])


def test_a_step_is_of_either_sign():
    sessions = sessions_of(MOST + """end = Mul(at, five) y0 = Slice(x, two, end, zero, at) y1 = Slice(x, back, end, zero, at)
                                     y2 = Slice(x, zero, far, zero, at) y3 = Slice(x, at, end, zero, at)""")
    for x in vectors():
        for at in (-3, -2, -1, 1, 2, 3):
            check(sessions, x, [at], [x[2:5 * at:at], x[-1:5 * at:at], x[0:FAR:at], x[max(at, -len(x)):5 * at:at]])
    with pytest.raises(cupola.UsageError, match=r"y0.*1 and the size of a step"):
        check(sessions, vectors()[2], [0], [])


def test_so_many_from_the_end_may_be_none():
    sessions = sessions_of("""keep = Greater(x, limit) kept = Compress <axis = 0> (x, keep) count = Shape(kept) some = Min(count, five)
                              at = Neg(some) length = Shape(x) few = Min(length, two) last = Neg(few)
                              y0 = Slice(kept, at, far) y1 = Slice(x, at, far) y2 = Slice(x, zero, at) y3 = Slice(x, last, far)""")
    for x in vectors():
        for least in (0, 3, 9):
            x = np.where(x < least, -x, x)
            at = -min(5, int((x > 0).sum()))
            check(sessions, x, [0], [x[x > 0][-5:], x[at:], x[:at], x[-2:]])


def test_a_place_that_is_a_length_too_is_none_below_0():
    sessions = sessions_of(MOST + """y0 = Slice(x, at, far) y1 = ConstantOfShape(at) sum = Add(at, two) y2 = Slice(x, zero, sum)
                                     y3 = Identity(y0)""")
    x = vectors()[3]
    check(sessions, x, [3], [x[3:], np.zeros(3), x[:5], x[3:]])
    with pytest.raises(cupola.UsageError, match=r"starts.* = -3, the package was compiled for 0\.\."):
        check(sessions, x, [-3], [])
