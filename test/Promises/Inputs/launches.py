#===- test/Promises/Inputs/launches.py - Launches per layer, as explained and as executed ---===#
# SPDX-License-Identifier: Apache-2.0
"""launches.py EXPLAIN.json RUN.json LAYERS"""

import json
import sys

MOST_PER_LAYER, MOST_AROUND = 11, 10                # around: embedding, mask, pooling

with open(sys.argv[1], encoding="utf-8") as f:
    explained = json.load(f)["launches"]
with open(sys.argv[2], encoding="utf-8") as f:
    executed = sum(kernel["launches"] for kernel in json.load(f)["kernels"])
print(f"explained {explained}, executed {executed}")
if explained != executed:
    sys.exit("explain counts other launches than ran")
if explained > MOST_PER_LAYER * int(sys.argv[3]) + MOST_AROUND:
    sys.exit(f"more than {MOST_PER_LAYER} launches per layer")
print("launches ok")
