#!/usr/bin/env python3
#===- tools/dev/compare_builds.py - outputs of two builds, bit by bit ---===#
# SPDX-License-Identifier: Apache-2.0
"""Runs models with two builds of Cupola and compares their outputs bit by bit.

    compare_builds.py BEFORE AFTER MODEL.onnx .. [--device cpu] [--args '--libraries none'] [--after-args '--disable-pass X']

BEFORE and AFTER are the `cupola` of two builds. Every model runs with the .npz files beside it whose names begin with its
own (model.b1.npz for model.onnx). Prints a line per run that differs or that one of them refuses, and a summary; exits
with 1 if an output differs."""
import argparse
import glob
import os
import shlex
import subprocess
import sys
import tempfile
import zipfile


def run(cupola, model, case, out, args):
    """The arrays that the build makes, as bytes by name, or what it says."""
    command = [cupola, "run", model, "--inputs", case, "--outputs", out, *args]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        return f"exit {done.returncode}: {lines[0]}"
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def cases(model):
    stem = os.path.splitext(model)[0]
    return sorted(glob.glob(glob.escape(stem) + ".*npz"))


def compare(before, after, label):
    """Prints what differs; 0 same, 1 different, 2 refused by the build before."""
    if isinstance(before, str):
        return 2
    if isinstance(after, str):
        print(f"{label}: before runs, after {after}", flush=True)
        return 1
    different = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if different:
        print(f"{label}: {', '.join(different)} differ", flush=True)
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--args", default="", help="more flags for `cupola run`")
    parser.add_argument("--after-args", default="", help="flags for AFTER alone, as rules to leave out that BEFORE does not have")
    options = parser.parse_args()
    flags = ["--device", options.device, *shlex.split(options.args)]
    counts = [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for model in options.models:
            for case in cases(model):
                results = [run(build, model, case, os.path.join(folder, "out.npz"), flags + shlex.split(more))
                           for build, more in ((options.before, ""), (options.after, options.after_args))]
                counts[compare(*results, os.path.basename(case))] += 1
    print(f"{counts[0]} runs equal bit by bit, {counts[1]} different, {counts[2]} that BEFORE refuses")
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
