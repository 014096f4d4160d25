#===- test/Tools/sequence_models.py - Models with sequences, and files of their inputs ---===#
# SPDX-License-Identifier: Apache-2.0
"""sequence_models.py STEM writes STEM.sum.onnx (y is the sum of the sequence x, z is x with y behind it but without its first element),
STEM.optional.onnx (y: whether the optional sequence p has a value; q is it), STEM.decided.onnx (a bool that decides the rank of y), and
.npz files of inputs."""

import sys

import numpy as np
import onnx
import onnx.parser

stem = sys.argv[1]


def save(name, text):
    onnx.save(onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>\n' + text), f"{stem}.{name}.onnx")


save("sum", """g (seq(float[]) x) => (float[3] y, seq(float[]) z) {
  s = ConcatFromSequence<axis = 0, new_axis = 1>(x) zero = Constant<value_ints = [0]>() y = ReduceSum<keepdims = 0>(s, zero)
  more = SequenceInsert(x, y) first = Constant<value_int = 0>() z = SequenceErase(more, first)
}""")
save("optional", "g (optional(seq(float[2])) p) => (bool y, optional(seq(float[2])) q) { y = OptionalHasElement(p) q = Identity(p) }")
save("decided", """g (float[2, 3] x, bool c) => (float[n] y) {
  y = If (c) < then_branch = t () => (float[2, 3] a) { a = Neg(x) },
               else_branch = e () => (float[6] b) { six = Constant<value_ints = [6]>() b = Reshape(x, six) } >
}""")

ones, x = np.ones(3, np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
np.savez(stem + ".two.npz", **{"x[0]": ones, "x[1]": 2 * ones})
np.savez(stem + ".three.npz", **{"in:x[0]": ones, "in:x[1]": ones, "in:x[2]": ones})
np.savez(stem + ".case.npz", **{"in:x[0]": ones, "in:x[1]": 2 * ones, "in:x[2]": 3 * ones, "out:y": 6 * ones, "out:z[0]": 2 * ones,
                                "out:z[1]": 3 * ones, "out:z[2]": 6 * ones})
np.savez(stem + ".empty.npz", **{"in:p[]": np.zeros(0), "out:y": np.array(True), "out:q[]": np.zeros(0)})
np.savez(stem + ".absent.npz", **{"out:y": np.array(False)})
np.savez(stem + ".other.npz", y=ones)
np.savez(stem + ".decided.npz", x=x, c=np.array(True))
np.savez(stem + ".decided-case.npz", **{"in:x": x, "in:c": np.array(True), "out:y": -x})
