#===- test/Hostile/flip.py - One flipped bit at many positions: an error or a compile, never a crash ---===#
# SPDX-License-Identifier: Apache-2.0
"""flip.py MODEL.onnx COPY POSITIONS: half of the positions lie in the graph, half anywhere (mostly in weights). Two copies are
damaged and compiled at a time."""

import collections
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ALLOWED = {0, 3, 4, 5}                              # compiled, bad model, unsupported, limit
WORKERS = 2

source, copy, positions = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(source, "rb") as f:
    model = f.read()
graph = model.rfind(b"words")                       # weights follow the nodes
chosen = random.Random(1)
damages = [(chosen.randrange(graph if i % 2 else len(model)), 1 << chosen.randrange(8)) for i in range(positions)]


def compile_damaged(worker):
    """(exit code, what is wrong or None) for every WORKERS-th damage."""
    path, results = f"{copy}.{worker}.onnx", []
    for at, bit in damages[worker::WORKERS]:
        with open(path, "wb") as f:
            f.write(model[:at] + bytes([model[at] ^ bit]) + model[at + 1:])
        done = subprocess.run(["cupola", "compile", path, "--emit", "fused", "--target", "cuda", "--arch", "sm_80"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", timeout=60)
        bad = done.returncode not in ALLOWED or "signal" in done.stderr
        results.append((done.returncode, f"byte {at}, bit {bit}: exit {done.returncode}: {done.stderr[:300]}" if bad else None))
    return results


with ThreadPoolExecutor(WORKERS) as pool:
    outcomes = [outcome for results in pool.map(compile_damaged, range(WORKERS)) for outcome in results]
codes = collections.Counter(code for code, _ in outcomes)
wrong = [text for _, text in outcomes if text]
print("".join(text + "\n" for text in wrong), end="")
print(f"{len(outcomes) - len(wrong)} of {positions} positions as expected, exit codes {dict(sorted(codes.items()))}")
sys.exit(1 if wrong or len(codes) < 2 else 0)
