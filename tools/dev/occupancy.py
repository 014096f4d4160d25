#===- tools/dev/occupancy.py - What a kernel may use on each architecture, and how many warps then fit ---===#
# SPDX-License-Identifier: Apache-2.0
"""Limits per multiprocessor: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; how registers and
shared memory are handed out: the occupancy calculator of Nsight Compute."""

from dataclasses import dataclass

KB = 1024
REGISTERS = 64 * KB          # per multiprocessor, on all of these
REGISTER_UNIT = 256          # registers of a warp are a multiple of it
WARP_UNIT = 4                # a multiprocessor has four schedulers, each with a quarter of the registers


@dataclass(frozen=True)
class Architecture:
    warps: int               # resident at once
    blocks: int              # resident at once
    shared: int              # bytes of all resident blocks together
    shared_block: int        # bytes of one block
    shared_unit: int         # bytes of a block are a multiple of it
    reserved: int            # bytes of each block that the system takes


ARCHITECTURES = {
    "sm_75": Architecture(32, 16, 64 * KB, 64 * KB, 256, 0),
    "sm_80": Architecture(64, 32, 164 * KB, 163 * KB, 128, KB),
    "sm_86": Architecture(48, 16, 100 * KB, 99 * KB, 128, KB),
    "sm_89": Architecture(48, 24, 100 * KB, 99 * KB, 128, KB),
    "sm_90a": Architecture(64, 32, 228 * KB, 227 * KB, 128, KB),
    "sm_100": Architecture(64, 32, 228 * KB, 227 * KB, 128, KB),
    "sm_120": Architecture(48, 24, 100 * KB, 99 * KB, 128, KB),
}


def round_up(value, unit):
    return -(-value // unit) * unit


def occupancy(arch, registers, threads, shared):
    """The part of the resident warps that such a kernel can fill, between 0 and 1."""
    limits = ARCHITECTURES[arch]
    warps = -(-threads // 32)
    blocks = min(limits.blocks, limits.warps // warps)
    if registers:
        fit = REGISTERS // round_up(32 * registers, REGISTER_UNIT) // WARP_UNIT * WARP_UNIT
        blocks = min(blocks, fit // warps)
    block_bytes = round_up(shared + limits.reserved, limits.shared_unit)
    if block_bytes:
        blocks = min(blocks, limits.shared // block_bytes)
    return blocks * warps / limits.warps
