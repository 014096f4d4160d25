#===- tools/dev/fuzzing/elementwise.py - Ops from element to element ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np
from onnx import TensorProto

from fuzzing.draft import ANY, BOOL, BOOLS, F16, F32, F64, FLOATS, I8, I32, I64, INTEGERS, NUMBERS, SINGLE, U8, U32, Unfit, Value

TYPES = {F16: TensorProto.FLOAT16, F32: TensorProto.FLOAT, F64: TensorProto.DOUBLE, I8: TensorProto.INT8, U8: TensorProto.UINT8,
         I32: TensorProto.INT32, I64: TensorProto.INT64, U32: TensorProto.UINT32, BOOL: TensorProto.BOOL}


def unary(op, kinds=FLOATS, exact=False, low=-np.inf, high=np.inf):
    """Of a value whose elements lie between the bounds."""
    def draw(b):
        inside = b.pick(kinds, fits=lambda value: value.dtype.kind != "f" or not value.array.size
                        or (value.array.min() >= low and value.array.max() <= high), opened=True)
        b.put(op, [inside], exact=exact)
    return draw


def parameterised(op, kinds=SINGLE, **bounds):
    """With attributes between bounds, each of them left out at times."""
    def draw(b):
        chosen = {name: round(b.random.uniform(*pair), 2) for name, pair in bounds.items() if b.chance(0.7)}
        b.put(op, [b.pick(kinds, opened=True)], **chosen)
    return draw


def partner(b, value, kinds=None):
    """What broadcasts with a value: another one, or a constant of some of its extents."""
    kinds = kinds or (value.dtype,)
    if b.chance(0.55):
        def fits(other):
            return all(a == c or 1 in (a, c) for a, c in zip(value.shape[::-1], other.shape[::-1]))
        others = [other for other in b.known() if other.dtype in kinds and fits(other)]
        if others:
            return b.random.choice(others)
    shape = value.shape[b.random.randint(0, value.rank):]
    shape = tuple(1 if b.chance(0.25) or extent in b.named else extent for extent in shape)
    return b.data(kinds[0], shape) if b.chance(0.6) else b.weight(kinds[0], shape) if kinds[0].kind == "f" else b.data(kinds[0], shape)


def either_way(b, a, c):
    return [a, c] if b.chance(0.7) else [c, a]


def binary(op, kinds=NUMBERS, exact=False, steer=None):
    def draw(b):
        a = b.pick(kinds)
        operands = either_way(b, a, partner(b, a))
        if steer:
            steer(b, operands)
        b.put(op, operands, exact=exact)
    return draw


def away_from_zero(b, operands):
    """The divisor: a value without zeros, or a constant that loses them."""
    if isinstance(operands[1], Value):
        if (np.abs(operands[1].array) < 0.05).any():
            raise Unfit
    else:
        operands[1] = np.where(np.abs(operands[1]) < 0.5, 1, operands[1]).astype(operands[1].dtype)


def exactly(b, operands):
    """No rounding makes what is compared equal, or unequal."""
    if not all(operand.is_exact() for operand in operands if isinstance(operand, Value)):
        raise Unfit


def variadic(op, kinds=SINGLE):
    def draw(b):
        a = b.pick(kinds)
        b.put(op, [a] + [partner(b, a) for _ in range(b.random.randint(0, 3))], exact=op in ("Max", "Min"))
    return draw


def power(b):
    base = b.pick(FLOATS[:2])
    exponent = b.one(2.0, 3.0, 0.5, -1.0, 1.0, 0.0, 4.0, 1.5)
    if exponent != int(exponent) and base.array.min(initial=0) < 0:
        raise Unfit
    b.put("Pow", [base, np.asarray(exponent, base.dtype)])


def modulo(b):
    a = b.pick((I64, I32) + FLOATS[:1])
    operands = [a, partner(b, a)]
    away_from_zero(b, operands)
    b.put("Mod", operands, fmod=int(a.dtype.kind == "f" or b.chance(0.4)))


def shift(b):
    a = b.pick((U8, U32))
    amount = b.numbers.integers(0, 5, a.shape[b.random.randint(0, a.rank):]).astype(a.dtype)
    b.put("BitShift", [a, amount], direction=b.one("LEFT", "RIGHT"))


def clip(b):
    a = b.pick(FLOATS + (I64, I32, I8, U8))
    low, high = (np.asarray(bound, a.dtype) if b.chance(0.8) else None for bound in (b.one(0, 1), b.one(1, 2, 3, 6)))
    b.move("Clip", [a, low, high][:b.one(2, 3, 3)])


def prelu(b):
    a = b.pick(FLOATS[:2], range(1, 6))
    b.put("PRelu", [a, b.weight(a.dtype, [1 if b.chance(0.5) else extent for extent in a.shape[-b.random.randint(1, a.rank):]])])


def where(b):
    a = b.pick(ANY[:4] + BOOLS)
    condition, other = partner(b, a, BOOLS), partner(b, a)
    b.move("Where", [condition, *either_way(b, a, other)])


def cast(b):
    a = b.pick(ANY, opened=True)
    to = b.one(F32, F32, F16, F64, I64, I32, BOOL, U8, I8)
    if to.kind in "iu" and a.array.size:       # elsewhere it says nothing
        limits = np.iinfo(to)
        if not (float(a.array.min()) >= limits.min and float(a.array.max()) <= limits.max):
            raise Unfit
    if b.opset >= 15 and b.chance(0.2):
        b.put("CastLike", [a, b.data(to, (1,))])
    else:
        b.put("Cast", [a], to=TYPES[to])


def gelu(b):
    b.put("Gelu", [b.pick(FLOATS[:1])], approximate=b.one("none", "tanh"))


def is_inf(b):
    b.put("IsInf", [b.pick(SINGLE)], detect_negative=b.one(0, 1), detect_positive=b.one(0, 1))


def dropout(b):
    b.move("Dropout", [b.pick(FLOATS), np.asarray(0.3, np.float32)][:b.one(1, 2)])


PLAIN = "Cos Erf Relu Sigmoid Sin Softsign Tanh Softplus HardSwish Ceil Floor Round".split()
OPS = {
    **{op: (1, unary(op)) for op in PLAIN},
    "Abs": (1, unary("Abs", NUMBERS, True)), "Neg": (1, unary("Neg", NUMBERS, True)), "Sign": (1, unary("Sign", NUMBERS)),
    "Sqrt": (1, unary("Sqrt", low=0)), "Exp": (1, unary("Exp", high=6)), "Log": (1, unary("Log", low=0.05)),
    "Tan": (1, unary("Tan", SINGLE, low=-1.3, high=1.3)), "Reciprocal": (1, unary("Reciprocal", low=0.05)),
    "Asin": (1, unary("Asin", SINGLE, low=-0.9, high=0.9)), "Acos": (1, unary("Acos", SINGLE, low=-0.9, high=0.9)),
    "Atan": (1, unary("Atan", SINGLE)), "Sinh": (1, unary("Sinh", SINGLE, low=-5, high=5)),
    "Cosh": (1, unary("Cosh", SINGLE, low=-5, high=5)), "Asinh": (1, unary("Asinh", SINGLE)),
    "Acosh": (1, unary("Acosh", SINGLE, low=1.1)), "Atanh": (1, unary("Atanh", SINGLE, low=-0.9, high=0.9)),
    "Identity": (1, unary("Identity", ANY, True)), "Not": (1, unary("Not", BOOLS)), "IsNaN": (1, unary("IsNaN")),
    "BitwiseNot": (18, unary("BitwiseNot", INTEGERS)), "Mish": (18, unary("Mish", SINGLE)),
    "LeakyRelu": (1, parameterised("LeakyRelu", FLOATS, alpha=(0, 0.5))), "Elu": (1, parameterised("Elu", alpha=(0.2, 2))),
    "Selu": (1, parameterised("Selu", alpha=(0.5, 2), gamma=(0.5, 2))), "Celu": (12, parameterised("Celu", alpha=(0.3, 2))),
    "HardSigmoid": (1, parameterised("HardSigmoid", alpha=(0.1, 0.5), beta=(0.2, 0.6))),
    "ThresholdedRelu": (10, parameterised("ThresholdedRelu", alpha=(0.1, 1))),
    "Shrink": (9, parameterised("Shrink", lambd=(0.2, 0.8), bias=(0, 0.5))), "Swish": (24, parameterised("Swish", alpha=(0.5, 2))),
    "Gelu": (20, gelu), "IsInf": (10, is_inf), "Dropout": (12, dropout), "Clip": (12, clip), "PRelu": (9, prelu),
    "Add": (7, binary("Add")), "Sub": (7, binary("Sub")), "Mul": (7, binary("Mul")), "Div": (7, binary("Div", steer=away_from_zero)),
    "Pow": (13, power), "Mod": (13, modulo), "BitShift": (11, shift), "Where": (9, where), "Cast": (13, cast),
    "Max": (13, variadic("Max", FLOATS[:1] + (I64, I32))), "Min": (13, variadic("Min", FLOATS[:1] + (I64, I32))),
    "Sum": (13, variadic("Sum")), "Mean": (13, variadic("Mean")),
    **{op: (18, binary(op, INTEGERS)) for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")},
    **{op: (16, binary(op, NUMBERS)) for op in ("Greater", "Less", "GreaterOrEqual", "LessOrEqual")},
    "Equal": (13, binary("Equal", NUMBERS, steer=exactly)),
    **{op: (7, binary(op, BOOLS)) for op in ("And", "Or", "Xor")},
}
