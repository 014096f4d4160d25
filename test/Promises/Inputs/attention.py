#===- test/Promises/Inputs/attention.py - Which forms of attention are one kernel ---===#
# SPDX-License-Identifier: Apache-2.0
"""attention.py SCRIPTS MODELS: SCRIPTS holds make_attention.py, MODELS what it wrote."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
from make_attention import FORMS  # noqa: E402


def kinds(name, *flags):
    """Kinds of the kernels, in order."""
    command = ["cupola", "compile", pathlib.Path(sys.argv[2], name + ".onnx"), "--emit", "fused", *flags]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(r"= graph\.fusion +(\w+)", text)


failed = 0
for name, form in FORMS.items():
    for flags in ["--target", "cpu", "--cpu", "x86-64-v3"], ["--target", "cuda", "--arch", "sm_80"]:
        found = kinds(name, *flags)
        apart = kinds(name, *flags, "--disable-pass", "fuse-attention")
        wanted = 1 if form.fused else 0
        if found.count("attention") != wanted or found.count("row_reduction") > 1 - wanted or "attention" in apart:
            failed += 1
            print(f"{name} {' '.join(flags)}: {' '.join(found)}; without the pass {' '.join(apart)}")
print(f"{len(FORMS) * 2 - failed} of {len(FORMS) * 2} are as expected")
