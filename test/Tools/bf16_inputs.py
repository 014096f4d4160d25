#===- test/Tools/bf16_inputs.py - A model of a bfloat16 input, and files of floats for it ---===#
# SPDX-License-Identifier: Apache-2.0
"""bf16_inputs.py PREFIX"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

prefix = sys.argv[1]
nodes = [helper.make_node("Cast", ["x"], ["wide"], to=TensorProto.FLOAT), helper.make_node("Neg", ["wide"], ["y"])]
graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.BFLOAT16, [4])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), prefix + ".onnx")
exact = np.array([1.5, -0.0078125, 3e38, 0], np.float32)
exact = (exact.view(np.uint32) & 0xffff0000).view(np.float32)
np.savez(prefix + ".exact.npz", **{"in:x": exact, "out:y": -exact})
bits = (exact.view(np.uint32) >> 16).astype(np.uint16)
np.savez(prefix + ".bits.npz", **{"in:x": bits, "out:y": -exact})
np.savez(prefix + ".void.npz", **{"in:x": bits.view("V2"), "out:y": -exact})
np.savez(prefix + ".rounded.npz", **{"in:x": exact + np.float32(0.001), "out:y": exact})
