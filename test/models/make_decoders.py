#!/usr/bin/env python3
#===- test/models/make_decoders.py - Small language models with a KV cache, as exporters write them ---===#
# SPDX-License-Identifier: Apache-2.0
"""Writes for every row of MODELS two models that share their weights: NAME_prefill.onnx reads a whole text, NAME_decode.onnx one
token on the cache of those before it; and NAME_*.SET.npz, inputs and onnxruntime's outputs. Dimensions that are equal have different
names in different inputs, as torch.onnx.export(dynamo=True) names them."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from builder import Builder
from references import output_folder, reference, write_case


@dataclass(frozen=True)
class Form:
    family: str                     # gpt2 (LayerNormalization, learned positions, GELU) | llama (RMSNorm, rotary embedding, SiLU)
    opset: int = 20                 # from 23 on: Attention, RMSNormalization, RotaryEmbedding as ops
    layers: int = 2
    heads: int = 4
    kv_heads: int = 4
    size: int = 16                  # of a head
    inner: int = 96
    vocabulary: int = 211
    positions: int = 32

    @property
    def width(self):
        return self.heads * self.size


MODELS = {
    "decoder_gpt2": Form("gpt2"),
    "decoder_llama": Form("llama", heads=6, kv_heads=2, inner=80),
    "decoder_llama23": Form("llama", opset=23, heads=6, kv_heads=2, inner=80),
}
SETS = {"b1": (1, 6), "b3": (3, 5)}      # batch; length of the text, or of the cache


class Decoder(Builder):
    def __init__(self, name, form, decode):
        super().__init__(name, form.opset)
        self.form, self.decode = form, decode

    def linear(self, x, rows, columns, name):
        """With a bias (gpt2): Gemm on the flattened rows."""
        weight = self.weight(name + ".weight", rows, columns)
        if self.form.family == "llama":
            return self.op("MatMul", x, weight)
        product = self.op("Gemm", self.reshape(x, -1, rows), weight, self.weight(name + ".bias", columns, fan=100))
        return self.op("Reshape", product, self.rows_with(columns))

    def rows_with(self, *last):
        """The shape [batch, length, last..]: constant but for one extent where one token is decoded."""
        if self.decode:
            return self.ints(-1, 1, *last)
        return self.op("Concat", self.batch, self.length, self.ints(*last), axis=0)

    def norm(self, x, name):
        width = self.form.width
        scale = self.weight(name + ".weight", width, mean=1.0)
        if self.form.family == "gpt2":
            return self.op("LayerNormalization", x, scale, self.weight(name + ".bias", width, fan=100), axis=-1, epsilon=1e-5)
        if self.opset >= 23:
            return self.op("RMSNormalization", x, scale, axis=-1, epsilon=1e-6)
        mean = self.mean(self.op("Pow", x, self.constant(2.0)))
        root = self.op("Reciprocal", self.op("Sqrt", self.op("Add", mean, self.constant(1e-6))))
        return self.op("Mul", scale, self.op("Mul", x, root))

    # What all layers share

    def embed(self):
        x = self.op("Gather", self.weight("words", self.form.vocabulary, self.form.width, fan=4), "input_ids")
        if self.form.family == "gpt2":
            table = self.weight("positions", self.form.positions, self.form.width, fan=4)
            return self.op("Add", x, self.op("Gather", table, "position_ids"))
        frequencies = (100.0 ** -(np.arange(0, self.form.size, 2) / self.form.size)).astype(np.float32)
        angles = self.op("Mul", self.op("Cast", self.unsqueeze("position_ids", 2), to=TensorProto.FLOAT), self.constant(frequencies))
        if self.opset < 23:
            angles = self.op("Concat", angles, angles, axis=-1)
        self.cos, self.sin = self.op("Cos", angles), self.op("Sin", angles)
        return x

    def range(self, end, *axes):
        return self.unsqueeze(self.op("Range", self.int(0), end, self.int(1)), *axes)

    def mask(self):
        """[batch, 1, queries, keys]: causal, and the padding of attention_mask looked up by GatherND."""
        past = self.squeeze(self.op("Shape", "past_k_0", start=2, end=3)) if self.decode else self.int(0)
        length = self.squeeze(self.length)
        self.keys = self.op("Add", length, past)
        queries = self.op("Add", self.op("Range", self.int(0), length, self.int(1)), past)
        rows, columns = self.range(self.squeeze(self.batch), 1, 2, 3), self.range(self.keys, 0, 1, 2)
        causal = self.op("LessOrEqual", columns, self.unsqueeze(queries, 0, 1, 3))
        square = self.op("Shape", self.op("Max", rows, columns))
        pair = [self.unsqueeze(self.op("Expand", index, square), -1) for index in (rows, columns)]
        kept = self.op("GatherND", self.op("Cast", "attention_mask", to=TensorProto.BOOL), self.op("Concat", *pair, axis=-1))
        whole = self.op("Concat", self.batch, self.ints(1), self.length, self.unsqueeze(self.keys, 0), axis=0)
        return self.op("Expand", self.op("And", causal, kept), whole)

    # A layer

    def to_heads(self, x, heads):
        return self.op("Transpose", self.op("Reshape", x, self.rows_with(heads, self.form.size)), perm=[0, 2, 1, 3])

    def projections(self, x, name):
        form, width = self.form, self.form.width
        if form.family == "gpt2":
            joint = self.linear(x, width, 3 * width, name + ".qkv")
            return [self.to_heads(part, form.heads) for part in self.op("Split", joint, outputs=3, axis=2, num_outputs=3)]
        counts = form.heads, form.kv_heads, form.kv_heads
        q, k, v = (self.to_heads(self.linear(x, width, n * form.size, f"{name}.{part}"), n) for part, n in zip("qkv", counts))
        return self.rotated(q, form.heads), self.rotated(k, form.kv_heads), v

    def rotated(self, x, heads):
        if self.opset >= 23:
            return self.op("RotaryEmbedding", x, self.cos, self.sin, num_heads=heads)
        half, end = self.form.size // 2, np.iinfo(np.int64).max
        turned = self.op("Concat", self.op("Neg", self.slice(x, 3, half, end)), self.slice(x, 3, 0, half), axis=-1)
        parts = [self.op("Mul", y, self.unsqueeze(factor, 1)) for y, factor in ((x, self.cos), (turned, self.sin))]
        return self.op("Add", *parts)

    def repeated(self, x):
        """Each head of keys or values for the queries that share it."""
        groups = self.form.heads // self.form.kv_heads
        if groups == 1:
            return x
        keys, last = self.unsqueeze(self.keys, 0), self.ints(self.form.size)
        shape = self.op("Concat", self.batch, self.ints(self.form.kv_heads, groups), keys, last, axis=0)
        flat = self.op("Concat", self.batch, self.ints(self.form.heads), keys, last, axis=0)
        return self.op("Reshape", self.op("Expand", self.unsqueeze(x, 2), shape), flat)

    def attention(self, x, layer):
        form, name = self.form, f"h{layer}.attention"
        q, *new = self.projections(x, name)
        cache = []
        for part, value in zip("kv", new):
            if self.decode:
                value = self.op("Concat", f"past_{part}_{layer}", value, axis=-2)
            self.result(f"present_{part}_{layer}", value, [None, form.kv_heads, None, form.size])
            cache.append(self.repeated(value))
        mixed = self.attend(q, *cache)
        joined = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), self.rows_with(form.width))
        return self.linear(joined, form.width, form.width, name + ".out")

    def attend(self, q, k, v):
        if self.opset >= 23:
            return self.op("Attention", q, k, v, self.kept, scale=self.form.size ** -0.5)
        shape = self.op("Shape", k)
        first, rows, last = (self.slice(shape, 0, *ends) for ends in ((np.iinfo(np.int64).min, -2), (-2, -1), (-1, 2 ** 63 - 1)))
        flat = self.op("Reshape", k, self.op("Concat", self.ints(-1), rows, last, axis=0))
        turned = self.op("Reshape", self.op("Transpose", flat, perm=[0, 2, 1]), self.op("Concat", first, last, rows, axis=0))
        factor = self.constant(self.form.size ** -0.25)
        scores = self.op("MatMul", self.op("Mul", q, factor), self.op("Mul", turned, factor))
        bias = self.op("Where", self.kept, self.constant(0.0), self.constant(np.finfo(np.float32).min))
        weights = self.op("Softmax", self.op("Add", scores, bias), axis=-1)
        guarded = self.op("Where", self.op("IsNaN", weights), self.constant(0.0), weights)
        return self.op("MatMul", guarded, v)

    def mlp(self, x, name):
        form = self.form
        up = self.linear(x, form.width, form.inner, name + ".up")
        if form.family == "llama":
            gate = self.linear(x, form.width, form.inner, name + ".gate")
            inner = self.op("Mul", self.op("Mul", gate, self.op("Sigmoid", gate)), up)
        else:
            cubed = self.op("Mul", self.op("Pow", up, self.constant(3.0)), self.constant(0.044715))
            inside = self.op("Tanh", self.op("Mul", self.op("Add", up, cubed), self.constant(np.sqrt(2 / np.pi))))
            inner = self.op("Mul", self.op("Mul", up, self.constant(0.5)), self.op("Add", inside, self.constant(1.0)))
        return self.linear(inner, form.inner, form.width, name + ".down")

    def build(self):
        form = self.form
        self.batch = self.op("Shape", "input_ids", start=0, end=1)
        self.length = self.ints(1) if self.decode else self.op("Shape", "input_ids", start=1, end=2)
        self.kept = self.mask()
        x = self.embed()
        for layer in range(form.layers):
            x = self.op("Add", x, self.attention(self.norm(x, f"h{layer}.norm1"), layer))
            x = self.op("Add", x, self.mlp(self.norm(x, f"h{layer}.norm2"), f"h{layer}"))
        head = self.weight("head", form.width, form.vocabulary)
        self.result("logits", self.op("MatMul", self.norm(x, "norm"), head), [None, None, form.vocabulary])
        return self.model(self.inputs())

    def inputs(self):
        dims = ["s15", 1] if self.decode else ["s44", "s70"]
        yield "input_ids", TensorProto.INT64, dims
        yield "attention_mask", TensorProto.INT64, ["s43", "s53"]
        yield "position_ids", TensorProto.INT64, dims
        for layer in range(self.form.layers if self.decode else 0):
            for part, rows in zip("kv", ("s16", "s74")):
                yield f"past_{part}_{layer}", TensorProto.FLOAT, ["s15", self.form.kv_heads, rows, self.form.size]


def texts(form, batch, length, seed):
    """Tokens, and a mask that hides the first ones of every other text."""
    random = np.random.Generator(np.random.Philox(key=seed))
    tokens, mask = random.integers(0, form.vocabulary, (batch, length)), np.ones((batch, length), np.int64)
    mask[1::2, :2] = 0
    return tokens, mask


def prefill_feeds(tokens, mask):
    positions = np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape)
    return {"input_ids": tokens, "attention_mask": mask, "position_ids": np.ascontiguousarray(positions)}


def decode_feeds(tokens, mask, past):
    """The last token of each text on the cache of the others: `past` are the outputs of the step before."""
    feeds = prefill_feeds(tokens, mask)
    feeds.update({name: value[:, -1:] for name, value in feeds.items() if name != "attention_mask"})
    feeds.update({name.replace("present", "past"): value for name, value in past.items() if name.startswith("present")})
    return feeds


def main():
    out = output_folder(__doc__)
    for number, (name, form) in enumerate(MODELS.items()):
        prefill, decode = out / f"{name}_prefill.onnx", out / f"{name}_decode.onnx"
        for path, step in ((prefill, False), (decode, True)):
            path.write_bytes(Decoder(path.stem, form, step).build().SerializeToString(deterministic=True))
        for label, (batch, length) in SETS.items():
            tokens, mask = texts(form, batch, length + 1, seed=number)
            feeds = prefill_feeds(tokens[:, :-1], mask[:, :-1])
            past = reference(prefill, feeds)
            write_case(out / f"{prefill.stem}.{label}.npz", feeds, past)
            feeds = decode_feeds(tokens, mask, past)
            write_case(out / f"{decode.stem}.{label}.npz", feeds, reference(decode, feeds))
        print(f"{prefill} and {decode.name}: sets {' '.join(SETS)}")


if __name__ == "__main__":
    main()
