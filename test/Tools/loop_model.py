#===- test/Tools/loop_model.py - A loop that ends when the data says ---===#
# SPDX-License-Identifier: Apache-2.0
"""loop_model.py OUT.onnx: doubles two numbers until their sum passes 100."""

import sys

import onnx

TEXT = """
<ir_version: 8, opset_import: ["" : 17]>
loop (float[2] x) => (float[2] y) <float most = {100.0}, bool yes = {1}> {
  [times] y = Loop ("", yes, x) <body = step (int64 i, bool before, float[2] a) => (bool goes, float[2] b) <float two = {2.0}> {
    [grow] b = Mul (a, two)
    [sum] s = ReduceSum <keepdims = 0> (b)
    [less] goes = Less (s, most)
  }>
}
"""
onnx.save(onnx.parser.parse_model(TEXT), sys.argv[1])
