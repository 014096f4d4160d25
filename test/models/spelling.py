#===- test/models/spelling.py - A graph in one element type, and the parts that written-out ops have in common ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np
from onnx import TensorProto

from builder import Builder

FULL, HALF = np.float32, np.float16
WIDTH = 24


class Spelling(Builder):
    """Scalars and weights have the element type of the form."""

    def __init__(self, name, form):
        super().__init__(name, form.opset)
        self.type = form.type

    def number(self, value, type=None):
        return self.constant(value, type or self.type)

    def scale(self, type=None, width=WIDTH):
        return self.array(f"scale_{width}", (1 + 0.1 * np.sin(np.arange(width))).astype(type or self.type))

    def bias(self, type=None, width=WIDTH):
        return self.array(f"bias_{width}", (0.1 * np.cos(np.arange(width))).astype(type or self.type))

    def wide(self, x):
        return self.op("Cast", x, to=TensorProto.FLOAT)

    def narrow(self, x):
        return self.op("Cast", x, to=TensorProto.FLOAT16)

    def affine(self, x, type=None):
        return self.op("Add", self.op("Mul", x, self.scale(type)), self.bias(type))

    def centred(self, x, axes=(-1,)):
        return self.op("Sub", x, self.mean(x, *axes))

    def square(self, x):
        return self.op("Pow", x, self.number(2))

    def root(self, variance, epsilon=1e-5, type=None):
        return self.op("Sqrt", self.op("Add", variance, self.number(epsilon, type)))
