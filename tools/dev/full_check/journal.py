#===- tools/dev/full_check/journal.py - What was found so far, so that an interrupted check goes on ---===#
# SPDX-License-Identifier: Apache-2.0

import hashlib
import json
import time
from dataclasses import asdict, dataclass


@dataclass
class Row:
    """One figure. `limit`: what it is held against; `note`: what failed, or an argument."""
    model: str
    set: str
    check: str
    figure: str
    limit: str
    passed: bool
    note: str = ""


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


class Journal:
    """A line of JSON per finished task. It belongs to one build of the compiler: that of another one begins anew."""

    def __init__(self, path, program):
        self.path, self.rows, self.seconds = path, {}, {}
        owner = digest(program)
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        if not lines or lines[0] != {"program": owner}:
            path.write_text(json.dumps({"program": owner}) + "\n")
            lines = lines[:1]
        for line in lines[1:]:
            self.rows[line["task"]] = [Row(**row) for row in line["rows"]]
            self.seconds[line["task"]] = line["seconds"]

    def run(self, task, work):
        """The rows of `task`, computed by `work` unless they are known; an exception is a row that failed."""
        if task not in self.rows:
            begin = time.monotonic()
            try:
                rows = list(work())
            except Exception as error:      # whatever it is, it is a miss, and the other checks go on
                rows = [Row(task.split()[1], "", task.split()[0], "", "", False, f"{type(error).__name__}: {error}"[:400])]
            self.rows[task], self.seconds[task] = rows, time.monotonic() - begin
            entry = {"task": task, "seconds": self.seconds[task], "rows": [asdict(row) for row in rows]}
            with self.path.open("a") as f:
                f.write(json.dumps(entry) + "\n")
        return self.rows[task]

    def told(self, task, work):
        """`run`, with a line on standard output, and one for each figure that is missed."""
        found = self.run(task, work)
        missed = [row for row in found if not row.passed]
        print(f"{'MISS' if missed or not found else 'ok':4} {task}: {self.seconds[task]:.0f} s", flush=True)
        for row in missed:
            print(f"     {row.set} {row.check}: {row.figure}, limit {row.limit} {row.note}", flush=True)
        return found
