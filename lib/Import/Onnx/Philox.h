//===- lib/Import/Onnx/Philox.h - random numbers by place -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Philox4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011), written in ops of the graph
// dialect. A number depends on the key, on the element's place in the result and on the iterations of the loops around
// it, and on nothing else: no order of threads, no device and no fusion changes it, and every run draws the same ones.
//
// The counter is [place, place >> 32, iteration of the innermost loop, those of the loops around that], the key is
// [seed, 0]. The nth node without a seed, n from 0 on, has the key [n, 1].
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_PHILOX_H
#define CUPOLA_LIB_IMPORT_ONNX_PHILOX_H

#include "lib/Import/Onnx/OpBinder.h"

#include <array>

namespace cupola::onnx_import {

class Philox {
public:
  /// The numbers of the elements of one tensor.
  Philox(OpBinder &op, llvm::ArrayRef<Expr> shape, std::optional<uint32_t> seed);

  /// In [0, 1), multiples of 2^-24 of word 0; of float64, multiples of 2^-53 of words 0 and 1.
  Value uniform(Type element) { return fraction(0, computed(element)); }
  /// With mean 0 and deviation 1, by Box and Muller: sqrt(-2 ln(1 - u)) cos(2 pi v), where u is of word 0 and v of word
  /// 1; of float64, of words 0 and 1 and of words 2 and 3.
  Value normal(Type element);
  /// In which numbers for results of a type are made: float32 or float64.
  static Type computed(Type element);

private:
  using Words = std::array<Value, 4>; ///< uint64 below 2^32

  Value whole(uint32_t value);
  Value binary(graph::BinaryKind kind, Value x, Value y) { return b.binary(kind, x, y); }
  Value high(Value word) { return binary(graph::BinaryKind::ShiftRight, word, whole(32)); }
  Value low(Value word) { return binary(graph::BinaryKind::BitwiseAnd, word, whole(0xFFFFFFFF)); }
  Words counter(llvm::ArrayRef<Expr> shape);
  Value iterations(llvm::ArrayRef<Expr> indices);
  Words round(const Words &words, uint32_t key0, uint32_t key1);
  Value fraction(size_t word, Type element);

  OpBinder &op;
  GraphBuilder &b;
  Words words;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_PHILOX_H
