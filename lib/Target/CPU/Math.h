//===- lib/Target/CPU/Math.h - transcendental functions that vectorise ---===//
// SPDX-License-Identifier: Apache-2.0
//
// f32: polynomials, without branches or calls, so that a loop over them vectorises.
// f64: the C library. The bounds in ulp (units in the last place of the exact value)
// hold for every f32 and are tested in test/Target/CPU. NaN gives NaN.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_MATH_H
#define CUPOLA_LIB_TARGET_CPU_MATH_H

#include "lib/Target/CPU/Code.h"

namespace cupola::cpu {

bool isDouble(mlir::Value x); ///< f64, or a vector of it

mlir::Value emitExp(Code &code, mlir::Value x);   ///< 2 ulp, denormal results included
mlir::Value emitExpm1(Code &code, mlir::Value x); ///< 3 ulp
mlir::Value emitLog(Code &code, mlir::Value x);   ///< 2 ulp, denormal arguments included
mlir::Value emitTanh(Code &code, mlir::Value x);  ///< 3 ulp
mlir::Value emitErf(Code &code, mlir::Value x);   ///< 3 ulp
mlir::Value emitSin(Code &code, mlir::Value x);   ///< 2 ulp; from 2^50 on the C library's
mlir::Value emitCos(Code &code, mlir::Value x);   ///< the same
mlir::Value emitAsin(Code &code, mlir::Value x);  ///< 2 ulp
mlir::Value emitAcos(Code &code, mlir::Value x);  ///< 2 ulp
mlir::Value emitAtan(Code &code, mlir::Value x);  ///< 2 ulp
/// log(1 + t) for t in [0, 1]; 3 ulp.
mlir::Value emitLog1p(Code &code, mlir::Value t);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_MATH_H
