#===- test/Hostile/hostile.py - Bad input: exit code, text, nothing left behind ---===#
# SPDX-License-Identifier: Apache-2.0
"""hostile.py FOLDER MODEL.onnx [CASE...]: writes each case to a folder of its own below FOLDER, runs `cupola compile` on it and
checks the exit code, the message, that no signal ended it, that nothing was left in the folder, and that none took much more memory
than MODEL, a sound one, which is also cut in many places."""

import os
import re
import resource
import shutil
import subprocess
import sys

import bodies
import files
import models

CASES = [*files.CASES, *models.CASES, *bodies.CASES]
MOST_MEMORY = 512 << 20                             # bytes beyond what a sound model takes
SECONDS = 20                                        # far above what any takes: a hang is an error, a slow machine is not


def listing(folder):
    return sorted(os.path.join(d, f) for d, _, fs in os.walk(folder) for f in fs)


def check(case, folder):
    """None, or what is wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path = case.make(folder)
    before = listing(folder)
    command = ["cupola", "compile", path, "-o", os.path.join(folder, "out.cupola"), "--target", "cpu", "--cpu", "x86-64-v3",
               "--cache-dir", os.path.join(folder, "cache")]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"still running after {SECONDS} s"
    if done.returncode != case.code:
        return f"exit code {done.returncode}, expected {case.code}: {done.stderr[:500]}"
    if case.code == 0:
        return None
    lines = done.stderr.splitlines()
    if not lines or not lines[0].startswith("error: "):
        return f"the first line is not an error: {done.stderr[:500]}"
    if not re.search(case.text, done.stderr):
        return f"the message does not match '{case.text}': {done.stderr[:500]}"
    if any(len(line) > 2000 or re.search(r"[^\x20-\x7e\u00a0-\uffff]", line) for line in lines):
        return f"the message has long lines or control characters: {done.stderr[:500]!r}"
    return f"left behind: {left}" if (left := sorted(set(listing(folder)) - set(before))) else None


def peak_of_children():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10


def main():
    root, sound, *wanted = sys.argv[1:]
    wrong = 0
    subprocess.run(["cupola", "check", sound], stdout=subprocess.DEVNULL, check=True)
    usual = peak_of_children()
    cases = [c for c in [*CASES, *files.cuts(sound)] if not wanted or c.name in wanted]
    for case in cases:
        problem = check(case, os.path.join(os.path.abspath(root), re.sub(r"[^a-z0-9]+", "-", case.name)))
        wrong += problem is not None
        print(f"{'FAIL' if problem else 'ok  '} {case.name}" + (f": {problem}" if problem else ""), flush=True)
    print(f"{len(cases) - wrong} of {len(cases)} cases as expected")
    if (extra := peak_of_children() - usual) > MOST_MEMORY:
        sys.exit(f"one took {extra >> 20} MiB more than a sound model")
    sys.exit(1 if wrong or not cases else 0)


main()
