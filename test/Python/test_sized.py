#===- test/Python/test_sized.py - Results whose sizes data decide, beside onnxruntime and numpy ---===#
# SPDX-License-Identifier: Apache-2.0

import cupola
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, parser

QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "isolate": False}
INT64, FLOAT = TensorProto.INT64, TensorProto.FLOAT
RNG = np.random.default_rng(3)


def model_of(op, inputs, outputs, **attributes):
    """One node; extents of inputs are open."""
    values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype),
                                            [f"{name}{i}" for i in range(array.ndim)]) for name, array in inputs.items()]
    results = [helper.make_tensor_value_info(f"y{i}", kind, None) for i, kind in enumerate(outputs)]
    node = helper.make_node(op, list(inputs), [result.name for result in results], **attributes)
    return helper.make_model(helper.make_graph([node], "g", values, results), opset_imports=[helper.make_opsetid("", 17)],
                             ir_version=8)


def check(op, feeds, outputs, **attributes):
    check_model(model_of(op, feeds[0], outputs, **attributes), feeds)


def check_model(model, feeds):
    """One session for all feeds."""
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu", threads=1)
    peer = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for feed in feeds:
        for answer, value in zip(session.run(feed).values(), peer.run(None, feed)):
            assert answer.shape == value.shape and np.array_equal(answer, value, equal_nan=value.dtype.kind == "f"), feed


@pytest.mark.parametrize("shape", ((5,), (1, 7), (13, 40), (3, 4, 5), (2, 300, 3), (0, 4)))
def test_nonzero(shape):
    feeds = [{"x": (RNG.random(shape) < share).astype(np.float32)} for share in (0, 0.1, 0.7, 1)]
    check("NonZero", feeds, [INT64])


def test_compress():
    data = RNG.random((6, 5), np.float32)
    for axis, length in ((0, 6), (1, 5), (1, 3), (-2, 4)):
        check("Compress", [{"x": data, "c": RNG.random(length) < share} for share in (0, 0.5, 1)], [FLOAT], axis=axis)
    check("Compress", [{"x": data, "c": RNG.random(length) < 0.5} for length in (30, 7, 1)], [FLOAT])
    check("Compress", [{"x": data, "c": RNG.random(shape) < 0.5} for shape in ((6, 5), (2, 3))], [FLOAT])  # masks as exporters write them


@pytest.mark.parametrize("is_sorted", (0, 1))
def test_unique(is_sorted):
    outputs = [INT64] * 4
    feeds = [{"x": RNG.integers(0, high, shape)} for high, shape in ((4, (17,)), (50, (40,)), (1, (9,)), (3, (1,)))]
    check("Unique", feeds, outputs, sorted=is_sorted)
    check("Unique", [{"x": RNG.integers(0, 3, (4, 6))}], outputs, sorted=is_sorted)
    for axis in (0, 1, -1):
        check("Unique", [{"x": RNG.integers(0, 2, (7, 3, 2))}, {"x": RNG.integers(0, 2, (3, 8, 1))}], outputs, sorted=is_sorted, axis=axis)


def suppression(batch, classes, boxes, most, overlap, score=None):
    feed = {"boxes": RNG.random((batch, boxes, 4), np.float32), "scores": RNG.standard_normal((batch, classes, boxes)).astype(np.float32),
            "most": np.array([most]), "overlap": np.array([overlap], np.float32)}
    return feed if score is None else {**feed, "score": np.array([score], np.float32)}


def suppressing(feed, **attributes):
    """The limits are of one element each."""
    model = model_of("NonMaxSuppression", feed, [INT64], **attributes)
    for value in model.graph.input[2:]:
        value.type.tensor_type.shape.dim[0].dim_value = 1
    return model


@pytest.mark.parametrize("centres", (0, 1))
def test_boxes_that_do_not_overlap(centres):
    feeds = [suppression(*sizes, *limits) for sizes in ((1, 1, 20), (2, 3, 40), (3, 1, 1), (1, 5, 7))
             for limits in ((3, 0.5, -0.5), (100, 0.2, -9), (5, 0.9, 1.2), (0, 0.5, 0), (4, 0.0, -9))]
    check_model(suppressing(feeds[0], center_point_box=centres), feeds)
    feed = suppression(2, 2, 10, 4, 0.5)
    for count in (4, 3, 2):
        fewer = dict(list(feed.items())[:count])
        check_model(suppressing(fewer, center_point_box=centres), [fewer])


def test_what_follows_sees_the_size():
    """Values at the places that NonZero finds, summed up and reshaped by their number."""
    nodes = [helper.make_node("NonZero", ["x"], ["places"]), helper.make_node("Transpose", ["places"], ["rows"]),
             helper.make_node("GatherND", ["x", "rows"], ["values"]), helper.make_node("Shape", ["values"], ["count"]),
             helper.make_node("ConstantOfShape", ["count"], ["zeros"]), helper.make_node("Sub", ["zeros", "values"], ["y"]),
             helper.make_node("ReduceSum", ["values"], ["total"], keepdims=0)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", FLOAT, ["n", 4])],
                              [helper.make_tensor_value_info("y", FLOAT, None), helper.make_tensor_value_info("total", FLOAT, [])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu", threads=1)
    for rows in (3, 1, 8):
        x = np.where(RNG.random((rows, 4)) < 0.4, RNG.random((rows, 4)), 0).astype(np.float32)
        answer = session.run({"x": x})
        assert np.array_equal(answer["y"], -x[x != 0]) and np.isclose(answer["total"], x.sum())


@pytest.mark.parametrize("chained", (False, True))
def test_many_sizes(chained):
    """As detectors have for every class: independent ones, or each of the one before."""
    count = 70
    nodes, last = [], "x"
    for i in range(count):
        nodes += [helper.make_node("Greater", [last, f"t{i}"], [f"c{i}"]),
                  helper.make_node("Compress", [last, f"c{i}"], [f"z{i}"], axis=0)]
        last = f"z{i}" if chained else "x"
    nodes.append(helper.make_node("Concat", [f"z{i}" for i in range(count)], ["y"], axis=0))
    constants = [helper.make_tensor(f"t{i}", FLOAT, [], [i / count]) for i in range(count)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", FLOAT, ["n"])],
                              [helper.make_tensor_value_info("y", FLOAT, None)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    check_model(model, [{"x": RNG.random(n).astype(np.float32)} for n in (40, 0, 7)])


@pytest.mark.parametrize("device", ("cpu", "sim"))
def test_reductions_of_nothing(device):
    """Of an extent that is 0 only when the model runs."""
    for kind in ("int8", "uint8", "int32", "float32"):
        dtype = np.dtype(kind)
        element = helper.np_dtype_to_tensor_dtype(dtype)
        graph = helper.make_graph([helper.make_node("ReduceMin", ["x"], ["least"], axes=[1], keepdims=0),
                                   helper.make_node("ReduceMax", ["x"], ["largest"], axes=[1], keepdims=0)], "g",
                                  [helper.make_tensor_value_info("x", element, [3, "n"])],
                                  [helper.make_tensor_value_info(name, element, [3]) for name in ("least", "largest")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        package = cupola.compile(model, targets="cpu" if device == "cpu" else "cuda", progress=False, isolate=False)
        session = cupola.Session(package, device, **({} if device == "cpu" else {"arch": "sm_80"}))
        least, largest = session.run({"x": np.zeros((3, 0), dtype)}).values()
        ends = (np.inf, -np.inf) if dtype.kind == "f" else (np.iinfo(dtype).max, np.iinfo(dtype).min)
        assert np.all(least == ends[0]) and np.all(largest == ends[1]), kind


MASKED_PUT = """g (float[4,8] x, bool[4,8] m) => (float[4,8] y) <int64[1] z = {0}, int64[1] minus = {-1}>
  { nz = NonZero (m) idx = Transpose (nz) sh = Shape <start: int = 0, end: int = 1> (idx)
    f = Reshape (x, minus) u = Slice (f, z, sh, z) y = ScatterND (x, idx, u) }"""
EXPERT = """g (float[N,8] x, bool[N] m) => (float[N,8] y)
  <int64[1] zero = {0}, int64[1] one = {1}, int64[2] s00 = {0,0}, int64[2] e = {1,9223372036854775807}, int64[2] ax = {0,1}>
  { nz = NonZero (m) r = Squeeze (nz, zero) u = Gather <axis: int = 0> (x, r) sx = Shape (x) acc = ConstantOfShape (sx)
    row = Slice (acc, s00, e, ax) sr = Shape (row) ue = Expand (u, sr) sue = Shape (ue) i1 = Unsqueeze (r, one)
    ie = Expand (i1, sue) y = ScatterElements <axis: int = 0, reduction: string = "add"> (acc, ie, ue) }"""
LAST_STEP = """g (float[t,4] x, int64 n, bool c0) => (float[4] y)
  <int64[1] s = {-1}, int64[1] e = {9223372036854775807}, int64[1] ax = {0}, float[4] h0 = {0,0,0,0}>
  { h, o = Loop (n, c0, h0) <body: graph = b (int64 i, bool ci, float[4] hi) => (bool co, float[4] ho, float[4] out)
      <float th = {100}> { xi = Gather <axis: int = 0> (x, i) ho = Add (hi, xi) out = Identity (ho)
                           m = ReduceMax <keepdims: int = 0> (ho) co = Less (m, th) }>
    a = Slice (o, s, e, ax) y = Squeeze (a, ax) }"""


@pytest.mark.parametrize("body, feeds", (
    (MASKED_PUT, [{"x": RNG.random((4, 8)).astype(np.float32), "m": RNG.random((4, 8)) < share} for share in (0, 0.4, 1)]),
    (EXPERT, [{"x": RNG.random((n, 8)).astype(np.float32), "m": RNG.random(n) < share} for n, share in ((1, 1), (5, 0), (9, 0.5))]),
    (LAST_STEP, [{"x": RNG.random((9, 4)).astype(np.float32), "n": np.array(n), "c0": np.array(True)} for n in (1, 9)]),
), ids=("masked put", "expert", "last step"))
def test_sizes_that_exporters_take_for_granted(body, feeds):
    """No more are chosen than there are; extents that are equal whenever the node means something."""
    check_model(parser.parse_model('<ir_version: 8, opset_import: ["": 17]>' + body), feeds)


def test_a_step_that_there_is_not():
    model = parser.parse_model('<ir_version: 8, opset_import: ["": 17]>' + LAST_STEP)
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu", threads=1)
    with pytest.raises(cupola.errors.UsageError, match="Squeeze"):
        session.run({"x": np.zeros((9, 4), np.float32), "n": np.array(0), "c0": np.array(True)})


SCALED = """<ir_version: 8, opset_import: ["" : 17]> g (float[n] x) => (float[a] y, int64[1] z)
    <float scale = {{ {scale} }}, float[1] scales = {{ {scale} }}> {{
      s = Shape(x) f = Cast<to = 1>(s) p = {op}(f, scale) w = {whole}(p) i = Cast<to = 7>(w) y = ConstantOfShape(i)
      r = Resize<mode = "nearest">(x, , scales) z = Shape(r)
    }}"""


@pytest.mark.parametrize("op", ("Mul", "Div"))
@pytest.mark.parametrize("whole", ("Floor", "Ceil"))
@pytest.mark.parametrize("scale", (0.7, 2.3, 1.1, 0.5, 0.3))
def test_scaled_lengths(op, whole, scale):
    """A product in f32 rounds: 10 * 0.7 is 7."""
    model = parser.parse_model(SCALED.format(op=op, whole=whole, scale=scale))
    check_model(model, [{"x": RNG.random(n, np.float32)} for n in (1, 7, 10, 11, 20, 30, 41, 110, 1000)])
