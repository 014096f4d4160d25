#===- test/Promises/Inputs/arena.py - Compares the planned arena with its bounds ---===#
# SPDX-License-Identifier: Apache-2.0
"""arena.py EXPLAIN.json PEAK: PEAK is a file with the bytes that naive_peak.py printed."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    report = json.load(f)
with open(sys.argv[2], encoding="utf-8") as f:
    naive = int(f.read())
for variant in report.get("variants", [report]):
    memory = variant["memory"]
    print(f"arena {memory['peak_bytes']}, lower bound {memory['lower_bound_bytes']}, naive {naive}")
    if not 0 < memory["peak_bytes"] <= min(1.02 * memory["lower_bound_bytes"], naive):
        sys.exit("the arena is too large")
print("arena ok")
