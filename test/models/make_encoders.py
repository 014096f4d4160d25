#!/usr/bin/env python3
#===- test/models/make_encoders.py - Small sentence encoders in the forms that exporters write them ---===#
# SPDX-License-Identifier: Apache-2.0
"""Writes NAME.onnx and NAME.SET.npz (inputs and onnxruntime's outputs) for every row of MODELS: other sizes, opsets, masks,
poolings, spellings of LayerNormalization, GELU and attention than minilm has. The weights are seeded by their names."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper

from builder import Builder
from references import output_folder, reference, write_case


@dataclass(frozen=True)
class Form:
    opset: int
    layers: int = 2
    heads: int = 4
    width: int = 32
    inner: int = 64
    vocabulary: int = 101
    positions: int = 64
    dynamic: bool = True
    shape: tuple = (2, 12)          # of a static model
    norm: str = "written"           # written | squared (Mul, one factor) | op (opset 17)
    before: bool = False            # normalise before attention and MLP instead of after
    gelu: str = "erf"               # erf (opset 9) | tanh | cubed | sigmoid | op (opset 20) | op_tanh (opset 20) | relu | silu
    mask: str = "additive"          # additive | lowest | where | expand | padding (all opset 9) | lengths (opset 11) | none
    mask_type: int = TensorProto.INT64
    ids_type: int = TensorProto.INT64
    scale: str = "div"              # div | both (its root on queries and on keys) | shape (computed)
    pool: str = "mean"              # mean | first | unit | max | classes | words | none
    heads_by: str = "shape"         # shape (computed from Shape) | zero (0 and -1 in Reshape) | split (one projection, Split)
    projection: str = "matmul"      # matmul (and Add) | gemm (on the flattened rows) | transposed (weights, at run time)
    segments: bool = False          # an input of token types


MODELS = {
    "tiny_opset7": Form(7, gelu="tanh", heads_by="zero", pool="none"),
    "tiny_opset9": Form(9, mask="where", pool="first"),
    "tiny_opset11": Form(11, heads=2, width=24, inner=40, mask="lengths", gelu="tanh", segments=True),
    "tiny_opset13": Form(13, layers=1, heads=3, width=30, inner=50, mask="lowest", heads_by="split"),
    "tiny_opset17": Form(17, norm="op", projection="gemm", pool="first", dynamic=False, shape=(3, 7)),
    "tiny_opset20": Form(20, heads=8, width=64, inner=96, norm="op", gelu="op", mask="where", segments=True),
    "tiny_relu": Form(15, layers=1, heads=1, width=17, inner=19, gelu="relu", mask="none", pool="none"),
    "tiny_silu": Form(18, layers=1, gelu="silu", heads_by="split", projection="gemm"),
    "tiny_gelu_tanh": Form(20, layers=1, gelu="op_tanh", norm="written", mask="lengths", heads_by="zero"),
    "tiny_before": Form(14, before=True, norm="squared", gelu="cubed", scale="both", pool="unit", projection="transposed"),
    "tiny_expand": Form(16, layers=1, heads=6, width=36, inner=72, mask="expand", gelu="sigmoid", scale="shape", pool="max"),
    "tiny_padding": Form(12, layers=1, mask="padding", ids_type=TensorProto.INT32, scale="both", pool="classes"),
    "tiny_words": Form(19, layers=1, width=40, mask="additive", mask_type=TensorProto.FLOAT, norm="op", before=True, pool="words"),
    "tiny_bool": Form(22, layers=1, mask="where", mask_type=TensorProto.BOOL, norm="op", gelu="op", scale="shape", pool="unit"),
    "tiny_static": Form(10, mask="expand", mask_type=TensorProto.INT32, heads_by="zero", dynamic=False, shape=(1, 24),
                        pool="words"),
    "tiny_newest": Form(24, layers=1, heads=2, width=128, inner=512, norm="op", gelu="op", projection="gemm", pool="first"),
}
SETS = {"b1x16": (1, 16), "b3x11": (3, 11), "b2x1": (2, 1)}      # of dynamic models


class Encoder(Builder):
    def __init__(self, name, form):
        super().__init__(name, form.opset)
        self.form = form

    def weight(self, name, *shape, mean=0.0):
        return super().weight(name, *shape, fan=4 * shape[0], mean=mean)

    def sum(self, value, axis, keepdims):
        return self.axes_op("ReduceSum", 13, value, [axis], keepdims=keepdims)

    # Parts of the model

    def norm(self, x, name):
        width = self.form.width
        scale, bias = self.weight(name + ".weight", width, mean=1.0), self.weight(name + ".bias", width)
        if self.form.norm == "op":
            return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-6)
        centred = self.op("Sub", x, self.mean(x))
        if self.form.norm == "squared":
            variance = self.mean(self.op("Mul", centred, centred))
            factor = self.op("Div", self.constant(1.0), self.op("Sqrt", self.op("Add", variance, self.constant(1e-6))))
            return self.op("Add", self.op("Mul", centred, self.op("Mul", factor, scale)), bias)
        variance = self.mean(self.op("Pow", centred, self.constant(2.0)))
        root = self.op("Sqrt", self.op("Add", variance, self.constant(1e-6)))
        return self.op("Add", self.op("Mul", self.op("Div", centred, root), scale), bias)

    def activation(self, x):
        kind = self.form.gelu
        if kind == "relu":
            return self.op("Relu", x)
        if kind == "silu":
            return self.op("Mul", x, self.op("Sigmoid", x))
        if kind == "sigmoid":
            return self.op("Mul", x, self.op("Sigmoid", self.op("Mul", self.constant(1.702), x)))
        if kind in ("op", "op_tanh"):
            return self.op("Gelu", x, approximate="tanh" if kind == "op_tanh" else "none")
        if kind == "erf":
            inside = self.op("Erf", self.op("Div", x, self.constant(np.sqrt(2.0))))
            return self.op("Mul", self.op("Mul", x, self.op("Add", inside, self.constant(1.0))), self.constant(0.5))
        power = self.op("Mul", self.op("Mul", x, x), x) if kind == "cubed" else self.op("Pow", x, self.constant(3.0))
        cubed = self.op("Mul", self.constant(0.044715), power)
        inside = self.op("Tanh", self.op("Mul", self.constant(np.sqrt(2 / np.pi)), self.op("Add", x, cubed)))
        return self.op("Mul", self.op("Mul", self.constant(0.5), x), self.op("Add", self.constant(1.0), inside))

    def linear(self, x, rows, columns, name):
        bias = self.weight(name + ".bias", columns)
        if self.form.projection == "matmul":
            return self.op("Add", self.op("MatMul", x, self.weight(name + ".weight", rows, columns)), bias)
        if self.form.projection == "transposed":
            weight = self.op("Transpose", self.weight(name + ".weight", columns, rows), perm=[1, 0])
            return self.op("Add", bias, self.op("MatMul", x, weight))
        flat = self.op("Reshape", x, self.ints(-1, rows))
        product = self.op("Gemm", flat, self.weight(name + ".weight", columns, rows), bias, transB=1)
        return self.op("Reshape", product, self.shape_with(columns))

    def shape_with(self, *last):
        """[batch, length, last..] as a value."""
        if self.form.heads_by == "zero" and self.form.projection == "matmul":
            return self.ints(0, 0, *last)
        return self.op("Concat", self.unsqueeze(self.batch, 0), self.unsqueeze(self.length, 0), self.ints(*last), axis=0)

    def to_heads(self, x, perm):
        size = self.form.width // self.form.heads
        return self.op("Transpose", self.op("Reshape", x, self.shape_with(self.form.heads, size)), perm=perm)

    def attention(self, x, bias, name):
        form, width = self.form, self.form.width
        if form.heads_by == "split":
            joint = self.linear(x, width, 3 * width, name + ".qkv")
            sizes = {"split": [width] * 3} if form.opset < 13 else {}
            operands = [joint] if form.opset < 13 else [joint, self.ints(width, width, width)]
            q, k, v = self.op("Split", *operands, outputs=3, axis=-1, **sizes)
        else:
            q, k, v = (self.linear(x, width, width, f"{name}.{part}") for part in "qkv")
        q, k, v = self.to_heads(q, [0, 2, 1, 3]), self.to_heads(k, [0, 2, 3, 1]), self.to_heads(v, [0, 2, 1, 3])
        scores = self.scores(q, k, width // form.heads)
        if form.mask == "where":
            scores = self.op("Where", bias, scores, self.constant(-np.inf))
        elif bias:
            scores = self.op("Add", scores, bias)
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1 if form.opset >= 13 else 3), v)
        joined = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), self.shape_with(width))
        return self.linear(joined, width, width, name + ".out")

    def scores(self, q, k, size):
        if self.form.scale == "both":
            factor = self.constant(size ** -0.25)
            return self.op("MatMul", self.op("Mul", q, factor), self.op("Mul", k, factor))
        divisor = self.constant(np.sqrt(size))
        if self.form.scale == "shape":
            last = self.op("Gather", self.op("Shape", q), self.constant(3, np.int64), axis=0)
            divisor = self.op("Sqrt", self.op("Cast", last, to=TensorProto.FLOAT))
        return self.op("Div", self.op("MatMul", q, k), divisor)

    def mask_bias(self):
        """What attention adds to its scores (or, for where, the condition that keeps them)."""
        form = self.form
        if form.mask == "none":
            return None
        if form.mask == "padding":
            zero = self.constant(0, helper.tensor_dtype_to_np_dtype(form.ids_type))
            self.kept = self.op("Not", self.op("Equal", self.ids, zero))
            hidden = self.unsqueeze(self.op("Equal", self.ids, zero), 1, 2)
            return self.op("Where", hidden, self.constant(-1e9), self.constant(0.0))
        if form.mask == "lengths":
            positions = self.op("Range", self.constant(0, np.int64), self.length, self.constant(1, np.int64))
            self.kept = self.op("Less", self.unsqueeze(positions, 0), self.unsqueeze("lengths", 1))
        else:
            boolean = form.mask_type == TensorProto.BOOL
            self.kept = "attention_mask" if boolean else self.op("Cast", "attention_mask", to=TensorProto.BOOL)
        if form.mask == "where":
            return self.unsqueeze(self.kept, 1, 2)
        if form.mask == "expand":
            batch, length = self.unsqueeze(self.batch, 0), self.unsqueeze(self.length, 0)
            square = self.op("Concat", batch, self.ints(1), length, length, axis=0)
            kept = self.op("Expand", self.op("Cast", self.unsqueeze(self.kept, 1, 2), to=TensorProto.FLOAT), square)
            hidden = self.op("Sub", self.constant(1.0), kept)
            low = self.constant(np.finfo(np.float32).min)
            return self.op("Where", self.op("Cast", hidden, to=TensorProto.BOOL), low, hidden)
        kept = self.op("Cast", self.unsqueeze(self.kept, 1, 2), to=TensorProto.FLOAT)
        low = -10000.0 if form.mask == "additive" else np.finfo(np.float32).min
        return self.op("Mul", self.op("Sub", self.constant(1.0), kept), self.constant(low))

    def embed(self):
        form = self.form
        x = self.op("Gather", self.weight("words", form.vocabulary, form.width), self.ids)
        if form.segments:
            x = self.op("Add", x, self.op("Gather", self.weight("segments", 2, form.width), "token_type_ids"))
        if form.opset >= 10:
            table = self.weight("positions", form.positions, form.width)
            x = self.op("Add", x, self.op("Slice", table, self.ints(0), self.unsqueeze(self.length, 0), self.ints(0)))
        return self.norm(x, "embed")

    def pooled(self, x):
        form = self.form
        if form.pool == "none":
            return x
        if form.pool == "first":
            row = self.op("Gather", x, self.constant(0, np.int64), axis=1)
            weight, bias = self.weight("pool.weight", form.width, form.width), self.weight("pool.bias", form.width)
            return self.op("Tanh", self.op("Gemm", row, weight, bias, transB=1))
        if form.pool == "words":
            return self.op("MatMul", x, self.op("Transpose", "words", perm=[1, 0]))
        kept = self.op("Cast", self.unsqueeze(self.kept, 2), to=TensorProto.FLOAT)
        if form.pool == "max":
            hidden = self.op("Mul", self.op("Sub", kept, self.constant(1.0)), self.constant(1e9))
            return self.axes_op("ReduceMax", 18, self.op("Add", x, hidden), [1], keepdims=0)
        total = self.sum(self.op("Mul", x, kept), 1, 0)
        mean = self.op("Div", total, self.sum(kept, 1, 0))
        if form.pool == "unit":
            length = self.axes_op("ReduceL2", 18, mean, [1], keepdims=1)
            return self.op("Div", mean, self.op("Max", length, self.constant(1e-12)))
        if form.pool == "classes":
            weight, bias = self.weight("pool.weight", form.width, 5), self.weight("pool.bias", 5)
            return self.op("Softmax", self.op("Gemm", mean, weight, bias, alpha=2.0), axis=1)
        return mean

    def build(self):
        form = self.form
        self.ids = "input_ids"
        shape = self.op("Shape", self.ids)
        self.batch = self.op("Gather", shape, self.constant(0, np.int64), axis=0)
        self.length = self.op("Gather", shape, self.constant(1, np.int64), axis=0)
        bias = self.mask_bias()
        x = self.embed()
        for layer in range(form.layers):
            x = self.residual(x, lambda y: self.attention(y, bias, f"h{layer}.attention"), f"h{layer}.norm1")
            x = self.residual(x, lambda y: self.mlp(y, f"h{layer}"), f"h{layer}.norm2")
        dims = ["batch", "length"] if form.dynamic else list(form.shape)
        last = {"classes": 5, "words": form.vocabulary}.get(form.pool, form.width)
        self.result("embedding", self.pooled(x), dims[:2 if form.pool in ("none", "words") else 1] + [last])
        return self.model(self.inputs(dims))

    def mlp(self, x, name):
        inner = self.activation(self.linear(x, self.form.width, self.form.inner, name + ".up"))
        return self.linear(inner, self.form.inner, self.form.width, name + ".down")

    def residual(self, x, part, name):
        if self.form.before:
            return self.op("Add", x, part(self.norm(x, name)))
        return self.norm(self.op("Add", part(x), x), name)

    def inputs(self, dims):
        """Name, type and dimensions of each."""
        form = self.form
        yield "input_ids", form.ids_type, dims
        if form.segments:
            yield "token_type_ids", TensorProto.INT64, dims
        if form.mask == "lengths":
            yield "lengths", TensorProto.INT64, dims[:1]
        elif form.mask not in ("none", "padding"):
            yield "attention_mask", form.mask_type, dims


def feeds(form, batch, length, seed):
    random = np.random.Generator(np.random.Philox(key=seed))
    lengths = np.maximum(length - random.integers(0, max(length // 2, 1), batch), 1).astype(np.int64)
    mask = (np.arange(length) < lengths[:, None]).astype(np.int64)
    values = {"input_ids": random.integers(1, form.vocabulary, (batch, length)) * mask}
    values["input_ids"] = values["input_ids"].astype(helper.tensor_dtype_to_np_dtype(form.ids_type))
    if form.segments:
        values["token_type_ids"] = random.integers(0, 2, (batch, length))
    if form.mask == "lengths":
        values["lengths"] = lengths
    elif form.mask not in ("none", "padding"):
        values["attention_mask"] = mask.astype(helper.tensor_dtype_to_np_dtype(form.mask_type))
    return values


def main():
    out = output_folder(__doc__)
    for number, (name, form) in enumerate(MODELS.items()):
        path = out / (name + ".onnx")
        model = Encoder(name, form).build()
        path.write_bytes(model.SerializeToString(deterministic=True))
        sets = SETS if form.dynamic else {"static": form.shape}
        for label, (batch, length) in sets.items():
            inputs = feeds(form, batch, length, seed=number)
            write_case(out / f"{name}.{label}.npz", inputs, reference(path, inputs))
        print(f"{path}: {len(model.graph.node)} nodes, sets {' '.join(sets)}")


if __name__ == "__main__":
    main()
