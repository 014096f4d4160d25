#===- test/Dialect/census.py - Which ops and which diagnostics of the dialects no test has ---===#
# SPDX-License-Identifier: Apache-2.0
"""census.py ROOT: every op, attribute, type and word of a closed list that docs/reference has stands in a file that is
read and printed (ops*.mlir), and nine tenths of what verifiers and parsers say is expected in full by some
expected-error. What is in no file is printed."""

import ast
import glob
import os
import re
import sys

NEEDED = 0.9
SCHEDULES = "lib/Target/ScheduleAttr.h"
DIALECTS = [
    # A closed list belongs to the first dialect that has it.
    # dialect, where it says what is wrong, folder of its tests, those that are read and printed
    ("graph", ["dialects/Graph/*.cpp"], "test/Dialect/Graph", "ops*.mlir"),
    ("kernel", ["dialects/Kernel/*.cpp"], "test/Dialect/Kernel", "ops*.mlir"),
    ("simt", ["dialects/Simt/*.cpp"], "test/Dialect/Simt", "ops*.mlir"),
    ("plan", ["dialects/Plan/*.cpp"], "test/Dialect/Plan", "ops*.mlir"),
    ("cuda", ["lib/Target/CUDA/Schedules/*", SCHEDULES], "test/Target/CUDA", "schedule-attributes.mlir"),
    ("cpu", ["lib/Target/CPU/CpuDialect.cpp", SCHEDULES], "test/Target/CPU", "schedule-attributes.mlir"),
]
ROUND_TRIP = "--mlir-print-op-generic | diff "
STRINGS = r'(?:"(?:[^"\\]|\\.)*"\s*)+'


def texts(root, *patterns):
    paths = sorted(path for pattern in patterns for path in glob.glob(os.path.join(root, pattern)))
    if not paths:
        sys.exit(f"no file is called {' or '.join(patterns)}")
    return {os.path.relpath(path, root): open(path, encoding="utf-8").read() for path in paths}


# ===--- What a dialect has ---===


def snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def own_names(dialect, page, seen):
    """What is looked for -> the pattern that finds it."""
    found = {op: rf"(?<![\w.]){re.escape(op)}(?![\w.])" for op in re.findall(rf"^### `({dialect}\.\w+)`", page, re.M)}
    for name, body in re.findall(r"^### (\w+)\n(.*?)(?=^###? |\Z)", page, re.M | re.S):
        if name.endswith("Attr"):
            given = re.search(rf"^#{dialect}\.(\w+)<", body, re.M)
            mnemonic = given[1] if given else snake(name[:-4])
            found[f"#{dialect}.{mnemonic}"] = rf"#{dialect}(\.{mnemonic}\b|<{mnemonic} )"
        elif name.endswith("Type"):
            found[f"!{dialect}.{snake(name[:-4])}"] = rf"!{dialect}\.{snake(name[:-4])}\b"
        elif name not in seen:
            seen.add(name)
            for word in re.findall(r"^\| \w+ \| `\d+` \| (\S+) \|$", body, re.M):
                found[f"{word} ({name})"] = rf"(?<![\w-]){re.escape(word)}(?![\w-])"
    return found


def untested_names(names, files):
    code = "\n".join(line for text in files.values() for line in text.split("\n") if not line.lstrip().startswith("//"))
    return [f"{name} is in none of its files" for name, pattern in names.items() if not re.search(pattern, code)]


# ===--- What it says ---===


def end_of(text, at, stops):
    """Where one of `stops` stands outside of strings and brackets."""
    depth = 0
    while at < len(text):
        if depth == 0 and text.startswith(stops, at):
            return at
        string = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, at)
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at = string.end() if string else at + 1
    return at


def literal(text):
    """The string that `text` is, None for anything else."""
    text = text.strip()
    return ast.literal_eval(f"({text})") if re.fullmatch(STRINGS, text) else None


def diagnostics(source):
    """Each as its strings, None where a value stands."""
    source = re.sub(r"^\s*//.*$", "", source, flags=re.M)
    for call in re.finditer(r"\b(?:emitOpError|emitError|error)\(", source):
        at, first = call.end(), None
        while source[at - 1] != ")":  # the text is the last argument
            stop = end_of(source, at, (",", ")"))
            first, at = literal(source[at:stop]), stop + 1
        pieces = [first] if first is not None else []
        while (operand := re.compile(r"\s*<<").match(source, at)):
            at = end_of(source, operand.end(), ("<<", ";", ".attachNote"))
            pieces.append(literal(source[operand.end():at]))
        if any(pieces):
            yield tuple(pieces)


def shown(pieces):
    return "".join("{}" if piece is None else piece for piece in pieces)


def unexpected(sources, files):
    said = sorted({pieces for text in sources.values() for pieces in diagnostics(text)}, key=shown)
    expected = re.findall(r"expected-error[^{\n]*\{\{(.*)\}\}$", "\n".join(files.values()), re.M)

    def is_expected(pieces):
        pattern = re.compile("".join(".*" if piece is None else re.escape(piece) for piece in pieces))
        return any(pattern.search(text) for text in expected)

    return said, [pieces for pieces in said if not is_expected(pieces)]


def census(root, row, seen):
    """One dialect's line, and what is wrong."""
    dialect, patterns, folder, forms = row
    names = own_names(dialect, *texts(root, f"docs/reference/{dialect}.md").values(), seen)
    printed = texts(root, f"{folder}/{forms}")
    wrong = [f"{path} does not compare what is read with what was printed" for path, text in printed.items()
             if ROUND_TRIP not in text]
    wrong += untested_names(names, printed)
    said, missing = unexpected(texts(root, *patterns), texts(root, f"{folder}/*.mlir"))
    share = 1 - len(missing) / len(said) if said else 1
    line = f"{dialect}: {len(names)} names; {len(said) - len(missing)} of {len(said)} diagnostics, {share:.0%}"
    lines = [line] + [f"  not expected anywhere: {shown(pieces)}" for pieces in missing]
    return lines, wrong + [f"less than {NEEDED:.0%} of its diagnostics are expected"] * (share < NEEDED)


def main():
    failed, seen = False, set()
    for row in DIALECTS:
        lines, wrong = census(sys.argv[1], row, seen)
        print("\n".join(lines + [f"  error: {row[0]}: {problem}" for problem in wrong]))
        failed |= bool(wrong)
    sys.exit(failed)


main()
