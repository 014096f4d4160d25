#===- test/Tools/wide_convs.py - Convolutions that a library does on every machine where it is used ---===#
# SPDX-License-Identifier: Apache-2.0
"""wide_convs.py OUT.onnx: wide images of few channels (lib/Runtime/Format/LibraryCosts.cpp). Of those inside, one has a sum and a relu
behind it, one a relu alone: with AVX-512 the library has measured code for the latter."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS, EXTENT = 24, 130
random = np.random.default_rng(0)
weights = [numpy_helper.from_array((random.standard_normal((CHANNELS, CHANNELS, 3, 3)) / 15).astype(np.float32), name) for name in "uvtw"]
nodes = [helper.make_node("Conv", ["x", "u"], ["a"], name="first", pads=[1] * 4), helper.make_node("Relu", ["a"], ["b"], name="relu"),
         helper.make_node("Conv", ["b", "v"], ["c"], name="second", pads=[1] * 4), helper.make_node("Add", ["c", "b"], ["d"], name="sum"),
         helper.make_node("Relu", ["d"], ["e"], name="after"), helper.make_node("Conv", ["e", "t"], ["f"], name="third", pads=[1] * 4),
         helper.make_node("Relu", ["f"], ["g"], name="behind"), helper.make_node("Conv", ["g", "w"], ["y"], name="last", pads=[1] * 4)]
value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, CHANNELS, EXTENT, EXTENT]) for name in "xy"]
graph = helper.make_graph(nodes, "wide", value[:1], value[1:], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
