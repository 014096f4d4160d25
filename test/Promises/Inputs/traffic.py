#===- test/Promises/Inputs/traffic.py - What the simulator saw kernels move, beside the least they have to ---===#
# SPDX-License-Identifier: Apache-2.0
"""traffic.py EXPLAIN.json RUN.json: both of one static model. Per kernel of the pointwise and row schedules: the sectors of 32 bytes
that its launches touched (each once per launch, as an ideal cache fetches them) against the compulsory bytes that explain reports.
Kernels that move less than LEAST bytes per launch are shown only: half a sector is much of them."""

import json
import sys

MOST, LEAST, SECTOR = 1.3, 4096, 32
JUDGED = {"pointwise", "gather", "row_reduction", "reduction"}

with open(sys.argv[1], encoding="utf-8") as f:
    explained = {kernel["name"]: kernel for kernel in json.load(f)["kernels"]}
with open(sys.argv[2], encoding="utf-8") as f:
    executed = {kernel["name"]: kernel for kernel in json.load(f)["kernels"]}
if explained.keys() != executed.keys():
    sys.exit("explain names other kernels than ran")
judged, wrong = 0, 0
for name, kernel in explained.items():
    run = executed[name]
    if run["launches"] != kernel["launches"]:
        sys.exit(f"{name}: {run['launches']} launches, explained {kernel['launches']}")
    moved, needed = SECTOR * run["distinct_sectors"], kernel["bytes"]
    counts = kernel["schedule"] in JUDGED and needed >= LEAST * kernel["launches"]
    judged += counts
    wrong += counts and moved > MOST * needed
    note = ("" if moved <= MOST * needed else "  TOO MUCH") if counts else "  (not judged)"
    print(f"{name} {kernel['schedule']:14} {moved:10} of {needed:10} bytes, {moved / needed:5.2f}{note}")
print(f"{judged - wrong} of {judged} kernels move at most {MOST} x their compulsory bytes")
sys.exit(1 if wrong or not judged else 0)
