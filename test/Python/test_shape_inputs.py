#===- test/Python/test_shape_inputs.py - Inputs whose elements decide shapes, beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0

import itertools

import cupola
import numpy as np
import onnx.parser
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "isolate": False}
INT64, FLOAT = TensorProto.INT64, TensorProto.FLOAT


def scalar(value, kind=np.int64):
    return np.array(value, kind)


def without(feed, *names):
    return {name: array for name, array in feed.items() if name not in names}


def model_of(op, inputs, outputs=(FLOAT,), constants=(), **attributes):
    """One node; `inputs` are arrays by name, those named in `constants` are initializers, `outputs` element types."""
    values = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in inputs.items() if name not in constants
    ]
    given = [numpy_helper.from_array(inputs[name], name) for name in constants]
    results = [helper.make_tensor_value_info(f"y{i}", kind, None) for i, kind in enumerate(outputs)]
    node = helper.make_node(op, list(inputs), [result.name for result in results], **attributes)
    return helper.make_model(helper.make_graph([node], "g", values, results, given),
                             opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def ints(*values):
    return np.array(values, np.int64)


def check(model, feeds):
    """All feeds, by one session: with other elements the shapes are bound again."""
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu", threads=1)
    peer = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for feed in feeds:
        expected = peer.run(None, feed)
        answers = session.run(feed)
        for answer, value in zip(answers.values(), expected):
            assert answer.shape == value.shape and np.allclose(answer, value, rtol=1e-5, atol=1e-5), (feed, answer, value)
    return session


X = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4) - 7


def test_reshape():
    shapes = [ints(4, 6), ints(-1, 8), ints(3, -1), ints(24, 1), ints(0, 12), ints(0, -1)]
    session = check(model_of("Reshape", {"x": X, "shape": ints(4, 6)}), [{"x": X, "shape": shape} for shape in shapes])
    assert session.inputs[1].is_shape_input and not session.inputs[0].is_shape_input
    assert session.bind({"x": (2, 3, 4), "shape": (2,)}, {"shape": ints(-1, 2)}) == {"y0": (12, 2)}
    for wrong in (ints(5, 5), ints(-1, -1), ints(-2, 12), ints(7, -1)):
        with pytest.raises(cupola.UsageError):
            session.run({"x": X, "shape": wrong})
    assert session.run({"x": X, "shape": ints(8, 3)})["y0"].shape == (8, 3)


@pytest.mark.parametrize("keep", (0, 1))
@pytest.mark.parametrize("op", ("ReduceSum", "ReduceMax", "ReduceMean", "ReduceLogSumExp"))
def test_reductions(op, keep):
    for count in (1, 2):
        axes = [scalar(a) for a in itertools.permutations(range(-3, 3), count) if len({i % 3 for i in a}) == count]
        check(model_of(op, {"x": X, "axes": axes[0]}, keepdims=keep), [{"x": X, "axes": a} for a in axes])


def test_slice():
    rng = np.random.default_rng(1)
    feeds = []
    for _ in range(60):
        feeds.append({"x": X, "starts": rng.integers(-6, 6, 2), "ends": rng.integers(-6, 6, 2),
                      "axes": rng.permutation(3)[:2] - rng.integers(0, 2, 2) * 3,
                      "steps": rng.choice([-3, -2, -1, 1, 2, 5], 2)})
    feeds.append({**feeds[0], "starts": ints(0, 0), "ends": ints(2**63 - 1, 2**31 - 1), "steps": ints(1, 1)})
    feeds.append({**feeds[0], "starts": ints(2**62, -1), "ends": ints(-2**63, -2**31), "steps": ints(-1, -1)})
    check(model_of("Slice", feeds[0]), feeds)
    dense = [without(feed, "axes", "steps") for feed in feeds]
    check(model_of("Slice", dense[0]), dense)
    fixed = [without(feed, "axes") for feed in feeds]
    session = check(model_of("Slice", feeds[0], constants=("axes",)), fixed)
    with pytest.raises(cupola.UsageError, match="the size of a step"):
        session.run({**fixed[0], "steps": ints(0, 1)})


def test_axes_of_views():
    for axes in (ints(0), ints(1), ints(-1), ints(3), ints(-4)):
        check(model_of("Unsqueeze", {"x": X, "axes": axes}), [{"x": X, "axes": axes}])
    check(model_of("Unsqueeze", {"x": X, "axes": ints(0, 1)}),
          [{"x": X, "axes": ints(*a)} for a in ((0, 1), (1, 0), (-1, 2), (4, -5))])
    ones = X.reshape(1, 24, 1)
    session = check(model_of("Squeeze", {"x": ones, "axes": ints(0)}), [{"x": ones, "axes": ints(a)} for a in (0, 2, -1, -3)])
    for wrong, words in ((1, "element counts"), (3, "axes\\[0\\]"), (-4, "axes\\[0\\]")):
        with pytest.raises(cupola.UsageError, match=words):
            session.run({"x": ones, "axes": ints(wrong)})
    twice = check(model_of("Squeeze", {"x": ones, "axes": ints(0, 2)}), [{"x": ones, "axes": ints(2, 0)}])
    with pytest.raises(cupola.UsageError, match="how often dimension 0"):
        twice.run({"x": ones, "axes": ints(0, -3)})


def test_counts_and_extents():
    check(model_of("Tile", {"x": X, "repeats": ints(1, 1, 1)}), [{"x": X, "repeats": ints(*r)} for r in ((1, 1, 1), (2, 3, 1), (1, 1, 5))])
    row = X[:1]
    check(model_of("Expand", {"x": row, "shape": ints(1, 1, 1)}),
          [{"x": row, "shape": ints(*s)} for s in ((1, 1, 1), (5, 3, 4), (2, 1, 4), (7, 3, 1))])
    check(model_of("ConstantOfShape", {"shape": ints(2, 3)}), [{"shape": ints(*s)} for s in ((2, 3), (0, 4), (7, 1))])
    check(model_of("Range", {"start": scalar(0), "limit": scalar(5), "delta": scalar(1)}, (INT64,)),
          [dict(zip(("start", "limit", "delta"), map(scalar, r))) for r in ((0, 5, 1), (3, -8, -2), (4, 4, 1), (5, 2, 1), (-3, 9, 4))])
    check(model_of("Range", {"start": scalar(0, np.float32), "limit": scalar(5, np.float32), "delta": scalar(1, np.float32)}),
          [dict(zip(("start", "limit", "delta"), (scalar(v, np.float32) for v in r))) for r in ((0, 5, 1), (1.5, -3, -0.75), (2, 1, 0.5))])
    check(model_of("TopK", {"x": X, "k": ints(2)}, (FLOAT, INT64)), [{"x": X, "k": ints(k)} for k in (1, 2, 4)])
    check(model_of("CumSum", {"x": X, "axis": scalar(0)}), [{"x": X, "axis": scalar(a)} for a in (0, 1, 2, -1, -3)])
    check(model_of("Split", {"x": X, "split": ints(1, 3)}, (FLOAT, FLOAT), axis=2),
          [{"x": X, "split": ints(*s)} for s in ((1, 3), (4, 0), (2, 2))])
    check(model_of("OneHot", {"i": ints(1, -1, 9), "depth": scalar(3), "values": np.array([2, 5], np.float32)}),
          [{"i": ints(1, -1, 9), "depth": scalar(d), "values": np.array([2, 5], np.float32)} for d in (3, 1, 12)])


@pytest.mark.parametrize("mode", ("constant", "edge", "reflect"))
def test_pad(mode):
    pads = ((0, 0, 1, 0, 1, 2), (1, 2, 3, 0, 0, 0), (0, 0, 0, 0, 0, 0))
    check(model_of("Pad", {"x": X, "pads": ints(*pads[0])}, mode=mode), [{"x": X, "pads": ints(*p)} for p in pads])


def test_pad_axes_and_fill():
    feeds = [{"x": X, "pads": ints(*p), "fill": scalar(f, np.float32), "axes": ints(*a)}
             for p, f, a in (((1, 2, 0, 1), 3.5, (0, 2)), ((0, -1, 2, 0), -1, (-2, 0)), ((1, 1, 1, 1), 0, (2, 1)))]
    check(model_of("Pad", feeds[0]), feeds)


def test_resize():
    image = np.random.default_rng(2).random((1, 1, 4, 5), np.float32)
    for mode in ("nearest", "linear", "cubic"):
        for transformation in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"):
            options = {"mode": mode, "coordinate_transformation_mode": transformation}
            none = np.array([], np.float32)
            scales = [np.array([1, 1, *s], np.float32) for s in ((2, 2), (0.6, 0.6), (1.5, 0.8), (1, 3))]
            feeds = [{"x": image, "roi": none, "scales": s} for s in scales]
            check(model_of("Resize", feeds[0], constants=("roi",), **options), [without(f, "roi") for f in feeds])
            sizes = [ints(1, 1, *s) for s in ((8, 10), (3, 7), (1, 1))]
            feeds = [{"x": image, "roi": none, "scales": none, "sizes": s} for s in sizes]
            check(model_of("Resize", feeds[0], constants=("roi", "scales"), **options),
                  [without(f, "roi", "scales") for f in feeds])


def test_elements_of_the_wrong_kind_are_named():
    session = check(model_of("Reshape", {"x": X, "shape": ints(4, 6)}), [])
    with pytest.raises(cupola.UsageError, match="shapes follow from its elements"):
        session.bind({"x": (2, 3, 4), "shape": (2,)})
    session = check(model_of("Range", {"start": scalar(0, np.float32), "limit": scalar(5, np.float32), "delta": scalar(1, np.float32)}), [])
    with pytest.raises(cupola.UsageError, match="input 'limit': element 0 is no number"):
        session.run({"start": scalar(0, np.float32), "limit": scalar(np.nan, np.float32), "delta": scalar(1, np.float32)})


HALF_OF_THE_FIRST = "first = Slice(x, zero, one) half = Mul(first, h) s = Cast <to = 7> (half) y = Slice(x, zero, s)"
COUNT_OF_NAN = "no = IsNaN(x) n = Cast <to = 7> (no) s = ReduceSum(n, zero) y = Slice(x, s, far)"

COUNT_OF_UNEQUAL = "same = Equal(x, x) no = Not(same) n = Cast <to = 7> (no) s = ReduceSum(n, zero) y = Slice(x, s, far)"


@pytest.mark.parametrize("nodes", [HALF_OF_THE_FIRST, COUNT_OF_NAN, COUNT_OF_UNEQUAL])
def test_elements_that_no_extent_follows_from_may_be_anything(nodes):
    model = onnx.parser.parse_model(f"""<ir_version: 10, opset_import: ["" : 21]> g (float[4] x) => (float[n] y)
        <int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] far = {{99}}, float h = {{0.5}}> {{ {nodes} }}""")
    peer = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu", threads=1)
    firsts = [3, 7.9] + ([np.nan, np.inf, 1e30] if nodes != HALF_OF_THE_FIRST else [])
    for x in itertools.product(firsts, [1, np.nan], [2, -np.inf, 1e30, 1e-30]):
        feed = {"x": np.array([*x, 5], np.float32)}
        np.testing.assert_array_equal(session.run(feed)["y"], peer.run(None, feed)[0])
    if nodes == HALF_OF_THE_FIRST:
        with pytest.raises(cupola.UsageError, match="input 'x': element 0 is no number that an extent can follow from"):
            session.run({"x": np.array([np.nan, 1, np.inf, 1], np.float32)})


def test_the_command_line_asks_for_values():
    package = cupola.compile(model_of("Reshape", {"x": X, "shape": ints(4, 6)}), **QUIET)
    with pytest.raises(cupola.UsageError, match="its elements decide shapes"):
        cupola.bench(package, "cpu")


def test_weights_of_open_extents():
    """A constant that the extent of another tensor cuts into rows: no copy of it has one size."""
    nodes = [helper.make_node("Shape", ["x"], ["rows"], start=1, end=2), helper.make_node("Concat", ["rows", "rest"], ["shape"], axis=0),
             helper.make_node("Reshape", ["w", "shape"], ["m"]), helper.make_node("MatMul", ["x", "m"], ["y"])]
    random = np.random.default_rng(5)
    weights = random.standard_normal(96 * 64).astype(np.float32)
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", FLOAT, [4, "s"])],
                              [helper.make_tensor_value_info("y", FLOAT, [4, "t"])],
                              [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(ints(-1), "rest")])
    check(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8),
          [{"x": random.standard_normal((4, extent)).astype(np.float32)} for extent in (8, 64, 96, 8)])
