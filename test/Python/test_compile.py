#===- test/Python/test_compile.py - cupola.compile, check, explain ---===#
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import pickle
import signal
import threading
import time

import cupola
import graphs
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "cache_dir": "none"}


def contents(model, **options):
    return bytes(cupola.compile(model, **{**QUIET, **options}).contents())


def test_a_model_is_a_path_bytes_or_a_proto(layer, tmp_path):
    path = tmp_path / "layer.onnx"
    onnx.save(layer, path)
    expected = contents(layer)
    assert contents(path) == contents(str(path)) == contents(path.read_bytes()) == contents(bytearray(path.read_bytes())) == expected
    with pytest.raises(cupola.UsageError, match="of type int, expected a path, bytes or an onnx.ModelProto"):
        cupola.compile(3)


def test_external_data_lies_beside_the_file_in_a_folder_or_where_a_function_says(layer, tmp_path):
    apart, path = onnx.ModelProto(), tmp_path / "layer.onnx"
    apart.CopyFrom(layer)
    onnx.save(apart, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    expected, bare = contents(layer), path.read_bytes()
    assert contents(path) == expected
    assert contents(bare, external_data=tmp_path) == expected
    asked = []

    def read(location, offset, size):
        asked.append(location)
        return (tmp_path / location).read_bytes()[offset:offset + size]

    assert contents(onnx.load(path, load_external_data=False), external_data=read) == expected
    assert set(asked) == {"weights.bin"}

    def refuse(location, offset, size):
        raise KeyError("the server is away")

    with pytest.raises(cupola.FileError, match="the server is away"):
        contents(bare, external_data=refuse)
    with pytest.raises(cupola.UsageError, match="for models in memory"):
        contents(path, external_data=tmp_path)


def test_shapes_dims_set_and_alias(layer):
    def rows(**options):
        return cupola.compile(layer, **QUIET, **options).inputs[0].shape[0]

    assert rows() == "rows"
    assert rows(shapes={"x": (5, 8)}) == rows(shapes={"rows": 5}) == 5
    bounded = cupola.compile(layer, **QUIET, dims={"rows": (2, 3)})
    with pytest.raises(cupola.UsageError, match="rows"):
        cupola.Session(bounded, "cpu").bind({"x": (4, 8)})
    assert cupola.compile(layer, **QUIET, dims={"rows": (2, None)}).inputs[0].shape[0] == "rows"
    steered = graphs.model([helper.make_node("Mul", ["x", "factor"], ["y"], "scale")],
                           [("x", TensorProto.FLOAT, [2]), ("factor", TensorProto.FLOAT, [])], [("y", TensorProto.FLOAT, [2])])
    package = cupola.compile(steered, **QUIET, set={"factor": 2.5})
    assert [tensor.name for tensor in package.inputs] == ["x"]
    assert cupola.Session(package, "cpu").run({"x": np.ones(2, np.float32)})["y"].tolist() == [2.5, 2.5]
    shared = cupola.compile(graphs.append(), **QUIET, alias={"past": "present"})
    assert [tensor.shares_with for tensor in shared.inputs + shared.outputs] == ["present", None, "past", None]


def test_precision_gives_16_bits(layer):
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(3, 8)
    exact = cupola.Session(cupola.compile(layer, **QUIET), "cpu").run({"x": x})
    narrow = cupola.Session(cupola.compile(layer, **QUIET, precision="fp16"), "cpu").run({"x": x})
    for name, value in exact.items():
        assert narrow[name].dtype == np.float32
        assert 0 < np.abs(narrow[name] - value).max() < 5e-3 * np.abs(value).max()
    kept = cupola.Session(cupola.compile(layer, **QUIET, precision="fp16", keep_fp32="*"), "cpu").run({"x": x})
    assert all(np.array_equal(kept[name], value) for name, value in exact.items())
    package = cupola.compile(layer, **QUIET, precision="fp16", io="fp16")
    assert {tensor.dtype for tensor in package.inputs + package.outputs} == {"float16"}


def test_tf32_is_said_by_its_report(layer):
    assert cupola.explain(layer, **QUIET).json["precision"] is None
    assert cupola.explain(layer, **QUIET, tf32="x3").json["precision"] == {"element": "tf32", "narrowed": 1, "kept": []}
    kept = cupola.explain(layer, **QUIET, tf32="x1", keep_fp32="*").json["precision"]
    assert kept["narrowed"] == 0 and len(kept["kept"]) == 1


def test_tuning_is_a_database_or_none(layer, tmp_path):
    plain, file = contents(layer), tmp_path / "times.jsonl"
    file.write_text('{"schema":"cupola.tuning/1"}\n')
    assert contents(layer, tuning="none") == contents(layer, tuning=file) == contents(layer, tuning=str(file)) == plain
    file.write_text('{"schema":"cupola.tuning/1"}\n{}\n')
    with pytest.raises(cupola.UsageError, match='line 2: expected "kernel"'):
        contents(layer, tuning=file)
    with pytest.raises(cupola.FileError, match="nowhere"):
        contents(layer, tuning=tmp_path / "nowhere")


@pytest.mark.parametrize("options, what", [({"targets": "tpu"}, "tpu"), ({"cpu": "z80"}, "z80"), ({"shapes": {"z": 1}}, "z"),
                                           ({"limits": {"patience": 1}}, "patience"), ({"libraries": "some"}, "some"),
                                           ({"precision": "fp8"}, "fp8"), ({"precision": "fp16", "keep_fp32": "no/*"}, "no/"),
                                           ({"precision": "fp16", "io": "bf16"}, "bf16"), ({"tf32": "x2"}, "x2"),
                                           ({"alias": {"x": "none"}}, "none")])
def test_a_wrong_option_is_named(layer, options, what):
    with pytest.raises(cupola.UsageError, match=what):
        cupola.compile(layer, **{**QUIET, **options})


def test_what_is_not_an_option_is_a_type_error(layer):
    with pytest.raises(TypeError, match="colour"):
        cupola.compile(layer, colour="red")


def test_a_file_that_is_not_there():
    with pytest.raises(cupola.FileError) as caught:
        cupola.compile("no/such.onnx", **QUIET)
    assert isinstance(caught.value, OSError) and caught.value.code == 8 and "no/such.onnx" in str(caught.value)


def broken(*ops):
    nodes = [helper.make_node(op, ["x"], [f"y{i}"], name) for i, (name, op) in enumerate(ops)]
    return graphs.model(nodes, [("x", TensorProto.FLOAT, [2])], [("y0", TensorProto.FLOAT, [2])])


def test_errors_have_classes_and_fields():
    with pytest.raises(cupola.UnsupportedError) as caught:
        cupola.compile(broken(("first", "Furl"), ("second", "Unfurl")), **QUIET)
    error = caught.value
    assert (error.code, error.node, error.op, error.opset, error.reason) == (4, "first", "Furl", 17, "the op is not supported")
    assert [(problem.node, problem.op) for problem in error.problems] == [("first", "Furl"), ("second", "Unfurl")]
    assert isinstance(error, cupola.Error) and isinstance(error, NotImplementedError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.problems) == (cupola.UnsupportedError, str(error), error.problems)
    with pytest.raises(cupola.ModelError) as caught:
        cupola.compile(b"no model", **QUIET)
    assert (caught.value.code, caught.value.node, caught.value.problems[0].node) == (3, "", "")
    with pytest.raises(cupola.LimitError, match="tensor-bytes"):
        cupola.compile(graphs.layer(), **QUIET, limits={"tensor-bytes": 8})
    assert {kind.code for kind in cupola.Error.__subclasses__()} == {1, 2, 3, 4, 5, 6, 7, 8, 70, 130}


def test_check_lists_problems(layer):
    report = cupola.check(layer)
    assert report == cupola.check(layer, isolate=False) and report.supported and report.problems == ()
    problems = cupola.check(broken(("first", "Furl"), ("\u00fcber", "Unfurl"))).problems
    assert [problem.node for problem in problems] == ["first", "\u00fcber"]
    assert str(problems[0]) == "model: node 'first' (Furl, opset 17): the op is not supported"


def test_names_that_are_no_text_do_not_hurt():
    raw = broken(("first", "Furl")).SerializeToString().replace(b"first", b"fi\xffst")
    problem, = cupola.check(raw).problems
    assert problem.node == "fi\ufffdst" or problem.code == 3


def test_explain_and_emit(layer):
    compilation = cupola.Compilation(layer, **QUIET)
    assert compilation.explain() == cupola.explain(layer, **QUIET, isolate=False)
    assert compilation.explain() == cupola.explain(layer, **QUIET)
    assert compilation.explain().json["schema"] == "cupola.explain/1"
    assert "graph.matmul" in compilation.emit("graph")
    compilation.package()
    assert dict(compilation.phases)["kernels"] > 0
    with pytest.raises(cupola.UsageError, match="soup"):
        compilation.emit("soup")
    with pytest.raises(TypeError, match="pickle its package"):
        pickle.dumps(compilation)


@pytest.mark.parametrize("isolate", [True, False])
def test_progress_is_told_and_its_error_ends_the_compilation(layer, isolate):
    told = []
    cupola.compile(layer, **{**QUIET, "progress": told.append}, isolate=isolate)
    assert told[:2] == ["import", "graph"]

    def fail(what):
        if what == "graph":
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        cupola.compile(layer, **{**QUIET, "progress": fail}, isolate=isolate)


def test_progress_on_a_terminal(layer, capsys):
    cupola.compile(layer, **{**QUIET, "progress": True})
    shown = capsys.readouterr().err
    assert "cupola: import" in shown and shown.endswith("\r\x1b[K")
    cupola.compile(layer, **{**QUIET, "progress": None})
    assert capsys.readouterr().err == ""  # no terminal


def test_ctrl_c_ends_a_compilation(layer):
    told = []

    def progress(what):  # the compiler stays here until the main thread has heard the signal and asked it to stop
        told.append(what)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)

    with pytest.raises(KeyboardInterrupt):
        cupola.compile(layer, **{**QUIET, "progress": progress}, isolate=False)
    assert told == ["import"]


def test_ctrl_c_ends_the_compilers_process():
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        cupola.compile(graphs.chain(20000, 16), **QUIET)
    timer.join()
    assert children() == []


def children():
    lists = [path.read_text().split() for path in pathlib.Path("/proc/self/task").glob("*/children")]
    return [int(child) for found in lists for child in found]


@pytest.mark.parametrize("number, error, text", [(signal.SIGKILL, cupola.ResourceError, "as the system does when memory is out"),
                                                 (signal.SIGSEGV, cupola.InternalError, "stopped by signal 11")])
def test_a_compiler_that_falls_is_an_error(layer, number, error, text):
    def progress(what):
        for child in children():
            os.kill(child, number)

    with pytest.raises(error, match=text):
        cupola.compile(layer, **{**QUIET, "progress": progress})
    assert children() == []


def test_modules_in_the_current_folder_are_not_the_compilers(layer, tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    cupola.compile(layer, **QUIET)


def test_time_and_memory_of_the_compiler_are_limits(layer):
    with pytest.raises(cupola.LimitError, match="ran longer than 0.01 s"):
        cupola.compile(layer, **QUIET, deadline=0.01)
    for memory in (16, 100, 200):  # fails in Python, while it loads, while it works, or not at all
        try:
            cupola.compile(layer, **QUIET, memory=memory, deadline=60)
        except cupola.LimitError as error:
            assert f"it may take {memory} MiB (raise it with memory)" in str(error)
        else:
            assert memory > 16
    assert children() == []


def test_the_bytes_are_those_of_a_compilation_in_this_process(layer):
    assert contents(layer) == contents(layer, isolate=False) == bytes(cupola.Compilation(layer, **QUIET).package().contents())


def test_other_threads_run_while_it_compiles():
    compilation = cupola.Compilation(graphs.chain(200, 16), **QUIET)
    counted = Turns()
    with counted:
        compilation.package()
    assert counted.steps > 10


class Turns:
    """Counts how often another thread gets its turn."""

    def __enter__(self):
        self.steps, self.done = 0, False
        self.thread = threading.Thread(target=self.count)
        self.thread.start()
        return self

    def count(self):
        while not self.done:
            self.steps += 1
            time.sleep(0.001)

    def __exit__(self, *exception):
        self.done = True
        self.thread.join()


def test_packages_are_saved_loaded_and_pickled(package, tmp_path):
    path = tmp_path / "layer.cupola"
    package.save(path)
    assert cupola.Package.load(path).contents() == package.contents() == pickle.loads(pickle.dumps(package)).contents()
    assert path.stat().st_mode & 0o077 == 0o666 & ~current_umask() & 0o077
    assert repr(package).startswith("<cupola.Package (x: float32[rows, 8]) -> (y: float32[rows, 4]), ")
    with pytest.raises(OSError):
        package.save(tmp_path / "nowhere" / "layer.cupola")
    assert list(tmp_path.iterdir()) == [path]
    damaged = bytearray(package.contents())
    damaged[300] ^= 1
    with pytest.raises(cupola.PackageError):
        cupola.Package.from_bytes(damaged)
    with pytest.raises(cupola.FileError):
        cupola.Package.load(pathlib.Path("no/such.cupola"))


def current_umask():
    umask = os.umask(0)
    os.umask(umask)
    return umask


def test_the_package_outlives_its_contents(layer):
    view = cupola.compile(layer, **QUIET).contents()
    assert bytes(view[:4]) == b"\x89CUP"
    assert view.readonly
