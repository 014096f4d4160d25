#===- test/Tools/long-addresses.test.py - A tensor whose three extents follow from six sizes each ---===#
# SPDX-License-Identifier: Apache-2.0

import sys

import onnx
import onnx.parser

inputs, nodes = [], []
for axis, others in enumerate(("others0", "others1", "others2")):
    parts = [f"x{axis}_{i}" for i in range(6)]
    inputs += [f"float[m_{part}] {part}" for part in parts]
    nodes += [f"n_{part} = NonZero({part}) f_{part} = Cast<to = 1>(n_{part}) v_{part} = Reshape(f_{part}, flat)" for part in parts]
    nodes.append(f"s{axis} = Sum({', '.join('v_' + part for part in parts)}) r{axis} = Unsqueeze(s{axis}, {others})")

onnx.save(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
  g ({', '.join(inputs)}) => (float[A, B, C] y)
  <int64[1] flat = {{-1}}, int64[2] others0 = {{1, 2}}, int64[2] others1 = {{0, 2}}, int64[2] others2 = {{0, 1}}> {{
    {' '.join(nodes)} a = Add(r0, r1) b = Add(a, r2) t = Transpose<perm = [2, 0, 1]>(b) y = Softmax<axis = 1>(t)
  }}"""), sys.argv[1])
