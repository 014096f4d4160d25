#===- test/Tools/commands.py - Runs the commands of a page of documentation ---===#
# SPDX-License-Identifier: Apache-2.0
"""commands.py PAGE.md: runs every line of its sh blocks, in order, in the current folder."""

import re
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    blocks = re.findall(r"^```sh\n(.*?)^```", f.read(), re.M | re.S)
commands = [line for block in blocks for line in block.splitlines() if line]
failed = 0
for command in commands:
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    failed += done.returncode != 0
    print(f"$ {command}\n{done.stdout if done.returncode else ''}", end="")
print(f"{len(commands)} commands, {failed} failed")
sys.exit(failed != 0)
