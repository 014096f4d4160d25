//===- lib/Target/CPU/CpuDialect.h - how a CPU runs a kernel: one attribute per schedule ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CPU_CPUDIALECT_H
#define CUPOLA_LIB_TARGET_CPU_CPUDIALECT_H

#include "dialects/Kernel/Kernel.h"
#include "lib/Runtime/Status.h"

namespace cupola {
struct CpuArchitecture;
namespace cpu {
struct KernelPlan;
} // namespace cpu
} // namespace cupola

#include "lib/Target/CPU/CpuDialect.h.inc"
#include "lib/Target/CPU/CpuEnums.h.inc"

#include "lib/Target/CPU/CpuAttrInterfaces.h.inc"

namespace cupola::cpu {
using Candidates = llvm::SmallVector<ScheduleInterface>;
} // namespace cupola::cpu

#define GET_ATTRDEF_CLASSES
#include "lib/Target/CPU/CpuAttrs.h.inc"

#endif // CUPOLA_LIB_TARGET_CPU_CPUDIALECT_H
