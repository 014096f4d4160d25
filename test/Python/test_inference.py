#===- test/Python/test_inference.py - cupola.InferenceSession beside onnxruntime's ---===#
# SPDX-License-Identifier: Apache-2.0
"""What both have is written once and run with both."""

import os
import pickle
import threading

import cupola
import graphs
import numpy as np
import onnx
import onnxruntime
import pytest

CPU = ["CPUExecutionProvider"]


@pytest.fixture(params=[cupola, onnxruntime], ids=["cupola", "onnxruntime"])
def ort(request):
    return request.param


@pytest.fixture
def session(ort, layer):
    return ort.InferenceSession(layer.SerializeToString(), providers=CPU)


def test_interface(session):
    (x,), (y,) = session.get_inputs(), session.get_outputs()
    assert (x.name, x.type, x.shape) == ("x", "tensor(float)", ["rows", 8])
    assert (y.name, y.type, y.shape) == ("y", "tensor(float)", ["rows", 4])
    assert session.get_providers() == CPU


@pytest.mark.parametrize("kind", ["INT4", "UINT4", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"])
def test_names_of_narrow_types(ort, kind):
    model = graphs.unary("Cast", onnx.TensorProto.DataType.Value(kind), onnx.TensorProto.FLOAT)
    model.opset_import[0].version, model.ir_version = 21, 10
    session = ort.InferenceSession(model.SerializeToString(), providers=CPU)
    assert session.get_inputs()[0].type == f"tensor({kind.lower()})"


def test_metadata(ort, layer):
    described = onnx.ModelProto()
    described.CopyFrom(layer)
    described.producer_name, described.domain, described.doc_string, described.model_version = "maker", "ai.example", "Layers x.", 7
    described.graph.name, described.graph.doc_string = "layers", "One layer."
    onnx.helper.set_model_props(described, {"classes": "a,b"})
    meta = ort.InferenceSession(described.SerializeToString(), providers=CPU).get_modelmeta()
    assert (meta.producer_name, meta.domain, meta.description, meta.version) == ("maker", "ai.example", "Layers x.", 7)
    assert (meta.graph_name, meta.graph_description, meta.custom_metadata_map) == ("layers", "One layer.", {"classes": "a,b"})


def test_run(session, rows):
    x = rows(3)
    for names in (None, ["y"], []):
        answers = session.run(names, {"x": x})
        assert isinstance(answers, list) and np.allclose(answers[0], graphs.layer_answer(x), atol=1e-5)


def test_outputs_in_the_order_asked_for(ort):
    session = ort.InferenceSession(graphs.append().SerializeToString(), providers=CPU)
    feed = {"past": np.ones((2, 3, 16), np.float32), "new": np.ones((2, 1, 16), np.float32)}
    total, present = session.run(["sum", "present"], feed)
    assert total.shape == (2, 16) and present.shape == (2, 4, 16)


def test_options(ort, layer, rows, tmp_path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    path = tmp_path / "layer.onnx"
    path.write_bytes(layer.SerializeToString())
    session = ort.InferenceSession(str(path), sess_options=options, providers=[("CPUExecutionProvider", {})])
    assert session.run(["y"], {"x": rows(2)}, ort.RunOptions())[0].shape == (2, 4)
    assert session.get_session_options().intra_op_num_threads == 1


def test_errors(ort, session, rows):
    with pytest.raises(ValueError, match="Required inputs \\(\\['x'\\]\\) are missing from input feed \\(\\['z'\\]\\)"):
        session.run(None, {"z": rows(1)})
    for names, feed in ((["q"], {"x": rows(1)}), (None, {"x": rows(1), "z": rows(1)}), (None, {"x": rows(1).astype(np.int64)}),
                        (None, {"x": rows(1)[:, :5]})):
        with pytest.raises(Exception) as caught:
            session.run(names, feed)
        assert isinstance(caught.value, (ValueError, RuntimeError)) or ort is onnxruntime
    with pytest.raises(Exception):
        ort.InferenceSession("no/such.onnx", providers=CPU)
    with pytest.raises(Exception):
        ort.InferenceSession(b"no model", providers=CPU)
    assert session.run(None, {"x": rows(2)})[0].shape == (2, 4)


def test_ort_values(ort, session, rows):
    x = rows(3)
    value = ort.OrtValue.ortvalue_from_numpy(x, "cpu", 0)
    assert (value.shape(), value.data_type(), value.device_name(), value.is_tensor()) == ([3, 8], "tensor(float)", "cpu", True)
    answer = session.run_with_ort_values(["y"], {"x": value})[0]
    assert np.allclose(answer.numpy(), graphs.layer_answer(x), atol=1e-5)


def test_io_binding(ort, session, rows):
    x, y = rows(3), np.zeros((3, 4), np.float32)
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    assert np.allclose(binding.copy_outputs_to_cpu()[0], graphs.layer_answer(x), atol=1e-5)
    assert binding.get_outputs()[0].numpy().shape == (3, 4)
    binding.clear_binding_outputs()
    binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
    binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
    session.run_with_iobinding(binding)
    assert np.allclose(y, graphs.layer_answer(x), atol=1e-5)
    target = ort.OrtValue.ortvalue_from_shape_and_type([3, 4], np.float32, "cpu", 0)
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(x))
    binding.bind_ortvalue_output("y", target)
    session.run_with_iobinding(binding)
    assert np.allclose(target.numpy(), graphs.layer_answer(x), atol=1e-5)


def test_run_async(session, rows):
    x, done, told = rows(3), threading.Event(), []

    def callback(results, user_data, error):
        told.append((results, user_data, error))
        done.set()

    session.run_async(["y"], {"x": x}, callback, "mine")
    assert done.wait(60)
    ((results, user_data, error),) = told
    assert np.allclose(results[0], graphs.layer_answer(x), atol=1e-5) and (user_data, error) == ("mine", "")
    if isinstance(session, cupola.InferenceSession):
        done.clear()
        session.run_async(["y"], {"x": x[:, :3]}, callback, None)
        assert done.wait(60) and told[-1][0] == [] and "'x'" in told[-1][2]


def test_run_from_many_threads(session, rows):
    assert graphs.wrong_in_threads(range(1, 7), 50, lambda: lambda x: session.run(None, {"x": x})[0], rows) == []


def test_a_real_model(ort, models):
    case = np.load(os.path.join(models, "conv_mobilenet.b1.npz"))
    session = ort.InferenceSession(os.path.join(models, "conv_mobilenet.onnx"), providers=CPU)
    feed = {tensor.name: case["in:" + tensor.name] for tensor in session.get_inputs()}
    names = [tensor.name for tensor in session.get_outputs()]
    for name, answer in zip(names, session.run(names, feed)):
        assert np.allclose(answer, case["out:" + name], atol=1e-3)


#===--- What cupola's has besides ---===#


def test_packages_and_protos_are_models_too(layer, package, rows, tmp_path):
    path = tmp_path / "layer.cupola"
    package.save(path)
    for model in (package, path, str(path), bytes(package.contents()), layer):
        session = cupola.InferenceSession(model, providers=CPU)
        assert np.allclose(session.run(None, {"x": rows(2)})[0], graphs.layer_answer(rows(2)), atol=1e-5)


def test_providers(layer, package, rows):
    session = cupola.InferenceSession(layer.SerializeToString(), providers=["CupolaSimExecutionProvider"])
    assert session.get_providers() == ["CupolaSimExecutionProvider"]
    assert np.allclose(session.run(None, {"x": rows(2)})[0], graphs.layer_answer(rows(2)), atol=1e-5)
    with pytest.raises(cupola.UsageError, match="no provider 'AbacusExecutionProvider'"):
        cupola.InferenceSession(package, providers=["AbacusExecutionProvider"])
    if cupola.get_device() == "CPU":
        assert cupola.InferenceSession(package, providers=["CUDAExecutionProvider", *CPU]).get_providers() == CPU
        with pytest.raises(cupola.ResourceError):
            cupola.InferenceSession(package, providers=["CUDAExecutionProvider"])
    assert set(CPU) < set(cupola.get_available_providers())


def test_what_is_not_there_is_refused(package, layer):
    with pytest.raises(cupola.UsageError, match="no option 'enable_telepathy'"):
        cupola.InferenceSession(package, providers=CPU, enable_telepathy=True)
    session = cupola.InferenceSession(package, providers=CPU)
    with pytest.raises(cupola.UsageError, match="expected 'cpu'"):
        session.io_binding().bind_output("y", "cuda")
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(session)
