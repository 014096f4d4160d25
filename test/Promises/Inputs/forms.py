#===- test/Promises/Inputs/forms.py - What exporters wrote out is one op again, and one kernel ---===#
# SPDX-License-Identifier: Apache-2.0
"""forms.py SCRIPTS MODELS: SCRIPTS holds make_forms.py, MODELS what it wrote."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
from make_forms import FORMS  # noqa: E402

# Ops around the whole one: scale, shift, mask, casts and views.
AROUND = {"add", "mul", "sub", "select", "cast", "broadcast", "reshape", "constant"}


def emitted(path, phase, *flags):
    return subprocess.run(["cupola", "compile", path, "--emit", phase, *flags], capture_output=True, text=True, check=True).stdout


def kinds(text):
    found = re.findall(r"= graph\.(\w+)(?: +(\w+))?", text)
    return [second if first in ("unary", "binary", "reduce") else first for first, second in found]


failed = 0
for name, form in FORMS.items():
    path = str(pathlib.Path(sys.argv[2], name + ".onnx"))
    ops = [kind for kind in kinds(emitted(path, "graph")) if kind not in AROUND]
    kernels = emitted(path, "fused", "--target", "cuda", "--arch", "sm_80").count("= graph.fusion")
    if ops != [form.whole] or kernels != 1:
        failed += 1
        print(f"{name}: {' '.join(ops)} in {kernels} kernels, expected {form.whole} in one")
print(f"{len(FORMS) - failed} of {len(FORMS)} forms are whole")
