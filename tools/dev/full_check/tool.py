#===- tools/dev/full_check/tool.py - Runs Cupola's programs and reads their reports ---===#
# SPDX-License-Identifier: Apache-2.0

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Done:
    code: int
    output: str
    seconds: float
    report: dict             # what --json wrote; empty without it


class Tool:
    """The programs of one build, and a folder for what they write."""

    def __init__(self, build, work):
        self.build, self.work = build, work
        self.cupola = build / "bin" / "cupola"

    def run(self, *arguments, report=False, one_core=False, check=True, seconds=None):
        """A command of `cupola`. check: raises where it fails. seconds: after which it is stopped and TimeoutExpired raised."""
        command = [str(self.cupola), *map(str, arguments)]
        if one_core:
            command = ["taskset", "-c", "0", *command]
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as output:
            path = os.path.join(folder, "report.json")
            begin = time.monotonic()
            process = subprocess.Popen(command + ["--json", path] * report, stdout=output, stderr=subprocess.STDOUT, text=True)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.terminate()
                process.wait()
                raise
            elapsed = time.monotonic() - begin
            output.seek(0)
            text = output.read()
            if check and process.returncode:
                raise RuntimeError(f"exit {process.returncode}: {text.strip()[-300:]}")
            found = json.load(open(path)) if report and os.path.exists(path) else {}
        return Done(process.returncode, text, elapsed, found)

    def explain(self, model, *arguments, archs="sm_80"):
        cache = self.work / "cache"
        return self.run("explain", model, "--target", "cuda", "--arch", archs, "--cache-dir", cache, *arguments, report=True).report

    def package(self, model, *arguments):
        """Compiled, and where it lies; the next one takes its place."""
        path = self.work / "model.cupola"
        return path, self.run("compile", model, "-o", path, "--cache-dir", self.work / "cache", *arguments, report=True)
