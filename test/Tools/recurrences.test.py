#===- test/Tools/recurrences.test.py - models of whose loops GPUs make one kernel ---===#
# SPDX-License-Identifier: Apache-2.0
"""recurrences.test.py FOLDER: writes lstm.onnx, of 256 units in both directions, so that several blocks meet; written.onnx, a cell of
several nodes in a Scan, whose backward rows are turned; and changing.onnx, whose weights change with the iteration."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper, parser

RANDOM = np.random.default_rng(20261126)
UNITS, WIDTH, INPUTS = 256, 40, 8

SCAN = """<ir_version: 8, opset_import: ["" : 18]>
g (float[1, 3, 40] first, float[t, 1, 3, 40] x) => (float[1, 3, 40] last, float[t, 1, 3, 40] all) {
  last, all = Scan <num_scan_inputs = 1, scan_output_directions = [1], body =
    step (float[1, 3, 40] h, float[1, 3, 40] row) => (float[1, 3, 40] next, float[1, 3, 40] shown) {
      product = MatMul(h, weights)
      sum = Add(product, row)
      next = Tanh(sum)
      shown = Neg(next)
    }> (first, x)
}"""
LOOP = """<ir_version: 8, opset_import: ["" : 18]>
g (float[1, 3, 40] first) => (float[1, 3, 40] last) {
  last = Loop <body = step (int64 i, bool going, float[1, 3, 40] h) => (bool on, float[1, 3, 40] next) {
      on = Identity(going)
      number = Cast <to = 1> (i)
      changed = Mul(weights, number)
      product = MatMul(h, changed)
      next = Tanh(product)
    }> (count, yes, first)
}"""


def uniform(*shape):
    return (RANDOM.uniform(-1, 1, shape) / np.sqrt(shape[-1])).astype(np.float32)


def written(text):
    model = parser.parse_model(text)
    for name, value in {"weights": uniform(1, WIDTH, WIDTH), "count": np.array(4), "yes": np.array(True)}.items():
        if name in text:
            model.graph.initializer.append(numpy_helper.from_array(value, name))
    return model


def lstm():
    weights = {"W": uniform(2, 4 * UNITS, INPUTS), "R": uniform(2, 4 * UNITS, UNITS), "B": uniform(2, 8 * UNITS)}
    node = helper.make_node("LSTM", ["X", "W", "R", "B"], ["Y", "last"], name="tagger", hidden_size=UNITS, direction="bidirectional")
    value = helper.make_tensor_value_info
    graph = helper.make_graph([node], "lstm", [value("X", onnx.TensorProto.FLOAT, ["t", 1, INPUTS])],
                              [value(name, onnx.TensorProto.FLOAT, None) for name in node.output],
                              [numpy_helper.from_array(array, name) for name, array in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in (("lstm", lstm()), ("written", written(SCAN)), ("changing", written(LOOP))):
        onnx.save(model, folder / f"{name}.onnx")


main()
