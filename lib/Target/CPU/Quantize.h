//===- lib/Target/CPU/Quantize.h - rounding to bytes in steps of a constant ---===//
// SPDX-License-Identifier: Apache-2.0
//
// cast(round(x / scale) + zero) to 8 bits, what QuantizeLinear becomes. A division takes as
// long as ten other instructions; where the scale is a constant two of them give the same bytes.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_QUANTIZE_H
#define CUPOLA_LIB_TARGET_CPU_QUANTIZE_H

#include "lib/Target/CPU/Code.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace cupola::cpu {

/// Of an f32 x: the integer nearest to x / scale, ties to even, between two bounds.
struct Rounding {
  /// x / scale is x * factor + x * rest, rounded behind each operation, as far as what it is rounded to is concerned.
  float factor, rest;
  /// Of the f32 with the same integer as the first, as the last bound: one that is as near to 0 as the scale says.
  float low, high;

  /// None where the two would differ somewhere, or the scale is too small, too large or not above 0.
  static std::optional<Rounding> of(float scale, int64_t first, int64_t last);

  /// The integer of an x that is a number.
  int64_t nearest(float x) const;
};

struct Quantization {
  mlir::Value input; ///< x, a value of the kernel
  Rounding rounding;
  int64_t zero;
  bool isUnsigned;       ///< the byte
  bool lessZero = false; ///< the result is the byte less the zero point
};

/// Those of a kernel, by the ops that they are the values of: the cast to a byte, one back to f32 and what takes the
/// zero point off again.
class Quantizations {
public:
  explicit Quantizations(kernel::FuncOp func);

  /// Null: the op's value is none.
  const Quantization *find(mlir::Operation *op) const;
  /// Whether the op is a part of one and nothing else reads it: it has no value of its own.
  bool isPart(mlir::Operation *op) const { return parts.contains(op); }

private:
  void add(kernel::CastOp cast, Quantization quantization);
  void addReader(kernel::CastOp cast, Quantization quantization);

  llvm::DenseMap<mlir::Operation *, Quantization> ends;
  llvm::DenseSet<mlir::Operation *> parts;
};

/// The value as an i32; the byte of a NaN is 0.
mlir::Value emitQuantization(Code &code, const Quantization &quantization, mlir::Value x);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_QUANTIZE_H
