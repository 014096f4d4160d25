//===- lib/Target/CUDA/OperandDigits.h - m and k of a convolution's left operand, taken apart ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_OPERANDDIGITS_H
#define CUPOLA_LIB_TARGET_CUDA_OPERANDDIGITS_H

#include "dialects/Kernel/Kernel.h"

namespace cupola::cuda {

/// A digit of m or of k.
struct Digit {
  std::string name;
  int64_t unit; ///< what the variable grows by with it
  Expr extent;
  int64_t stride = 0; ///< what the position grows by with it; not negative

  /// 0 where it is no number.
  int64_t count() const { return extent.constant().value_or(0); }
};

/// The left operand of a product, a plain load whose position is linear in the digits of m and k: images, rows and
/// columns of a convolution's result, taps and channels.
struct OperandDigits {
  kernel::LoadOp load;
  Expr base;                               ///< the position where all digits are 0: the same for the whole launch
  graph::Exprs masks;                      ///< over the names of the digits
  std::vector<Digit> m, k;                 ///< the one of unit 1 first
  std::map<std::string, int64_t> divisors; ///< of n0, n1, ..
};

/// The coefficient of a digit, which `e` loses; none where it is no number.
std::optional<int64_t> takeDigit(Expr &e, const std::string &digit);

/// None where the load is more than that, or the extent of k is no number.
std::optional<OperandDigits> operandDigits(kernel::FuncOp func, kernel::DotOp dot, kernel::Variables &vars);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_OPERANDDIGITS_H
