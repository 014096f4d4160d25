#===- test/Target/CUDA/Inputs/wgmma_loop.py - The loop of a kernel that multiplies by wgmma, instruction by instruction ---===#
# SPDX-License-Identifier: Apache-2.0
"""wgmma_loop.py TOOLS NVDISASM CUBIN: how many instructions the innermost loop with products has, how many products, and how
many of these and of waits close a group."""

import sys

sys.path.insert(0, sys.argv[1])
from sass import disassemble

for name, kernel in disassemble(sys.argv[2], sys.argv[3]).items():
    loops = [kernel.code[a:b + 1] for a, b in kernel.loops()]
    loop = min((l for l in loops if any(i.opcode.startswith("HGMMA") for i in l)), key=len)
    products = [i for i in loop if i.opcode.startswith("HGMMA")]
    print(f"{len(loop)} instructions, {len(products)} {products[0].opcode}, {sum('gsb0' in i.text for i in products)} closed, "
          f"{sum('DEPBAR' in i.opcode for i in loop)} wait")
    if len(loop) <= 52:
        print("at most 52")
