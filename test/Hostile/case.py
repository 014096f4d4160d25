#===- test/Hostile/case.py - One bad input, and small models to spoil ---===#
# SPDX-License-Identifier: Apache-2.0

import os
from dataclasses import dataclass
from typing import Callable

import numpy as np
from onnx import TensorProto, helper, numpy_helper


@dataclass
class Case:
    name: str
    code: int                                       # of the exit
    text: str                                       # a regular expression that the message contains
    make: Callable[[str], str]                      # writes into a folder and returns the path to compile


def value(name, dims=(2, 3), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


def model(nodes, weights=(), inputs=None, outputs=None, opset=17, **more):
    graph = helper.make_graph(nodes, "g", inputs or [value("x")], outputs or [value("y", None)], list(weights))
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], **more)
    result.ir_version = 8
    return result


def relu(name="act", source="x", target="y"):
    return helper.make_node("Relu", [source], [target], name=name)


def weight(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def ints(name, *values):
    return weight(name, np.array(values, np.int64))


def write(folder, content, name="model.onnx"):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.SerializeToString())
    return path
