#===- tools/dev/fuzzing/moves.py - Ops that move elements, choose some, or make some ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np
from onnx import numpy_helper

from fuzzing.draft import ANY, BOOLS, F32, FLOATS, I32, I64, INTEGERS, NUMBERS, SINGLE, Unfit
from fuzzing.elementwise import TYPES

INDICES = (np.int64, np.int32)


def integers(values):
    return np.asarray(values, np.int64)


def factors(b, count, rank):
    """`count` as a product of `rank` extents."""
    shape = [1] * rank
    for prime in (2, 2, 2, 2, 2, 3, 3, 3, 5, 5, 7, 7):
        if count % prime == 0:
            count //= prime
            shape[b.random.randrange(rank)] *= prime
    shape[b.random.randrange(rank)] *= count
    return shape


def reshape(b):
    a = b.pick(ANY)
    if a.array.size == 0:
        raise Unfit
    kept = max((axis + 1 for axis, extent in enumerate(a.shape) if extent in b.named), default=0)
    if kept == a.rank:
        raise Unfit
    shape = factors(b, int(np.prod(a.shape[kept:])), b.random.randint(1, 5 - min(kept, 4)))
    if b.chance(0.5):
        shape[b.random.randrange(len(shape))] = -1
    if kept and b.chance(0.3) and -1 not in shape:       # their product instead
        shape, kept = [-1, *shape], 0
    shape = [0] * kept + shape
    shape = [0 if i < a.rank and extent == a.shape[i] and b.chance(0.5) else extent for i, extent in enumerate(shape)]
    b.move("Reshape", [a, integers(shape)])


def reshape_like(b):
    """To the shape of another value, which the model itself reads."""
    a = b.pick(ANY)
    others = [other for other in b.known() if other.array.size == a.array.size and other.shape != a.shape]
    if not others:
        raise Unfit
    b.move("Reshape", [a, b.move("Shape", [b.random.choice(others)])])


def flatten(b):
    a = b.pick(ANY)
    b.move("Flatten", [a], axis=b.random.randint(-a.rank, a.rank))


def squeeze(b):
    a = b.pick(ANY, range(1, 7), lambda value: 1 in value.shape)
    ones = [axis - (a.rank if b.chance(0.3) else 0) for axis, extent in enumerate(a.shape) if extent == 1]
    axes = integers(b.random.sample(ones, b.random.randint(1, len(ones))))
    # Without axes it asks which extents are 1, which has no answer where one is not known; an input's 0 counts as such.
    b.move("Squeeze", [a, axes] if b.named or b.chance(0.5) or b.empty else [a])


def unsqueeze(b):
    a = b.pick(ANY, range(5))
    count = b.random.randint(1, 2)
    axes = b.random.sample(range(a.rank + count), count)
    b.move("Unsqueeze", [a, integers([axis - (a.rank + count if b.chance(0.3) else 0) for axis in axes])])


def transpose(b):
    a = b.pick(ANY, range(1, 7), opened=True)
    b.move("Transpose", [a], **({"perm": b.random.sample(range(a.rank), a.rank)} if b.chance(0.85) else {}))


def expand(b):
    a = b.pick(ANY)
    wider = [b.random.randint(2, 4) if extent == 1 and b.chance(0.6) else extent for extent in a.shape]
    shape = [1 if extent in b.named or b.chance(0.3) else extent for extent in wider]
    b.move("Expand", [a, integers([b.random.randint(1, 3)] * b.one(0, 0, 1) + shape)])


def tile(b):
    a = b.pick(ANY, range(1, 6))
    b.move("Tile", [a, integers([b.random.choice((1, 1, 2, 3)) for _ in a.shape])])


def concat(b):
    a = b.pick(ANY, range(1, 6))
    axis = b.axis(a.rank)

    def fits(other):
        return other.dtype == a.dtype and other.rank == a.rank and all(
            x == y for i, (x, y) in enumerate(zip(a.shape, other.shape)) if i != axis % a.rank)

    others = [other for other in b.known() if fits(other)]
    parts = [a] + [b.random.choice(others) for _ in range(b.random.randint(0, 3))]
    if b.chance(0.3):
        parts.append(b.data(a.dtype, tuple(2 if i == axis % a.rank else extent for i, extent in enumerate(a.shape))))
    b.random.shuffle(parts)
    b.move("Concat", parts, axis=axis)


def split(b):
    a = b.pick(ANY, range(1, 6))
    axis = b.axis(a.rank)
    extent, parts = a.shape[axis], b.random.randint(1, 4)
    if extent < parts:
        raise Unfit
    if b.opset >= 18 and b.chance(0.4):
        return b.move("Split", [a], results=parts, axis=axis, num_outputs=parts)
    cuts = sorted(b.random.randint(0, extent) for _ in range(parts - 1)) if b.chance(0.2) else sorted(
        b.random.sample(range(1, extent), parts - 1))
    b.move("Split", [a, integers(np.diff([0, *cuts, extent]))], results=parts, axis=axis)


def slice_(b):
    a = b.pick(ANY, range(1, 6))
    axes = b.axes(a.rank)
    starts, ends, steps = [], [], []
    for extent in (a.shape[axis] for axis in axes):
        step = b.one(1, 1, 1, 2, 3, -1, -2)
        low, high = sorted((b.random.randint(0, extent), b.random.randint(0, extent)))
        if low == high and not b.chance(0.1):
            low, high = 0, extent
        start, end = (low, high) if step > 0 else (high - 1, low - 1 if low else -(1 << 40))
        starts.append(start - extent if 0 <= start < extent and b.chance(0.2) else start)
        ends.append((1 << 40) if step > 0 and high == extent and b.chance(0.4) else end)
        steps.append(step)
    kind = b.one(*INDICES) if max(map(abs, ends)) < 1 << 30 else np.int64
    operands = [a] + [np.asarray(array, kind) for array in (starts, ends, axes, steps)]
    b.move("Slice", operands[:4] if set(steps) == {1} else operands)


def indices(b, shape, extent):
    if extent == 0:
        raise Unfit
    low = -extent if b.chance(0.3) else 0
    return b.numbers.integers(low, extent, shape).astype(b.one(*INDICES))


def index_value(b, shape, extent):
    """As a constant, or computed: integers of the model brought into range."""
    others = [value for value in b.known() if value.dtype in (I64, I32) and value.rank <= 3 and (shape is None or value.shape == shape)]
    if others and extent and b.chance(0.4):
        chosen = b.random.choice(others)
        return b.put("Mod", [chosen, np.asarray(extent, chosen.dtype)])
    return indices(b, b.shape(b.random.randint(0, 2)) if shape is None else shape, extent)


def gather(b):
    a = b.pick(ANY, range(1, 5))
    axis = b.axis(a.rank)
    b.move("Gather", [a, index_value(b, None, a.shape[axis])], axis=axis)


def gather_elements(b):
    a = b.pick(ANY, range(1, 5))
    axis = b.axis(a.rank)
    shape = tuple(b.random.randint(1, 5) if i == axis % a.rank else b.random.randint(min(1, extent), extent)
                  for i, extent in enumerate(a.shape))
    b.move("GatherElements", [a, index_value(b, shape, a.shape[axis])], axis=axis)


def points(b, shape, count, depth):
    """`count` points into the first `depth` extents of a shape; each but once."""
    total = int(np.prod(shape[:depth]))
    if total < count:
        raise Unfit
    chosen = b.numbers.permutation(total)[:count]
    return np.stack(np.unravel_index(chosen, shape[:depth]), -1).astype(np.int64)


def gather_nd(b):
    a = b.pick(ANY, range(1, 5))
    depth, count = b.random.randint(1, a.rank), b.random.randint(1, 4)
    b.move("GatherND", [a, points(b, a.shape, min(count, int(np.prod(a.shape[:depth]))), depth)])


def reduction_of(b, kind):
    return {"reduction": b.one("add", "mul", "max", "min")} if kind == F32 and b.opset >= 18 and b.chance(0.5) else {}


def scatter_elements(b):
    a = b.pick(NUMBERS, range(1, 5))
    axis = b.axis(a.rank)
    extent, size = a.shape[axis], b.random.randint(1, 3)
    if extent < size:
        raise Unfit
    shape = [size if i == axis % a.rank else n for i, n in enumerate(a.shape)]
    order = np.argsort(b.numbers.random(a.shape), axis)
    index = np.take(order, range(size), axis).astype(np.int64)
    b.put("ScatterElements", [a, index, b.data(a.dtype, shape)], axis=axis, **reduction_of(b, a.dtype))


def scatter_nd(b):
    a = b.pick(NUMBERS, range(1, 5))
    depth = b.random.randint(1, a.rank)
    index = points(b, a.shape, min(b.random.randint(1, 4), int(np.prod(a.shape[:depth]))), depth)
    updates = b.data(a.dtype, (len(index), *a.shape[depth:]))
    b.put("ScatterND", [a, index, updates], **reduction_of(b, a.dtype))


def pad(b):
    a = b.pick(FLOATS + (I64, I32), range(1, 6))
    mode = b.one("constant", "constant", "reflect", "edge", *(["wrap"] if b.opset >= 19 else []))
    low = -1 if mode == "constant" and min(a.shape) > 2 else 0
    pads = [b.random.randint(low, 2 if mode == "constant" else max(0, min(2, extent - 1))) for extent in a.shape * 2]
    value = [b.data(a.dtype, ())] if mode == "constant" and b.chance(0.5) else []
    b.move("Pad", [a, integers(pads), *value], mode=mode)


def blocks(op):
    def draw(b):
        a = b.pick(SINGLE, (4,), lambda value: 0 not in value.shape)
        size = b.one(2, 3)
        at, whole = ([1], size * size) if op == "DepthToSpace" else ([2, 3], size)
        if any(a.shape[axis] % whole for axis in at):
            a = b.move("Tile", [a, integers([whole if axis in at else 1 for axis in range(4)])])
        b.move(op, [a], blocksize=size, **({"mode": b.one("DCR", "CRD")} if op == "DepthToSpace" else {}))
    return draw


def trilu(b):
    a = b.pick(FLOATS[:2] + (I64,), range(2, 6))
    b.move("Trilu", [a, integers(b.random.randint(-3, 3))][:b.one(1, 2)], upper=b.one(0, 1))


def reverse_sequence(b):
    a = b.pick(SINGLE + (I64, I32), range(2, 5))
    batch = b.one(0, 1)
    length = a.shape[1 - batch]
    if not length:
        raise Unfit
    b.move("ReverseSequence", [a, b.numbers.integers(1, length + 1, a.shape[batch])], batch_axis=batch, time_axis=1 - batch)


def one_hot(b):
    depth = b.random.randint(2, 6)
    a = b.pick((I64, I32), range(4))
    kind = b.one(F32, I64)
    b.move("OneHot", [a, integers(depth), np.asarray([0, b.one(1, 3)], kind)], axis=b.random.randint(-a.rank - 1, a.rank))


def eye_like(b):
    b.move("EyeLike", [b.pick(SINGLE + (I64, I32), (2,))], k=b.random.randint(-2, 2), **({"dtype": TYPES[F32]} if b.chance(0.5) else {}))


def constant_of_shape(b):
    shape = b.move("Shape", [b.pick(ANY)])
    fill = np.asarray([b.one(0, 1, 2)], b.one(np.float32, np.int64, np.bool_))
    b.move("ConstantOfShape", [shape], **({"value": numpy_helper.from_array(fill)} if b.chance(0.8) else {}))


def shape_of(b):
    a = b.pick(ANY)
    bounds = {"start": b.random.randint(0, a.rank)} if b.opset >= 15 and b.chance(0.4) else {}
    b.move(*b.one(("Shape", [a]), ("Size", [a])), **{}) if not bounds else b.move("Shape", [a], **bounds)


def range_(b):
    kind = b.one(np.int64, np.float32, np.int32)
    step = b.one(1, 2, -1)
    start, count = b.random.randint(-3, 3), b.random.randint(1, 9)
    b.move("Range", [np.asarray(value, kind) for value in (start, start + step * count, step)])


def compress(b):
    a = b.pick(SINGLE + INTEGERS[:2], range(1, 4))
    axis = b.axis(a.rank) if b.chance(0.8) else None
    extent = a.array.size if axis is None else a.shape[axis]
    if b.named:     # a condition may be shorter, but not longer
        extent = min(extent, 1)
    conditions = [value for value in b.known() if value.dtype in BOOLS and value.shape == (extent,)]
    condition = b.random.choice(conditions) if conditions and b.chance(0.6) else b.numbers.random(extent) < 0.6
    b.move("Compress", [a, condition], **({} if axis is None else {"axis": axis}))


def non_zero(b):
    b.move("NonZero", [b.pick(BOOLS + (I64, I32) + SINGLE, range(1, 4))])


def unique(b):
    a = b.pick((I64, I32), range(1, 3))
    b.move("Unique", [a], results=b.random.randint(1, 4), sorted=1)


OPS = {
    "Reshape": (13, reshape), "Reshape ": (13, reshape_like), "Flatten": (13, flatten), "Squeeze": (13, squeeze),
    "Unsqueeze": (13, unsqueeze), "Transpose": (1, transpose), "Transpose ": (1, transpose), "Expand": (8, expand), "Tile": (6, tile),
    "Concat": (4, concat), "Split": (13, split), "Slice": (10, slice_), "Gather": (1, gather), "GatherElements": (11, gather_elements),
    "GatherND": (12, gather_nd), "ScatterElements": (11, scatter_elements), "ScatterND": (11, scatter_nd), "Pad": (13, pad),
    "DepthToSpace": (13, blocks("DepthToSpace")), "SpaceToDepth": (13, blocks("SpaceToDepth")), "Trilu": (14, trilu),
    "ReverseSequence": (10, reverse_sequence), "OneHot": (11, one_hot), "EyeLike": (9, eye_like), "Range": (11, range_),
    "ConstantOfShape": (9, constant_of_shape), "Shape": (13, shape_of), "Compress": (11, compress), "NonZero": (13, non_zero),
    "Unique": (11, unique),
}
