#===- tools/dev/full_check/fuzz.py - Thousands of random models ---===#
# SPDX-License-Identifier: Apache-2.0

import re
import subprocess
import sys

from full_check.journal import Row

SEED, COUNT = 100000, 2000
WRONG = ("wrong", "unsupported", "crash", "timeout")


def seeded(kind, tool):
    """2,000 models of tools/dev/fuzz, with static or with dynamic shapes, on the CPU."""
    command = [sys.executable, "-m", "fuzzing", "--seed", str(SEED), "--count", str(COUNT), "--build", str(tool.build), "--keep",
               str(tool.work / f"fuzz-{kind}"), *(["--dynamic"] if kind == "dynamic" else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    counts = {verdict: int(count) for verdict, count in re.findall(r"^ +(\w+) +(\d+)$", done.stdout, re.M)}
    figure = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    failed = [line for line in done.stdout.splitlines() if line.startswith(WRONG)]
    yield Row(f"fuzz.{kind}", f"{SEED}+{COUNT}", "fuzz", figure, "0 of " + ", ".join(WRONG), done.returncode == 0 and "ok" in counts,
              "; ".join(failed)[:400])
