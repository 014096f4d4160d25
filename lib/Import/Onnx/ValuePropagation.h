//===- lib/Import/Onnx/ValuePropagation.h - compute with known values ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Shape arithmetic never becomes tensor code: where all operands are known (see
// Known.h) so is the result. Import functions ask here first. Everything is exact
// or not done; float constants round to their type after every step.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_VALUEPROPAGATION_H
#define CUPOLA_LIB_IMPORT_ONNX_VALUEPROPAGATION_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

// One element. `type` is that of the operands. nullopt: not decided.
std::optional<Scalar> computeUnary(graph::UnaryKind kind, const Scalar &value, Type type, const Ranges &ranges);
std::optional<Scalar> computeBinary(graph::BinaryKind kind, const Scalar &lhs, const Scalar &rhs, Type type,
                                    const Ranges &ranges);
std::optional<Scalar> computeCast(const Scalar &value, Type from, Type to, const Ranges &ranges);

/// A float as num / den, a constant if it has few binary places; nullopt if not. Integers stay.
std::optional<Scalar> asFraction(const Scalar &value);

/// Of two floats of which one is an integer >= 0 that is no constant, what of their product or quotient rounds.
std::optional<Scalar::Product> productOf(graph::BinaryKind kind, const Scalar &a, const Scalar &b, Type type,
                                         const Ranges &ranges);
/// The largest integer that is no larger than the product in f32, or the smallest that is no smaller, for extents up to
/// 2^16: 10 * 0.7 is 7 in f32, though 0.7 as a float is less than 7/10. nullopt: no fraction gives what f32 does.
std::optional<Expr> wholeProduct(const Scalar::Product &product, bool up);

// Whole tensors; nullopt where an operand or an element is not known.
std::optional<Known> foldUnary(const OpBinder &op, graph::UnaryKind kind, size_t operand = 0);
std::optional<Known> foldBinary(const OpBinder &op, graph::BinaryKind kind, size_t lhs = 0, size_t rhs = 1);
std::optional<Known> foldCast(const OpBinder &op, Type to);
std::optional<Known> foldSelect(const OpBinder &op);
std::optional<Known> foldReduce(const OpBinder &op, graph::ReduceKind kind, llvm::ArrayRef<int64_t> axes);

// Rearrangements of known tensors. The axes and extents have been checked.
std::optional<Known> reshapeKnown(const Known &source, llvm::ArrayRef<Expr> shape);
std::optional<Known> broadcastKnown(const Known &source, llvm::ArrayRef<Expr> shape);
Known transposeKnown(const Known &source, llvm::ArrayRef<int64_t> perm);
std::optional<Known> concatKnown(llvm::ArrayRef<const Known *> sources, int64_t axis);
/// result[i] = source[starts + i * steps]
std::optional<Known> sliceKnown(const Known &source, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps,
                                llvm::ArrayRef<int64_t> sizes);
/// `number` around it; negative amounts cut off.
std::optional<Known> padKnown(const Known &source, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                              const Scalar &number);
/// Indices must be constants in range.
std::optional<Known> gatherKnown(const Known &data, const Known &indices, int64_t axis);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_VALUEPROPAGATION_H
