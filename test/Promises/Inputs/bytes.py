#!/usr/bin/env python3
#===- test/Promises/Inputs/bytes.py - Quantised models ---===#
# SPDX-License-Identifier: Apache-2.0
"""bytes.py FOLDER: ui8.onnx and i8.onnx, in which QuantizeLinear and DequantizeLinear stand between two convolutions, a sum, a mean and
a product, with a border beside a zero point; integers.onnx, which has ONNX's ops of integers."""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 13, 10


class Model:
    def __init__(self, seed):
        self.random, self.nodes, self.constants, self.outputs = np.random.default_rng(seed), [], [], []

    def const(self, name, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, outputs=1, **attributes):
        """The name of its result; of several, a list."""
        names = [f"{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=names[0], **attributes))
        return names if outputs > 1 else names[0]

    def bytes(self, name, *shape, kind=np.int8):
        bounds = np.iinfo(kind)
        return self.const(name, self.random.integers(bounds.min, bounds.max + 1, shape).astype(kind))

    def weights(self, name, shape, axis):
        """Of int8 with a scale for each line of the axis, dequantised."""
        count = shape[axis]
        scale = self.const(f"{name}_scale", self.random.uniform(0.002, 0.01, count).astype(np.float32))
        zero = self.const(f"{name}_zero", np.zeros(count, np.int8))
        return self.node("DequantizeLinear", [self.bytes(name, *shape), scale, zero], axis=axis)

    def quantised(self, value, name, scale, zero):
        """And dequantised."""
        parameters = [self.const(f"{name}_scale", np.float32(scale)), self.const(f"{name}_zero", zero)]
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [value, *parameters]), *parameters])

    def output(self, value, kind):
        self.outputs.append(helper.make_tensor_value_info(value, kind, None))

    def save(self, path, shape):
        graph = helper.make_graph(self.nodes, "bytes", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  self.outputs, self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION), path)


def network(kind):
    """Of uint8 with zero points, of int8 without."""
    m = Model(5)
    zero = (lambda number: kind(number)) if kind is np.uint8 else (lambda number: kind(0))
    x = m.quantised("x", "x", 0.03, zero(113))
    bias = m.const("bias", m.random.standard_normal(32).astype(np.float32))
    wide = m.node("Relu", [m.node("Conv", [x, m.weights("w1", (32, 16, 3, 3), 0), bias], pads=[1, 1, 1, 1])])
    wide = m.quantised(wide, "wide", 0.05, zero(0))
    joined = m.node("Add", [m.node("Conv", [wide, m.weights("w2", (16, 32, 1, 1), 0)]), x])
    mean = m.node("Flatten", [m.node("GlobalAveragePool", [m.quantised(joined, "joined", 0.09, zero(120))])])
    mean = m.quantised(mean, "mean", 0.02, zero(100))
    m.output(m.node("MatMul", [mean, m.weights("w3", (16, 20), 1)]), TensorProto.FLOAT)
    return m


def integers():
    """Columns and depths that no vector has, too."""
    m = Model(6)
    y, scale, zero = m.node("DynamicQuantizeLinear", ["x"], outputs=3)
    a = [m.bytes("a", 13, 37, kind=np.uint8), zero, m.const("a_zero", np.uint8(128))]
    m.output(m.node("MatMulInteger", [y, *a]), TensorProto.INT32)
    m.output(m.node("ConvInteger", [y, m.bytes("b", 24, 16, 3, 3), m.const("b_zero", np.uint8(7))], pads=[1, 1, 1, 1]), TensorProto.INT32)
    half, middle = m.const("half", np.float32(0.5)), m.const("middle", np.uint8(99))
    result = [m.const("result", np.float32(900)), middle]
    c = [m.bytes("c", 13, 64), half, m.const("none", np.int8(0))]
    m.output(m.node("QLinearMatMul", [y, scale, zero, *c, *result]), TensorProto.UINT8)
    scales = m.const("scales", m.random.uniform(0.1, 0.9, 40).astype(np.float32))
    d = [m.bytes("d", 40, 16, 1, 1), scales, m.const("zeros", np.zeros(40, np.int8))]
    biases = m.const("biases", m.random.integers(-9999, 9999, 40).astype(np.int32))
    m.output(m.node("QLinearConv", [y, half, middle, *d, *result, biases], strides=[2, 2]), TensorProto.UINT8)
    return m


def main():
    for name, model in (("ui8", network(np.uint8)), ("i8", network(np.int8)), ("integers", integers())):
        model.save(os.path.join(sys.argv[1], f"{name}.onnx"), [2, 16, 11, 13])


if __name__ == "__main__":
    main()
