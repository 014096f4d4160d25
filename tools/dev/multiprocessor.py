#===- tools/dev/multiprocessor.py - How long a loop of machine code takes on a model of a GPU's multiprocessor ---===#
# SPDX-License-Identifier: Apache-2.0
"""Four schedulers, each with a quarter of the warps and pipes of its own; shared memory serves all of them. A warp issues in
order, when the stall before and the scoreboards that ptxas wrote into the code let it. Bank conflicts, and what the rest of the
memory gives, are not in it: global memory answers after a fixed time. It compares kernels; it does not say how long one runs."""

import re
from dataclasses import dataclass, field

SCHEDULERS = 4
ANSWER = {"matrices": 26, "shared": 22, "special": 24, "integer": 20}   # cycles until the result is there
READ = 12                        # until the sources of a memory instruction are read
AROUND = 8                       # for a taken branch
TOGETHER = 20                    # for the last warp at a barrier, and the others
LATER = 37                       # between the first instructions of two blocks
ITERATIONS = 24                  # of which the first half fills the pipes


@dataclass(frozen=True)
class Chip:
    multiprocessors: int
    matrix: float                # cycles that an HMMA.16816 keeps its pipe, or an IMMA.16832 or QMMA.16832
    float: float
    global_memory: int           # cycles until it answers

    def cycles(self, instruction):
        """For which it keeps the pipe of its scheduler."""
        if instruction.kind == "matrix":
            return self.matrix if re.search("16816|16832", instruction.opcode) else self.matrix / 2
        return {"float": self.float, "special": 8}.get(instruction.kind, 2)


CHIPS = {
    "sm_80": Chip(108, 8, 2, 500),
    # L40: 181 TFLOPS of f16 with sums of f32, 362 of float8.
    "sm_89": Chip(142, 16, 1, 500),
    # mma.sync has 62 % of the rate of wgmma: Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture" (2024).
    "sm_90": Chip(132, 6.4, 1, 600),
}
CHIPS["sm_90a"] = CHIPS["sm_90"]
PIPES = {"matrix": "matrix", "float": "float", "special": "special", "integer": "integer", "uniform": "uniform"} | {
    kind: "memory" for kind in ("copy", "matrices", "shared", "global")}


def wavefronts(instruction):
    """128 bytes each, that it moves from or to shared memory."""
    if not instruction.runs:
        return 0
    if instruction.kind == "matrices":
        return next((n for n in (4, 2) if instruction.opcode.endswith(f".{n}")), 1)
    return instruction.bytes // 4 if instruction.kind in ("copy", "shared") else 0


@dataclass
class Warp:
    block: int
    ready: float
    at: int = 0
    rounds: list = field(default_factory=list)                         # when each ended
    scoreboards: list = field(default_factory=lambda: [0.0] * 6)       # when each is free
    copies: list = field(default_factory=list)                         # when those of the open group arrive
    groups: list = field(default_factory=list)                         # when each closed one has arrived
    waits: bool = False                                                # at a barrier


class Multiprocessor:
    def __init__(self, chip, loop, blocks, warps):
        self.chip, self.loop, self.per_block = chip, loop, warps
        self.warps = [Warp(block, LATER * block) for block in range(blocks) for _ in range(warps)]
        self.groups = [self.warps[s::SCHEDULERS] for s in range(SCHEDULERS)]
        self.last = [None] * SCHEDULERS
        self.free = [dict.fromkeys(PIPES.values(), 0.0) for _ in range(SCHEDULERS)]
        self.shared_free = 0.0
        self.cycle = 0

    def run(self):
        """Cycles of an iteration, once all is under way."""
        while min(len(w.rounds) for w in self.warps) < ITERATIONS:
            issued = [self.issue(s) for s in range(SCHEDULERS)]
            self.cycle = self.cycle + 1 if any(issued) else self.next_event()
        first = ITERATIONS // 2
        spans = [(w.rounds[-1] - w.rounds[first]) / (len(w.rounds) - 1 - first) for w in self.warps]
        return sum(spans) / len(spans)

    def next_event(self):
        times = [t for w in self.warps for t in (w.ready, *w.scoreboards, *w.groups)]
        times += [t for free in self.free for t in free.values()]
        return min((t for t in times if t > self.cycle), default=self.cycle + 1)

    def issue(self, scheduler):
        """One instruction of one warp: of the last one while it can, else of that which is behind."""
        last = self.last[scheduler]
        for warp in sorted(self.groups[scheduler], key=lambda w: (w is not last, len(w.rounds), w.at)):
            if self.can_issue(warp, self.free[scheduler]):
                self.last[scheduler] = warp
                self.execute(warp, self.free[scheduler])
                return True
        return False

    def can_issue(self, warp, free):
        now, code = self.cycle, self.loop[warp.at]
        if warp.waits or warp.ready > now or any(warp.scoreboards[s] > now for s in code.waits):
            return False
        if code.kind == "wait" and code.runs and sum(t > now for t in warp.groups) > code.pending:
            return False
        return not code.runs or free.get(PIPES.get(code.kind), 0) <= now

    def execute(self, warp, free):
        now, code = self.cycle, self.loop[warp.at]
        warp.ready = now + code.stall
        done = now + ANSWER["integer"]
        if code.runs:
            if pipe := PIPES.get(code.kind):
                free[pipe] = now + self.chip.cycles(code)
            done = self.memory(warp, code)
        for scoreboard in code.sets:
            until = done if scoreboard == code.result else now + READ
            warp.scoreboards[scoreboard] = max(warp.scoreboards[scoreboard], until)
        if code.kind == "barrier":
            self.meet(warp)
        self.advance(warp, code)

    def memory(self, warp, code):
        """When the result is there."""
        now = self.cycle
        if busy := wavefronts(code):
            self.shared_free = max(self.shared_free, now) + busy
        if code.kind == "copy":
            warp.copies.append(now + self.chip.global_memory)
        elif code.kind == "close":
            warp.groups = [t for t in warp.groups if t > now] + [max(warp.copies, default=now)]
            warp.copies = []
        elif code.kind == "global":
            return now + self.chip.global_memory
        elif code.kind in ("matrices", "shared"):
            return self.shared_free + ANSWER[code.kind]
        return now + ANSWER.get(code.kind, ANSWER["integer"])

    def meet(self, warp):
        warp.waits = True
        block = [w for w in self.warps if w.block == warp.block]
        if all(w.waits for w in block):
            for w in block:
                w.waits, w.ready = False, max(w.ready, self.cycle + TOGETHER)

    def advance(self, warp, code):
        """Branches forward skip what the last iterations leave out, if they have a condition: they are not taken."""
        warp.at += 1
        if warp.at == len(self.loop):
            warp.at = 0
            warp.rounds.append(self.cycle)
            warp.ready += AROUND


@dataclass(frozen=True)
class Shares:
    """Of the cycles of an iteration."""
    cycles: float
    matrix: float
    issue: float
    shared: float


def shares(arch, loop, blocks, warps):
    """What `blocks` resident blocks of so many warps keep busy while they run `loop`."""
    chip = CHIPS[arch]
    cycles = Multiprocessor(chip, loop, blocks, warps).run()
    all_warps = blocks * warps
    products = sum(chip.cycles(i) for i in loop if i.kind == "matrix")
    return Shares(cycles, all_warps / SCHEDULERS * products / cycles, all_warps / SCHEDULERS * len(loop) / cycles,
                  all_warps * sum(map(wavefronts, loop)) / cycles)
