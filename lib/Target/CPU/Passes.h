//===- lib/Target/CPU/Passes.h - library calls, kernels to loops, loops to llvm ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CPU_PASSES_H
#define CUPOLA_LIB_TARGET_CPU_PASSES_H

#include "lib/Target/CPU/CpuDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cupola::cpu {

#define GEN_PASS_DECL
#include "lib/Target/CPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Target/CPU/Passes.h.inc"

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_PASSES_H
