#===- test/Python/test_unknown_extents.py - Models of whose inputs the compiler knows no extent ---===#
# SPDX-License-Identifier: Apache-2.0
"""What has to hold is assumed, and checked when shapes are bound; what has to be a number is taken from a run. Answers are those of
onnx.reference."""

import cupola
import cupola.backend as backend
import numpy as np
import onnx.parser
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

QUICK = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "isolate": False}
FLOAT, INT32, INT64, UINT8 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64, TensorProto.UINT8
RNG = np.random.default_rng(5)


def floats(*shape):
    return RNG.random(shape, np.float32) - np.float32(0.5)


def bytes_of(*shape):
    return RNG.integers(0, 255, shape, np.uint8)


def one_node(op, inputs, output, opset=21, **attributes):
    """Every extent of an input has a name of its own, "x[0]"."""
    values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), [None] * array.ndim)
              for name, array in inputs.items()]
    node = helper.make_node(op, list(inputs), ["y"], name="the_node", **attributes)
    graph = helper.make_graph([node], "g", values, [helper.make_tensor_value_info("y", output, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def session_of(model, **options):
    return cupola.Session(cupola.compile(model, **QUICK, **options), "cpu", threads=1)


def check(op, feeds, output, wrong=(), **attributes):
    """One package for all feeds; `wrong` are feeds with what the error says of them."""
    model = one_node(op, feeds[0], output, **attributes)
    session = session_of(model)
    for feed in feeds:
        answer, = session.run(feed).values()
        expected, = ReferenceEvaluator(model).run(None, feed)
        assert answer.dtype == expected.dtype and answer.shape == expected.shape
        np.testing.assert_allclose(answer, expected, rtol=1e-5, atol=1e-5)
    for feed, text in wrong:
        with pytest.raises(cupola.UsageError, match=text):
            session.run(feed)


def quantised(x, scales, zeros):
    return {"x": x, "scale": floats(*scales) + 1, "zero": bytes_of(*zeros)}


FORMS = [((1,), (1,)), ((3,), (3,)), ((3,), (1,)), ((1,), (3,))]


@pytest.mark.parametrize("op", ["QuantizeLinear", "DequantizeLinear"])
def test_a_scale_is_one_number_or_a_list(op):
    make, output = (bytes_of, FLOAT) if op == "DequantizeLinear" else (floats, UINT8)
    feeds = [quantised(make(2, 3, 4), *form) for form in FORMS] + [quantised(make(2, 1, 4), (1,), (1,))]
    check(op, feeds, output, axis=1,
          wrong=[(quantised(make(2, 3, 4), (2,), (1,)), "'scale'.*'the_node'.* broadcasts the first to the second"),
                 (quantised(make(2, 1, 4), (3,), (1,)), "'scale'.*'the_node'")])


def test_an_axis_that_no_dimension_has_is_of_one_number():
    check("QuantizeLinear", [quantised(floats(7), (1,), (1,))], UINT8,
          wrong=[(quantised(floats(7), (7,), (1,)), "'scale'.*'the_node'.*that of one element")])


def product(left, right):
    return {"A": bytes_of(4, 5), "B": bytes_of(5, 3), "a_zero": bytes_of(*left), "b_zero": bytes_of(*right)}


def test_zero_points_of_a_product():
    feeds = [product(left, right) for left in ((1,), (4,)) for right in ((1,), (3,))]
    model = one_node("MatMulInteger", feeds[0], INT32)
    session = session_of(model)
    for feed in feeds:
        rows, columns = feed["a_zero"].astype(np.int32)[:, None], feed["b_zero"].astype(np.int32)
        answer, = session.run(feed).values()
        assert np.array_equal(answer, (feed["A"] - rows) @ (feed["B"] - columns))
    with pytest.raises(cupola.UsageError, match="'a_zero'.*'the_node'"):
        session.run(product((3,), (1,)))


def test_operands_of_one_element():
    def feed(count):
        return {"boxes": np.sort(RNG.random((1, 6, 4), np.float32), axis=2), "scores": RNG.random((1, 2, 6), np.float32),
                "most": np.full(1, 3, np.int64), "iou": np.full(count, 0.5, np.float32), "score": np.full(1, 0.1, np.float32)}

    check("NonMaxSuppression", [feed(1)], INT64, opset=11, wrong=[(feed(2), "'iou'.*'the_node'.*that of one element")])


def test_a_batch_of_scan_before_opset_9():
    model = onnx.parser.parse_model("""<ir_version: 3, opset_import: ["" : 8]>
      g (float[b, n] state, float[b, t, n] x) => (float[B, N] last, float[B, T, N] sums) {
        [walk] last, sums = Scan <num_scan_inputs = 1, body = one (float[n] s, float[n] e) => (float[n] a, float[n] c) {
          a = Add(s, e) c = Identity(a)
        }>("", state, x)
      }""")
    session = session_of(model)
    state, x = floats(1, 3), floats(1, 5, 3)
    found = session.run({"state": state, "x": x})
    np.testing.assert_allclose(found["sums"], state[:, None] + np.cumsum(x, axis=1), rtol=1e-5, atol=1e-6)
    with pytest.raises(cupola.UsageError, match="'walk' .Scan, opset 8. needs them equal .the batch and 1"):
        session.run({"state": floats(2, 3), "x": floats(2, 5, 3)})


def test_a_state_of_scan_keeps_its_shape():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
      g (float[b, n] state, float[t, c, m] x) => (float[B, N] last, float[T, B, N] sums) {
        [walk] last, sums = Scan <num_scan_inputs = 1, body = one (float[b, n] s, float[c, m] e) => (float[b, n] a, float[b, n] d) {
          a = Add(s, e) d = Identity(a)
        }>(state, x)
      }""")
    session = session_of(model)
    for columns in (3, 1):
        state, x = floats(2, 3), floats(5, 2, columns)
        found = session.run({"state": state, "x": x})
        np.testing.assert_allclose(found["sums"], state + np.cumsum(x, axis=0), rtol=1e-5, atol=1e-6)
        assert np.array_equal(found["last"], found["sums"][-1])
    with pytest.raises(cupola.UsageError, match="'walk' .Scan, opset 18. needs them equal .extents of a state behind and before"):
        session.run({"state": floats(1, 3), "x": floats(5, 2, 3)})


def test_an_operand_that_old_opsets_align():
    feed = {"a": floats(2, 3, 4), "b": floats(3)}
    session = session_of(one_node("Add", feed, FLOAT, opset=6, broadcast=1, axis=1))
    for b in (feed["b"], floats(1)):
        answer, = session.run({**feed, "b": b}).values()
        assert np.array_equal(answer, feed["a"] + b[:, None])
    with pytest.raises(cupola.UsageError, match="'b'.*'the_node'.*at axis 1"):
        session.run({**feed, "b": floats(2)})


def test_the_parts_of_numbers_of_a_one_sided_transform():
    check("DFT", [{"x": floats(1, 8, 1)}], FLOAT, opset=20, onesided=1,
          wrong=[({"x": floats(1, 8, 2)}, "the parts of its numbers")])
    model = one_node("DFT", {"x": floats(1, 8, 2)}, FLOAT, opset=20)
    with pytest.raises(cupola.UnsupportedError, match=r"the last extent .* is s2, .*; --shape x\[2\]=VALUE .* would decide it"):
        cupola.compile(model, **QUICK)


def test_coordinates_that_ranks_tell():
    places = np.array([[[0, 1]], [[3, 0]]], np.int64)
    check("ScatterND", [{"data": floats(4, 3), "indices": places, "updates": floats(2, 1)}], FLOAT, opset=18,
          wrong=[({"data": floats(4, 3), "indices": places[..., :1], "updates": floats(2, 1)}, "'indices'.*what is left of the ranks")])
    check("GatherND", [{"data": floats(6), "indices": places[0, 0][:, None]}], FLOAT, opset=13,
          wrong=[({"data": floats(6), "indices": places[0]}, "'indices'.*the coordinates of an index")])


def test_a_mask_may_be_shorter_than_the_keys_beside_their_counts():
    values = ", ".join(f"{kind}[{', '.join(name + str(i) for i in range(rank))}] {name}" for kind, name, rank in (
        ("float", "q", 4), ("float", "k", 4), ("float", "v", 4), ("float", "mask", 2), ("int64", "counts", 1)))
    model = onnx.parser.parse_model(f"""<ir_version: 13, opset_import: ["" : 24]>
      g ({values}) => (float[a, b, c, d] y) {{ y = Attention(q, k, v, mask, "", "", counts) }}""")
    given = {"q": floats(2, 3, 4, 8), "k": floats(2, 3, 6, 8), "v": floats(2, 3, 6, 8), "mask": floats(4, 6), "counts": np.array([3, 4])}
    session = session_of(model, given=given)
    for columns in (4, 6):
        run = {**given, "mask": floats(4, columns)}
        expected, = ReferenceEvaluator(model).run(None, run)
        np.testing.assert_allclose(*session.run(run).values(), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(cupola.UsageError, match="'mask'.*the number of keys"):
        session.run({**given, "mask": floats(4, 7)})


def test_what_only_a_run_knows_of_a_product_is_checked_there():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
      g (int64 times, float[m, k] x, float[k0, n] w) => (float[M, N] y, float[K, N] last) {
        true = Constant<value = bool {1}>()
        last, rows = Loop(times, true, w) <body = b (int64 i, bool c, float[r, n] s) => (bool d, float[R, n] t, float[m, n] p) {
          d = Identity(c) p = MatMul(x, s) t = Concat<axis = 0>(s, s)
        }>
        zero = Constant<value_ints = [0]>() y = ReduceSum<keepdims = 0>(rows, zero)
      }""")
    session = session_of(model)
    x, w = floats(2, 3), floats(3, 4)
    found = session.run({"times": np.int64(1), "x": x, "w": w})
    np.testing.assert_allclose(found["y"], x @ w, rtol=1e-5, atol=1e-6)
    with pytest.raises(cupola.Error, match="needs them equal .the last extent of the first and the last but one of the second"):
        session.run({"times": np.int64(2), "x": x, "w": w})


def test_sums_of_many_that_may_be_broadcast():
    names = [f"v{i}" for i in range(12)]
    feed = {name: floats(5) if i % 3 else floats(1) for i, name in enumerate(names)}
    check("Sum", [feed, {name: floats(1) for name in names}], FLOAT, opset=13,
          wrong=[({**feed, "v0": floats(4)}, "'v0'.*broadcasts them to each other")])


#===----------------------------------------------------------------------===#
# What has to be a number
#===----------------------------------------------------------------------===#


def shapes_of(package):
    return {tensor.name: tensor.shape for tensor in package.inputs}


def test_a_run_gives_extents_that_have_to_be_known_and_no_others():
    feed = {"x": floats(2, 3, 6, 5), "w": floats(4, 3, 2, 2), "b": floats(4)}
    model = one_node("Conv", feed, FLOAT, opset=18)
    with pytest.raises(cupola.UnsupportedError, match=" ".join(rf"--shape w\[{i}\]=VALUE" for i in range(4))) as error:
        cupola.compile(model, **QUICK)
    assert [problem.decided_by_inputs for problem in error.value.problems] == [True]
    package = cupola.compile(model, given=feed, **QUICK)
    shapes = shapes_of(package)
    assert shapes["w"] == (4, 3, 2, 2) and not any(isinstance(extent, int) for extent in shapes["x"] + shapes["b"])
    session = cupola.Session(package, "cpu", threads=1)
    for x in (feed["x"], floats(1, 3, 9, 2)):
        answer, = session.run({**feed, "x": x}).values()
        expected, = ReferenceEvaluator(model).run(None, {**feed, "x": x})
        np.testing.assert_allclose(answer, expected, rtol=1e-5, atol=1e-5)
    for other in ({"w": floats(4, 3, 3, 2)}, {"x": floats(2, 6, 6, 5)}, {"b": floats(3)}):
        with pytest.raises(cupola.UsageError, match=f"'{next(iter(other))}'"):
            session.run({**feed, **other})


def test_one_dimension_of_several_nodes_is_enough():
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 23]>
      g (float[batch, rows, hidden] q, float[batch, columns, hidden] k, float[batch, columns, hidden] v) => (float[a, b, c] y) {
        first = Attention<q_num_heads = 2, kv_num_heads = 2>(q, k, v) y = Attention<q_num_heads = 4, kv_num_heads = 4>(first, k, v)
      }""")
    feed = {"q": floats(2, 3, 8), "k": floats(2, 5, 8), "v": floats(2, 5, 8)}
    package = cupola.compile(model, given=feed, **QUICK)
    assert [shape[2] for shape in shapes_of(package).values()] == [8, 8, 8]
    assert not any(isinstance(extent, int) for shape in shapes_of(package).values() for extent in shape[:2])
    answer, = cupola.Session(package, "cpu", threads=1).run(feed).values()
    expected, = ReferenceEvaluator(model).run(None, feed)
    np.testing.assert_allclose(answer, expected, rtol=1e-4, atol=1e-5)


def test_a_list_of_floats_of_unknown_length_gets_a_length_alone():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
      g (float[1, 1, h, w] x, float[n] scales) => (float[a, b, c, d] y) { y = Resize<mode = "nearest">(x, "", scales) }""")
    x, scales = floats(1, 1, 3, 4), np.array([1, 1, 2, 2], np.float32)
    package = cupola.compile(model, given={"x": x, "scales": scales}, **QUICK)
    session = cupola.Session(package, "cpu", threads=1)
    for factor in (2, 3):
        answer, = session.run({"x": x, "scales": np.array([1, 1, factor, 1], np.float32)}).values()
        assert np.array_equal(answer, x.repeat(factor, axis=2))


def test_a_run_gives_the_length_of_a_sequence_that_is_an_output():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
      g (float[n, m] x) => (seq(float[]) parts) { parts = SplitToSequence<axis = 0, keepdims = 0>(x) }""")
    with pytest.raises(cupola.UnsupportedError, match="'parts' is a sequence .*; --shape n=VALUE .* would decide it"):
        cupola.compile(model, **QUICK)
    package = cupola.compile(model, given={"x": floats(3, 2)}, **QUICK)
    x = floats(3, 5)
    parts, = cupola.Session(package, "cpu", threads=1).run({"x": x}).values()
    assert [part.tolist() for part in parts] == x.tolist()


def test_what_inputs_do_not_decide_stays_an_error():
    feed = {"x": floats(2, 3, 6, 5), "w": floats(4, 3, 2)}
    model = one_node("Conv", {**feed, "w": floats(4, 3, 2, 2)}, FLOAT, opset=18)
    with pytest.raises(cupola.UnsupportedError, match="supported are constant extents"):
        cupola.compile(model, given=feed, **QUICK)  # of another rank
    with pytest.raises(cupola.UnsupportedError, match="supported are constant extents"):
        cupola.compile(model, given={"x": feed["x"]}, **QUICK)


def test_the_backend_compiles_for_the_extents_of_its_inputs():
    feed = {"x": floats(1, 4, 5), "w": floats(4, 2, 3)}
    model = one_node("ConvTranspose", feed, FLOAT, opset=11)
    ready = backend.prepare(model, "CPU", isolate=False)
    for w in (feed["w"], floats(4, 1, 2)):
        expected, = ReferenceEvaluator(model).run(None, {**feed, "w": w})
        np.testing.assert_allclose(ready.run([feed["x"], w])[0], expected, rtol=1e-5, atol=1e-5)


def test_pieces_of_an_axis_that_has_fewer_elements():
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
      g (float[n] x) => (float[] a, float[] b, float[] c, float[] d) { a, b, c, d = Split<axis = 0, num_outputs = 4>(x) }""")
    session = session_of(model)
    for count in (0, 1, 2, 5, 6, 9, 12):
        x, piece = floats(count), -(-count // 4)
        for i, found in enumerate(session.run({"x": x}).values()):
            np.testing.assert_array_equal(found, x[i * piece:(i + 1) * piece])


@pytest.mark.parametrize("kind, name, nodes", [("float", "z", ""),
                                               ("int64", "x", "i = NonZero(x) k = Constant<value_ints = [-1]>() z = Reshape(i, k)")])
def test_equal_pieces_of_what_has_none(kind, name, nodes):
    """Before opset 18; of an input, and of as many elements as are not zero."""
    session = session_of(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 13]>
      g (float[n] {name}) => ({kind}[] a, {kind}[] b) {{ {nodes} a, b = Split<axis = 0>(z) }}"""))
    assert [piece.shape for piece in session.run({name: np.ones(6, np.float32)}).values()] == [(3,), (3,)]
    with pytest.raises(cupola.Error, match="the sum of the sizes and the extent of axis 0"):
        session.run({name: np.ones(7, np.float32)})


def test_no_boxes_are_suppressed():
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
        g (float[1, n, 4] boxes, float[1, 2, n] scores) => (int64[m, 3] y)
        <int64[1] most = {3}, float[1] overlap = {0.5}, float[1] least = {0.2}>
        { y = NonMaxSuppression(boxes, scores, most, overlap, least) }""")
    session, far = session_of(model), np.arange(4, dtype=np.float32)[:, None] * 10 + np.array([0, 0, 1, 1], np.float32)
    for boxes, expected in ((0, []), (4, [[0, 0, 3], [0, 0, 2], [0, 0, 1]])):
        scores = np.stack([np.arange(4), np.zeros(4)])[None, :, :boxes].astype(np.float32)
        assert session.run({"boxes": far[None, :boxes], "scores": scores})["y"].reshape(-1).tolist() == sum(expected, [])
