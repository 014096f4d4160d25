#===- test/Python/test_strings.py - Arrays of strings in and out ---===#
# SPDX-License-Identifier: Apache-2.0

import cupola
import graphs
import numpy as np
import pytest
from onnx import TensorProto, helper

QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "isolate": False}
STRING = TensorProto.STRING


def joined(parts=None):
    """y = x + "!" and whether x is "stop"; with `parts` also the words of x, whose number a run finds."""
    nodes = [helper.make_node("Constant", [], ["mark"], value_string="!"), helper.make_node("Constant", [], ["stop"], value_string="stop"),
             helper.make_node("StringConcat", ["x", "mark"], ["y"]), helper.make_node("Equal", ["x", "stop"], ["is"])]
    outputs = [("y", STRING, ["n"]), ("is", TensorProto.BOOL, ["n"])]
    if parts:
        nodes.append(helper.make_node("StringSplit", ["x"], ["parts", "counts"]))
        outputs += [("parts", STRING, ["n", "m"]), ("counts", TensorProto.INT64, ["n"])]
    model = graphs.model(nodes, [("x", STRING, ["n"])], outputs)
    model.opset_import[0].version = 20
    return model


def session(model):
    return cupola.Session(cupola.compile(model, **QUIET), "cpu", threads=1)


@pytest.mark.parametrize("x", [np.array(["stop", "été", ""]), np.array(["stop", "été", ""], dtype=object), ["stop", "été", ""],
                               np.array([b"stop", "été".encode(), b""])], ids=["U", "O", "list", "S"])
def test_kinds_of_arrays(x):
    answer = session(joined()).run({"x": x})
    assert answer["y"].dtype == object and answer["y"].tolist() == ["stop!", "été!", "!"]
    assert answer["is"].tolist() == [True, False, False]


def test_many_runs_and_what_they_return():
    runner = session(joined())
    before = None
    for i in range(200):
        x = before if before is not None and i % 3 else [f"a{i}", "stop"]
        answer = runner.run({"x": x})["y"]
        assert answer.tolist() == [f"{text}!" for text in x]
        before = answer


def test_bytes_that_are_no_utf8():
    assert session(joined()).run({"x": np.array([b"\xff\xc3"])})["y"].tolist()[0].encode("utf-8", "surrogateescape") == b"\xff\xc3!"


def test_shapes_that_a_run_finds():
    runner = session(joined(parts=True))
    answer = runner.run({"x": ["a b", "", "c"]})
    assert answer["parts"].tolist() == [["a", "b"], ["", ""], ["c", ""]] and answer["counts"].tolist() == [2, 0, 1]
    run = runner.enqueue({"x": ["d e f"]})
    assert run.wait()["parts"].tolist() == [["d", "e", "f"]]


def test_refused():
    runner = session(joined())
    with pytest.raises(cupola.UsageError, match="input 'x' is of int64, expected strings"):
        runner.run({"x": np.array([1])})
    with pytest.raises(cupola.UsageError, match="an element is a int, expected str or bytes"):
        runner.run({"x": np.array(["a", 1], dtype=object)})
    with pytest.raises(cupola.UsageError, match="output 'y' holds strings: a run makes an array for it"):
        runner.run({"x": ["a"]}, {"y": np.empty(1, dtype=object)})
    torch = pytest.importorskip("torch")
    with pytest.raises(cupola.UsageError, match="for which DLPack has no type"):
        runner.run({"x": torch.zeros(1, dtype=torch.int64)})


def test_an_element_that_is_no_number():
    model = graphs.model([helper.make_node("Cast", ["x"], ["y"], "parse", to=1)], [("x", STRING, ["n"])], [("y", TensorProto.FLOAT, ["n"])])
    runner = session(model)
    with pytest.raises(cupola.UsageError, match="parse.*element 1 is 'Hello', which is no f32"):
        runner.run({"x": ["1", "Hello"]})
    assert runner.run({"x": ["1", "2"]})["y"].tolist() == [1, 2]


def test_onnxruntimes_interface():
    runner = cupola.InferenceSession(joined().SerializeToString(), providers=["CPUExecutionProvider"])
    assert [(arg.name, arg.type) for arg in runner.get_inputs()] == [("x", "tensor(string)")]
    assert runner.get_outputs()[0].type == "tensor(string)"
    assert runner.run(["y"], {"x": np.array(["a"], dtype=object)})[0].tolist() == ["a!"]
    assert cupola.OrtValue.ortvalue_from_numpy(np.array(["a"])).data_type() == "tensor(string)"


def test_verify_and_bench():
    x = np.array(["stop", "b c"], dtype=object)
    assert cupola.verify(joined(parts=True), inputs={"x": x}, progress=False, isolate=False).passed
    report = cupola.bench(joined(), inputs={"x": x}, profile=True, iterations=3, progress=False, isolate=False)
    assert any("string_concat" in str(line) for line in str(report).splitlines())
