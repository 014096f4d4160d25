#===- test/Python/test_int8_rows.py - Rows that meet weights of a few bits as int8, in blocks ---===#
# SPDX-License-Identifier: Apache-2.0
"""Answers are held against the arithmetic that docs/precision.md describes, in numpy, and against onnxruntime's at accuracy_level 4."""

import cupola
import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

LEVELS = ("x86-64-v3", "x86-64-v4")
QUIET = {"targets": "cpu", "progress": False, "isolate": False}


def model_of(nodes, weights, result, depth, rank=2):
    """y [.., result] of x [.., depth] for any rows."""
    rows = ["batch", "rows"][3 - rank:]
    graph = helper.make_graph(nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [*rows, depth])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [*rows, result])],
                              [numpy_helper.from_array(array, name) for name, array in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)], ir_version=10)


class Weights:
    """Integers [depth, columns] of some bits less `zero`, and scales [depth / block, columns]."""

    def __init__(self, depth, columns, block, low=-8, high=7, seed=1):
        random = np.random.default_rng(seed)
        self.integers = random.integers(low, high + 1, (depth, columns))
        self.scales = random.uniform(0.01, 0.05, (-(-depth // block), columns)).astype(np.float32)
        self.block, self.depth, self.columns = block, depth, columns

    def model(self, kind, **more):
        """DequantizeLinear and MatMul."""
        nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["d"], "dequantize", axis=0, block_size=self.block),
                 helper.make_node("MatMul", ["x", "d"], ["y"], "product")]
        return model_of(nodes, {"w": self.integers.astype(kind), "s": self.scales}, self.columns, self.depth, **more)

    def n_bits(self, level):
        """MatMulNBits of 4 bits, which are 8 more."""
        packed = (self.integers.T + 8).astype(np.uint8).reshape(self.columns, -1, self.block)
        packed = packed[:, :, 0::2] | packed[:, :, 1::2] << 4
        node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], "product", domain="com.microsoft", K=self.depth, N=self.columns,
                                bits=4, block_size=self.block, accuracy_level=level)
        return model_of([node], {"w": packed, "s": np.ascontiguousarray(self.scales.T)}, self.columns, self.depth)

    def peer(self, x):
        model = self.n_bits(4)
        return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]

    def exact(self, x):
        return x.astype(np.float64) @ (self.integers * np.repeat(self.scales, self.block, 0)[:self.depth].astype(np.float64))

    def rounded(self, x, block):
        """With rows that are bytes in blocks of this size."""
        blocks = x.reshape(*x.shape[:-1], x.shape[-1] // block, block)
        scales = np.abs(blocks).max(-1, keepdims=True) / np.float32(127)
        with np.errstate(divide="ignore", invalid="ignore"):
            integers = np.where(scales > 0, np.rint(blocks * (np.float32(1) / scales)), 0).astype(np.float64)
        return self.exact((integers * scales).reshape(x.shape))


class Pointed(Weights):
    """Of MatMulNBits, each block with a zero point of its own."""

    def __init__(self, depth, columns, block, bits, seed=5):
        super().__init__(depth, columns, block, 0, 2 ** bits - 1, seed)
        self.bits, self.stored = bits, self.integers
        self.points = np.random.default_rng(seed + 1).integers(0, 2 ** bits, self.scales.shape)
        self.integers = self.stored - np.repeat(self.points, block, 0)

    def packed(self, integers):
        """The integers of a column, the first of a byte in its low bits."""
        columns = np.ascontiguousarray(integers.T).astype(np.uint8)
        if self.bits == 8:
            return columns
        columns = np.pad(columns, ((0, 0), (0, columns.shape[1] % 2)))
        return columns[:, 0::2] | columns[:, 1::2] << 4

    def n_bits(self, level):
        node = helper.make_node("MatMulNBits", ["x", "w", "s", "z"], ["y"], "product", domain="com.microsoft", K=self.depth, N=self.columns,
                                bits=self.bits, block_size=self.block, accuracy_level=level)
        tensors = {"w": self.packed(self.stored).reshape(self.columns, len(self.scales), -1), "s": np.ascontiguousarray(self.scales.T),
                   "z": self.packed(self.points)}
        return model_of([node], tensors, self.columns, self.depth)


def rows(*shape, seed=2):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def session(model, level, **options):
    try:
        return cupola.Session(cupola.compile(model, **QUIET, cpu=level, **options), "cpu", threads=2)
    except cupola.Error as error:
        if "variant" in str(error):     # the processor cannot run code of this level
            pytest.skip(str(error))
        raise


def expect(found, expected, tolerance=2e-6):
    assert found.shape == expected.shape
    assert np.allclose(found, expected, rtol=0, atol=tolerance * max(1, np.abs(expected).max(initial=0)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("depth, columns, block, rounded", [(64, 70, 32, 32), (768, 100, 128, 128), (1056, 33, 32, 32), (96, 48, 16, 16),
                                                            (512, 20, 256, 128), (80, 64, 32, 16)])
def test_blocks_of_four_bits(level, depth, columns, block, rounded):
    """The last has a last block that is shorter: blocks of rows are as long as divides them all."""
    weights = Weights(depth, columns, block)
    run = session(weights.model(ml_dtypes.int4), level, int8_rows="always").run
    for count in (1, 3, 8, 37, 130):
        x = rows(count, depth)
        expect(run({"x": x})["y"], weights.rounded(x, rounded))


@pytest.mark.parametrize("kind, low, high", [(np.int8, -128, 127), (np.uint8, 0, 127), (np.uint8, 0, 255), (ml_dtypes.uint4, 0, 15),
                                             (ml_dtypes.int2, -2, 1)])
def test_types_of_weights(kind, low, high):
    weights = Weights(256, 65, 64, low, high)
    x = rows(9, 256)
    expect(session(weights.model(kind), "x86-64-v3", int8_rows="always").run({"x": x})["y"], weights.rounded(x, 64))


def test_a_model_may_permit_it_by_itself():
    weights = Weights(128, 48, 32)
    x = rows(5, 128)
    for level, answer in [(4, weights.rounded(x, 32)), (0, weights.exact(x)), (1, weights.exact(x))]:
        expect(session(weights.n_bits(level), "x86-64-v3").run({"x": x})["y"], answer)
    found = session(weights.n_bits(4), "x86-64-v3").run({"x": x})["y"]
    expect(found, weights.peer(x), 1e-2)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("depth, columns, block", [(128, 48, 32), (96, 70, 16), (1024, 65, 128), (256, 96, 256)])
def test_zero_points(level, bits, depth, columns, block):
    """Which lie 15, or 255, from integers of their block."""
    weights = Pointed(depth, columns, block, bits)
    run = session(weights.n_bits(4), level).run
    for count in (1, 5, 37):
        x = rows(count, depth)
        expect(run({"x": x})["y"], weights.rounded(x, min(block, 128)))
    expect(run({"x": x})["y"], weights.peer(x), 1e-2)
    expect(session(weights.n_bits(0), level).run({"x": x})["y"], weights.exact(x))


@pytest.mark.parametrize("kind, low, high", [(ml_dtypes.int4, -8, 7), (ml_dtypes.uint4, 0, 15), (ml_dtypes.int2, -2, 1)])
def test_weights_of_up_to_four_bits_permit_it_by_themselves(kind, low, high):
    weights = Weights(128, 48, 32, low, high)
    x = rows(5, 128)
    expect(session(weights.model(kind), "x86-64-v3").run({"x": x})["y"], weights.rounded(x, 32))


def test_weights_of_eight_bits_do_not():
    weights = Weights(128, 48, 32, -127, 127)
    x = rows(5, 128)
    expect(session(weights.model(np.int8), "x86-64-v3").run({"x": x})["y"], weights.exact(x))


def test_never_is_never():
    weights = Weights(128, 48, 32)
    x = rows(5, 128)
    for model in (weights.model(ml_dtypes.int4), weights.n_bits(4)):
        expect(session(model, "x86-64-v3", int8_rows="never").run({"x": x})["y"], weights.exact(x))
        expect(session(model, "x86-64-v3", disabled_passes=["block-products"]).run({"x": x})["y"], weights.exact(x))
    with pytest.raises(cupola.Error, match="int8_rows is 'often', expected auto, always or never"):
        cupola.compile(model, **QUIET, int8_rows="often")


def test_other_passes_do_not_decide_it():
    weights = Weights(128, 48, 32)
    model, x = weights.model(ml_dtypes.int4), rows(5, 128)
    for off in ("simplify", "graph-cse", "pack-weights", "flatten-matmul", "merge-matmuls", "fuse-epilogues", "fuse-prologues", "cse",
                "fold-constants"):
        expect(session(model, "x86-64-v3", int8_rows="always", disabled_passes=[off]).run({"x": x})["y"], weights.rounded(x, 32))


def test_batches_are_rows():
    weights = Weights(64, 64, 32)
    run = session(weights.model(ml_dtypes.int4, rank=3), "x86-64-v3", int8_rows="always").run
    for shape in ((3, 7, 64), (1, 1, 64), (0, 5, 64), (2, 0, 64)):
        x = rows(*shape)
        expect(run({"x": x})["y"], weights.rounded(x, 32))


def test_blocks_of_zeros_and_of_very_large_numbers():
    weights = Weights(64, 64, 32)
    x = rows(4, 64)
    x[0], x[1, :32], x[2, 3], x[3, 5] = 0, 0, np.inf, np.nan
    y = session(weights.model(ml_dtypes.int4), "x86-64-v3", int8_rows="always").run({"x": x})["y"]
    expect(y[:2], weights.rounded(x[:2], 32))
    assert not np.isfinite(y[2]).any() and np.isnan(y[3]).all()


@pytest.mark.parametrize("weights, kind", [(Weights(100, 64, 25), ml_dtypes.int4),      # no blocks of 16
                                           (Weights(64, 15, 32), ml_dtypes.int4)])      # few weights
def test_what_does_not_suit_stays_f32(weights, kind):
    x = rows(6, weights.depth)
    expect(session(weights.model(kind), "x86-64-v3", int8_rows="always").run({"x": x})["y"], weights.exact(x))


def test_products_that_share_their_rows():
    """Side by side where views read them, apart where each has arithmetic behind."""
    first, second = Weights(64, 64, 32, seed=3), Weights(64, 96, 32, seed=4)
    x = rows(5, 64)
    nodes = [node for i, ops in enumerate((["Relu"], ["Relu"])) for node in (
        helper.make_node("DequantizeLinear", [f"w{i}", f"s{i}"], [f"d{i}"], axis=0, block_size=32),
        helper.make_node("MatMul", ["x", f"d{i}"], [f"p{i}"], f"product{i}"), helper.make_node(ops[0], [f"p{i}"], [f"r{i}"]))]
    nodes.append(helper.make_node("Concat", ["r0", "r1"], ["y"], axis=1))
    tensors = {f"w{i}": w.integers.astype(ml_dtypes.int4) for i, w in enumerate((first, second))}
    tensors.update({f"s{i}": w.scales for i, w in enumerate((first, second))})
    y = session(model_of(nodes, tensors, 160, 64), "x86-64-v3", int8_rows="always").run({"x": x})["y"]
    expect(y, np.maximum(np.concatenate([first.rounded(x, 32), second.rounded(x, 32)], 1), 0))


def test_verify_allows_for_it():
    weights = Weights(256, 128, 32)
    found = cupola.verify(weights.model(ml_dtypes.int4), device="cpu", int8_rows="always", shapes={"x": (4, 256)}, progress=False)
    assert found.passed and 1e-5 < found.outputs[0].max_rel < 5e-2
    found = cupola.verify(weights.model(ml_dtypes.int4), device="cpu", int8_rows="never", shapes={"x": (4, 256)}, progress=False)
    assert found.passed and found.outputs[0].max_rel < 1e-5


def test_a_report_counts_them():
    model = Weights(256, 128, 32).model(ml_dtypes.int4)
    for asked in (False, True):
        report = cupola.explain(model, progress=False, int8_rows="auto" if asked else "never")
        assert {v["target"]: v["int8_rows"] for v in report.json["variants"]} == {"cuda": 0, "cpu": int(asked)}
        assert ("int8 rows: 1 products" in str(report)) == asked


def test_other_targets_stay_f32():
    weights = Weights(256, 128, 32)
    found = cupola.verify(weights.n_bits(4), device="sim", arch="sm_80", int8_rows="always", shapes={"x": (4, 256)}, progress=False)
    assert found.passed and found.outputs[0].max_rel < 1e-5
