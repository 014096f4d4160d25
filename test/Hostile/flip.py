#===- test/Hostile/flip.py - One flipped bit at many positions: an error or a compile, never a crash ---===#
# SPDX-License-Identifier: Apache-2.0
"""flip.py MODEL.onnx COPY.onnx POSITIONS: half of the positions lie in the graph, half anywhere (mostly in weights)."""

import collections
import random
import subprocess
import sys

ALLOWED = {0, 3, 4, 5}                              # compiled, bad model, unsupported, limit

source, copy, positions = sys.argv[1:]
with open(source, "rb") as f:
    model = bytearray(f.read())
graph = model.rfind(b"words")                       # weights follow the nodes
chosen = random.Random(1)
codes, wrong = collections.Counter(), 0
for i in range(int(positions)):
    at, bit = chosen.randrange(graph if i % 2 else len(model)), 1 << chosen.randrange(8)
    model[at] ^= bit
    with open(copy, "wb") as f:
        f.write(model)
    model[at] ^= bit
    done = subprocess.run(["cupola", "compile", copy, "--emit", "fused", "--target", "cuda", "--arch", "sm_80"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", timeout=60)
    codes[done.returncode] += 1
    if done.returncode not in ALLOWED or "signal" in done.stderr:
        wrong += 1
        print(f"byte {at}, bit {bit}: exit {done.returncode}: {done.stderr[:300]}")
print(f"{sum(codes.values()) - wrong} of {positions} positions as expected, exit codes {dict(sorted(codes.items()))}")
sys.exit(1 if wrong or len(codes) < 2 else 0)
