#===- test/Python/test_package_cache.py - a compilation that was made before ---===#
# SPDX-License-Identifier: Apache-2.0

import onnx
import pytest

import cupola
import graphs
from cupola import worker


@pytest.fixture
def options(tmp_path):
    return {"targets": "cpu", "cpu": "x86-64-v3", "cache_dir": tmp_path / "cache"}


def contents(model, **options):
    return bytes(cupola.compile(model, **options).contents())


def started(*_):
    raise AssertionError("the compiler's process was started")


@pytest.mark.parametrize("isolate", [True, False])
def test_the_second_time_nothing_is_compiled(layer, options, isolate, monkeypatch):
    told = []
    first = contents(layer, **options, isolate=isolate, progress=told.append)
    assert told[0] == "import"
    monkeypatch.setattr(worker, "run", started)
    told.clear()
    assert contents(layer, **options, isolate=isolate, progress=told.append) == first
    assert contents(layer, **options, threads=2, deadline=1, memory=1000) == first
    assert told == []
    assert contents(layer, **{**options, "cache_dir": "none"}, isolate=False) == first
    with pytest.raises(AssertionError, match="was started"):
        contents(layer, **options, shapes={"x": (3, 8)})


def test_the_file_and_its_external_data_count(layer, options, tmp_path, monkeypatch):
    apart, path = onnx.ModelProto(), tmp_path / "layer.onnx"
    apart.CopyFrom(layer)
    onnx.save(apart, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    first = contents(path, **options)
    with monkeypatch.context() as patched:
        patched.setattr(worker, "run", started)
        assert contents(path, **options) == contents(path.read_bytes(), external_data=tmp_path, **options) == first
        read = lambda location, offset, size: (tmp_path / location).read_bytes()[offset:offset + size]
        assert contents(path.read_bytes(), external_data=read, **options) == first
    weights = bytearray((tmp_path / "weights.bin").read_bytes())
    weights[-1] ^= 1
    (tmp_path / "weights.bin").write_bytes(weights)
    assert contents(path, **options) != first


def test_a_damaged_package_is_made_again(layer, options, tmp_path):
    first = contents(layer, **options)
    entry, = (tmp_path / "cache").glob("*.package")
    assert entry.read_bytes() == first
    entry.write_bytes(first[:-1])
    assert contents(layer, **options) == first
    assert entry.read_bytes() == first


def test_what_is_no_model_is_an_error_each_time(options, tmp_path):
    for _ in range(2):
        with pytest.raises(cupola.ModelError):
            cupola.compile(b"no model", **options)
        with pytest.raises(cupola.FileError, match="missing.onnx"):
            cupola.compile(tmp_path / "missing.onnx", **options)
        with pytest.raises(cupola.UnsupportedError) as failed:
            cupola.compile(unknown(), **options)
        assert failed.value.problems


def unknown():
    model = graphs.layer()
    model.graph.node[0].op_type = "Furl"
    return model
