#===- test/Tools/declared_model.py - A model whose output is declared with a wrong shape: OUT.onnx ---===#
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "declared",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 8])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 5])],
                          [numpy_helper.from_array(np.ones((8, 4), np.float32), "w")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
