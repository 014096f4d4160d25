#===- test/models/builder.py - Writes ONNX graphs node by node, with seeded weights ---===#
# SPDX-License-Identifier: Apache-2.0

import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """A graph in the making. Values are names; weights are seeded by theirs, so that two models that name a weight alike share it."""

    def __init__(self, name, opset):
        self.name, self.opset = name, opset
        self.nodes, self.weights, self.constants, self.outputs = [], [], {}, []

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"{self.name}/{kind}_{len(self.nodes)}:{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0][:-2], **attributes))
        return names[0] if outputs == 1 else names

    def array(self, name, values):
        self.weights.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def weight(self, name, *shape, fan=None, mean=0.0):
        """Normal values; `fan`: how many of them an output sums up. With a mean: scales around it."""
        values = np.random.Generator(np.random.Philox(key=zlib.crc32(name.encode()))).standard_normal(shape)
        deviation = 0.1 if mean else (fan or shape[0]) ** -0.5
        return self.array(name, (values * deviation + mean).astype(np.float32))

    def constant(self, value, dtype=np.float32):
        array = np.array(value, dtype)
        key = (array.tobytes(), str(array.dtype), array.shape)
        if key not in self.constants:
            self.constants[key] = self.array(f"c{len(self.constants)}", array)
        return self.constants[key]

    def ints(self, *values):
        return self.constant(values, np.int64)

    def int(self, value):
        return self.constant(value, np.int64)

    # Ops whose spelling depends on the opset

    def axes_op(self, kind, since, value, axes, **attributes):
        if self.opset < since:
            return self.op(kind, value, axes=axes, **attributes)
        return self.op(kind, value, self.ints(*axes), **attributes)

    def unsqueeze(self, value, *axes):
        return self.axes_op("Unsqueeze", 13, value, list(axes))

    def squeeze(self, value, *axes):
        return self.axes_op("Squeeze", 13, value, list(axes)) if axes else self.op("Squeeze", value)

    def mean(self, value, *axes, keepdims=1):
        return self.axes_op("ReduceMean", 18, value, list(axes) or [-1], keepdims=keepdims)

    def slice(self, value, axis, begin, end):
        return self.op("Slice", value, self.ints(begin), self.ints(end), self.ints(axis))

    def reshape(self, value, *shape):
        return self.op("Reshape", value, self.ints(*shape))

    def extent(self, value, axis):
        """As a scalar, in the way of torch's older exporter."""
        return self.op("Gather", self.op("Shape", value), self.int(axis), axis=0)

    # The model

    def result(self, name, value, shape, type=TensorProto.FLOAT):
        """Makes `value` an output, under the name of its own if it has that already."""
        if value != name:
            self.nodes.append(helper.make_node("Identity", [value], [name], name=name))
        self.outputs.append(helper.make_tensor_value_info(name, type, shape))

    def model(self, inputs, weights_are_inputs=False):
        """`inputs`: (name, type, dimensions) each. With weights_are_inputs every weight is an input, too, as IR 3 wanted it."""
        infos = [helper.make_tensor_value_info(*row) for row in inputs]
        if weights_are_inputs:
            infos += [helper.make_tensor_value_info(w.name, w.data_type, w.dims) for w in self.weights]
        graph = helper.make_graph(self.nodes, self.name, infos, self.outputs, self.weights)
        imports = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=imports, producer_name="cupola-test")
        model.ir_version = 3 if weights_are_inputs else 8 if self.opset < 22 else 10
        onnx.checker.check_model(model, full_check=True)
        return model
