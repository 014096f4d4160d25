#===- test/Tools/out-of-memory.py - A command that runs out of memory, at many points ---===#
# SPDX-License-Identifier: Apache-2.0
"""out-of-memory.py SHIM POINTS COMMAND..: runs the command once to count its allocations, then POINTS times with memory that is out from
an allocation on. Each run either succeeds or says that memory is out: exit code 6, one line, no signal. Then once with a crash of the
worker instead: that is a bug of ours, code 70."""

import os
import subprocess
import sys
import tempfile

shim, points, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def run(**settings):
    # Without symbolisers and the like: the environment is what the command itself needs.
    environment = {"LD_PRELOAD": shim, "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **settings}
    return subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")


def allocations():
    with tempfile.NamedTemporaryFile("r") as file:
        done = run(CUPOLA_COUNT_ALLOCATIONS=file.name)
        if done.returncode != 0:
            sys.exit(f"the command fails with memory, too: {done.stderr}")
        return int(file.read())


total, wrong = allocations(), 0
for i in range(points):
    at = 1 + total * i // points
    done = run(CUPOLA_FAIL_AT=str(at))
    lines = done.stderr.splitlines()
    # The loader itself ends a process for which it has no memory with 127.
    fine = done.returncode == 0 or done.returncode == 127 or \
        (done.returncode == 6 and 1 <= len(lines) <= 2 and "memory" in done.stderr)
    wrong += not fine
    if not fine:
        print(f"allocation {at} of {total}: exit code {done.returncode}: {done.stderr[:300]}")
crash = run(CUPOLA_FAIL_AT=str(total * 9 // 10), CUPOLA_CRASH="1")
if crash.returncode != 70 or "note: this is a bug of Cupola" not in crash.stderr:
    wrong += 1
    print(f"a crash: exit code {crash.returncode}: {crash.stderr[:300]}")
print(f"{points - wrong} of {points} points as expected")
sys.exit(wrong != 0)
