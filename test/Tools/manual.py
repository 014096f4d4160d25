#===- test/Tools/manual.py - Holds the man page against --help ---===#
# SPDX-License-Identifier: Apache-2.0
"""manual.py PAGE.1: the page has a section for each command, with the options that its --help shows and no others. Where groff is
installed it must read the page without a warning."""

import re
import shutil
import subprocess
import sys

TITLES = {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "NOTES"}


def helps(*command):
    return subprocess.run(["cupola", *command, "--help"], check=True, capture_output=True, text=True).stdout


with open(sys.argv[1], encoding="utf-8") as f:
    page = f.read()
requests = set(re.findall(r"^[.'].*", page, re.M))
assert all(re.match(r"\.(TH|TP|nf|fi|SS|SH)\b", line) for line in requests), requests
assert set(re.findall(r"^\.SH (.*)", page, re.M)) == TITLES
sections = dict(re.findall(r"^\.SS \\fBcupola (\w+)\\fR.*\n((?:(?!\.S[SH]).*\n)*)", page, re.M))
commands = re.findall(r"^  ([a-z]+) {2,}", helps().split("Subcommands:")[1].split("Examples:")[0], re.M)
assert list(sections) == commands, (list(sections), commands)
count = 0
for name, text in sections.items():
    shown = set(re.findall(r"^  (?:-.,)? *(--[a-z0-9-]+)", helps(name), re.M)) - {"--help"}
    given = set(re.findall(r"^(?:\\fB\\-.\\fR, )?\\fB(\\-\\-[a-z0-9\\-]+)\\fR", text, re.M))
    assert shown == {option.replace("\\", "") for option in given}, (name, shown, given)
    count += len(shown)
if shutil.which("groff"):
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", sys.argv[1]], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
print(f"{len(commands)} commands, {count} options")
