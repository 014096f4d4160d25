#===- test/Python/test_op_library.py - Models with ops that a file defines ---===#
# SPDX-License-Identifier: Apache-2.0

import pathlib

import cupola
import graphs
import numpy as np
import pytest
from onnx import TensorProto, helper

OPS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "ops.yaml"
QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False}


def swish_of_layer(beta):
    """The layer of graphs.py without its Relu, then two ops of docs/examples/ops.yaml."""
    w, b = graphs.weights()
    scale = np.float32([0.5, 1, 2, 3])
    made = graphs.model(
        [helper.make_node("MatMul", ["x", "w"], ["product"]), helper.make_node("Add", ["product", "b"], ["sum"]),
         helper.make_node("ScaledSwish", ["sum", "scale"], ["y"], "swish", domain="my.ops", beta=beta)],
        [("x", TensorProto.FLOAT, ["rows", 8])], [("y", TensorProto.FLOAT, ["rows", 4])], [("w", w), ("b", b), ("scale", scale)])
    made.opset_import.append(helper.make_opsetid("my.ops", 1))

    def answer(x):
        y = x @ w + b
        return scale * y / (1 + np.exp(-beta * y))

    return made, answer


def test_a_session_computes_what_the_library_says():
    made, answer = swish_of_layer(0.7)
    x = np.random.default_rng(1).standard_normal((5, 8)).astype(np.float32)
    package = cupola.compile(made, op_libraries=OPS, **QUIET)
    np.testing.assert_allclose(cupola.Session(package, "cpu").run({"x": x})["y"], answer(x), rtol=1e-5, atol=1e-6)
    assert bytes(cupola.compile(made, op_libraries=[str(OPS)], isolate=False, **QUIET).contents()) == bytes(package.contents())


def test_onnxruntimes_way():
    made, answer = swish_of_layer(2.0)
    x = np.random.default_rng(2).standard_normal((3, 8)).astype(np.float32)
    options = cupola.SessionOptions()
    options.register_custom_ops_library(OPS)
    session = cupola.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"x": x})[0], answer(x), rtol=1e-5, atol=1e-6)
    assert not cupola.SessionOptions().op_libraries


def test_what_is_wrong_names_the_node_or_the_file(tmp_path):
    made, _ = swish_of_layer(1.0)
    with pytest.raises(cupola.UnsupportedError, match="node 'swish' .*--op-library"):
        cupola.compile(made, **QUIET)
    with pytest.raises(cupola.FileError, match="none.yaml"):
        cupola.compile(made, op_libraries=tmp_path / "none.yaml", **QUIET)
    (tmp_path / "wrong.yaml").write_text("ops:\n  - {op: F, domain: d, inputs: [x], outputs: [{name: y, expression: x +}]}\n")
    with pytest.raises(cupola.UsageError, match="wrong.yaml: op 'F': the expression of output 'y': character 4 is the end"):
        cupola.compile(made, op_libraries=tmp_path / "wrong.yaml", **QUIET)


def test_a_snippet_needs_trust_and_a_device_that_compiles_it(tmp_path):
    made, _ = swish_of_layer(1.0)
    file = tmp_path / "ops.yaml"
    file.write_text("ops:\n  - {op: ScaledSwish, domain: my.ops, inputs: [x, s], attributes: {beta: 1.0}, "
                    "outputs: [{name: y, snippet: 'return s * x;'}]}\n")
    with pytest.raises(cupola.UnsupportedError, match="--trust-snippets"):
        cupola.compile(made, op_libraries=file, **QUIET)
    with pytest.raises(cupola.UnsupportedError, match="swish: .* no expression, which target 'cpu' needs"):
        cupola.compile(made, op_libraries=file, trust_snippets=True, **QUIET)
    package = cupola.compile(made, op_libraries=file, trust_snippets=True, targets="cuda", arch="sm_80", source_only=True,
                             progress=False)
    assert "return s * x;" in bytes(package.contents()).decode("latin-1")
