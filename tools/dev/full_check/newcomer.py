#===- tools/dev/full_check/newcomer.py - The examples of docs/extending.md, applied, counted, built and run ---===#
# SPDX-License-Identifier: Apache-2.0
"""newcomer.py ROOT: whether each example still applies to the sources of ROOT and touches no more of them than it may, and whether
docs/extending.md shows what it has. An example is a patch of test/Extending, which brings its own tests; full-check builds and runs them."""

import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

from full_check.journal import Row

SOURCES = ("dialects/", "include/", "lib/", "tools/")       # whoever adds something has to know these files; tests and docs come besides
PROGRAMS = ("cupola", "cupola-loose-attributes", "cupola-opt", "cupola-run", "cupola_sim")


@dataclass(frozen=True)
class Example:
    name: str                # of the patch
    files: int               # of the sources, at most
    lit: str                 # the tests that show that it works
    units: dict              # as well: GoogleTest binary -> filter
    rows: int = 0            # it is at most so many new lines and nothing else; 0: as many as it takes


EXAMPLES = (
    Example("op", 3, "Import/Onnx/(bias-softmax|ops)[.]test", {}),
    Example("rule", 2, "Transforms/(form-fusions.*|rules)[.]", {}),
    Example("schedule", 4, "Target/CUDA/(short-rows|schedule-attributes|invalid-schedules|choose-schedule)[.]", {}),
    Example("step", 6, "Conversion/fill[.]test|Dialect/Plan/", {"runtime_manifest_test": "Manifest.*"}),
    Example("architecture", 2, "Target/CUDA/sm87[.]test",
            {"FiguresTest": "*sm_87*", "runtime_cuda_compile_test": "Nvrtc.CompilesForEveryArchitecture"}, rows=2),
)


# ===--- What can be seen without a build ---===


def patch_of(root, example):
    return root / "test" / "Extending" / f"{example.name}.patch"


def changes(patch):
    """path -> its added and removed lines."""
    found, lines = {}, []
    for line in patch.read_text(encoding="utf-8").splitlines():
        if line.startswith("diff --git "):
            lines = found.setdefault(line.split(" b/")[1], [])
        elif line[:1] in ("+", "-") and not line.startswith(("+++ ", "--- ")):
            lines.append(line)
    return found


def figure(example, changed):
    """What is counted of an example, and whether it is within its limits."""
    sources = {path: lines for path, lines in changed.items() if path.startswith(SOURCES)}
    lines = [line for changed_lines in sources.values() for line in changed_lines]
    if not example.rows:
        return f"{len(sources)} files", 0 < len(sources) <= example.files
    only_rows = all(line.startswith("+") for line in lines) and len(lines) <= example.rows
    return f"{len(lines)} rows in {len(sources)} files", 0 < len(sources) <= example.files and only_rows


def limit(example):
    return f"{example.rows} rows" if example.rows else f"{example.files} files"


def apply(root, patch, *options):
    """Error texts; none: it applies."""
    done = subprocess.run(["git", "apply", *options, str(patch.resolve())], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return done.stdout.strip().splitlines() if done.returncode else []


def untrue_lines(root):
    """Of docs/extending.md: code that it shows and no example has, and examples that it does not name."""
    text = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    added = {line[1:].strip() for example in EXAMPLES for lines in changes(patch_of(root, example)).values() for line in lines}
    for block in re.findall(r"^```diff\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("+") and line[1:].strip() not in added:
                yield f"docs/extending.md shows what no example has: {line}"
    for example in EXAMPLES:
        if f"test/Extending/{example.name}.patch" not in text:
            yield f"docs/extending.md does not name {example.name}.patch"


def main(root):
    errors = list(untrue_lines(root))
    for example in EXAMPLES:
        counted, within = figure(example, changes(patch_of(root, example)))
        print(f"{example.name}: {counted}, limit {limit(example)}")
        if not within:
            errors.append(f"{example.name}.patch is larger than its limit")
        errors += [f"{example.name}.patch no longer applies: {line}" for line in apply(root, patch_of(root, example), "--check")]
    for error in errors:
        print(f"error: {error}")
    return 1 if errors else 0


# ===--- Built and run ---===


class Clone:
    """A clean copy of the sources with a build of its own, which the examples share: it stays where it is from check to check."""

    def __init__(self, root, path):
        self.root, self.path, self.build = root, path, path / "build"

    def run(self, *command):
        done = subprocess.run([str(part) for part in command], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))[:120]}: {done.stdout.strip()[-240:]}")
        return done.stdout

    def reset(self):
        """As committed, without what an example left."""
        if not self.path.exists():
            self.path.mkdir(parents=True)
            self.run("git", "clone", "--quiet", "--shared", "--no-checkout", self.root, ".")
            (self.path / ".deps").symlink_to(self.root / ".deps")
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.root, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        self.run("git", "checkout", "--quiet", "--force", "--detach", commit)
        self.run("git", "clean", "--quiet", "--force", "-d", "--exclude=.deps")

    def compile(self, targets):
        if not (self.build / "build.ninja").exists():
            self.run("cmake", "--preset", "default")
        self.run("cmake", "--build", "build", "--target", *targets)

    def lit(self, pattern):
        """How many tests passed."""
        cache = (self.build / "CMakeCache.txt").read_text(encoding="utf-8")
        llvm = re.search(r"^LLVM_DIR:\w+=(.*)/lib/cmake/llvm$", cache, re.M)[1]
        return int(re.search(r"Passed *: +(\d+)", self.run(f"{llvm}/bin/lit", self.build / "test", "--filter", pattern))[1])

    def unit(self, binary, pattern):
        """The same. A test that had to be left out did not pass."""
        told = self.run(self.build / "test" / "bin" / binary, f"--gtest_filter={pattern}")
        return 0 if "[  SKIPPED ]" in told else int(re.search(r"\[  PASSED  \] (\d+) test", told)[1])


def follow(example, root, tool):
    """Applies an example, counts it, builds what it changes and runs its tests."""
    counted, within = figure(example, changes(patch_of(root, example)))
    yield Row(example.name, "", "newcomer's diff", counted, limit(example), within)
    clone = Clone(root, tool.work / "newcomer")
    clone.reset()
    errors = apply(clone.path, patch_of(root, example))
    yield Row(example.name, "", "applies", f"{len(errors)} errors", "0", not errors, "; ".join(errors))
    if errors:
        return
    clone.compile([*PROGRAMS, *example.units])
    passed = {example.lit: clone.lit(example.lit), **{name: clone.unit(name, pattern) for name, pattern in example.units.items()}}
    lacking = [name for name, count in passed.items() if count == 0]
    note = f"left out: {', '.join(lacking)}" if lacking else ""
    yield Row(example.name, "", "its tests", f"{sum(passed.values())} pass", "all", not lacking, note)
    clone.reset()


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
