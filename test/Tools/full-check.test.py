#===- test/Tools/full-check.test.py - Occupancies, arenas and what values are for, found by hand ---===#
# SPDX-License-Identifier: Apache-2.0

import pathlib
import re

import numpy as np
from full_check import plans, roles
from kernel_limits import ARCHITECTURES, KB, occupancy, problems
from onnx import TensorProto, helper, numpy_helper

# Every architecture that code is made for, with the same limits.
TABLE = (pathlib.Path(__file__).resolve().parents[2] / "lib/Runtime/Format/Architectures.h").read_text(encoding="utf-8")
ROWS = re.findall(r'^    \{"(sm_\w+)", \d+, \w+, "sm_\w+", (\d+) << 10, (\d+), ', TABLE, re.M)
assert {name: (int(shared) * KB, int(threads)) for name, shared, threads in ROWS} == {
    name: (limits.shared_block, 32 * limits.warps) for name, limits in ARCHITECTURES.items()}

# Registers of 64 warps; registers; the quarter of the registers that 8 warps of 255 leave; shared memory; registers of 20 warps.
assert occupancy("sm_80", registers=32, threads=256, shared=0) == 1
assert occupancy("sm_80", registers=64, threads=256, shared=0) == 0.5
assert occupancy("sm_80", registers=255, threads=256, shared=0) == 0.125
assert occupancy("sm_86", registers=32, threads=128, shared=48 << 10) == 8 / 48
assert occupancy("sm_75", registers=96, threads=128, shared=0) == 20 / 32

USE = {"registers": 255, "threads": 256, "spill_bytes": 0, "stack_frame": 0, "static_shared": 0, "dynamic_shared": 0}
assert list(problems("gemm", "sm_80", USE)) == []
assert list(problems("pointwise", "sm_80", USE)) == ["an occupancy of 12%, less than 25%"]
assert len(list(problems("gemm", "sm_86", {**USE, "spill_bytes": 4, "stack_frame": 8, "dynamic_shared": 100 << 10}))) == 3

# Two branches from an input, joined: the wide value of the second need not live while the first is computed.
STEPS = [("a", [0], [1]), ("b", [0], [2]), ("c", [1], [3]), ("d", [2], [4]), ("e", [3, 4], [5])]
SIZES = [("input", 256), ("arena", 1024), ("arena", 1024), ("arena", 256), ("arena", 100), ("output", 256)]
REPORT = {"steps": [{"nodes": [name], "reads": reads, "writes": writes} for name, reads, writes in STEPS],
          "buffers": [{"kind": kind, "bytes": str(size)} for kind, size in SIZES]}
FOLLOW = plans.edges(REPORT)
assert FOLLOW == [{2}, {3}, {4}, {4}, set()]
assert plans.live_peak(REPORT, [0, 1, 2, 3, 4]) == 1024 + 1024 + 256
assert plans.live_peak(REPORT, [0, 2, 1, 3, 4]) == 256 + 1024 + 256
assert plans.reverse_postorder(FOLLOW) == [1, 3, 0, 2, 4]
assert plans.file_order(REPORT, FOLLOW, dict(zip("acbde", range(5)))) == [0, 2, 1, 3, 4]

# An embedding of ids, added to a position's, masked; the mask and the position are aside, the extent of the mask is a shape.
INT, FLOAT = TensorProto.INT64, TensorProto.FLOAT
NODES = [helper.make_node(kind, inputs, [name], name=name) for name, kind, inputs in (
    ("embedding", "Gather", ["words", "ids"]), ("extent", "Shape", ["ids"]), ("last", "Gather", ["extent", "one"]),
    ("positions", "Range", ["zero", "last", "one"]), ("float", "Cast", ["positions"]), ("angle", "Mul", ["float", "frequencies"]),
    ("hidden", "Less", ["x", "nought"]), ("mask", "Where", ["hidden", "nought", "far"]), ("sum", "Add", ["embedding", "angle"]),
    ("masked", "Add", ["sum", "mask"]), ("flat", "Reshape", ["masked", "extent"]))]
NODES[4].attribute.append(helper.make_attribute("to", FLOAT))
TABLES = [numpy_helper.from_array(np.ones(shape, np.float32), name) for name, shape in
          (("words", (9, 4)), ("frequencies", (1, 4)), ("nought", ()), ("far", ()))]
TABLES += [numpy_helper.from_array(np.array(value), name) for name, value in (("zero", 0), ("one", 1))]
INPUTS = [helper.make_tensor_value_info("ids", INT, ["n"]), helper.make_tensor_value_info("x", FLOAT, ["n", 1])]
GRAPH = helper.make_graph(NODES, "g", INPUTS, [helper.make_tensor_value_info("flat", FLOAT, None)], TABLES)
assert roles.data_nodes(GRAPH) == {"embedding", "sum", "masked", "flat"}
assert roles.measuring_nodes(GRAPH) == {"extent", "last"}
