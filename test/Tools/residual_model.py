#===- test/Tools/residual_model.py - Residual blocks, wide enough for a library to do their convolutions ---===#
# SPDX-License-Identifier: Apache-2.0
"""residual_model.py MODELS OUT.onnx: MODELS is the folder test/models. Sixteen bottlenecks as resnet50 has them, of a quarter of its
channels; in the first of each stage a 3x3 window halves the rows. The image is wide: with AVX2 the library gains on such ones alone."""

import sys

import onnx
from onnx import TensorProto, helper

sys.path.insert(0, sys.argv[1])
from make_convolutional import Network  # noqa: E402

n = Network("residual", 17)
x, channels = n.op("Relu", n.conv("x", (3, 32), 7, "stem", stride=2)), 32
for stage, (count, width) in enumerate(((3, 32), (4, 32), (6, 64), (3, 128))):
    for block in range(count):
        stride, name = 2 if block == 0 else 1, f"s{stage}.{block}"
        y = n.op("Relu", n.conv(x, (channels, width), 1, name + ".a"))
        y = n.op("Relu", n.conv(y, (width, width), 3, name + ".b", stride=stride))
        y = n.conv(y, (width, 4 * width), 1, name + ".c")
        side = n.conv(x, (channels, 4 * width), 1, name + ".side", stride=stride) if block == 0 else x
        x, channels = n.op("Relu", n.op("Add", y, side)), 4 * width
n.nodes.append(helper.make_node("Identity", [n.linear(n.op("Flatten", n.op("GlobalAveragePool", x)), channels, 10, "head")], ["y"]))
graph = helper.make_graph(n.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 32, 1024])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])], n.weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[2])
