#===- test/Python/test_host_steps.py - Orders and scatters by the host, and by kernels, beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0

import cupola
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

CPU = {"targets": "cpu", "cpu": "x86-64-v3", "progress": False, "isolate": False}
RNG = np.random.default_rng(17)


def model_of(op, arrays, result, is_open, outputs=1, **attributes):
    """One node; `is_open`: whether its extents are."""
    values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype),
                                            [f"{name}{i}" for i in range(array.ndim)] if is_open else array.shape)
              for name, array in arrays.items()]
    kinds = [result, np.int64][:outputs]
    results = [helper.make_tensor_value_info(f"y{i}", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), None) for i, kind in enumerate(kinds)]
    node = helper.make_node(op, list(arrays), [value.name for value in results], **attributes)
    return helper.make_model(helper.make_graph([node], "g", values, results), opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def check(model, feeds, expected=None):
    """By the host and by kernels alone. `expected`: of each feed, where onnxruntime has no such op."""
    if expected is None:
        peer = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        expected = [peer.run(None, feed) for feed in feeds]
    packages = [cupola.compile(model, **CPU), cupola.compile(model, **CPU, disabled_passes=["host-steps"])]
    functions = (b"scatter_reduce", b"last_match", b"order", b"box_picks", b"fourier", b"cumulate")
    assert [any(name in bytes(package.contents()) for name in functions) for package in packages] == [True, False]
    for package in packages:
        session = cupola.Session(package, "cpu", threads=2)
        for feed, answers in zip(feeds, expected, strict=True):
            for found, answer in zip(session.run(feed).values(), answers, strict=True):
                np.testing.assert_allclose(found, answer, rtol=2e-3 if found.dtype == np.float16 else 1e-4, atol=1e-3)


def numbers(kind, *shape):
    return RNG.standard_normal(shape).astype(kind) if np.dtype(kind).kind == "f" else RNG.integers(0, 5, shape).astype(kind)


def places(extent, *shape):
    return RNG.integers(-extent, extent, shape)


@pytest.mark.parametrize("is_open", (False, True))
@pytest.mark.parametrize("reduction", ("none", "add", "max", "min", "mul"))
@pytest.mark.parametrize("shape, given, axis", (((300, 9), (200, 9), 0), ((5, 400), (3, 300), 1), ((4, 50, 7), (4, 90, 5), 1)))
def test_scatter_elements(shape, given, axis, reduction, is_open):
    feeds = []
    for _ in range(2):
        index = places(shape[axis], *given)
        if reduction == "none": # onnxruntime leaves open which of several updates stays
            order = np.argsort(RNG.random((*given[:axis], shape[axis], *given[axis + 1:])), axis)
            index = np.take(np.concatenate([order, order], axis), np.arange(min(given[axis], shape[axis])), axis)
        feeds.append({"x": numbers(np.float32, *shape), "i": index, "u": numbers(np.float32, *index.shape)})
    check(model_of("ScatterElements", feeds[0], np.float32, is_open, axis=axis, reduction=reduction), feeds)


@pytest.mark.parametrize("reduction", ("add", "max", "min", "mul"))
@pytest.mark.parametrize("kind", (np.float64, np.float16, np.int32, np.int64))
def test_types(kind, reduction):
    feed = {"x": numbers(kind, 40, 3), "i": places(40, 450, 1), "u": numbers(kind, 450, 3)}
    if reduction == "mul": # stays finite
        feed["u"] = (RNG.integers(0, 2, (450, 3)) * 2 - 1).astype(kind)
    expected = None
    if kind == np.float16: # summed in float32, and rounded once
        sums = feed["x"].astype(np.float32)
        by = {"add": np.add, "max": np.maximum, "min": np.minimum, "mul": np.multiply}[reduction]
        by.at(sums, feed["i"][:, 0] % 40, feed["u"].astype(np.float32))
        expected = [[sums]]
    check(model_of("ScatterND", feed, kind, False, reduction=reduction), [feed], expected)


@pytest.mark.parametrize("is_open", (False, True))
def test_scatter_rows(is_open):
    """Indices of one and of two coordinates, with rows behind them."""
    for depth in (1, 2):
        shape = (30, 20, 6)
        places_of = [np.stack([places(extent, 100) for extent in shape[:depth]], -1) for _ in range(2)]
        feeds = [{"x": numbers(np.float32, *shape), "i": index, "u": numbers(np.float32, 100, *shape[depth:])} for index in places_of]
        check(model_of("ScatterND", feeds[0], np.float32, is_open, reduction="add"), feeds)


@pytest.mark.parametrize("k", (2, 70, 130))
@pytest.mark.parametrize("largest", (0, 1))
@pytest.mark.parametrize("kind", (np.float32, np.float64, np.int64, np.int32))
def test_order(kind, largest, k):
    feed = {"x": numbers(kind, 3, 130, 2), "k": np.array([k])}
    model = model_of("TopK", feed, kind, False, outputs=2, axis=1, largest=largest)
    check(model, [{**feed, "x": numbers(kind, 3, 130, 2)} for _ in range(2)])


@pytest.mark.parametrize("is_open", (False, True))
@pytest.mark.parametrize("shape, axis", (((500,), 0), ((7, 300), 1), ((300, 70), 0), ((2, 150, 65), 1)))
@pytest.mark.parametrize("kind", (np.float32, np.float64, np.int32, np.int64))
def test_cumulative_sums(kind, shape, axis, is_open):
    for exclusive, reverse in ((0, 0), (1, 0), (0, 1), (1, 1)):
        feed = {"x": numbers(kind, *shape), "axis": np.array(axis, np.int64)}
        model = model_of("CumSum", feed, kind, is_open, exclusive=exclusive, reverse=reverse)
        model.graph.initializer.append(onnx.numpy_helper.from_array(feed.pop("axis"), "axis"))
        del model.graph.input[1]
        check(model, [feed])


def transform_of(array, is_open, **attributes):
    """Along the first axis of [axis, rows, parts]."""
    model = model_of("DFT", {"x": array}, array.dtype, is_open, axis=0, **attributes)
    model.opset_import[0].version = 17
    if is_open:
        model.graph.input[0].type.tensor_type.shape.dim[2].dim_value = array.shape[2]
    return model


@pytest.mark.parametrize("is_open", (False, True))
@pytest.mark.parametrize("length", (110, 128, 134, 600))
@pytest.mark.parametrize("kind", (np.float32, np.float64))
def test_fourier_transforms(kind, length, is_open):
    real, pairs = numbers(kind, length, 3, 1), numbers(kind, length, 3, 2)
    for array, attributes in ((real, {"onesided": 1}), (pairs, {}), (pairs, {"inverse": 1}), (real, {"inverse": 1})):
        signal = array[..., 0] + (1j * array[..., 1] if array.shape[2] == 2 else 0)
        spectrum = (np.fft.ifft if attributes.get("inverse") else np.fft.fft)(signal.astype(complex), axis=0)
        spectrum = spectrum[:length // 2 + 1] if attributes.get("onesided") else spectrum
        check(transform_of(array, is_open, **attributes), [{"x": array}], [[np.stack([spectrum.real, spectrum.imag], -1).astype(kind)]])


def boxes_of(batch, classes, count, spread):
    corners = RNG.random((batch, count, 2)).astype(np.float32) * spread
    boxes = np.concatenate([corners, corners + RNG.random((batch, count, 2)).astype(np.float32) * 20], -1)
    scores = RNG.random((batch, classes, count)).astype(np.float32)
    scores[:, :, ::7] = 0.5 # equal ones
    return {"b": boxes, "s": scores}


@pytest.mark.parametrize("is_open", (False, True))
@pytest.mark.parametrize("limits", ((), (9,), (9, 0.3), (400, 0.7, 0.45), (0, 0.5)))
def test_boxes(limits, is_open):
    names, kinds = ("most", "overlap", "score"), (np.int64, np.float32, np.float32)
    given = {name: np.array([limit], kind) for name, kind, limit in zip(names, kinds, limits)}
    feeds = [{**boxes_of(2, 3, 200, spread), **given} for spread in (10, 90, 1000)]
    check(model_of("NonMaxSuppression", feeds[0], np.int64, is_open), feeds)


def test_one_threshold_for_all_lanes():
    """Boxes that share exactly as much as they may: neither form rounds otherwise than the other."""
    corners = np.arange(120, dtype=np.float32)[:, None] * np.float32(1.1)
    boxes = np.concatenate([corners * 0, corners, corners * 0 + 3.3, corners + 3.3], 1)[None]
    for overlap in (0.2, 0.33333334, 0.5, 0.6):
        feed = {"b": boxes, "s": RNG.random((1, 1, 120)).astype(np.float32), "most": np.array([120]),
                "overlap": np.array([overlap], np.float32)}
        check(model_of("NonMaxSuppression", feed, np.int64, False), [feed])


def test_an_index_outside():
    """What kernels find of an index is the run's error, also where the host uses it."""
    feed = {"x": numbers(np.float32, 300), "i": places(300, 400), "u": numbers(np.float32, 400)}
    session = cupola.Session(cupola.compile(model_of("ScatterElements", feed, np.float32, False, reduction="add"), **CPU), "cpu")
    session.run(feed)
    for wrong in (300, -301):
        outside = feed["i"].copy()
        outside[77] = wrong
        with pytest.raises(cupola.UsageError, match="ScatterElements"):
            session.run({**feed, "i": outside})
    session.run(feed)


@pytest.mark.parametrize("device", ("cpu", "sim", "reference"))
def test_what_takes_too_many_steps(device):
    """Kernels would take 40,000 steps for each of 40,000 elements: the host does it for every device."""
    feed = {"x": numbers(np.float32, 1, 40_000), "k": np.array([40_000])}
    sort = model_of("TopK", feed, np.float32, False, outputs=2, axis=-1)
    scattered = {"x": numbers(np.float32, 40_000), "i": places(40_000, 40_000), "u": numbers(np.float32, 40_000)}
    scatter = model_of("ScatterElements", scattered, np.float32, False, reduction="max")
    for model, inputs in ((sort, feed), (scatter, scattered)):
        expected = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, inputs)
        if device == "reference":
            assert cupola.verify(model, "cpu", inputs=inputs, **CPU).passed # beside the model computed op by op
            continue
        options = CPU if device == "cpu" else {"targets": "cuda", "arch": "sm_80", "progress": False, "isolate": False}
        found = cupola.Session(cupola.compile(model, **options), device).run(inputs)
        for value, answer in zip(found.values(), expected, strict=True):
            np.testing.assert_array_equal(value, answer)
