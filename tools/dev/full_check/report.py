#===- tools/dev/full_check/report.py - The table in docs/results ---===#
# SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def write(path, title, rows, seconds):
    commit = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    missed = sum(not row.passed for row in rows)
    command = title.lower().replace(" ", "-")
    lines = [f"# {title}", "", f"<!-- Written by tools/dev/{command}. -->", "",
             f"Commit {commit}, {processor()}: {len(rows)} rows, {missed} missed, {seconds / 60:.0f} minutes. "
             "Figures of `cpu`, `reference` and `sim` are the largest |a - b| / (max|b| + |b|) of any output.", "",
             "| model | set | check | figure | limit | | note |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        cells = row.model, row.set, row.check, row.figure, row.limit, "" if row.passed else "MISSED", row.note
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
