#===- test/Python/test_backend.py - onnx.backend's interface ---===#
# SPDX-License-Identifier: Apache-2.0
"""What ONNX's own tests (test/Onnx) do not ask."""

import cupola
import cupola.backend as backend
import graphs
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

QUICK = {"isolate": False, "threads": 1}


def test_it_is_a_backend_of_onnx():
    assert issubclass(backend.Backend, onnx.backend.base.Backend)
    assert isinstance(backend.prepare(graphs.layer(), **QUICK), onnx.backend.base.BackendRep)


def test_a_model_is_prepared_once_and_run_for_any_shape(rows):
    prepared = backend.prepare(graphs.layer(), "CPU", **QUICK)
    for n in (1, 5):
        y, = prepared.run([rows(n)])
        np.testing.assert_allclose(y, graphs.layer_answer(rows(n)), rtol=1e-5, atol=1e-6)


def test_outputs_are_found_by_place_and_by_name():
    cache, new = np.ones((2, 3, 16), np.float32), np.ones((2, 1, 16), np.float32)
    outputs = backend.run_model(graphs.append(), [cache, new], **QUICK)
    assert outputs[0].shape == (2, 4, 16) and outputs["sum"] is outputs[1]
    assert (outputs["sum"] == 4).all()


def test_an_output_that_is_listed_twice_is_given_once():
    model = graphs.append()
    model.graph.output.append(model.graph.output[0])
    cache, new = np.ones((2, 3, 16), np.float32), np.ones((2, 1, 16), np.float32)
    outputs = backend.run_model(model, [cache, new], **QUICK)
    assert [value.shape for value in outputs] == [(2, 4, 16), (2, 16)]


def test_an_input_that_has_an_initializer_is_not_given():
    model = graphs.layer()
    model.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [8, 4]))
    model.graph.input.insert(0, model.graph.input.pop())
    x = np.ones((2, 8), np.float32)
    np.testing.assert_allclose(backend.run_model(model, [x], **QUICK)[0], graphs.layer_answer(x), rtol=1e-5)


def test_a_node_is_run_without_a_model():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y, = backend.run_node(helper.make_node("LeakyRelu", ["x"], ["y"], alpha=0.5), [x - 3], **QUICK)
    assert (y == np.where(x < 3, (x - 3) / 2, x - 3)).all()


def test_an_operand_that_a_node_leaves_out_is_not_given():
    clip = helper.make_node("Clip", ["x", "", "high"], ["y"])
    y, = backend.run_node(clip, [np.arange(4, dtype=np.float32), np.float32(2)], **QUICK)
    assert y.tolist() == [0, 1, 2, 2]


def test_an_operand_that_a_node_names_twice_is_given_once():
    assert backend.run_node(helper.make_node("Mul", ["x", "x"], ["y"]), [np.array([2, 3])], **QUICK)[0].tolist() == [4, 9]


def test_the_types_of_a_nodes_outputs_may_be_said():
    node, x = helper.make_node("Relu", ["x"], ["y"]), np.ones((2, 3), np.float32)
    assert backend.run_node(node, [x], "CPU", [(np.float32, (2, 3))], **QUICK)["y"].shape == (2, 3)
    with pytest.raises(cupola.ModelError, match="'y' is declared with elements of int32, but has float32"):
        backend.run_node(node, [x], "CPU", [(np.int32, (2, 3))], **QUICK)
    with pytest.raises(cupola.UsageError, match="2 types of outputs are given, expected 1"):
        backend.run_node(node, [x], "CPU", [(np.float32, (2, 3))] * 2, **QUICK)


def test_a_node_is_of_the_opset_that_is_asked_for():
    """ReduceSum has its axes as an attribute before opset 13."""
    node, x = helper.make_node("ReduceSum", ["x"], ["y"], axes=[0], keepdims=0), np.ones((2, 3), np.int32)
    assert backend.run_node(node, [x], opset_version=11, **QUICK)[0].tolist() == [2, 2, 2]
    with pytest.raises(cupola.Error, match="axes"):
        backend.run_node(node, [x], **QUICK)


def test_what_cannot_be_compiled_is_not_compatible():
    assert backend.is_compatible(graphs.layer(), **QUICK)
    strange = graphs.unary("Gradient", TensorProto.FLOAT)
    strange.graph.node[0].domain = "ai.onnx.preview.training"
    strange.opset_import.add(domain="ai.onnx.preview.training", version=1)
    assert not backend.is_compatible(strange, "CPU", **QUICK)
    with pytest.raises(NotImplementedError, match="the op is not supported"):
        backend.prepare(strange, **QUICK)


def test_devices():
    assert backend.supports_device("CPU")
    assert not backend.supports_device("CUDA:99") and not backend.supports_device("TPU") and not backend.supports_device("CUDA:x")
    with pytest.raises(cupola.UsageError, match="the device is 'TPU', expected one of CPU, CUDA, SIM"):
        backend.prepare(graphs.layer(), "TPU")


def test_kernels_for_the_gpu_run_in_the_simulator(rows):
    if not backend.supports_device("SIM"):
        pytest.skip("the simulator needs clang++, which is not here")
    y, = backend.run_model(graphs.layer(), [rows(3)], "SIM", **QUICK)
    np.testing.assert_allclose(y, graphs.layer_answer(rows(3)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("device", ["CPU", "SIM"])
def test_a_package_has_nothing_for_other_devices(device, rows):
    if not backend.supports_device(device):
        pytest.skip(f"no {device}")
    package = backend.prepare(graphs.layer(), device, **QUICK).session.executable.package
    with pytest.raises(cupola.ResourceError):
        cupola.Session(package, "sim" if device == "CPU" else "cpu")


def test_wrong_calls(rows):
    prepared = backend.prepare(graphs.layer(), **QUICK)
    with pytest.raises(cupola.UsageError, match=r"2 arrays are given, expected 1: \['x'\]"):
        prepared.run([rows(1), rows(1)])
    with pytest.raises(cupola.UsageError, match="run has no option 'fast'"):
        prepared.run([rows(1)], fast=True)
    with pytest.raises(cupola.UsageError, match=r"1 arrays are given, expected 2: \['a', 'b'\]"):
        backend.run_node(helper.make_node("Add", ["a", "b"], ["c"]), [rows(1)])
