#===- test/models/sequence_ops.py - Cases of make_ops.py for ops of sequences and optionals ---===#
# SPDX-License-Identifier: Apache-2.0
"""Sequences are no operands of a case: their ops are in a branch that is taken, which gives tensors."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper, parser

from op_models import Case, Const

NEWEST = 28
CONSTANTS = "a = Constant<value = float[2] {1, 2}>() b = Constant<value = float[2] {3, 4}>() zero = Constant<value = int64 {0}>() "
FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def chain(of, text, *types, since=1, until=NEWEST):
    """A branch that is about the op `of`, with outputs of these types."""
    left = [helper.make_node("Constant", [], [f"left{i}"],
                             value=numpy_helper.from_array(np.zeros(1, helper.tensor_dtype_to_np_dtype(kind)))) for i, kind in enumerate(types)]
    values = [helper.make_tensor_value_info(f"left{i}", kind, None) for i, kind in enumerate(types)]
    attributes = {"then_branch": parser.parse_graph(text.replace("{", "{" + CONSTANTS, 1)),
                  "else_branch": helper.make_graph(left, "left", [], values)}
    return Case("If", (Const(True, kind=bool, shape=()),), attributes, since, until, len(types), of)


def cases():
    return [
        chain("SequenceAt", """t () => (float[2] x, float[2, 2] y, int64 n) {
            s = SequenceConstruct(a, b) none = SequenceEmpty() one = SequenceInsert(none, a) two = SequenceInsert(one, b, zero)
            less = SequenceErase(s, zero) x = SequenceAt(less, zero) y = ConcatFromSequence<axis = 0, new_axis = 1>(two)
            n = SequenceLength(s) }""", FLOAT, FLOAT, INT),
        chain("SplitToSequence", """t () => (float[4] x, int64 n) {
            ab = Concat<axis = 0>(a, b) three = Constant<value = int64 {3}>() s = SplitToSequence<axis = 0>(ab, three)
            x = ConcatFromSequence<axis = 0>(s) n = SequenceLength(s) }""", FLOAT, INT),
        chain("SequenceMap", """t () => (float[2, 2] x) {
            s = SequenceConstruct(a, b) m = SequenceMap(s) <body = body (float[2] v) => (float[2] w) { w = Neg(v) }>
            x = ConcatFromSequence<axis = 0, new_axis = 1>(m) }""", FLOAT),
        chain("OptionalGetElement", "t () => (float[2] x, bool h) { o = Optional(a) h = OptionalHasElement(o) x = OptionalGetElement(o) }",
              FLOAT, BOOL, until=17),
        chain("OptionalGetElement", "t () => (float[2] x, bool h) { o = Optional(a) h = OptionalHasElement(o) x = OptionalGetElement(b) }",
              FLOAT, BOOL, since=18),
    ]
