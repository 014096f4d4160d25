#===- tools/dev/fuzzing/products.py - Products of matrices, convolutions, pools, recurrences, quantised numbers ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np

from fuzzing.draft import BOOL, F16, F32, FLOATS, I8, I32, SINGLE, U8, Unfit
from fuzzing.moves import integers

NO_ZERO = {"fits": lambda value: 0 not in value.shape}


def matrix(b, kind, shape):
    """An operand of a product: a value of this shape, or a constant of about the scale that keeps products moderate."""
    others = [value for value in b.known() if value.dtype == kind and value.shape == tuple(shape)]
    if others and b.chance(0.4):
        return b.random.choice(others)
    return b.weight(kind, shape, (shape[-2] if len(shape) > 1 else shape[-1]) ** -0.5) if kind.kind == "f" else b.data(kind, shape)


def matmul(b):
    a = b.pick(FLOATS + (I32,), range(1, 5), **NO_ZERO)
    width = b.one(1, 2, 3, 5, 8, 16, 33)
    batch = list(a.shape[:-2])[b.random.randint(0, max(0, a.rank - 2)):]
    batch = [1 if b.chance(0.3) else extent for extent in batch]
    shape = (a.shape[-1],) if b.chance(0.1) else (*batch, a.shape[-1], width)
    b.put("MatMul", [a, matrix(b, a.dtype, shape)])


def matmul_of_values(b):
    """As of scores: a value and another one, turned where that makes them fit."""
    a = b.pick(SINGLE, range(2, 5), **NO_ZERO)
    others = [value for value in b.known() if value.dtype == F32 and value.rank == a.rank and value.shape[:-2] == a.shape[:-2]]
    straight = [value for value in others if value.shape[-2] == a.shape[-1]]
    turned = [value for value in others if value.shape[-1] == a.shape[-1]]
    if straight and b.chance(0.5):
        return b.put("MatMul", [a, b.random.choice(straight)])
    if not turned:
        raise Unfit
    order = [*range(a.rank - 2), a.rank - 1, a.rank - 2]
    scores = b.put("MatMul", [a, b.move("Transpose", [b.random.choice(turned)], perm=order)])
    if b.chance(0.5):
        b.put("Softmax", [b.put("Mul", [scores, np.float32(0.25)])], axis=-1)


def gemm(b):
    a = b.pick(FLOATS[:2], (2,), **NO_ZERO)
    turned, other = b.one(0, 1), b.one(0, 1)
    rows, depth, width = a.shape[turned], a.shape[1 - turned], b.one(1, 3, 4, 8, 17)
    bias = [b.weight(a.dtype, b.one((width,), (1, width), (rows, 1), (rows, width), (), (1,)))] if b.chance(0.7) else []
    scales = {name: round(b.random.uniform(0.3, 2), 2) for name in ("alpha", "beta") if b.chance(0.4)}
    b.put("Gemm", [a, matrix(b, a.dtype, (width, depth) if other else (depth, width)), *bias], transA=turned, transB=other, **scales)


def einsum(b):
    a = b.pick(SINGLE, range(2, 5), **NO_ZERO)
    letters = "abcd"[:a.rank]
    drop = b.random.choice(letters)
    shared = [letter for letter in letters if letter == drop or b.chance(0.4)]
    b.random.shuffle(shared)
    extents = dict(zip(letters, a.shape), z=b.one(1, 3, 4))
    right = "".join(shared) + "z" * b.one(0, 1, 1)
    kept = [letter for letter in letters + "z" * ("z" in right) if letter != drop]
    b.random.shuffle(kept)
    b.put("Einsum", [a, matrix(b, F32, [extents[letter] for letter in right])], equation=f"{letters},{right}->{''.join(kept)}")


def window(b, spatial, largest=3, dilations=True):
    """Attributes of convolutions and pools that stay inside of `spatial`."""
    kernel = [b.random.randint(1, min(largest, extent)) for extent in spatial]
    attributes = {"kernel_shape": kernel}
    if b.chance(0.5):
        attributes["strides"] = [b.random.randint(1, 3) for _ in spatial]
    if dilations and b.chance(0.25):
        attributes["dilations"] = [b.random.randint(1, 2) if (k - 1) * 2 < extent else 1 for k, extent in zip(kernel, spatial)]
    if b.chance(0.5):
        attributes["pads"] = [b.random.randint(0, k - 1) for k in kernel * 2]
    elif b.chance(0.3) and "dilations" not in attributes:
        # Windows smaller than their strides would need less than no padding, of which everybody makes something else.
        fits = all(stride <= size for stride, size in zip(attributes.get("strides", kernel), kernel))
        attributes["auto_pad"] = b.one("SAME_UPPER", "SAME_LOWER", "VALID") if fits else "VALID"
    return attributes


def image(b, kinds=SINGLE):
    return b.pick(kinds, (3, 4, 4, 4, 5), fits=lambda value: 0 not in value.shape)


def conv(b):
    a = image(b, SINGLE + (F16,))
    attributes = window(b, a.shape[2:])
    group = b.random.choice([n for n in range(1, a.shape[1] + 1) if a.shape[1] % n == 0]) if b.chance(0.5) else 1
    shape = (group * b.one(1, 2, 3), a.shape[1] // group, *attributes["kernel_shape"])
    bias = [b.weight(a.dtype, shape[:1])] if b.chance(0.5) else []
    b.put("Conv", [a, b.weight(a.dtype, shape, np.prod(shape[1:]) ** -0.5), *bias], group=group, **attributes)


def conv_transpose(b):
    a = image(b)
    if not a.is_finite():   # times the zeros of places that no tap reaches it is no number either
        raise Unfit
    attributes = window(b, [3] * (a.rank - 2))
    attributes.pop("auto_pad", None)
    group = b.random.choice([n for n in range(1, a.shape[1] + 1) if a.shape[1] % n == 0]) if b.chance(0.5) else 1
    shape = (a.shape[1], b.one(1, 2, 3), *attributes["kernel_shape"])
    bias = [b.weight(F32, (group * shape[1],))] if b.chance(0.5) else []
    if b.put("ConvTranspose", [a, b.weight(F32, shape, shape[0] ** -0.5), *bias], group=group, **attributes).array.size == 0:
        raise Unfit     # onnxruntime refuses it, and so do we


def pool(op):
    def draw(b):
        a = image(b)
        attributes = window(b, a.shape[2:], dilations=op == "MaxPool")
        if op != "LpPool" and "auto_pad" not in attributes and b.chance(0.3):
            attributes["ceil_mode"] = 1
        if op == "AveragePool" and b.chance(0.5):
            attributes["count_include_pad"] = 1
        results = b.one(1, 1, 2) if op == "MaxPool" else 1
        b.put(op, [a], results=results, exact=op == "MaxPool", **({"p": b.one(1, 2, 3)} if op == "LpPool" else {}), **attributes)
    return draw


def global_pool(op):
    def draw(b):
        b.put(op, [image(b)])
    return draw


def resize(b):
    a = b.pick(SINGLE, (3, 4), **NO_ZERO)
    mode = b.one("nearest", "linear", "linear", "cubic") if a.rank == 4 else b.one("nearest", "linear")
    attributes = {"mode": mode, "coordinate_transformation_mode": b.one("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")}
    if mode == "nearest":
        attributes["nearest_mode"] = b.one("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")
    if b.chance(0.5):
        scales = [1.0, 1.0] + [b.one(0.5, 1.5, 2.0, 3.0) for _ in a.shape[2:]]
        return b.put("Resize", [a, None, np.asarray(scales, np.float32)], **attributes)
    b.put("Resize", [a, None, None, integers([*a.shape[:2], *[b.random.randint(1, 9) for _ in a.shape[2:]]])], **attributes)


def grid_sample(b):
    a = b.pick(SINGLE, (4,), **NO_ZERO)
    grid = b.numbers.uniform(-1.2, 1.2, (a.shape[0], b.one(1, 3, 4), b.one(2, 5), 2)).astype(np.float32)
    b.put("GridSample", [a, grid], mode=b.one("linear", "nearest") if b.opset >= 20 else b.one("bilinear", "nearest"),
          padding_mode=b.one("zeros", "border", "reflection"), align_corners=b.one(0, 1))


def recurrent(op, gates):
    def draw(b):
        a = b.pick(SINGLE, (3,), **NO_ZERO)
        length, batch, size = a.shape
        hidden, ways = b.one(1, 2, 4, 5), b.one(1, 2)
        operands = [a, b.weight(F32, (ways, gates * hidden, size), 0.5), b.weight(F32, (ways, gates * hidden, hidden), 0.5),
                    b.weight(F32, (ways, 2 * gates * hidden), 0.5) if b.chance(0.6) else None, None,
                    b.weight(F32, (ways, batch, hidden)) if b.chance(0.4) else None]
        direction = "bidirectional" if ways == 2 else b.one("forward", "reverse")
        more = {"linear_before_reset": b.one(0, 1)} if op == "GRU" else {}
        b.put(op, operands, results=2, hidden_size=hidden, direction=direction, **more)
    return draw


def attention(b):
    query = b.pick(SINGLE, (4,), lambda value: 0 not in value.shape and value.shape[1] not in b.named)
    batch, heads, _, size = query.shape
    groups, past, mask = b.one(heads, 1), b.one(2, 5, 9), []
    key, value = (b.weight(F32, (batch, groups, past, size)) for _ in "kv")
    if b.chance(0.4):
        mask = [b.one(b.data(BOOL, (query.shape[2], past)) | (np.arange(past) == 0), b.weight(F32, (query.shape[2], past)))]
    b.put("Attention", [query, key, value, *mask], is_causal=b.one(0, 1), **({"softcap": 2.0} if b.chance(0.2) else {}))


#===--- Quantised numbers ---===#


def quantize(b):
    a = b.pick(SINGLE, fits=lambda value: value.array.size and value.is_finite())
    kind, axis = b.one(U8, I8), None
    if a.rank and b.chance(0.3):
        axis = b.axis(a.rank)
    shape = () if axis is None else (a.shape[axis],)
    scale = b.numbers.uniform(0.02, 0.2, shape).astype(np.float32)
    zero = b.numbers.integers(0, 9, shape).astype(kind)
    by = {} if axis is None else {"axis": axis}
    quantized = b.put("QuantizeLinear", [a, scale, zero], **by)
    if b.chance(0.5):
        b.put("DequantizeLinear", [quantized, scale, zero], **by)


def dequantize(b):
    a = b.pick((U8, I8))
    b.put("DequantizeLinear", [a, np.asarray(b.one(0.1, 0.5, 0.03), np.float32), b.data(a.dtype, ())][:b.one(2, 3)])


def dynamic_quantize(b):
    a = b.pick(SINGLE, fits=lambda value: value.array.size and value.is_finite() and np.ptp(value.array) > 0.1)
    b.put("DynamicQuantizeLinear", [a], results=3)


def matmul_integer(b):
    a = b.pick((U8, I8), range(2, 5), **NO_ZERO)
    right = b.one(U8, I8) if a.dtype == U8 else I8
    zeros = [b.data(a.dtype, ()), b.data(right, ())][:b.random.randint(0, 2)]
    b.put("MatMulInteger", [a, b.data(right, (a.shape[-1], b.one(1, 3, 8))), *zeros])


def quantized_matmul(b):
    a = b.pick((U8, I8), range(2, 4), **NO_ZERO)
    right = b.data(a.dtype if b.chance(0.5) else I8, (a.shape[-1], b.one(1, 4, 9)))
    scale = [np.asarray(value, np.float32) for value in (0.05, 0.11, 0.07)]
    b.put("QLinearMatMul", [a, scale[0], b.data(a.dtype, ()), right, scale[1], b.data(right.dtype, ()), scale[2], b.data(a.dtype, ())])


def quantized_conv(b):
    a = image(b, (U8,))
    attributes = window(b, a.shape[2:])
    filters = b.data(b.one(U8, I8), (b.one(1, 2, 4), a.shape[1], *attributes["kernel_shape"]))
    if b.chance(0.5):
        zeros = [b.data(U8, ()), b.data(filters.dtype, ())][:b.random.randint(0, 2)]
        return b.put("ConvInteger", [a, filters, *zeros], **attributes)
    scale = [np.asarray(value, np.float32) for value in (0.05, 0.11, 0.07)]
    bias = [b.data(I32, filters.shape[:1])] if b.chance(0.5) else []
    b.put("QLinearConv", [a, scale[0], b.data(U8, ()), filters, scale[1], b.data(filters.dtype, ()), scale[2], b.data(U8, ()), *bias],
          **attributes)


def quantized_product(b):
    """Between DequantizeLinear and QuantizeLinear, as quantisers write it."""
    a = b.pick((U8, I8), range(2, 5), **NO_ZERO)
    left = b.put("DequantizeLinear", [a, np.float32(0.05), b.data(a.dtype, ())])
    weights = b.numbers.integers(-100, 100, (a.shape[-1], b.one(1, 4, 9))).astype(np.int8)
    right = b.put("DequantizeLinear", [weights, np.float32(0.01), np.int8(0)])
    product = b.put("MatMul", [left, right])
    if b.chance(0.5):
        b.put("QuantizeLinear", [product, np.float32(0.08), np.asarray(3, a.dtype)])


OPS = {
    "MatMul": (13, matmul), "MatMul ": (13, matmul_of_values), "Gemm": (13, gemm), "Einsum": (12, einsum), "Conv": (11, conv),
    "ConvTranspose": (11, conv_transpose), **{op: (11, pool(op)) for op in ("AveragePool", "MaxPool", "LpPool")},
    **{op: (1, global_pool(op)) for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")}, "Resize": (13, resize),
    "GridSample": (16, grid_sample), "LSTM": (14, recurrent("LSTM", 4)), "GRU": (14, recurrent("GRU", 3)), "RNN": (14, recurrent("RNN", 1)),
    "Attention": (23, attention), "QuantizeLinear": (13, quantize), "DequantizeLinear": (13, dequantize),
    "DynamicQuantizeLinear": (11, dynamic_quantize), "MatMulInteger": (10, matmul_integer), "QLinearMatMul": (10, quantized_matmul),
    "QLinearConv": (10, quantized_conv), "MatMul q": (13, quantized_product),
}
