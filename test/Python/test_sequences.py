#===- test/Python/test_sequences.py - Sequences, optionals and inputs that decide the program ---===#
# SPDX-License-Identifier: Apache-2.0
"""Answers are those of onnx.reference."""

import cupola
import cupola.backend as backend
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

QUICK = {"isolate": False, "threads": 1}
HEAD = '<ir_version: 8, opset_import: ["" : 18]>\n'
TYPES = {"float": np.float32, "double": np.float64, "float16": np.float16, "int64": np.int64, "int32": np.int32, "uint8": np.uint8,
         "bool": np.bool_}


def model(text):
    return onnx.parser.parse_model(HEAD + text)


def same(found, expected):
    if isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected)
        for a, b in zip(found, expected):
            same(a, b)
    elif expected is None:
        assert found is None
    else:
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def check(text, *inputs, **options):
    proto = model(text)
    names = [value.name for value in proto.graph.input]
    expected = ReferenceEvaluator(proto).run(None, dict(zip(names, inputs)))
    for found, answer in zip(backend.run_model(proto, list(inputs), **QUICK, **options), expected, strict=True):
        same(found, answer)


def numbers(kind, *shape):
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 7 - 2).astype(TYPES[kind])


@pytest.mark.parametrize("kind", TYPES)
def test_elements_are_put_in_and_taken_out(kind):
    a, b = numbers(kind, 2, 3), numbers(kind, 4)
    check(f"""g ({kind}[2, 3] a, {kind}[4] b) => ({kind}[n] x, {kind}[2, 3] y, int64 n, seq({kind}[]) s, seq({kind}[]) t) {{
      zero = Constant<value_int = 0>() minus = Constant<value_int = -1>() two = Constant<value = int32 {{2}}>()
      e = SequenceEmpty<dtype = {onnx.helper.np_dtype_to_tensor_dtype(np.dtype(TYPES[kind]))}>()
      e1 = SequenceInsert(e, a) e2 = SequenceInsert(e1, b, zero) e3 = SequenceInsert(e2, a, minus)
      s = SequenceErase(e3, minus) t = SequenceErase(e3)
      x = SequenceAt(e3, zero) y = SequenceAt(e3, minus) n = SequenceLength(e3)
    }}""".replace("y = SequenceAt(e3, minus)", "y = SequenceAt(e3, two)"), a, b)


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("place", [-3, -1, 0, 1, 2])
def test_a_run_finds_the_place(index, place):
    a, b, c = (numbers("float", 2, 2) + i for i in range(3))
    check(f"""g (float[2, 2] a, float[2, 2] b, float[2, 2] c, {index} i) => (float[2, 2] x, seq(float[]) s, seq(float[]) t) {{
      q = SequenceConstruct(a, b, c)
      x = SequenceAt(q, i) s = SequenceErase(q, i) t = SequenceInsert(q, c, i)
    }}""", a, b, c, np.array(place, index))


@pytest.mark.parametrize("kind", ["float", "int64", "bool"])
@pytest.mark.parametrize("split", ["", ", three", ", sizes"])
@pytest.mark.parametrize("attributes", ["axis = 1", "axis = -1, keepdims = 0", "axis = 0"])
def test_a_tensor_is_split(kind, split, attributes):
    extents = "[4, 2]" if "axis = 0" in attributes else "[2, 5]"
    check(f"""g ({kind}{extents} x) => (seq({kind}[]) s, int64 n) {{
      three = Constant<value_int = 3>() sizes = Constant<value_ints = {'[1, 3]' if 'axis = 0' in attributes else '[1, 0, 4]'}>()
      s = SplitToSequence<{attributes}>(x{split}) n = SequenceLength(s)
    }}""", numbers(kind, *eval(extents)))


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_a_dimension_that_stays_open_is_split_into_a_stack(rows):
    proto = model("""g (float[n, 3] x, int64 i) => (float[3, n] y, float[1, 3] row, int64 n) {
      s = SplitToSequence<axis = 0>(x) last = SequenceInsert(s, x1) n = SequenceLength(last)
      row = SequenceAt(last, i)
      t = SplitToSequence<axis = 0, keepdims = 0>(x)
      y = ConcatFromSequence<axis = -1, new_axis = 1>(t)
    }""".replace("(float[n, 3] x, int64 i)", "(float[n, 3] x, float[1, 3] x1, int64 i)"))
    package = cupola.compile(proto, targets="cpu", progress=False, **QUICK)
    x, x1 = numbers("float", rows, 3), numbers("float", 1, 3) + 40
    found = cupola.Session(package, "cpu", threads=1).run({"x": x, "x1": x1, "i": np.int64(-1)})
    same(found["y"], x.T)
    same(found["row"], x1)
    assert found["n"] == rows + 1


@pytest.mark.parametrize("attributes", ["axis = 0", "axis = -1", "axis = 0, new_axis = 1", "axis = 2, new_axis = 1",
                                        "axis = -1, new_axis = 1"])
def test_tensors_are_joined(attributes):
    shape = "[n, m, k]" if "new_axis" in attributes else "[n, m]"
    check(f"g (float[2, 3] a, float[2, 3] b) => (float{shape} y) {{ s = SequenceConstruct(a, b, a) y = ConcatFromSequence<{attributes}>(s) }}",
          numbers("float", 2, 3), numbers("float", 2, 3) + 9)


def test_no_element_has_an_element():
    check("g (float[2, 0] a) => (seq(float[]) s, float[2, 0] y, float[0, 2] z) { s = SequenceConstruct(a, a) "
          "y = ConcatFromSequence<axis = 1>(s) t = SplitToSequence<axis = 1>(a) u = SequenceInsert(t, a) zero = Constant<value_int = 0>() "
          "v = SequenceAt(u, zero) z = Transpose(v) }", np.zeros((2, 0), np.float32), shapes={"a": (2, 0)})


MAPPED = """g (seq(float[]) x, seq(float[]) w, float[3] b) => (seq(float[]) y, seq(int64[]) z) {
  y, z = SequenceMap (x, w, b) <
    body = m (float[n] xi, float[n] wi, float[3] bi) => (float[n] yi, int64[r] zi) { t = Mul(xi, wi) yi = Add(t, bi) zi = Shape(xi) }
  >
}"""


@pytest.mark.parametrize("count", [1, 3])
def test_a_body_is_mapped(count):
    x = [numbers("float", 3) * i for i in range(count)]
    y, z = backend.run_model(model(MAPPED), [x, x[::-1], np.ones(3, np.float32)], **QUICK)
    same(y, [a * b + 1 for a, b in zip(x, x[::-1])])                                                # onnx.reference takes one sequence more
    same(z, [np.array([3])] * count)


def test_sequences_that_are_mapped_have_one_length():
    x = [numbers("float", 3)] * 2
    with pytest.raises(cupola.ModelError, match=r"input 1 \(inputs\) is a sequence of 1 tensor, expected 2, as many as input 0 has"):
        backend.run_model(model(MAPPED), [x, x[:1], x[0]], **QUICK)
    assert list(backend.run_model(model(MAPPED), [[], [], x[0]], **QUICK)) == [[], []]


GROWING = """g (int64 n, float[3] x) => (float[m, 3] y, float[k] z, float[3] last, int64 count) {
  yes = Constant<value = bool {1}>() minus = Constant<value_int = -1>() first = SequenceConstruct(x)
  s = Loop (n, yes, first) <
    body = b (int64 i, bool go, seq(float[]) s) => (bool more, seq(float[]) longer) {
      more = Identity(go) times = Cast<to = 1>(i) row = Mul(x, times) longer = SequenceInsert(s, row)
    }
  >
  y = ConcatFromSequence<axis = 0, new_axis = 1>(s) z = ConcatFromSequence<axis = 0>(s)
  last = SequenceAt(s, minus) count = SequenceLength(s)
}"""


@pytest.mark.parametrize("times", [0, 1, 5])
def test_a_loop_makes_a_sequence_longer(times):
    x = numbers("float", 3)
    check(GROWING, np.int64(times), x)                                                              # the loop stays one
    check(GROWING.replace("(int64 n, float[3] x)", "(float[3] x)").replace(
        "minus =", f"n = Constant<value_int = {times}>() minus ="), x)                              # it is unrolled


def test_a_loop_from_an_empty_sequence():
    text = GROWING.replace("first = SequenceConstruct(x)", "first = SequenceEmpty()")
    for times in (1, 4):
        check(text, np.int64(times), numbers("float", 3))


@pytest.mark.parametrize("times", [0, 1, 4])
def test_a_loop_carries_a_sequence_that_stays_as_long(times):
    check("""g (int64 n, float[3] x) => (seq(float[]) s, float[m, 3] rows) {
      yes = Constant<value = bool {1}>() zero = Constant<value_int = 0>() twice = Add(x, x)
      first = SequenceConstruct(x, twice)
      s, rows = Loop (n, yes, first) <
        body = b (int64 i, bool go, seq(float[]) s) => (bool more, seq(float[]) turned, float[3] a) {
          more = Identity(go) a = SequenceAt(s, zero) less = SequenceErase(s, zero) b = Neg(a) turned = SequenceInsert(less, b)
        }
      >
    }""".replace("int64 n, ", "int64 n, ") if times else """g (int64 n, float[3] x) => (seq(float[]) s) {
      yes = Constant<value = bool {1}>() zero = Constant<value_int = 0>()
      first = SequenceConstruct(x, x)
      s = Loop (n, yes, first) <
        body = b (int64 i, bool go, seq(float[]) s) => (bool more, seq(float[]) turned) {
          more = Identity(go) a = SequenceAt(s, zero) less = SequenceErase(s, zero) b = Neg(a) turned = SequenceInsert(less, b)
        }
      >
    }""", np.int64(times), numbers("float", 3))


@pytest.mark.parametrize("condition", [False, True])
def test_branches_give_sequences_and_optionals(condition):
    check("""g (bool c, float[3] x) => (seq(float[]) s, bool there) {
      s, o = If (c) <
        then_branch = t () => (seq(float[]) ts, optional(float[3]) to) { twice = Add(x, x) ts = SequenceConstruct(x, twice) to = Optional(x) },
        else_branch = e () => (seq(float[]) es, optional(float[3]) eo) { less = Neg(x) es = SequenceConstruct(less, x) eo = Optional(less) }
      >
      there = OptionalHasElement(o)
    }""", np.array(condition), numbers("float", 3))


OPTIONAL = "g (optional(float[3]) o, optional(seq(float[])) p) => (bool a, bool b, optional(float[3]) c, optional(seq(float[])) d) " \
           "{ a = OptionalHasElement(o) b = OptionalHasElement(p) c = Identity(o) d = Identity(p) }"


@pytest.mark.parametrize("o", [None, np.ones(3, np.float32)], ids=["absent", "there"])
@pytest.mark.parametrize("p", [None, [], [np.ones(3, np.float32), np.zeros((2, 2), np.float32)]], ids=["absent", "empty", "two"])
def test_optionals(o, p):
    a, b, c, d = backend.run_model(model(OPTIONAL), [o, p], **QUICK)
    assert (a, b) == (o is not None, p is not None)
    same(c, o)
    same(d, p)


def test_an_optional_is_made_and_opened():
    x = numbers("float", 3)
    y, z, has = backend.run_model(model(
        "g (float[3] x) => (float[3] y, seq(float[]) z, bool has) { o = Optional(x) y = OptionalGetElement(o) s = SequenceConstruct(x, y) "
        "p = Optional(s) z = OptionalGetElement(p) q = Optional<type = seq(float[3])>() has = OptionalHasElement(q) }"), [x], **QUICK)
    same(y, x)
    same(z, [x, x])
    assert not has


#===--- Lengths that are said when a model is compiled ---===#

SUM = "g (seq(float[n]) x, float[3] b) => (float[3] y, seq(float[3]) z) " \
      "{ s = ConcatFromSequence<axis = 0, new_axis = 1>(x) t = ReduceSum<keepdims = 0>(s, axes) y = Add(t, b) z = SequenceConstruct(y, b) }"


def summed():
    proto = model(SUM)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.array([0]), "axes"))
    return proto


def test_a_session_takes_and_gives_lists():
    package = cupola.compile(summed(), targets="cpu", progress=False, sequences={"x": 2}, shapes={"x": (3,)}, **QUICK)
    assert [tensor.name for tensor in package.inputs] == ["x[0]", "x[1]", "b"]
    x, b = [np.ones(3, np.float32), np.full(3, 2, np.float32)], np.full(3, 5, np.float32)
    session = cupola.Session(package, "cpu", threads=1)
    for found in session.run({"x": x, "b": b}), session.enqueue({"x": x, "b": b}).wait():
        assert found["y"].tolist() == [8, 8, 8] and [part.tolist() for part in found["z"]] == [[8, 8, 8], [5, 5, 5]]
    with pytest.raises(cupola.UsageError, match=r"input 'x' was a list of 2 arrays when the model was compiled, but has 3 now: compile with "
                                                r"sequences=\{'x': 3\}"):
        session.run({"x": [*x, b], "b": b})
    with pytest.raises(cupola.UsageError, match="input 'x' is of type ndarray, expected a list of arrays"):
        session.run({"x": b, "b": b})
    x, z = cupola.inspect(package).composites
    assert (x.kind, x.output, x.absent, x.tensors) == ("sequence", False, False, ("x[0]", "x[1]")) and z.tensors == ("z[0]", "z[1]")
    parts, = package.input_composites
    assert (parts.name, parts.kind, parts.tensors) == ("x", "sequence", ("x[0]", "x[1]"))


def test_an_inference_session_takes_and_gives_lists():
    package = cupola.compile(summed(), targets="cpu", progress=False, sequences={"x": 1}, shapes={"x": (3,)}, **QUICK)
    session = cupola.InferenceSession(package, providers=["CPUExecutionProvider"])
    assert [(node.name, node.type, node.shape) for node in session.get_inputs()] == [("x", "seq(tensor(float))", []),
                                                                                      ("b", "tensor(float)", [3])]
    one = np.ones(3, np.float32)
    z, = session.run(["z"], {"x": [one], "b": one})
    assert [part.tolist() for part in z] == [[2, 2, 2], [1, 1, 1]]
    with pytest.raises(cupola.UsageError, match="Required inputs"):
        session.run(None, {"b": one})


def test_a_length_that_nobody_said_is_an_error():
    with pytest.raises(cupola.UnsupportedError, match="graph input 'x' is a sequence, whose number of elements is not known: --sequence "
                                                      "x=N would tell it") as error:
        cupola.compile(summed(), targets="cpu", progress=False, **QUICK)
    assert [problem.decided_by_inputs for problem in error.value.problems] == [True]
    with pytest.raises(cupola.UsageError, match="'b' is no input that is a sequence or an optional"):
        cupola.compile(summed(), targets="cpu", progress=False, sequences={"x": 1, "b": 1}, **QUICK)


def test_the_inputs_of_a_run_tell_it():
    x = [np.ones(3, np.float32)] * 4
    package = cupola.compile(summed(), targets="cpu", progress=False, given={"x": x, "b": x[0]}, **QUICK)
    assert len(package.input_composites[0].tensors) == 4


def test_kernels_for_the_gpu_run_in_the_simulator():
    if not backend.supports_device("SIM"):
        pytest.skip("the simulator needs clang++, which is not here")
    x, times = numbers("float", 3), 4
    y, _, last, count = backend.run_model(model(GROWING), [np.int64(times), x], "SIM", **QUICK)
    same(y, np.stack([x, *(x * i for i in range(times))]))
    same(last, x * (times - 1))
    assert count == times + 1
    same(backend.run_model(summed(), [[x, x, x], x], "SIM", **QUICK)[0], 4 * x)


#===--- Inputs that decide the program ---===#

DECIDED = "g (float[2, 3] x, bool c) => (float[n] y) { y = If (c) < then_branch = t () => (float[2, 3] a) { a = Neg(x) }, " \
          "else_branch = e () => (float[6] b) { six = Constant<value_ints = [6]>() b = Reshape(x, six) } > }"


def test_an_input_decides_the_program():
    x = numbers("float", 2, 3)
    prepared = backend.prepare(model(DECIDED), **QUICK)
    same(prepared.run([x, np.array(True)])[0], -x)
    same(prepared.run([x, np.array(False)])[0], x.reshape(6))
    assert backend.is_compatible(model(DECIDED), **QUICK)
    with pytest.raises(cupola.UnsupportedError, match="--set c=VALUE would decide it"):
        cupola.compile(model(DECIDED), targets="cpu", progress=False, **QUICK)


def test_a_list_of_no_axes_decides_the_program():
    """Whose extent is 0 as declared, which exporters also write for one that is not known."""
    proto = onnx.helper.make_model(onnx.helper.make_graph(
        [onnx.helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)], "g",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3]),
         onnx.helper.make_tensor_value_info("axes", onnx.TensorProto.INT64, ["n"])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)]), opset_imports=[onnx.helper.make_opsetid("", 18)])
    x, prepared = numbers("float", 2, 3), backend.prepare(proto, **QUICK)
    for axes in [], [1], [0, 1]:
        same(prepared.run([x, np.array(axes, np.int64)])[0], np.sum(x, tuple(axes) or None))


def test_what_decides_is_small():
    proto = model("g (float[2, 300] x, int64[300] i) => (seq(float[]) y) { y = SplitToSequence<axis = 1>(x, i) }")
    with pytest.raises(cupola.UnsupportedError, match=r"input 1 \(split\) is computed from the data"):
        backend.prepare(proto, **QUICK)


def test_data_decides_no_program():
    text = DECIDED.replace("bool c)", "float[999] d)").replace(
        "y = If", "most = ReduceMax<keepdims = 0>(d) zero = Constant<value_float = 0.0>() c = Greater(most, zero) y = If")
    with pytest.raises(cupola.UnsupportedError, match="supported are equal ranks"):
        backend.prepare(model(text), **QUICK)
