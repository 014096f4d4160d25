#===- test/Tools/dynamic_integers.py - A model of integers, and references that are not quite its results ---===#
# SPDX-License-Identifier: Apache-2.0
"""dynamic_integers.py PREFIX: writes PREFIX.onnx and PREFIX.npz."""

import sys

import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x, int64[2] n, int32[2] m) => (uint8[4] q, float scale, uint8 zero, int64[2] wide, int32[2] small) {
    [rounds] q, scale, zero = DynamicQuantizeLinear(x) wide = Neg(n) small = Neg(m)
}"""
onnx.save(onnx.parser.parse_model(MODEL), sys.argv[1] + ".onnx")
x = np.array([0, 51, 102, 255], np.float32)
# Neighbours that no float64 tells from each other.
n = np.array([5, -(2**62) - 1])
# The second is less far off than the first, and further for its size.
m = np.array([-252, -2], np.int32)
case = {"in:x": x, "in:n": n, "in:m": m, "out:q": np.array([1, 51, 105, 255], np.uint8), "out:scale": np.float32(1), "out:zero": np.uint8(1),
        "out:wide": np.array([-5, 2**62]), "out:small": np.array([255, 4], np.int32)}
np.savez(sys.argv[1] + ".npz", **case)
