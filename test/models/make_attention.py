#!/usr/bin/env python3
#===- test/models/make_attention.py - Two products around a softmax, as exporters write them ---===#
# SPDX-License-Identifier: Apache-2.0
"""Writes NAME.onnx and NAME.SET.npz (inputs and onnxruntime's outputs) for every row of FORMS: one softmax(q k + mask) v each. SET
begins with full or half, the element type."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper
from references import output_folder, reference, write_case
from spelling import FULL, HALF, Spelling


@dataclass(frozen=True)
class Form:
    build: callable
    type: type = FULL
    dynamic: bool = False           # rows and keys are symbols, and there is a set for each of SIZES
    heads: int = 2
    groups: int = 2                 # heads of k and v
    rows: int = 50
    keys: int = 70
    head: int = 32                  # elements of q and k
    columns: int = 32               # of v
    fused: bool = True              # one kernel of kind attention
    opset: int = 18


SIZES = ((33, 200), (1, 77), (64, 64), (5, 1))
HIDDEN = 3                          # the row of which all keys are masked


def scores(n, q="q", k="k"):
    return n.op("Mul", n.op("MatMul", q, n.op("Transpose", k, perm=[0, 1, 3, 2])), n.number(n.form.head ** -0.5))


def attend(n, x, v="v"):
    return n.op("MatMul", n.op("Softmax", x, axis=-1), v)


def plain(n):
    return attend(n, scores(n))


def scaled_before(n):
    """As torch's scaled_dot_product_attention: the root of the scale on both sides."""
    root = n.number(n.form.head ** -0.25)
    k = n.op("Mul", n.op("Transpose", "k", perm=[0, 1, 3, 2]), root)
    return attend(n, n.op("MatMul", n.op("Mul", "q", root), k))


def softcap(n):
    return attend(n, n.op("Mul", n.op("Tanh", n.op("Div", scores(n), n.number(2))), n.number(2)))


def island(n):
    """The softmax of half precision in single precision."""
    weights = n.narrow(n.op("Softmax", n.wide(scores(n)), axis=-1))
    return n.op("MatMul", weights, "v")


def added_mask(n):
    return attend(n, n.op("Add", scores(n), "bias"))


def squeezed_bias(n):
    """Without the batch, which is 1, where the bias is added."""
    shape = (n.form.heads, n.form.rows, n.form.keys)
    x = n.op("Add", n.reshape(scores(n), *shape), n.squeeze("bias", 0))
    return n.op("MatMul", n.reshape(n.op("Softmax", x, axis=-1), 1, *shape), "v")


def causal(n):
    kept = n.array("kept", np.tri(n.form.rows, n.form.keys, dtype=bool))
    return attend(n, n.op("Where", kept, scores(n), n.number(-np.inf)))


def positions(n, value, axis):
    count = n.op("Gather", n.op("Shape", value), n.constant(2, np.int64))
    return n.unsqueeze(n.op("Range", n.constant(0, np.int64), count, n.constant(1, np.int64)), axis)


def windowed(n, x=None, v="v"):
    """A row sees its own key and up to 20 before it."""
    row, key = positions(n, "q", 1), positions(n, "k", 0)
    near = n.op("LessOrEqual", n.op("Sub", row, n.constant(20, np.int64)), key)
    seen = n.op("And", n.op("LessOrEqual", key, row), near)
    return attend(n, n.op("Where", seen, x or scores(n), n.number(-np.inf)), v)


def masked(n):
    return n.op("Where", "mask", scores(n), n.number(-np.inf))


def hidden_rows(n):
    """Rows of nothing but -inf are NaN."""
    return attend(n, masked(n))


def nan_guard(n):
    softmax = n.op("Softmax", masked(n), axis=-1)
    return n.op("MatMul", n.op("Where", n.op("IsNaN", softmax), n.number(0), softmax), "v")


def all_guard(n):
    x = masked(n)
    hidden = n.op("Cast", n.op("Equal", x, n.number(-np.inf)), to=TensorProto.INT64)
    all_hidden = n.op("Cast", n.axes_op("ReduceMin", 18, hidden, [-1], keepdims=1), to=TensorProto.BOOL)
    return n.op("MatMul", n.op("Where", all_hidden, n.number(0), n.op("Softmax", x, axis=-1)), "v")


def grouped(n, attend=attend):
    """Several heads of q for one of k and v."""
    form = n.form

    def each(value, width):
        spread = n.op("Expand", n.unsqueeze(value, 2), n.ints(1, form.groups, form.heads // form.groups, form.keys, width))
        return n.reshape(spread, 1, form.heads, form.keys, width)
    return attend(n, scores(n, k=each("k", form.head)), each("v", form.columns))


def grouped_windowed(n):
    return grouped(n, windowed)


def two_readers(n):
    """The weights are added to the result, too."""
    weights = n.op("Softmax", scores(n), axis=-1)
    return n.op("Add", n.op("MatMul", weights, "v"), n.op("ReduceMax", weights, n.ints(-1), keepdims=1))


def epilogue(n):
    """Heads side by side, and a sum."""
    return n.op("Add", n.op("Transpose", plain(n), perm=[0, 2, 1, 3]), n.number(0.5))


FORMS = {f"attention_{name}": form for name, form in {
    "plain": Form(plain),
    "plain_half": Form(plain, HALF),
    "dynamic": Form(plain, dynamic=True),
    "dynamic_half": Form(plain, HALF, dynamic=True),
    "decode": Form(plain, rows=1, keys=77, head=64, columns=64),
    "decode_half": Form(plain, HALF, rows=1, keys=77, head=64, columns=64),
    "columns": Form(plain, rows=64, keys=64, head=40, columns=24),
    "wide": Form(plain, rows=20, head=160, columns=160),
    "wide_half": Form(plain, HALF, rows=20, head=256, columns=256),
    "large": Form(plain, rows=20, head=320, columns=320, fused=False),
    "scaled_before": Form(scaled_before),
    "softcap": Form(softcap),
    "island": Form(island, HALF),
    "added_mask": Form(added_mask),
    "added_mask_half": Form(added_mask, HALF),
    "squeezed_bias": Form(squeezed_bias),
    "causal": Form(causal, rows=70),
    "causal_half": Form(causal, HALF, rows=70),
    "windowed": Form(windowed, rows=200, keys=200),
    "windowed_half": Form(windowed, HALF, rows=200, keys=200),
    "windowed_dynamic": Form(windowed, dynamic=True),
    "grouped_windowed": Form(grouped_windowed, heads=6, rows=70),
    "hidden_rows": Form(hidden_rows),
    "nan_guard": Form(nan_guard),
    "nan_guard_half": Form(nan_guard, HALF),
    "nan_guard_dynamic": Form(nan_guard, dynamic=True),
    "all_guard": Form(all_guard),
    "all_guard_dynamic": Form(all_guard, dynamic=True),
    "grouped": Form(grouped, heads=6),
    "grouped_half": Form(grouped, HALF, heads=6),
    "two_readers": Form(two_readers, fused=False),
    "epilogue": Form(epilogue),
}.items()}


def inputs_of(form, rows, keys):
    """Name and extents of everything that a form may read."""
    return {"q": (1, form.heads, rows, form.head), "k": (1, form.groups, keys, form.head), "v": (1, form.groups, keys, form.columns),
            "bias": (1, form.heads, rows, keys), "mask": (1, 1, rows, keys)}


def feeds_of(form, names, rows, keys):
    random = np.random.Generator(np.random.Philox(11))
    feeds = {}
    for name, shape in inputs_of(form, rows, keys).items():
        if name == "mask":
            feeds[name] = random.random(shape) < 0.7
            feeds[name][..., 0] = True
            feeds[name][..., HIDDEN:HIDDEN + 1, :] = False
        else:
            feeds[name] = random.standard_normal(shape).astype(form.type)
    return {name: feeds[name] for name in names}


def write(folder, name, form):
    n = Spelling(name, form)
    n.form = form
    y = form.build(n)
    sizes = ("rows", "keys") if form.dynamic else (form.rows, form.keys)
    read = {value for node in n.nodes for value in node.input}
    type = helper.np_dtype_to_tensor_dtype(np.dtype(form.type))
    inputs = [(key, TensorProto.BOOL if key == "mask" else type, shape) for key, shape in inputs_of(form, *sizes).items() if key in read]
    n.result("y", y, [None] * 4, type)
    path = folder / f"{name}.onnx"
    path.write_bytes(n.model(inputs).SerializeToString())
    for rows, keys in SIZES if form.dynamic else [sizes]:
        feeds = feeds_of(form, [key for key, _, _ in inputs], rows, keys)
        set = f"{'half' if form.type is HALF else 'full'}{f'_{rows}x{keys}' if form.dynamic else ''}"
        write_case(folder / f"{name}.{set}.npz", feeds, reference(path, feeds))


def main():
    folder = output_folder(__doc__)
    for name, form in FORMS.items():
        write(folder, name, form)
    print(f"{len(FORMS)} forms in {folder}")


if __name__ == "__main__":
    main()
