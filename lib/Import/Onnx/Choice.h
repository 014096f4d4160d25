//===- lib/Import/Onnx/Choice.h - expressions that choose ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Elements of shape inputs have any value while compiling. What an op makes of a 0,
// of a negative number or of one of several axes is written with conditions: they
// are expressions that are 1 where they hold, else 0. None of them overflows at the
// ends of 64 bits, and all sides of a choice must have values.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_CHOICE_H
#define CUPOLA_LIB_IMPORT_ONNX_CHOICE_H

#include "lib/Planner/Expr.h"

#include "llvm/ADT/ArrayRef.h"

namespace cupola::onnx_import {

Expr isNegative(const Expr &e);
Expr isZero(const Expr &e);
inline Expr isEqual(const Expr &a, const Expr &b) { return isZero(a - b); }
inline Expr isNot(const Expr &condition) { return Expr(1) - condition; }
Expr choose(const Expr &condition, const Expr &then, const Expr &otherwise);
/// list[index], 0 outside of it.
Expr elementAt(llvm::ArrayRef<Expr> list, const Expr &index);
/// Within -2^61..2^61, so that extents can be added to it: places farther away mean the first or the last one.
Expr clipped(const Expr &e);
/// Of a step that is not 0: e / step, rounded up, at least 0.
Expr stepsTo(const Expr &e, const Expr &step);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_CHOICE_H
