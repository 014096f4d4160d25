//===- lib/Sim/Access.h - Checking one access of the running thread ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_ACCESS_H
#define CUPOLA_LIB_SIM_ACCESS_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// Checks and logs an access of 1, 2, 4, 8 or 16 bytes that must be aligned to its size. Does not return if it must not
/// be carried out.
void checkAccess(uintptr_t address, unsigned bytes, bool write, uintptr_t pc);
void checkAtomic(uintptr_t address, unsigned bytes, uintptr_t pc);
/// A read of 16 bytes at the same place in block `rank` of the cluster. Returns where that is.
const void *checkClusterRead(uintptr_t address, uint32_t rank, uintptr_t pc);
/// An access of any size and alignment, of a memory copy say.
void checkRange(uintptr_t address, uint64_t bytes, bool write, uintptr_t pc);

/// Reports an access that would fault or corrupt memory, and ends the launch.
[[noreturn]] void failAccess(Finding finding, uintptr_t address, uint64_t bytes, bool write, uintptr_t pc,
                             const std::string &detail = "");

/// The running thread has not waited for the kernels before its own, which it must.
void reportEarlyAccess(uintptr_t address, uint64_t bytes, bool write, uintptr_t pc);

} // namespace cupola::sim

#endif
