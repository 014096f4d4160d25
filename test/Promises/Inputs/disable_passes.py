#===- test/Promises/Inputs/disable_passes.py - Every optional pass off, one at a time: the answer stays ---===#
# SPDX-License-Identifier: Apache-2.0
"""disable_passes.py MODEL.onnx CASE.npz DEVICE [FLAG...]"""

import re
import subprocess
import sys

model, case, *device = sys.argv[1:]


def cupola(*arguments):
    command = ["cupola", "verify", model, "--case", case, "--device", *device, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


names = re.search(r"there are: (.*)", cupola("--disable-pass", "?").stdout).group(1).split(", ")
results = {name: cupola("--disable-pass", name) for name in names}
for name, done in results.items():
    print(f"without {name}: exit {done.returncode}" + ("\n" + done.stdout if done.returncode else ""))
agree = sum(done.returncode == 0 for done in results.values())
print(f"{agree} of {len(names)} agree")
sys.exit(agree != len(names))
