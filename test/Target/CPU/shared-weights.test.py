#===- test/Target/CPU/shared-weights.test.py - Steps of an unrolled layer, which share weights ---===#
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy as np
import onnx
import onnx.parser
from onnx import numpy_helper

STEPS = 20

lines = "".join(f"k{i} = Constant<value_int = {i}>() x{i} = Gather<axis = 0>(x, k{i}) p{i} = MatMul(x{i}, w) s{i} = Tanh(p{i})\n"
                for i in range(STEPS))
total = "".join(f"t{i} = Add(t{i - 1}, s{i})\n" if i > 1 else "t1 = Add(s0, s1)\n" for i in range(1, STEPS))
model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
  g (float[{STEPS}, batch, 64] x) => (float[batch, 32] y) {{ {lines} {total} y = Sigmoid(t{STEPS - 1}) }}""")
model.graph.initializer.append(numpy_helper.from_array(np.random.default_rng(1).random((64, 32), np.float32) - 0.5, "w"))
onnx.save(model, sys.argv[1])
