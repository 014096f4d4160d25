#===- test/Target/CPU/constants-in-loops.test.py - Products with a slice of a constant, another one in each iteration ---===#
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy as np
import onnx
import onnx.parser
from onnx import numpy_helper

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
  g (float[5, 6] x) => (float[5, 7] last, float[4, 5, 7] z) {
    shape = Constant<value_ints = [5, 7]>() start = ConstantOfShape(shape)
    last, z = Scan<num_scan_inputs = 1, body = b (float[5, 7] s, float[6, 7] e) => (float[5, 7] t, float[5, 7] r) {
      p = MatMul(x, e) t = Add(s, p) r = Identity(p)
    }>(start, w)
  }""")
model.graph.initializer.append(numpy_helper.from_array(np.random.default_rng(1).random((4, 6, 7), np.float32), "w"))
onnx.save(model, sys.argv[1])
