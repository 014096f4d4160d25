#===- tools/dev/sass.py - Machine code of NVIDIA GPUs as nvdisasm lists it ---===#
# SPDX-License-Identifier: Apache-2.0
"""Instructions with what ptxas decided about each: how long the warp pauses behind it, and which of six scoreboards it sets and
waits for. The fields of the control word: Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018)."""

import os
import re
import subprocess
from dataclasses import dataclass

NO_SCOREBOARD = 7
KINDS = (                        # by the beginning of the opcode, the first that fits
    ("matrix", ("HMMA", "IMMA", "QMMA")),
    ("copy", ("LDGSTS",)),
    ("close", ("LDGDEPBAR",)),
    ("wait", ("DEPBAR",)),
    ("matrices", ("LDSM",)),
    ("shared", ("LDS", "STS")),
    ("global", ("LDG", "STG", "LDL", "STL", "RED", "ATOM")),
    ("barrier", ("BAR",)),
    ("branch", ("BRA", "BSSY", "BSYNC", "WARPSYNC", "EXIT", "NOP")),
    ("special", ("MUFU",)),
    ("float", ("FFMA", "FADD", "FMUL", "IMAD")),
    ("uniform", ("U", "R2UR", "S2UR")),
)

CODE = re.compile(r"\s*/\*(?P<at>[0-9a-f]{4,})\*/\s+(?P<text>.*?)\s*;\s*/\* 0x[0-9a-f]{16} \*/")
CONTROL = re.compile(r"\s*/\* 0x(?P<word>[0-9a-f]{16}) \*/\s*$")
LABEL = re.compile(r"\s*(?P<name>\.L_\w+):")
TARGET = re.compile(r"`\((?P<name>\.L_\w+)\)")
SECTION = re.compile(r"\s*\.section\s+\.text\.(?P<kernel>\w+),")
REGISTERS = re.compile(r"SHI_REGISTERS=(\d+)")


@dataclass
class Instruction:
    text: str
    predicate: str = ""          # "@P0", "@!PT" for one that never runs
    opcode: str = ""
    kind: str = "integer"
    target: str = ""             # label of a branch
    stall: int = 1               # cycles until the warp's next
    sets: tuple = ()             # scoreboards that it holds until its result is there or its sources are read
    result: int = NO_SCOREBOARD  # that for its result
    waits: tuple = ()            # scoreboards that must be free before it
    pending: int = 0             # of a wait: groups of copies that may be under way

    @property
    def runs(self):
        return self.predicate not in ("@!PT", "@!UPT")

    @property
    def bytes(self):
        """That a lane moves."""
        return next((n // 8 for n in (128, 64) if f".{n}" in self.opcode), 4)


def instruction(text):
    words = text.split()
    result = Instruction(text, predicate=words.pop(0) if words[0].startswith("@") else "")
    result.opcode = words[0]
    result.kind = next((kind for kind, names in KINDS if result.opcode.startswith(names)), "integer")
    if target := TARGET.search(text):
        result.target = target["name"]
    if result.kind == "wait" and (pending := re.search(r"SB\d, (0x[0-9a-f]+)", text)):
        result.pending = int(pending[1], 16)
    return result


def control(into, word):
    into.stall = max(word >> 41 & 15, 1)
    into.result, sources = word >> 46 & 7, word >> 49 & 7
    into.sets = tuple(s for s in {into.result, sources} if s != NO_SCOREBOARD)
    into.waits = tuple(s for s in range(6) if word >> 52 + s & 1)


@dataclass
class Kernel:
    registers: int
    code: list
    labels: dict                 # of the instruction behind each

    def loops(self):
        """First and last index of every loop that has no other in it."""
        ends = [(self.labels[i.target], at) for at, i in enumerate(self.code)
                if i.kind == "branch" and i.target and self.labels[i.target] < at]
        return [(a, b) for a, b in ends if not any((c, d) != (a, b) and a <= c and d <= b for c, d in ends)]

    def main_loop(self):
        """The instructions of an iteration of the loop with the most matrix products; none if no loop has any. ptxas puts what
        is under a condition outside of the loop, with a branch back: it belongs to it."""
        def products(loop):
            return sum(i.kind == "matrix" for i in self.code[loop[0]:loop[1] + 1])
        best = max(self.loops(), key=products, default=None)
        return self.iteration(*best) if best and products(best) else []

    def iteration(self, first, last):
        result, at = [], first
        while at <= last:
            result.append(self.code[at])
            aside = self.aside(at, first, last)
            result += self.code[aside[0]:aside[1]] if aside else []
            at = aside[2] if aside else at + 1
        return result

    def aside(self, at, first, last):
        """Begin and end of the code that a branch goes to from a loop, and where in the loop that code goes on."""
        branch = self.code[at]
        begin = self.labels.get(branch.target) if branch.kind == "branch" and branch.predicate else None
        if begin is None or first <= begin <= last:
            return None
        for end, code in enumerate(self.code[begin:], begin + 1):
            if code.opcode.startswith("BRA") and not code.predicate:
                back = self.labels.get(code.target, 0)
                return (begin, end, back) if first <= back <= last else None
        return None


def parse(listing):
    """{name: Kernel} of a listing."""
    kernels, kernel = {}, None
    for line in listing.splitlines():
        if section := SECTION.match(line):
            kernel = kernels[section["kernel"]] = Kernel(0, [], {})
        elif not kernel:
            continue
        elif registers := REGISTERS.search(line):
            kernel.registers = int(registers[1])
        elif label := LABEL.match(line):
            kernel.labels[label["name"]] = len(kernel.code)
        elif code := CODE.match(line):
            kernel.code.append(instruction(code["text"]))
        elif word := CONTROL.match(line):
            control(kernel.code[-1], int(word["word"], 16))
    return kernels


def disassemble(nvdisasm, cubin):
    """The kernels of a file."""
    return parse(subprocess.run([nvdisasm, "-c", "-hex", os.fspath(cubin)], check=True, capture_output=True, text=True).stdout)
