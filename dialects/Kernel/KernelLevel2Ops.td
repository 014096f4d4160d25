//===- KernelLevel2Ops.td - level 2 of the kernel dialect (GPU) -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Included by KernelOps.td. How a GPU runs a kernel: distribution over threads,
// shared memory, copies, barriers, fragments.

#ifndef CUPOLA_DIALECTS_KERNEL_KERNELLEVEL2OPS_TD
#define CUPOLA_DIALECTS_KERNEL_KERNELLEVEL2OPS_TD

#endif // CUPOLA_DIALECTS_KERNEL_KERNELLEVEL2OPS_TD
