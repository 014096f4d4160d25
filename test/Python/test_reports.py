#===- test/Python/test_reports.py - What check, explain, inspect, verify and bench return ---===#
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import html.parser
import json
import os
import subprocess

import cupola
import graphs
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

QUIET = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False}
EVIL = ["<script>alert(1)</script>", "\u202eevil\u2066", "a" * 65536, '"><img src=x onerror=alert(1)>', "&lt;b&gt;"]


def command(*arguments):
    """What the command line prints."""
    tool = os.path.join(os.path.dirname(cupola.__file__), "bin", "cupola")
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture
def path(layer, tmp_path):
    onnx.save(layer, tmp_path / "layer.onnx")
    return str(tmp_path / "layer.onnx")


def broken(names, op="Furl"):
    nodes = [helper.make_node(op, ["x"], [f"y{i}"], name) for i, name in enumerate(names)]
    return graphs.model(nodes, [("x", TensorProto.FLOAT, [2])], [("y0", TensorProto.FLOAT, [2])])


#===--- Each as the command line has it ---===#


def test_check(path, tmp_path):
    report = cupola.check(path)
    assert report.supported and report.problems == report.summary == ()
    assert str(report) == command("check", path).stdout == f"{path}: every node is supported\n"
    bad = str(tmp_path / "bad.onnx")
    onnx.save(broken(["first", "second"]), bad)
    report, done = cupola.check(bad), command("check", bad)
    assert str(report) == done.stdout + done.stderr
    assert [(group.op, group.count, group.reason) for group in report.summary] == [("Furl", 2, "the op is not supported")]
    assert report.json["schema"] == "cupola.check/2" and len(report.json["problems"]) == len(report.problems) == 2


def test_explain(path):
    report = cupola.explain(path, **QUIET)
    assert str(report) == command("explain", path, "--target", "cpu", "--cpu", "x86-64-v3").stdout
    variant, = report.variants
    assert (variant.target, variant.arch, variant.launches) == ("cpu", "x86-64-v3", 1)
    assert [(kernel.schedule, kernel.nodes) for kernel in variant.kernels if kernel.nodes] == [("gemm", ("product", "sum", "relu"))]
    edges = [(edge.producer, edge.consumer, edge.fused) for edge in variant.edges]
    assert ("product", "sum", True) in edges and ("sum", "relu", True) in edges
    assert variant.memory.peak_bytes == 0 and variant.memory.weight_bytes >= (8 * 4 + 4) * 4
    longer = cupola.explain(graphs.chain(3, 16), **QUIET).variants[0]
    assert longer.launches == 3 and longer.memory.peak_bytes is None  # of shapes that vary
    assert len(cupola.explain(path, **{**QUIET, "cpu": None}).variants) == 2


def test_inspect(package, tmp_path):
    file = str(tmp_path / "layer.cupola")
    package.save(file)
    report = cupola.inspect(file)
    assert str(report) == command("inspect", file).stdout
    x, = report.inputs
    assert (x.name, x.dtype, x.shape, x.memory_of) == ("x", "f32", ("s0", "8"), None)
    assert [(symbol.id, symbol.name, symbol.max, symbol.found) for symbol in report.symbols] == [("s0", "rows", None, False)]
    assert report.bytes == len(package.contents()) and report.weight_bytes >= (8 * 4 + 4) * 4
    assert [(variant.target, variant.arch) for variant in report.variants] == [("cpu", "x86-64-v3"), ("cpu", "x86-64-v4")]
    assert report.variants[0].binaries[0].bytes > 0
    assert report.json["explain"]["schema"] == "cupola.explain/1"
    for same in (package, bytes(package.contents())):
        assert dataclasses.replace(cupola.inspect(same), text=report.text) == report
    shared = cupola.inspect(cupola.compile(graphs.append(), **QUIET, alias={"past": "present"}))
    assert [tensor.memory_of for tensor in shared.outputs] == ["past", None]
    with pytest.raises(cupola.PackageError):
        cupola.inspect(b"no package")


def test_verify(path, package, rows):
    report = cupola.verify(path, "cpu", progress=False, shapes={"rows": 3}, seed=5)
    assert report.passed and report.tolerance == 5e-5
    y, = report.outputs
    assert (y.name, y.passed, y.problem) == ("y", True, "") and y.max_rel < 5e-5
    shown = command("verify", path, "--device", "cpu", "--shape", "rows=3", "--seed", "5").stdout
    assert str(report) == shown and shown.endswith("compared 1 outputs, 12 elements\n")
    x = rows(2)
    answer = graphs.layer_answer(x)
    assert cupola.verify(package, "cpu", inputs={"x": x}, references={"y": answer}).passed
    answer[1, 2] += 1
    report = cupola.verify(package, "cpu", inputs={"x": x}, references={"y": answer})
    assert not report.passed and report.outputs[0].index == 6 and report.outputs[0].max_abs == pytest.approx(1, rel=1e-3)
    assert str(report).startswith("FAIL 'y': max abs 1")
    assert cupola.verify(package, "cpu", inputs={"x": x}, references={"y": answer}, tolerance=0.9).passed
    report = cupola.verify(package, "cpu", inputs={"x": x}, references={"y": answer[:1]})
    assert not report.passed and "has shape [2, 4], expected [1, 4]" in report.outputs[0].problem
    for isolate in (True, False):
        assert cupola.verify(graphs.layer(), "cpu", inputs={"x": x.tolist()}, progress=False, isolate=isolate).passed


def test_verify_compares_every_kernel(path):
    options = {"shapes": {"rows": 3}, "progress": False}
    report = cupola.verify(path, "cpu", per_node=True, **options)
    assert report.passed and report.first_difference is None
    assert str(report) == command("verify", path, "--device", "cpu", "--shape", "rows=3", "--per-node").stdout
    kernel, = report.kernels
    assert (kernel.nodes, kernel.schedule, kernel.passed) == (("product", "sum", "relu"), "gemm", True) and kernel.max_rel < 5e-5
    assert report.json["kernels"][0]["step"] == kernel.step
    chain = cupola.verify(graphs.chain(3, 16), "sim", per_node=True, shapes={"rows": 2}, progress=False)
    assert chain.passed and len(chain.kernels) == 3
    x = np.ones((3, 8), np.float32)
    wrong = graphs.layer_answer(x) + 1
    report = cupola.verify(path, "cpu", inputs={"x": x}, references={"y": wrong}, per_node=True, **options)
    assert not report.passed and report.first_difference.stage == "import" and report.first_difference.name == "y"
    assert all(kernel.passed for kernel in report.kernels)  # the reference is not theirs
    with pytest.raises(cupola.UsageError, match="give the model, not a package"):
        cupola.verify(cupola.compile(path, **QUIET), "cpu", references={"y": wrong}, per_node=True)


def test_verify_reduces_what_fails(path, package, rows, tmp_path):
    """A tolerance that rounding alone breaks."""
    part, options = tmp_path / "part.onnx", {"shapes": {"rows": 3}, "progress": False, "libraries": "none"}
    report = cupola.verify(path, "cpu", tolerance=1e-12, reduce=part, **options)
    left = report.reduction
    assert not report.passed and left.failure == "difference" and 1 <= len(left.nodes) <= left.of == 3 and left.tries > 0
    assert "replay: cupola verify" in str(report) and left.replay in str(report) and "--libraries none" in left.replay
    with np.load(left.case) as case:
        inputs, references = ({name.split(":")[1]: case[name] for name in case if name.startswith(side)} for side in ("in:", "out:"))
    again = cupola.verify(str(part), "cpu", inputs=inputs, references=references, tolerance=1e-12, libraries="none", progress=False)
    assert not again.passed and again.reduction is None and len(onnx.load(part).graph.node) == len(left.nodes)
    part.unlink()
    x = rows(3)
    assert cupola.verify(graphs.layer(), "cpu", inputs={"x": x}, tolerance=1e-12, reduce=part, progress=False).reduction.of == 3
    part.unlink()
    assert cupola.verify(path, "cpu", reduce=part, **options).reduction is None and not part.exists()
    with pytest.raises(cupola.UnsupportedError) as caught:
        cupola.verify(broken(["a"]), "cpu", reduce=part, progress=False)
    assert "nothing to reduce: the model cannot be computed op by op" in caught.value.__notes__[0] and not part.exists()
    with pytest.raises(cupola.UsageError, match="give the model, not a package"):
        cupola.verify(package, "cpu", reduce=part)


def test_verify_refuses_what_it_cannot_compare(package, rows):
    fixed = {"shapes": {"rows": 1}}
    for options, text in (({}, "a package has no reference"), ({"references": {"z": np.ones(2)}, **fixed}, "no output 'z'"),
                          ({"references": {}, **fixed}, "nothing was compared"),
                          ({"references": {"y": rows(1)}, "tolerance": -1, **fixed}, "-1"),
                          ({"references": {"y": rows(1)}}, "dynamic dimensions need values"),
                          ({"references": {"y": rows(1)}, "inputs": {"z": rows(1)}}, "input 'x' is missing"),
                          ({"references": {"y": rows(1)}, "shapes": {"z": 3}}, "z")):
        with pytest.raises(cupola.UsageError, match=text):
            cupola.verify(package, "cpu", **options)


def test_bench(path, package, rows):
    report = cupola.bench(path, "cpu", shapes={"rows": 7}, iterations=3, warmup=1, threads=1, profile=True, progress=False)
    assert (report.device, report.iterations, report.steps, report.description) == ("cpu", 3, 1, "1 thread")
    assert 0 < report.latency_ms.min <= report.latency_ms.median <= report.latency_ms.p99
    step, = report.profile
    assert step.nodes == ("product", "sum", "relu") and step.ms > 0 and step.operations >= 7 * 8 * 4 * 2
    assert report.json["outputs"] == [{"name": "y", "dtype": "f32", "shape": [7, 4]}]
    assert str(report).startswith("device: cpu ") and "output 'y': f32 [7, 4]" in str(report)
    report = cupola.bench(package, "cpu", inputs={"x": rows(5)}, iterations=2)
    assert report.json["outputs"][0]["shape"] == [5, 4] and report.profile == ()
    assert cupola.bench(package, "cpu", shapes={"x": (6, 8)}, iterations=1).json["outputs"][0]["shape"] == [6, 4]
    with pytest.raises(cupola.UsageError, match="no input 'w'"):
        cupola.bench(package, "cpu", inputs={"x": rows(5), "w": rows(1)})


def test_inputs_have_the_names_and_types_of_the_model():
    model = graphs.unary("Neg", TensorProto.BFLOAT16)
    model.graph.input[0].name = model.graph.node[0].input[0] = "file"  # numpy.savez has an argument of this name
    import ml_dtypes
    x = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
    assert cupola.verify(model, "cpu", inputs={"file": x}, progress=False).tolerance == 4e-2
    package = cupola.compile(model, **QUIET)
    assert cupola.verify(package, "cpu", inputs={"file": x}, references={"y": -x}).outputs[0].max_abs == 0


#===--- In a notebook ---===#


class Page(html.parser.HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data):
        self.text += data


def pages(names):
    """Every report of models in which everything that may have a name has one of `names`."""
    yield cupola.check(broken(names))._repr_html_()
    nodes = [helper.make_node("Exp", ["x" if i == 0 else names[i - 1]], [name], name) for i, name in enumerate(names)]
    model = graphs.model(nodes, [("x", TensorProto.FLOAT, [names[0], 3])], [(names[-1], TensorProto.FLOAT, [names[0], 3])])
    model.producer_name = model.graph.doc_string = names[0]
    yield cupola.explain(model, **QUIET)._repr_html_()
    package = cupola.compile(model, **QUIET)
    yield cupola.inspect(package)._repr_html_()
    yield cupola.bench(package, "cpu", shapes={"s0": 1}, iterations=1, profile=True)._repr_html_()
    reference = {names[-1]: np.zeros((1, 3), np.float32)}
    yield cupola.verify(package, "cpu", shapes={"s0": 1}, references=reference)._repr_html_()


def test_tables_are_small_and_inert():
    for text in pages(EVIL):
        page = Page(text)
        assert page.tags <= {"table", "caption", "tr", "th", "td"} and page.attributes <= {"colspan"}
        assert not set(page.text) & set("\u202e\u2066\0") and len(text) < 10000
    text = "".join(pages(["<i>", "last"]))
    assert "<i>" not in text and "&lt;i&gt;" in text


def drawn():
    """Every report that has a page, of a model in which everything that may have a name has a hostile one."""
    nodes = [helper.make_node("Exp", ["x" if i == 0 else EVIL[i - 1]], [name], name) for i, name in enumerate(EVIL)]
    model = graphs.model(nodes, [("x", TensorProto.FLOAT, [2, 3])], [(EVIL[-1], TensorProto.FLOAT, [2, 3])])
    package = cupola.compile(model, **QUIET)
    yield cupola.explain(model, **QUIET)
    yield cupola.inspect(package)
    yield cupola.bench(package, "cpu", iterations=1, profile=True)
    yield cupola.verify(model, "cpu", per_node=True, progress=False)


def test_pages_hold_the_report_and_are_inert(tmp_path):
    for report in drawn():
        text = report.to_html(tmp_path / "page.html", title="<b>\"title\"")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
        page = Page(text)
        assert "b" not in page.tags and "img" not in page.tags and not {"onerror", "src", "href", "style"} & page.attributes
        assert not set(text) & set("\u202e\u2066\0") and text.count("<script") == 2
        data = text.split('<script type="application/json" id="report">')[1].split("</script>")[0]
        assert json.loads(data) == report.json
        assert "default-src 'none'" in text
    assert not hasattr(cupola.check(graphs.layer()), "to_html")


def test_tables_say_what_they_leave_out():
    page = Page(cupola.explain(graphs.chain(60, 16), **QUIET)._repr_html_())
    assert page.text.count("gemm") <= 50
    from cupola.html import table
    assert "5 more" in table("numbers", ["n"], [[n] for n in range(55)])
    assert "\\u202e" in table("\u202e", [], []) and ".. (200 characters)" in table("a" * 200, [], [])


def test_reports_are_frozen():
    report = cupola.check(graphs.layer())
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.supported = False
    assert "text=" not in repr(report)


#===--- What a package knows of its model ---===#


def described():
    model = graphs.layer()
    model.producer_name, model.producer_version, model.domain, model.doc_string = "maker", "1.2", "ai.example", "Layers x."
    model.model_version, model.graph.name, model.graph.doc_string = 7, "layers", "One layer."
    helper.set_model_props(model, {"classes": "a,b", "\u00fc": ""})
    return model


def test_metadata_is_the_models():
    package = cupola.compile(described(), **QUIET)
    expected = cupola.ModelMetadata("maker", "1.2", "layers", "One layer.", "ai.example", "Layers x.", 7, {"classes": "a,b", "\u00fc": ""})
    assert package.metadata == expected
    assert cupola.Package.from_bytes(bytes(package.contents())).metadata == expected
    assert cupola.inspect(package).json["metadata"]["properties"][0] == {"key": "classes", "value": "a,b"}
    plain = cupola.compile(graphs.layer(), **QUIET).metadata
    assert plain == cupola.ModelMetadata(graph_name="graph")


def test_metadata_has_limits_and_need_not_be_text():
    model = described()
    with pytest.raises(cupola.LimitError, match="text-bytes"):
        cupola.compile(model, **QUIET, limits={"text-bytes": 4})
    raw = model.SerializeToString().replace(b"Layers x.", b"Lay\xffrs x.")
    try:
        assert cupola.compile(raw, **QUIET).metadata.description == "Lay\ufffdrs x."
    except cupola.ModelError as error:
        assert "UTF-8" in str(error)


#===--- Devices ---===#


def test_devices():
    found = cupola.devices()
    assert [device.name for device in found if device.name != "cuda"] == ["cpu", "sim"]
    cpu = found[0]
    assert cpu.is_there and cpu.arch.startswith("x86-64-v") and "thread" in cpu.description and cpu.memory_bytes > 1 << 28
    gpus = [device for device in found if device.name == "cuda"]
    if cupola.get_device() == "GPU":
        assert [gpu.ordinal for gpu in gpus] == list(range(len(gpus)))
        assert all(gpu.arch.startswith("sm_") and gpu.memory_bytes and gpu.driver and gpu.description for gpu in gpus)
    else:
        gpu, = gpus
        assert gpu.reason and not gpu.is_there and (gpu.arch, gpu.memory_bytes) == ("", 0)
