#===- test/Promises/Inputs/verify_models.py - Verifies every small model of a family on its input sets ---===#
# SPDX-License-Identifier: Apache-2.0
"""verify_models.py CASES DEVICE [FLAG...]: runs `cupola verify` on FOLDER/NAME.onnx for every FOLDER/NAME.SET.npz that the pattern
CASES matches, two at a time."""

import glob
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def verify(case):
    model = case.with_name(case.name.split(".")[0] + ".onnx")
    command = ["cupola", "verify", model, "--case", case, "--device", *sys.argv[2:]]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, f"{case.name}: exit {done.returncode}\n{done.stdout}"


cases = sorted(map(pathlib.Path, glob.glob(sys.argv[1])))
with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(verify, cases))
print("".join(text for code, text in results if code))
print(f"{sum(code == 0 for code, _ in results)} of {len(cases)} agree")
sys.exit(1 if not cases or any(code for code, _ in results) else 0)
