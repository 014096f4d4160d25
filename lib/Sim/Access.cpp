//===- lib/Sim/Access.cpp - Checking one access; the callbacks of -fsanitize=thread ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels are compiled with -fsanitize=thread and linked against this file instead of the sanitizer's run time: every
// load and store of theirs calls one of the functions below first.
#include "lib/Sim/Access.h"

#include "lib/Sim/Regions.h"
#include "lib/Sim/Shadow.h"

#include <cstring>
#include <dlfcn.h>

namespace cupola::sim {

void failAccess(Finding finding, uintptr_t address, uint64_t bytes, bool write, uintptr_t pc,
                const std::string &detail) {
  machine.reports.add(finding,
                      std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes at " +
                          describeAddress(address) + " by " + threadText() + (detail.empty() ? "" : ": " + detail),
                      pc);
  abandonLaunch();
}

void reportEarlyAccess(uintptr_t address, uint64_t bytes, bool write, uintptr_t pc) {
  machine.reports.add(Finding::GridWait,
                      std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes at " +
                          describeAddress(address) + " by " + threadText() +
                          ", which touches it before it waited for the kernels queued before it",
                      pc);
}

namespace {

bool isOwnStack(uintptr_t address) { return address - machine.current->stackLow < kStackBytes; }

/// An address in no buffer. Returns if it is a constant of the kernel's module.
void checkForeign(uintptr_t address, uint64_t bytes, bool write, uintptr_t pc) {
  Dl_info info;
  if (!write && dladdr(reinterpret_cast<void *>(address), &info) != 0)
    return;
  const int stack = machine.stacks.find(address);
  if (stack >= 0)
    failAccess(Finding::ForeignStack, address, bytes, write, pc, "it lies on the stack of " + stackText(stack));
  failAccess(Finding::OutOfBounds, address, bytes, write, pc);
}

[[noreturn]] void failInRegion(const Region &region, const Access &access) {
  const bool inside = isAllowed(region, access.address, access.bytes, false);
  failAccess(inside ? Finding::ReadOnly : Finding::OutOfBounds, access.address, access.bytes, access.write, access.pc);
}

template <unsigned Bytes, bool Write, bool Atomic = false>
inline __attribute__((always_inline)) void check(uintptr_t address, uintptr_t pc) {
  const Thread &t = *machine.current;
  const Access access{address, Bytes, Write, Atomic, pc};
  const uintptr_t offset = address - machine.sharedBase;
  const bool shared = offset < kMaxSharedBytes;
  if (shared) {
    if (__builtin_expect(offset + Bytes > machine.sharedBytes, 0))
      failAccess(Finding::OutOfBounds, address, Bytes, Write, pc);
    touchShared<Write>(offset, t, access);
  } else if (isOwnStack(address)) {
    return;
  } else if (Region *region = findRegion(address)) {
    if (__builtin_expect(!isAllowed(*region, address, Bytes, Write), 0))
      failInRegion(*region, access);
    touchRegion<Write>(*region, t, access);
    if (!region->counted)
      return;
    if (__builtin_expect(!t.hasWaitedForGrid, 0) && (Write || !region->isFixed))
      reportEarlyAccess(address, Bytes, Write, pc);
  } else {
    checkForeign(address, Bytes, Write, pc);
    return;
  }
  if (__builtin_expect(!machine.traffic.log(t.index, pc, address, Bytes, Write, shared), 0))
    waitFor(Wait::Traffic, pc);
}

template <unsigned Bytes, bool Write, bool Atomic = false>
inline __attribute__((always_inline)) void checkAligned(uintptr_t address, uintptr_t pc) {
  if (__builtin_expect(address & (Bytes - 1), 0) && !isOwnStack(address))
    failAccess(Finding::Misaligned, address, Bytes, Write, pc,
               "the address must be a multiple of " + std::to_string(Bytes));
  check<Bytes, Write, Atomic>(address, pc);
}

template <bool Write> void checkSized(uintptr_t address, unsigned bytes, uintptr_t pc) {
  switch (bytes) {
  case 1:
    return checkAligned<1, Write>(address, pc);
  case 2:
    return checkAligned<2, Write>(address, pc);
  case 4:
    return checkAligned<4, Write>(address, pc);
  case 8:
    return checkAligned<8, Write>(address, pc);
  default:
    return checkAligned<16, Write>(address, pc);
  }
}

} // namespace

void checkAccess(uintptr_t address, unsigned bytes, bool write, uintptr_t pc) {
  write ? checkSized<true>(address, bytes, pc) : checkSized<false>(address, bytes, pc);
}

const void *checkClusterRead(uintptr_t address, uint32_t rank, uintptr_t pc) {
  constexpr unsigned bytes = 16;
  const Thread &t = *machine.current;
  const auto inBlock = [&] {
    return "in block " + std::to_string(rank) + " of a cluster of " + std::to_string(machine.blocks.size());
  };
  const uintptr_t offset = address - machine.sharedBase;
  if (rank >= machine.blocks.size() || offset >= machine.sharedBytes || offset + bytes > machine.sharedBytes)
    failAccess(Finding::OutOfBounds, address, bytes, false, pc, inBlock());
  if (offset % bytes != 0)
    failAccess(Finding::Misaligned, address, bytes, false, pc, inBlock());
  Block &block = machine.blocks[rank];
  if (&block != t.block)
    block.remote[t.index] = {t.clock, pc, "reads shared memory of "};
  const Access access{block.sharedBase + offset, bytes, false, false, pc, "read by another block"};
  touchSharedCells<false>(blockCells(block), offset, t, access);
  return reinterpret_cast<const void *>(access.address);
}

void checkAtomic(uintptr_t address, unsigned bytes, uintptr_t pc) {
  const Access read{address, bytes, false, true, pc};
  const uintptr_t offset = address - machine.sharedBase;
  Region *region = findRegion(address);
  if (offset < machine.sharedBytes && machine.sharedCells[offset >> machine.sharedShift].write < machine.blockStart)
    reportUninitialised(read);
  if (region && region->written && !region->written->isSet(address - region->writtenBase, bytes))
    reportUninitialised(read);
  bytes == 4 ? checkAligned<4, true, true>(address, pc) : checkAligned<8, true, true>(address, pc);
}

void checkRange(uintptr_t address, uint64_t bytes, bool write, uintptr_t pc) {
  const uint64_t step = (address | bytes) % 4 == 0 ? 4 : 1;
  for (uint64_t at = 0; at < bytes; at += step)
    checkAccess(address + at, static_cast<unsigned>(step), write, pc);
}

} // namespace cupola::sim

using namespace cupola::sim;

#define CUPOLA_SIM_PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

#define CUPOLA_SIM_CALLBACKS(N)                                                                                        \
  void __tsan_read##N(uintptr_t p) { checkAligned<N, false>(p, CUPOLA_SIM_PC); }                                       \
  void __tsan_write##N(uintptr_t p) { checkAligned<N, true>(p, CUPOLA_SIM_PC); }                                       \
  void __tsan_unaligned_read##N(uintptr_t p) { checkRange(p, N, false, CUPOLA_SIM_PC); }                               \
  void __tsan_unaligned_write##N(uintptr_t p) { checkRange(p, N, true, CUPOLA_SIM_PC); }                               \
  void __tsan_read_write##N(uintptr_t p) {                                                                             \
    checkAligned<N, false>(p, CUPOLA_SIM_PC);                                                                          \
    checkAligned<N, true>(p, CUPOLA_SIM_PC);                                                                           \
  }                                                                                                                    \
  void __tsan_unaligned_read_write##N(uintptr_t p) {                                                                   \
    checkRange(p, N, false, CUPOLA_SIM_PC);                                                                            \
    checkRange(p, N, true, CUPOLA_SIM_PC);                                                                             \
  }

extern "C" {
CUPOLA_SIM_CALLBACKS(1)
CUPOLA_SIM_CALLBACKS(2)
CUPOLA_SIM_CALLBACKS(4)
CUPOLA_SIM_CALLBACKS(8)
CUPOLA_SIM_CALLBACKS(16)
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}

void *__tsan_memcpy(void *target, const void *source, size_t bytes) {
  checkRange(reinterpret_cast<uintptr_t>(source), bytes, false, CUPOLA_SIM_PC);
  checkRange(reinterpret_cast<uintptr_t>(target), bytes, true, CUPOLA_SIM_PC);
  return std::memcpy(target, source, bytes);
}
void *__tsan_memmove(void *target, const void *source, size_t bytes) {
  checkRange(reinterpret_cast<uintptr_t>(source), bytes, false, CUPOLA_SIM_PC);
  checkRange(reinterpret_cast<uintptr_t>(target), bytes, true, CUPOLA_SIM_PC);
  return std::memmove(target, source, bytes);
}
void *__tsan_memset(void *target, int value, size_t bytes) {
  checkRange(reinterpret_cast<uintptr_t>(target), bytes, true, CUPOLA_SIM_PC);
  return std::memset(target, value, bytes);
}
}
