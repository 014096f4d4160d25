#===- test/Python/test_session.py - cupola.Session: arrays in and out, runs, caches ---===#
# SPDX-License-Identifier: Apache-2.0

import array
import concurrent.futures
import ctypes
import gc
import mmap
import os
import pickle
import threading
import time

import cupola
import graphs
import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "isolate": False}
KINDS = {
    TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16, TensorProto.DOUBLE: np.float64, TensorProto.INT8: np.int8,
    TensorProto.INT16: np.int16, TensorProto.INT32: np.int32, TensorProto.INT64: np.int64, TensorProto.UINT8: np.uint8,
    TensorProto.BOOL: np.bool_
}


def peer(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def run(model, inputs, **options):
    return cupola.Session(cupola.compile(model, **QUIET, **options), "cpu", threads=1).run(inputs)


@pytest.mark.parametrize("kind", KINDS)
def test_element_types_are_onnxruntimes(kind):
    dtype = KINDS[kind]
    x = np.array([[0, 1, 2], [3, 100, 0]]).astype(dtype)
    model = graphs.unary("Not", kind) if dtype is np.bool_ else graphs.unary("Cast", kind, TensorProto.FLOAT)
    answer = run(model, {"x": x})["y"]
    expected = peer(model).run(None, {"x": x})[0]
    assert answer.dtype == expected.dtype and np.array_equal(answer, expected)
    back = graphs.unary("Identity", kind)
    assert run(back, {"x": x})["y"].dtype == dtype


def test_bfloat16_is_that_of_ml_dtypes():
    model = graphs.unary("Neg", TensorProto.BFLOAT16)
    x = np.array([[1, 2.5, -3]]).astype(ml_dtypes.bfloat16)
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu")
    y = session.run({"x": x})["y"]
    assert session.inputs[0].dtype == "bfloat16" and y.dtype == ml_dtypes.bfloat16
    assert np.array_equal(y, -x)
    assert cupola.empty((2,), "bfloat16").dtype == ml_dtypes.bfloat16
    with pytest.raises(cupola.UsageError, match="input 'x' is of uint16, expected bfloat16"):
        session.run({"x": x.view(np.uint16)})


NARROW = {
    TensorProto.INT4: "int4", TensorProto.UINT4: "uint4", TensorProto.INT2: "int2", TensorProto.UINT2: "uint2",
    TensorProto.FLOAT4E2M1: "float4_e2m1fn", TensorProto.FLOAT8E4M3FN: "float8_e4m3fn", TensorProto.FLOAT8E4M3FNUZ: "float8_e4m3fnuz",
    TensorProto.FLOAT8E5M2: "float8_e5m2", TensorProto.FLOAT8E5M2FNUZ: "float8_e5m2fnuz", TensorProto.FLOAT8E8M0: "float8_e8m0fnu"
}


@pytest.mark.parametrize("kind", NARROW)
def test_narrow_types_are_those_of_ml_dtypes(kind):
    name = NARROW[kind]
    dtype, model = np.dtype(getattr(ml_dtypes, name)), graphs.unary("Identity", kind)
    model.opset_import[0].version, model.ir_version = 25, 13
    x = np.array([[1, 0, 1], [2, 1, 1]]).astype(dtype)
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu")
    y = session.run({"x": x})["y"]
    assert session.inputs[0].dtype == name and y.dtype == dtype and y.tobytes() == x.tobytes()
    given = cupola.empty((2, 3), name)
    assert given.dtype == dtype and session.run({"x": x}, {"y": given})["y"] is given and given.tobytes() == x.tobytes()
    assert session.run({"x": x[:0]})["y"].shape == (0, 3)
    with pytest.raises(cupola.UsageError, match=f"input 'x' is of uint8, expected {name}"):
        session.run({"x": x.view(np.uint8)})
    assert cupola.verify(model, "cpu", inputs={"x": x}, references={"y": x}, progress=False).passed


def test_shapes_vary(session, rows):
    for n in (1, 3, 8, 3, 0):
        assert np.allclose(session.run({"x": rows(n)})["y"], graphs.layer_answer(rows(n)), atol=1e-5)
    assert session.bind({"x": (6, 8)}) == session.output_shapes() == {"y": (6, 4)}
    with pytest.raises(cupola.UsageError, match="the inputs are \\['x'\\]"):
        session.bind({})


def test_a_transformer_is_onnxruntimes(models):
    path, case = os.path.join(models, "tiny_opset13.onnx"), np.load(os.path.join(models, "tiny_opset13.b3x11.npz"))
    feed = {name[3:]: case[name] for name in case.files if name.startswith("in:")}
    expected = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feed)[0]
    answer = cupola.Session(cupola.compile(path, **QUIET), "cpu").run(feed)
    assert np.allclose(next(iter(answer.values())), expected, atol=1e-4)


def test_the_simulator_runs_the_cuda_kernels(layer, rows):
    session = cupola.Session(cupola.compile(layer, targets="cuda", progress=False), "sim", arch="sm_80")
    assert (session.executable.device, session.executable.arch) == ("sim", "sm_80")
    assert np.allclose(session.run({"x": rows(3)})["y"], graphs.layer_answer(rows(3)), atol=1e-5)


#===--- Memory ---===#


READERS = [("Add", [(3, 37), (3, 37)], {}), ("Add", [(5, 64), (64,)], {}), ("Softmax", [(7, 333)], {}), ("Softmax", [(5, 21, 35)], {"axis": 1}),
           ("MatMul", [(5, 19), (19, 37)], {}), ("MatMul", [(1, 130), (130, 70)], {}), ("MatMul", [(33, 64), (64, 1)], {}),
           ("Gemm", [(9, 50), (31, 50), (31,)], {"transB": 1}), ("Conv", [(1, 3, 17, 19), (5, 3, 3, 3)], {"pads": [1, 1, 1, 1]}),
           ("Conv", [(1, 3, 33, 31), (1, 3, 5, 5), (1,)], {}), ("MaxPool", [(1, 3, 15, 17)], {"kernel_shape": [3, 3], "strides": [2, 2]}),
           ("Transpose", [(19, 35)], {"perm": [1, 0]}), ("ReduceMean", [(11, 77)], {"axes": [1]}), ("ReduceMean", [(11, 77)], {"axes": [0]}),
           ("LayerNormalization", [(3, 50), (50,), (50,)], {}), ("Conv", [(1, 16, 9, 11), (16, 1, 3, 3)], {"group": 16})]


def shifted(values, by=4):
    """So many bytes behind an aligned address."""
    memory = cupola.empty((values.nbytes + by,), np.uint8)[by:].view(values.dtype).reshape(values.shape)
    memory[...] = values
    return memory


def test_aligned_arrays_are_used_where_they_lie(session, rows):
    x, y = graphs.aligned(rows(5)), cupola.empty((5, 4))
    assert x.ctypes.data % 64 == y.ctypes.data % 64 == 0
    results = session.run({"x": x}, {"y": y})
    assert results["y"] is y and np.allclose(y, graphs.layer_answer(x), atol=1e-5)
    session.run({"x": x})
    assert session.copied_tensors == 0
    near = shifted(rows(5)[:, :4]) # enough for the processor
    session.run({"x": shifted(rows(5))}, {"y": near})
    assert np.allclose(near, graphs.layer_answer(rows(5)), atol=1e-5) and session.copied_tensors == 0
    session.run({"x": shifted(rows(5), by=2)}, {"y": y})
    assert session.copied_tensors == 1
    session.run({"x": x}, {"y": shifted(rows(5)[:, :4], by=2)})
    assert session.copied_tensors == 2


def test_nothing_is_read_behind_an_array():
    """Arrays that end where no memory is, at any place of a line: kernels of one to four inputs, whole vectors and ragged."""
    page, libc = mmap.PAGESIZE, ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def at_the_end(values):
        size = -(-max(values.nbytes, 1) // page) * page
        memory = np.frombuffer(mmap.mmap(-1, size + page), np.uint8)
        assert libc.mprotect(memory.ctypes.data + size, page, 0) == 0
        array = memory[size - values.nbytes:size].view(values.dtype).reshape(values.shape)
        array[...] = values
        return array

    random = np.random.default_rng(3)
    for op, shapes, attributes in READERS:
        feed = {f"x{i}": random.standard_normal(shape).astype(np.float32) for i, shape in enumerate(shapes)}
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape) for name, array in feed.items()]
        node = helper.make_node(op, list(feed), ["y"], **attributes)
        graph = helper.make_graph([node], "g", values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        session = cupola.Session(cupola.compile(model, targets="cpu", progress=False), "cpu")
        expected = session.run(feed)["y"]
        y = at_the_end(expected)
        found = session.run({name: at_the_end(array) for name, array in feed.items()}, {"y": y})["y"]
        np.testing.assert_array_equal(found, expected, err_msg=op)
        assert session.copied_tensors == 0


class Exporter:
    """An array of another library: DLPack and a shape, and nothing of numpy besides."""

    def __init__(self, values):
        self.values, self.shape, self.exports = values, values.shape, 0

    def __dlpack__(self, **options):
        self.exports += 1
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_arrays_of_other_libraries_come_by_dlpack(session, rows):
    x, y = Exporter(graphs.aligned(rows(3))), Exporter(cupola.empty((3, 4)))
    assert session.run({"x": x}, {"y": y})["y"] is y
    assert np.allclose(y.values, graphs.layer_answer(rows(3)), atol=1e-5)
    assert session.copied_tensors == 0 and x.exports == y.exports == 1


def test_arrays_of_torch(session, rows):
    torch = pytest.importorskip("torch", reason="torch is no dependency")
    x, y = torch.from_numpy(graphs.aligned(rows(3))), torch.empty((3, 4))
    session.run({"x": x}, {"y": y})
    assert np.allclose(y.numpy(), graphs.layer_answer(rows(3)), atol=1e-5) and session.copied_tensors == 0


def test_buffers_lists_and_read_only_arrays(session, rows):
    expected, x = graphs.layer_answer(rows(2)), rows(2)
    buffer = memoryview(array.array("f", x.reshape(-1).tolist())).cast("B").cast("f", (2, 8))
    frozen = rows(2)
    frozen.flags.writeable = False
    for given in (buffer, x.tolist(), frozen, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        assert np.allclose(session.run({"x": given})["y"], expected, atol=1e-5)


def test_wrong_arrays_are_named(session, rows):
    cases = [({}, "no array for input 'x'"), ({"x": rows(2), "z": 1}, "there is no input 'z'"),
             ({"x": rows(2).astype(np.float64)}, "input 'x' is of float64, expected float32"), ({"x": rows(2)[:, :7]}, "'x'"),
             ({"x": rows(2)[0]}, "'x'")]
    for feed, text in cases:
        with pytest.raises(cupola.UsageError, match=text):
            session.run(feed)
    with pytest.raises(cupola.UsageError, match="there is no output 'q'"):
        session.run({"x": rows(2)}, {"q": rows(2)})
    with pytest.raises(cupola.UsageError):
        session.run({"x": rows(2)}, {"y": np.empty((3, 4), np.float32)})
    frozen = np.empty((2, 4), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(cupola.UsageError, match="type ndarray gives no memory to write"):
        session.run({"x": rows(2)}, {"y": frozen})
    liar = Exporter(rows(2))
    liar.values = liar
    with pytest.raises(cupola.UsageError, match="Exporter gives no memory to read"):
        session.run({"x": liar})
    assert np.allclose(session.run({"x": rows(2)})["y"], graphs.layer_answer(rows(2)), atol=1e-5)  # it stays usable


def test_what_is_missing_is_a_resource(package):
    with pytest.raises(cupola.UsageError, match="tpu"):
        cupola.Session(package, "tpu")
    with pytest.raises(cupola.Error) as caught:
        cupola.Session(package, "sim")  # it has code for the CPU alone
    assert caught.value.code in (6, 7)


def test_results_outlive_the_session(package, rows):
    y = cupola.Session(package, "cpu").run({"x": rows(4)})["y"]
    gc.collect()
    assert np.allclose(y, graphs.layer_answer(rows(4)), atol=1e-5)


#===--- Runs ---===#


def test_runs_are_queued_and_waited_for(session, rows):
    runs = [session.enqueue({"x": rows(n)}) for n in (2, 3, 4)]
    for n, queued in reversed(list(zip((2, 3, 4), runs))):
        assert np.allclose(queued.wait()["y"], graphs.layer_answer(rows(n)), atol=1e-5)
    with pytest.raises(cupola.UsageError, match="waited for before"):
        runs[0].wait()
    for _ in range(100):
        session.enqueue({"x": rows(2)})  # nobody waits: what they hold ends with them
    assert len(session._under_way) == 2


def test_recurrent_weights_that_are_turned_once():
    """Their kernel knows the iteration, the one that turns them knows none."""
    random, hidden = np.random.default_rng(5), 128
    weights = [("w", random.standard_normal((1, 4 * hidden, 8)) / 8), ("r", random.standard_normal((1, 4 * hidden, hidden)) / 16)]
    model = graphs.model([helper.make_node("LSTM", ["x", "w", "r"], ["y"], "lstm", hidden_size=hidden)],
                         [("x", TensorProto.FLOAT, ["time", 1, 8])], [("y", TensorProto.FLOAT, ["time", 1, 1, hidden])],
                         [(name, array.astype(np.float32)) for name, array in weights])
    x = random.standard_normal((5, 1, 8)).astype(np.float32)
    session = cupola.Session(cupola.compile(model, targets="cuda", progress=False), "sim", arch="sm_80")
    assert np.allclose(session.run({"x": x})["y"], peer(model).run(None, {"x": x})[0], atol=1e-5)


@pytest.mark.parametrize(("places", "error"), [
    ({"big": 0, "small": 512, "x": 2048}, "output 'small' overlaps output 'big'"),
    ({"big": 1024, "small": 0, "x": 1984}, "output 'big' overlaps input 'x'"),
    ({"big": 1024, "small": 3072, "x": 2048}, None)])
def test_overlapping_arrays_are_named(places, error):
    model = graphs.model([helper.make_node("Concat", ["x", "x", "x", "x"], ["big"], "concat", axis=0),
                          helper.make_node("Neg", ["x"], ["small"], "negate")], [("x", TensorProto.FLOAT, [64])],
                         [("big", TensorProto.FLOAT, [256]), ("small", TensorProto.FLOAT, [64])])
    memory = cupola.empty((1024,), "float32")
    arrays = {name: memory[place // 4:][:256 if name == "big" else 64] for name, place in places.items()}
    memory[:] = 3
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu")
    if error is None:
        session.run({"x": arrays["x"]}, {name: arrays[name] for name in ("big", "small")})
        assert (arrays["big"] == 3).all() and (arrays["small"] == -3).all()
        return
    with pytest.raises(cupola.UsageError, match=error):
        session.run({"x": arrays["x"]}, {name: arrays[name] for name in ("big", "small")})


def test_memory_of_large_arrays_serves_again_once_nothing_has_it():
    array = cupola.empty((3, 1 << 20), "float32")
    place, part = array.ctypes.data, array[1:, 5:]
    part[:] = 7
    del array
    other = cupola.empty((3, 1 << 20), "int32")
    other[:] = 0
    assert other.ctypes.data != place and (part == 7).all()
    del part
    assert cupola.empty((1 << 20, 3), "float32").ctypes.data == place


def test_an_output_whose_shape_the_run_finds(models):
    model = os.path.join(models, "control_loop_rows.onnx")
    session = cupola.Session(cupola.compile(model, **QUIET), "cpu")
    for case in (0, 1, 2):
        arrays = np.load(os.path.join(models, f"control_loop_rows.{case}.npz"))
        feed = {name[3:]: arrays[name] for name in arrays.files if name.startswith("in:")}
        assert session.bind({name: value.shape for name, value in feed.items()})["all"] == (-1, 3)
        answers = session.run(feed)
        for name in answers:
            assert np.allclose(answers[name], arrays["out:" + name], atol=1e-5), name
        assert session.output_shapes()["all"] == answers["all"].shape == session.enqueue(feed).wait()["all"].shape


#===--- Threads ---===#


def test_the_lock_is_free_while_it_runs():
    """A run of some time; the other thread has to get its turns meanwhile, and the run may not wait for them."""
    session = cupola.Session(cupola.compile(graphs.chain(), **QUIET), "cpu", threads=1)
    x = cupola.empty((256, 256))
    x[...] = 0
    session.run({"v0": x})
    turns, stop = [], threading.Event()

    def count():
        while not stop.is_set():
            turns.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    session.run({"v0": x})
    end = time.monotonic()
    stop.set()
    thread.join()
    inside = [turn for turn in turns if begin < turn < end]
    assert end - begin > 0.02, "the run is too short to tell"
    assert len(inside) >= 3


def test_sessions_of_an_executable_run_at_once(package, rows):
    executable = cupola.Executable(package, "cpu", threads=1)

    def make_run():
        session = executable.session()
        return lambda x: session.run({"x": x})["y"]

    assert graphs.wrong_in_threads(range(1, 9), 200, make_run, rows) == []


def test_one_session_refuses_two_threads():
    session = cupola.Session(cupola.compile(graphs.chain(), **QUIET), "cpu", threads=1)
    x = np.zeros((256, 256), np.float32)
    session.run({"v0": x})
    thread = threading.Thread(target=lambda: [session.run({"v0": x}) for _ in range(3)])
    thread.start()
    errors = []
    while thread.is_alive() and not errors:
        try:
            session._native.wait(10**6)
        except cupola.UsageError as error:
            if "there is no run" not in str(error):
                errors.append(str(error))
    thread.join()
    assert errors and "thread" in errors[0]


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_ten_thousand_runs_leave_nothing(session, rows):
    inputs = [{"x": rows(n)} for n in (1, 2, 40)]

    def work(count):
        for i in range(count):
            session.run(inputs[i % 3])
            if i % 100 == 0:
                with pytest.raises(cupola.UsageError):
                    session.run({})
        gc.collect()

    work(2000)
    before = resident()
    work(10000)
    assert resident() - before < 1 << 20


def test_sessions_and_packages_leave_nothing(layer):
    def work(count):
        for _ in range(count):
            cupola.Session(cupola.compile(layer, **QUIET), "cpu", threads=1).run({"x": np.zeros((2, 8), np.float32)})
        gc.collect()

    work(20)
    before = resident()
    work(60)
    assert resident() - before < 4 << 20


def test_what_cannot_be_pickled_says_why(session):
    for thing in (session, session.executable):
        with pytest.raises(TypeError, match="cannot be pickled; pickle its package"):
            pickle.dumps(thing)


#===--- What is known of runs ---===#


def test_profile_is_a_trace(package, rows):
    session = cupola.Session(package, "cpu")
    report = session.profile({"x": rows(3)})
    spans = [event for event in report.json["traceEvents"] if event["ph"] == "X"]
    step, = [event["args"] for event in spans if "step" in event["args"]]
    assert step["nodes"] == ["product", "sum", "relu"] and step["operations"] >= 3 * 8 * 4 * 2 and step["bytes"] > 0
    assert str(report).startswith("step ") and "'product' (MatMul)" in str(report)
    y = np.zeros((3, 4), np.float32)
    session.profile({"x": rows(3)}, {"y": y})
    np.testing.assert_allclose(y, graphs.layer_answer(rows(3)), rtol=1e-4, atol=1e-5)
    with pytest.raises(cupola.UsageError):
        session.profile({"z": rows(3)})


def test_metrics_are_a_snapshot(package, rows):
    session = cupola.Session(package, "cpu")
    assert session.metrics().json["runs"] == 0
    for _ in range(3):
        session.run({"x": rows(2)})
    report = session.metrics('layer "1"')
    assert (report.json["runs"], report.json["failures"], report.json["device"]) == (3, 0, "cpu")
    assert sum(bucket["count"] for bucket in report.json["latency"]["buckets"]) <= 3 and report.json["latency"]["seconds"] > 0
    line, = [line for line in str(report).split("\n") if line.startswith("cupola_runs_total")]
    assert line.endswith('model="layer \\"1\\""} 3')
    with concurrent.futures.ThreadPoolExecutor() as pool:
        reader = pool.submit(lambda: [session.metrics().json["runs"] for _ in range(50)])
        for _ in range(200):
            session.run({"x": rows(2)})
        assert reader.result() == sorted(reader.result())
    assert session.metrics().json["runs"] == 203
