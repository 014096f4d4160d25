#===- tools/dev/fuzzing/draft.py - A model under construction: every value is known, and how far rounding may move it ---===#
# SPDX-License-Identifier: Apache-2.0
"""A node is drawn, run by onnxruntime and by ONNX's reference, and kept if the two agree and its results are numbers of moderate size. So
shapes and values of all operands are known when the next node is drawn, and no op needs a rule for its result's shape.

Every value has two shadows, which are what it would be if each op had rounded far worse, in one direction and in the other. A node whose
results differ between them by more than a tolerance is left out: there a comparison, a rounding or an index hangs on the last bits of what it
reads. What was only moved, compared or computed in integers has equal shadows, so ties stay in."""

import random

import numpy as np
from onnx import GraphProto, helper, numpy_helper

from fuzzing import peers

LARGEST = {np.dtype(np.float16): 300.0, np.dtype(np.float32): 1e4, np.dtype(np.float64): 1e4}
OPSETS = (13, 15, 17, 18, 19, 20, 21, 22, 23, 24)
NAMED = (11, 13, 19)
NOISE = {np.dtype(np.float16): 3e-3, np.dtype(np.float32): 3e-6, np.dtype(np.float64): 3e-6}
ELEMENTS = 20000
INPUTS = 7
EXTENTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 32, 33, 50, 64, 65, 100, 128]
# Ops that one implementation rounds to a zero and another to something tiny: exponentials, and weights of neighbours that cancel.
FADING = ("Exp", "GRU", "Gelu", "GridSample", "LSTM", "Mish", "RNN", "Resize", "Sigmoid", "Softmax", "Softplus", "Swish", "Upsample")
# Ops whose results' extents the data decides. What reads them must not expect a certain extent.
OPENING = ("Compress", "NonZero", "Unique")
F16, F32, F64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
I8, U8, I32, I64 = np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int32), np.dtype(np.int64)
U32, BOOL = np.dtype(np.uint32), np.dtype(bool)
FLOATS, SINGLE, INTEGERS, BOOLS = (F32, F64, F16), (F32,), (I64, I32, I8, U8, U32), (BOOL,)
NUMBERS = FLOATS + (I64, I32)
ANY = FLOATS + INTEGERS + BOOLS
WEIGHTS = {F32: 12, I64: 4, F64: 1.5, F16: 2, I32: 2, U8: 1.5, I8: 1.5, U32: 0.7, BOOL: 2}


def fades(op, attributes):
    """Whether the op, or one in its bodies, does."""
    bodies = [body for body in attributes.values() if isinstance(body, GraphProto)]
    return op in FADING or any(node.op_type in FADING for body in bodies for node in body.node)


class Unfit(Exception):
    """What was drawn cannot be a node of this model."""


class Value:
    def __init__(self, name, arrays):
        self.name, self.arrays, self.uses = name, arrays, 0
        self.is_open = False    # its extents are known only when a model has run that far

    @property
    def array(self):
        return self.arrays[0]

    @property
    def shape(self):
        return self.array.shape

    @property
    def rank(self):
        return self.array.ndim

    @property
    def dtype(self):
        return self.array.dtype

    def is_exact(self):
        return all(np.array_equal(shadow, self.array, equal_nan=self.dtype.kind == "f") for shadow in self.arrays[1:])

    def is_finite(self):
        return bool(np.isfinite(self.array).all())

    def tolerance(self):
        """What an output may differ by: that of its type, or more where what it is computed from lets rounding grow."""
        spread = max(peers.distance(shadow, self.array) for shadow in self.arrays[1:])
        return max(peers.TOLERANCE.get(self.dtype, 0), 4 * spread)


class Draft:
    def __init__(self, seed, dynamic=False):
        self.random, self.numbers = random.Random(seed), np.random.Generator(np.random.Philox(key=seed))
        self.opset = self.random.choice(OPSETS)
        self.values, self.nodes, self.inputs, self.constants = [], [], [], []
        self.disagreed, self.names = [], 0
        # Extents of leading axes of inputs that have a name and may be others in a run: constants do not have them.
        self.named = set(self.random.sample(NAMED, self.random.randint(1, 2))) if dynamic else set()
        self.extents = [self.random.choice(EXTENTS) for _ in range(4)] + [1]
        self.empty = self.chance(0.04)      # an input with an extent of 0
        self.wild = self.chance(0.06)       # infinities, numbers that are none, and what overflows

    #===--- Choices ---===#

    def chance(self, probability):
        return self.random.random() < probability

    def one(self, *choices):
        return self.random.choice(choices)

    def axis(self, rank, signed=True):
        """One of `rank` axes, maybe counted from behind."""
        if rank == 0:
            raise Unfit
        axis = self.random.randrange(rank)
        return axis - rank if signed and self.chance(0.3) else axis

    def axes(self, rank, signed=True):
        """Some of the axes, at least one, each once."""
        if rank == 0:
            raise Unfit
        chosen = self.random.sample(range(rank), self.random.randint(1, rank))
        return [axis - rank if signed and self.chance(0.2) else axis for axis in chosen]

    def name(self, what):
        self.names += 1
        return f"{what}{self.names}"

    #===--- Values ---===#

    def pick(self, kinds, ranks=range(7), fits=lambda value: True, opened=False):
        """A value to compute with: one that nothing reads yet rather than others; a new input where there is none. `opened`: extents that
        the run finds will do."""
        fitting = [value for value in self.known(opened) if value.dtype in kinds and value.rank in ranks and fits(value)]
        if not fitting or self.chance(0.05):
            if len(self.inputs) >= INPUTS or not self.chance(0.5):
                raise Unfit
            value = self.input(kinds, ranks)
            if not fits(value):
                self.forget(value)
                raise Unfit
            return value
        unused = [value for value in fitting if value.uses == 0]
        return self.random.choice(unused if unused and self.chance(0.6) else fitting)

    def known(self, opened=False):
        return [value for value in self.values if opened or not value.is_open]

    def input(self, kinds, ranks):
        kinds = [kind for kind in kinds if kind in WEIGHTS]
        kind = self.random.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
        ranks = [rank for rank in ranks if rank <= 5]
        shape = self.shape(self.random.choices(ranks, [{0: 1, 1: 2, 2: 5, 3: 6, 4: 6, 5: 1}[rank] for rank in ranks])[0])
        value = Value(self.name("x"), [self.data(kind, shape)] * 3)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def forget(self, value):
        self.inputs.remove(value)
        self.values.remove(value)

    def shape(self, rank):
        """Of few different extents, so that values of different origin fit together."""
        known = [value.shape for value in self.values if value.rank == rank]
        if known and self.chance(0.5):
            return self.random.choice(known)
        while True:
            shape = tuple(self.random.choice(sorted(self.named)) if self.named and axis < max(1, rank - 1) and self.chance(0.5)
                          else self.random.choice(self.extents) for axis in range(rank))
            if np.prod(shape, dtype=int) <= ELEMENTS / 4:
                break
            self.extents = [max(1, extent // 2) for extent in self.extents]
        if self.empty and rank and self.chance(0.4):
            at = self.random.randrange(rank)
            shape = shape[:at] + (0,) + shape[at + 1:]
        return shape

    def data(self, kind, shape):
        if kind == BOOL:
            return self.numbers.random(shape) < 0.5
        if kind.kind in "iu":
            if self.chance(0.08):
                bounds = np.iinfo(kind)
                return self.numbers.integers(bounds.min, bounds.max, shape, kind, endpoint=True)
            low = 0 if kind.kind == "u" else -5
            return self.numbers.integers(low, 8, shape).astype(kind)
        if self.wild and self.chance(0.5):
            odd = self.numbers.choice([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30 if kind != F16 else 6e4], shape)
            return np.where(self.numbers.random(shape) < 0.2, odd, self.numbers.standard_normal(shape)).astype(kind)
        if self.chance(0.3):       # ties and integers among them
            return (self.numbers.integers(-16, 17, shape) / 8).astype(kind)
        return np.asarray(self.numbers.standard_normal(shape)).astype(kind)

    def weight(self, kind, shape, scale=1.0):
        """Data of a constant."""
        return np.asarray(self.numbers.standard_normal(shape) * scale).astype(kind)

    def constant(self, array):
        """The array as an initialiser, or as a node."""
        array = np.asarray(array)
        name = self.name("c")
        if self.chance(0.2):
            self.nodes.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array)))
        else:
            self.constants.append(numpy_helper.from_array(array, name))
        return name

    #===--- Nodes ---===#

    def move(self, op, operands, results=1, **attributes):
        """Adds a node that rounds nothing."""
        return self.put(op, operands, results, exact=True, **attributes)

    def put(self, op, operands, results=1, exact=False, around=(), opens=(), **attributes):
        """Adds a node of `operands`, which are values, arrays that become constants, or None. Returns its results. `around`: the values
        that its bodies read; `opens`: results whose extents a run finds."""
        outputs = [self.name("v") for _ in range(results)]
        made = [Value(name, arrays) for name, arrays in zip(outputs, self.run(op, operands, outputs, around, attributes))]
        read = [operand for operand in operands if isinstance(operand, Value)] + list(around)
        for i, value in enumerate(made):
            self.accept(value)
            if not exact:
                self.blur(value, fades(op, attributes))
            value.is_open = op in OPENING or i in opens or any(operand.is_open for operand in read)
        names = ["" if operand is None else operand.name if isinstance(operand, Value) else self.constant(operand) for operand in operands]
        for operand in read:
            operand.uses += 1
        self.nodes.append(helper.make_node(op, names, outputs, name=f"{op}_{len(self.nodes)}", **attributes))
        self.values += made
        return made[0] if results == 1 else made

    def run(self, op, operands, outputs, around, attributes):
        """For each result what it is, and its shadows."""
        names = ["" if operand is None else f"o{i}" for i, operand in enumerate(operands)]
        given = {name: operand.arrays if isinstance(operand, Value) else [np.asarray(operand)] * 3
                 for name, operand in zip(names, operands) if operand is not None}
        given |= {value.name: value.arrays for value in around}
        node = helper.make_node(op, names, outputs, **attributes)
        model = peers.one_node(node, self.opset, {name: arrays[0] for name, arrays in given.items()})
        runners = [peers.by_onnxruntime(model), peers.by_reference(model)]
        feeds = [{name: arrays[way] for name, arrays in given.items()} for way in range(3)]
        answers = [peers.attempt(runner, feeds[0]) for runner in runners]
        if answers[0] is not None and answers[1] is not None and not peers.agree(*answers):
            self.disagreed.append(op)
            raise Unfit
        which = 0 if answers[0] is not None else 1
        if answers[which] is None or (self.wild and answers[1 - which] is None):    # each is often wrong about what is no number
            raise Unfit
        ways = [answers[which]] + [peers.attempt(runners[which], feed) for feed in feeds[1:]]
        if any(way is None or len(way) != len(outputs) for way in ways):
            raise Unfit
        return [list(arrays) for arrays in zip(*ways)]

    def accept(self, value):
        array = value.array
        if array.size > ELEMENTS or array.dtype not in ANY or array.ndim > 6:
            raise Unfit
        if array.dtype.kind == "f" and not self.wild:
            if not np.isfinite(array).all() or np.abs(array).max(initial=0) > LARGEST[array.dtype]:
                raise Unfit
        limit = (2e-2 if array.dtype == F16 else 1e-3) if array.dtype.kind == "f" else 0
        if any(peers.distance(shadow, array) > limit for shadow in value.arrays[1:]):
            raise Unfit

    def blur(self, value, fades):
        """One more rounding, a bad one, in the shadows: of each number, and of sums in which larger numbers cancel. Zeros stay, unless
        the value fades."""
        if value.dtype.kind == "f":
            noise = NOISE[value.dtype] * self.numbers.uniform(0.4, 1, value.shape) * self.numbers.choice([-1, 1], value.shape)
            size = np.where(np.isfinite(value.array), np.abs(value.array), 0) + 1e-6 * fades
            moved = noise * (size + 0.1 * size.max(initial=0)) * (fades | (size != 0))
            value.arrays = [value.array] + [(shadow + sign * moved).astype(value.dtype)
                                            for sign, shadow in zip((1, -1), value.arrays[1:])]
