#===- tools/dev/full_check/command.py - A command that runs tasks, keeps a journal and writes a table ---===#
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import sys
import time

from full_check import report
from full_check.journal import Journal
from full_check.tool import Tool

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(title, description, folders, tasks):
    """`title`: of the table; in lower case with hyphens the command's name. `folders`: how the positional argument is declared, by
    add_argument's keywords. `tasks(folders, tool)`: (name, function) each. Exits with 1 if anything is missed."""
    name = title.lower().replace(" ", "-")
    parser = argparse.ArgumentParser(prog=name, description=description)
    parser.add_argument("folder", type=pathlib.Path, help="models and their input sets", **folders)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--work", type=pathlib.Path, help=f"folder of the journal and the packages (default: {name} in the build folder)")
    parser.add_argument("--only", default="", help="only tasks whose name has this text, as 'cpu ' or 'resnet50'")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "results" / f"{name}.md", help="the table")
    options = parser.parse_args()
    work = options.work or options.build / name
    work.mkdir(parents=True, exist_ok=True)
    tool = Tool(options.build, work)
    journal = Journal(work / "journal.jsonl", tool.cupola)
    rows, begin = [], time.monotonic()
    for task, function in tasks(options.folder, tool):
        if options.only in task:
            rows += journal.told(task, function)
    report.write(options.out, title, rows, sum(journal.seconds.values()))
    missed = sum(not row.passed for row in rows)
    print(f"{name}: {len(rows)} rows, {missed} missed, {time.monotonic() - begin:.0f} s; {options.out}")
    sys.exit(1 if missed or not rows else 0)
