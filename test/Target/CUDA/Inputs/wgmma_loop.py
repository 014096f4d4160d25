#===- test/Target/CUDA/Inputs/wgmma_loop.py - The loop of a kernel that multiplies by wgmma, instruction by instruction ---===#
# SPDX-License-Identifier: Apache-2.0
"""wgmma_loop.py TOOLS NVDISASM CUBIN LIMIT: how many instructions the innermost loop with products has, how many products of each kind,
how many of these and of waits close a group; and whether the instructions are at most so many. Then how many registers the warps that
copy give themselves, and whether they use no others: ptxas does not say so."""

import collections
import re
import sys

sys.path.insert(0, sys.argv[1])
from sass import disassemble

for name, kernel in disassemble(sys.argv[2], sys.argv[3]).items():
    loops = [kernel.code[a:b + 1] for a, b in kernel.loops()]
    loop = min((l for l in loops if any(i.opcode.startswith("HGMMA") for i in l)), key=len)
    products = [i for i in loop if i.opcode.startswith("HGMMA")]
    kinds = collections.Counter(i.opcode for i in products)
    print(f"{len(loop)} instructions, {' and '.join(f'{n} {kind}' for kind, n in kinds.items())}, "
          f"{sum('gsb0' in i.text for i in products)} closed, {sum('DEPBAR' in i.opcode for i in loop)} wait")
    if len(loop) <= int(sys.argv[4]):
        print(f"at most {sys.argv[4]}")
    roles = "\n".join(i.text for i in kernel.code)
    copying = re.search(r"USETMAXREG\.DEALLOC\.CTAPOOL (0x[0-9a-f]+)(.*?)USETMAXREG\.TRY_ALLOC", roles, re.DOTALL)
    kept, used = int(copying[1], 16), 1 + max(map(int, re.findall(r"\bR(\d+)", copying[2])))
    print(f"copying warps keep {kept} registers" + (f" and use {used}" if used > kept else ""))
