#===- test/Promises/Inputs/per_node.py - verify --per-node saw the kernels of an ordinary compile ---===#
# SPDX-License-Identifier: Apache-2.0
"""per_node.py MODEL.onnx VERIFY.json TARGET [FLAG...]"""

import json
import subprocess
import sys

model, verified, target, *flags = sys.argv[1:]
with open(verified, encoding="utf-8") as f:
    report = json.load(f)
subprocess.run(["cupola", "explain", model, "--target", target, *flags, "--json", verified + ".explain"],
               check=True, stdout=subprocess.DEVNULL)
with open(verified + ".explain", encoding="utf-8") as f:
    explained = json.load(f)
expected = [{kernel["name"] for kernel in variant["kernels"]} for variant in explained.get("variants", [explained])]
seen = {kernel["kernel"] for kernel in report["kernels"]}
assert len(report["kernels"]) > 10 and all(kernel["pass"] and kernel["nodes"] for kernel in report["kernels"])
assert any(seen <= names for names in expected), seen.difference(*expected)
assert report["first_difference"] is None
