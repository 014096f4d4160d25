#===- tools/dev/full_check/kernels.py - Every kernel compiled for every architecture ---===#
# SPDX-License-Identifier: Apache-2.0

import os
import re
import subprocess

from full_check.journal import Row
from kernel_limits import ARCHITECTURES, CONTRACTIONS, occupancy_of, problems


def for_all_architectures(model, tool):
    """Spills, stack frames, shared memory, registers, occupancy: a row per model, which lists what is wrong."""
    report = tool.explain(model.path, archs=",".join(ARCHITECTURES))
    kernels, archs, wrong, least = set(), set(), [], 1.0
    for variant in report.get("variants", [report]):
        for kernel in variant["kernels"]:
            kernels.add(kernel["name"])
            for arch, use in kernel["arch"].items():
                archs.add(arch)
                if kernel["schedule"] not in CONTRACTIONS:
                    least = min(least, occupancy_of(arch, use))
                wrong += [f"{kernel['name']} ({kernel['schedule']}) on {arch}: {p}" for p in problems(kernel["schedule"], arch, use)]
    wrong += [f"no kernel for {arch}" for arch in sorted(set(ARCHITECTURES) - archs)]
    figure = f"{len(kernels)} kernels, {len(wrong)} problems, occupancy {least:.0%}"
    yield Row(model.name, "", "architectures", figure, "0 problems", bool(kernels) and not wrong, "; ".join(wrong[:6]))


def cases_for_all_architectures(tool):
    """Every kernel of the schedules' tests for each architecture; the daily tests compile it for one of each family."""
    test = tool.build / "test" / "bin" / "FiguresTest"
    environment = {**os.environ, "CUPOLA_ALL_FIGURES": "1"}
    done = subprocess.run([test], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    passed = int(re.search(r"\[  PASSED  \] (\d+) test", done.stdout)[1])
    right = passed == len(ARCHITECTURES) and done.returncode == 0
    yield Row("FiguresTest", "", "architectures", f"{passed} passed", f"{len(ARCHITECTURES)}", right)
