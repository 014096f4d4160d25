#===- test/Tools/codes.py - Runs a command and checks its exit code ---===#
# SPDX-License-Identifier: Apache-2.0
"""codes.py CODE COMMAND..: prints the command's messages. An argument that ends with empty.cupola is made; with --full at the end the
command's output goes to a full disk."""

import subprocess
import sys

code, *command = sys.argv[1:]
for argument in command:
    if argument.endswith("empty.cupola"):
        open(argument, "wb").close()
full = command[-1] == "--full"
with open("/dev/full" if full else "/dev/null", "w", encoding="utf-8") as output:
    done = subprocess.run(command[:-1] if full else command, stdout=output, stderr=subprocess.PIPE, text=True)
print(done.stderr, end="")
sys.exit(f"exit code {done.returncode}" if done.returncode != int(code) else 0)
