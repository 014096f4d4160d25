//===- dialects/Simt/Verify.h - what verifiers of the simt dialect share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_SIMT_VERIFY_H
#define CUPOLA_DIALECTS_SIMT_VERIFY_H

#include "dialects/Simt/Simt.h"

namespace cupola::simt {

/// All threads of each group of `threads` consecutive ones reach `op`, or none.
mlir::LogicalResult reachedTogether(mlir::Operation *op, int64_t threads);
/// Of the function that `op` is in; 0: in none.
int64_t blockThreads(mlir::Operation *op);

/// The registers hold what the memory does, in vectors of 1, 2, 4, 8 or 16 bytes.
mlir::LogicalResult access(mlir::Operation *op, RegistersType registers, mlir::Value memory);
/// Fragments of many vectors, scratch and sums are where they are without a swizzle.
mlir::LogicalResult isPlain(mlir::Operation *op, SmemType memory);

/// 0, 32, 64 or 128 bytes.
mlir::LogicalResult verifySwizzle(llvm::function_ref<mlir::InFlightDiagnostic()> error, int64_t swizzle);

} // namespace cupola::simt

#endif // CUPOLA_DIALECTS_SIMT_VERIFY_H
