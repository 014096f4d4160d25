#===- test/Transforms/rules.py - Which rules of fusion decide in no test ---===#
# SPDX-License-Identifier: Apache-2.0
"""rules.py ROOT: prints how many rules the table has, and those that are in no verdict that a test of the pass expects."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
table = (root / "lib/Transforms/Fusion/Rules/Rules.cpp").read_text(encoding="utf-8")
rules = re.findall(r'^    \{"([a-z-]+)", ', table, re.M)
tests = [path for kind in ("*.mlir", "*.test") for path in sorted((root / "test" / "Transforms").glob(kind))]
expected = "\n".join(path.read_text(encoding="utf-8") for path in tests)
missing = [rule for rule in rules if not re.search(rf'<(?:fused|apart) "?{rule}"? :', expected)]
for rule in missing:
    print(f"error: no test expects a verdict of {rule}")
print(f"{len(rules)} rules")
sys.exit(1 if missing else 0)
