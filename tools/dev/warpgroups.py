#===- tools/dev/warpgroups.py - What a product by wgmma takes of a multiprocessor, by its schedule ---===#
# SPDX-License-Identifier: Apache-2.0
"""For tools/dev/plan-time. Machine code of such a kernel says little: a warp starts four products and waits. So cycles are counted by
the tiles of the schedule. A multiprocessor multiplies RATE pairs per cycle (989 TFLOPS of 132 at 1.83 GHz: NVIDIA, "H100 Tensor Core
GPU Architecture", 2022), or waits for what L2 gives it; blocks of a cluster read the columns once for all. Each of at most so many
blocks as there are multiprocessors goes through its tiles; the copies for the next are under way while one is stored."""

import math
import re
from dataclasses import dataclass

RATE = 2048                  # multiply-adds of 16 bits per cycle
DEPTH = 64                   # of a step
FUNC = re.compile(r"kernel\.func @(?P<kernel>\w+) .*? grid \(.*?\) in \[(?P<grid>.*?)\] .*?schedule #cuda\.gemm_wgmma"
                  r"<tile (?P<m>\d+)x(?P<n>\d+), stages \d+, cluster (?P<cluster>\d+), blocks (?P<blocks>\d+)>")
DOT = re.compile(r"kernel\.dot \[(?P<extents>.*?)\]")


@dataclass(frozen=True)
class Product:
    """A kernel of the schedule, as the plan's text has it."""
    m: int
    n: int
    cluster: int
    blocks: int
    grid: str                # extents of the batch
    extents: str             # rows, columns, depth

    def cycles(self, scalars, l2, begin, end):
        """Of the busiest multiprocessor, for the numbers that the launch hands over; `l2`: bytes per cycle."""
        rows, columns, depth = numbers(self.extents, scalars)
        tiles = -(-rows // self.m) * -(-columns // self.n) * math.prod(numbers(self.grid, scalars))
        step = max(self.m * self.n * DEPTH / RATE, (self.m + self.n / self.cluster) * DEPTH * 2 / l2)
        return begin + -(-tiles // self.blocks) * (-(-depth // DEPTH) * step + end)


def numbers(expressions, scalars):
    """Products of numbers and of n0, n1, ..: the words of the launch."""
    def value(factor):
        return scalars[int(factor[1:])] if factor.startswith("n") else int(factor)
    return [math.prod(map(value, product.strip().split("*"))) for product in expressions.split(",") if product.strip()]


def products_of(plan):
    """By name."""
    found, current = {}, None
    for line in plan.splitlines():
        if "kernel.func @" in line:
            current = FUNC.search(line)
        elif current and (dot := DOT.search(line)):
            sizes = {key: int(current[key]) for key in ("m", "n", "cluster", "blocks")}
            found[current["kernel"]] = Product(**sizes, grid=current["grid"], extents=dot["extents"])
            current = None
    return found
