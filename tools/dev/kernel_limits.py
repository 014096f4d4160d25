#===- tools/dev/kernel_limits.py - What a kernel may use on each architecture, and how many warps then fit ---===#
# SPDX-License-Identifier: Apache-2.0
"""Limits per multiprocessor: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; how registers and
shared memory are handed out: the occupancy calculator of Nsight Compute."""

from dataclasses import dataclass

KB = 1024
REGISTERS = 64 * KB          # per multiprocessor, on all of these
REGISTER_UNIT = 256          # registers of a warp are a multiple of it
WARP_UNIT = 4                # a multiprocessor has four schedulers, each with a quarter of the registers
LEAST_OCCUPANCY = 0.25
CONTRACTIONS = ("gemm", "gemm_mma", "gemm_wgmma", "matvec", "attention", "attention_mma")


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
    "sm_90": Architecture(64, 32, 228 * KB, 227 * KB, 128, KB),
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


def occupancy_of(arch, use):
    """Of a row of `cupola explain`: kernels[].arch{sm}."""
    return occupancy(arch, use["registers"], use["threads"], use["static_shared"] + use["dynamic_shared"])


def problems(schedule, arch, use):
    """What is wrong with a kernel on an architecture."""
    shared = use["static_shared"] + use["dynamic_shared"]
    if use["spill_bytes"]:
        yield f"{use['spill_bytes']} spilled bytes"
    if use["stack_frame"]:
        yield f"a stack frame of {use['stack_frame']} bytes"
    if shared > ARCHITECTURES[arch].shared_block:
        yield f"{shared} bytes of shared memory, more than {ARCHITECTURES[arch].shared_block}"
    if use["registers"] * use["threads"] > REGISTERS:
        yield f"{use['registers']} registers x {use['threads']} threads, more than {REGISTERS}"
    if schedule not in CONTRACTIONS and occupancy_of(arch, use) < LEAST_OCCUPANCY:
        yield f"an occupancy of {occupancy_of(arch, use):.0%}, less than {LEAST_OCCUPANCY:.0%}"
