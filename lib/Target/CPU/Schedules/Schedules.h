//===- lib/Target/CPU/Schedules/Schedules.h - how the threads of a CPU run a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A file per schedule, with the methods of its attribute (CpuDialect.td): what its parameters
// may be, its candidates for a kernel, their cost, and what follows for the kernel. One schedule
// takes kernels with ordered steps, one those with a contraction, one those that transpose, one all that are left.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_SCHEDULES_SCHEDULES_H
#define CUPOLA_LIB_TARGET_CPU_SCHEDULES_SCHEDULES_H

#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/ScheduleAttr.h"

namespace cupola::cpu {

/// A multiple of `unit` of about `wanted`, such that blocks of it are about equal.
inline int64_t blockOf(const Expr &extent, int64_t unit, int64_t wanted) {
  wanted = llvm::alignTo(wanted, unit);
  std::optional<int64_t> known = extent.constant();
  if (!known)
    return wanted;
  int64_t blocks = std::max<int64_t>(1, (*known + wanted / 2) / wanted);
  return std::max<int64_t>(unit, llvm::alignTo((*known + blocks - 1) / blocks, unit));
}

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_SCHEDULES_SCHEDULES_H
