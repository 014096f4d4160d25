#===- test/Tools/narrow_inputs.py - A model of inputs and outputs of 4 and 8 bits, and files for it ---===#
# SPDX-License-Identifier: Apache-2.0
"""narrow_inputs.py PREFIX | narrow_inputs.py --check OUT.npz: whether a run wrote what the files expect."""

import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

CODES = np.arange(16, dtype=np.uint8)
NUMBERS = CODES.view(ml_dtypes.int4).astype(np.float32)
OUTPUTS = {"same": CODES.view(ml_dtypes.int4), "rounded": (NUMBERS * 1.1).astype(ml_dtypes.float8_e5m2)}


def write(prefix):
    nodes = [helper.make_node("Identity", ["w"], ["same"]), helper.make_node("DequantizeLinear", ["w", "s"], ["wide"]),
             helper.make_node("Cast", ["wide"], ["rounded"], to=TensorProto.FLOAT8E5M2)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("w", TensorProto.INT4, [16])],
                              [helper.make_tensor_value_info("same", TensorProto.INT4, [16]),
                               helper.make_tensor_value_info("rounded", TensorProto.FLOAT8E5M2, [16])],
                              [helper.make_tensor("s", TensorProto.FLOAT, [], [1.1])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), prefix + ".onnx")
    outputs = {"out:" + name: array for name, array in OUTPUTS.items()}
    np.savez(prefix + ".own.npz", **{"in:w": OUTPUTS["same"]}, **outputs)
    np.savez(prefix + ".bits.npz", **{"in:w": CODES | 0xa0}, **{name: array.view(np.uint8) for name, array in outputs.items()})
    np.savez(prefix + ".signed.npz", **{"in:w": NUMBERS.astype(np.int8)}, **{"out:same": NUMBERS.astype(np.int8)})
    outputs["out:rounded"] = outputs["out:rounded"].astype(np.float32) * np.float32(1.5)
    np.savez(prefix + ".wrong.npz", **{"in:w": OUTPUTS["same"]}, **outputs)


def check(path):
    with np.load(path) as found:
        for name, expected in OUTPUTS.items():
            assert found[name].tobytes() == expected.tobytes() and found[name].dtype == "V1", name


check(sys.argv[2]) if sys.argv[1] == "--check" else write(sys.argv[1])
