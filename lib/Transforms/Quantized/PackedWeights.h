//===- lib/Transforms/Quantized/PackedWeights.h - weights of a few bits ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Models with weights of 4 or 8 bits store integers beside scales of blocks of the depth. A product reads them as they
// are and takes them apart as it goes: memory holds a quarter of what half precision needs, and weights are what a
// product of few rows waits for.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_PACKEDWEIGHTS_H
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_PACKEDWEIGHTS_H

#include "dialects/Graph/Graph.h"

#include <string>

namespace cupola {

/// Fewer are no burden to memory.
constexpr int64_t leastPackedBytes = 1024;

/// `value` is computed of constants alone, of which one holds many bytes.
bool isMadeOfBytes(mlir::Value value);

/// The same, but some of them gathers, by indices of any kind.
bool isMadeOfGatheredBytes(mlir::Value value);

/// Numbers of four bits, ui8, of bytes whose dimension `axis` has the extent 1: there the low bits come first, then the
/// high ones.
mlir::Value nibblesOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value bytes, int64_t axis);

/// What makes right operands of products in the block from bytes and is read by nothing else: it stays as it is.
llvm::DenseSet<mlir::Operation *> packedWeights(mlir::Block &body);

/// How weights [K, N] are packed, whatever their numbers and N are: those of one form can lie side by side. Empty where
/// nothing can be said.
std::string formOfPacked(mlir::Value weights);
/// Weights of one form as one: [K, n0], [K, n1], .. -> [K, n0 + n1 + ..].
mlir::Value joinPacked(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> weights);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_PACKEDWEIGHTS_H
