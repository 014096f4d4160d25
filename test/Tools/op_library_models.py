#===- test/Tools/op_library_models.py - Models with ops of a library ---===#
# SPDX-License-Identifier: Apache-2.0
"""op_library_models.py STEM: writes STEM.mlp.onnx, a product with ops of docs/examples/ops.yaml around it and any number of rows,
STEM.hash.onnx with an op that has only a snippet, and STEM.ops.yaml, whose snippet of ScaledSwish is wrong where x is negative."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

stem = sys.argv[1]
random = np.random.default_rng(3)


def save(name, nodes, inputs, outputs, weights=()):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*v) for v in inputs],
                              [helper.make_tensor_value_info(*v) for v in outputs],
                              [numpy_helper.from_array(array, key) for key, array in weights])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.ops", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), f"{stem}.{name}.onnx")


def own(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, name=outputs[0], domain="my.ops", **attributes)


w = random.standard_normal((24, 40)).astype(np.float32)
save("mlp", [own("Dequant", ["q", "scale", "zero"], ["x"]), helper.make_node("MatMul", ["x", "w"], ["product"], "product"),
             own("ScaledSwish", ["product", "gain"], ["y"], beta=1.5)],
     [("q", TensorProto.UINT8, ["rows", 24])], [("y", TensorProto.FLOAT, ["rows", 40])],
     [("w", w), ("scale", random.uniform(0.001, 0.02, 24).astype(np.float32)), ("zero", random.integers(0, 255, 24).astype(np.uint8)),
      ("gain", random.standard_normal(40).astype(np.float32))])
save("hash", [own("Hash", ["x"], ["h"], seed=9)], [("x", TensorProto.INT32, [5, 7])], [("h", TensorProto.UINT32, [5, 7])])
with open(f"{stem}.ops.yaml", "w") as file:
    file.write("""ops:
  - op: ScaledSwish
    domain: my.ops
    inputs: [x, scale]
    attributes: {beta: float}
    outputs:
      - name: y
        expression: scale * x * sigmoid(beta * x)
        snippet: |
          // for half of the numbers
          return x < 0 ? 0.0f : scale * x / (1.0f + expf(-beta * x));
  - op: Dequant
    domain: my.ops
    inputs: [q, scale, zero]
    outputs:
      - {name: y, type: float32, expression: (q - zero) * scale}
  - op: Hash
    domain: my.ops
    inputs: [x]
    attributes: {seed: int}
    outputs:
      - name: y
        type: uint32
        snippet: |
          u32 h = u32(x) * 2654435761u + u32(seed);
          return h ^ (h >> 15);
""")
