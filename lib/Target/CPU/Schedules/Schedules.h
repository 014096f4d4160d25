//===- lib/Target/CPU/Schedules/Schedules.h - how the threads of a CPU run a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A file per schedule: which of its parameters suit a kernel best. One schedule takes
// kernels with ordered steps, one those with a contraction, one all that are left.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_SCHEDULES_SCHEDULES_H
#define CUPOLA_LIB_TARGET_CPU_SCHEDULES_SCHEDULES_H

#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Status.h"
#include "lib/Target/CPU/CpuDialect.h"

namespace cupola::cpu {

// One file each.
NestAttr chooseNest(kernel::FuncOp func, const CpuArchitecture &isa);
/// Code::Internal where the contraction is none that readContraction knows.
Result<ContractionAttr> chooseContraction(kernel::FuncOp func, const CpuArchitecture &isa);

/// Code::Internal where readSteps knows no code for them.
Result<AttentionAttr> chooseAttention(kernel::FuncOp func, const CpuArchitecture &isa);

/// A multiple of `unit` of about `wanted`, such that blocks of it are about equal.
int64_t blockOf(const Expr &extent, int64_t unit, int64_t wanted);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_SCHEDULES_SCHEDULES_H
