//===- lib/Transforms/Fusion/Rules/Rule.h - what a rule of fusion is asked ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A rule is a row of the table in Rules.cpp: a name and functions of the types below, which
// a file of this folder defines. What a rule leaves to those after it, it does not answer.

#ifndef CUPOLA_LIB_TRANSFORMS_FUSION_RULES_RULE_H
#define CUPOLA_LIB_TRANSFORMS_FUSION_RULES_RULE_H

#include "lib/Transforms/Fusion/Formation.h"

#include <optional>

namespace cupola::fusion {

/// An op that may be computed inside the kernels that read it.
struct Candidate {
  const Formation &kernels;
  mlir::Operation *op;
  llvm::ArrayRef<Group *> readers; ///< of `reads`, at least one
  const Reads &reads;

  /// The one kernel that reads the op; null where there are more, or none but memory.
  Group *onlyReader() const { return readers.size() == 1 ? readers.front() : nullptr; }
};

/// An op and one that reads its result, directly or through views, once all kernels are formed.
struct Edge {
  Edge(const Formation &kernels, mlir::Operation *producer, mlir::Operation *consumer);

  const Formation &kernels;
  mlir::Operation *producer, *consumer;
  llvm::ArrayRef<Group *> makers; ///< kernels that compute the producer
  Group *from, *to;               ///< the first that computes the producer, the consumer; null: none
  bool isWithin;                  ///< `to` computes the producer, too
  const Refusal *refusal;         ///< why the producer is stored; null if no rule refused it
};

struct Decision {
  bool fused;
  llvm::StringRef reason; ///< of static storage, or of an attribute
};

/// It gathers matrices of an operand of the only product that reads it, whose index a block reads once: what it gathers
/// costs as much as other elements in memory.
bool choosesMatrices(const Candidate &candidate);

/// Which element of `value`, a result of something in `taken`, a point of the heroes' results becomes: these have a
/// symbol d0, d1, .. per dimension, whose range is added to `scope`, or 0 where there is one element.
graph::Exprs placeOf(mlir::Value value, const llvm::SetVector<mlir::Operation *> &taken, Ranges &scope);

bool movesLast(graph::TransposeOp transpose);
/// The last axis has as many channels as `mixedChannels` of the options says.
bool hasChannels(const Formation &kernels, mlir::Value value);
/// Vectors of channels have their indices and weights in common, others gather. To turn what is written takes far less.
bool turnsChannels(const Formation &kernels, graph::TransposeOp transpose);

//===--- The functions of a rule ---===//

/// Starts kernels, or extends those that rules above started. `rule`: the row's name, for what it refuses.
using Form = void(Formation &, llvm::StringRef rule);
/// Why a candidate is stored: the reason in words, which becomes the verdict of all edges to its readers.
using Refuse = std::optional<llvm::StringRef>(const Candidate &);
/// A view gets a kernel that writes it, although it could compose into its readers' addresses.
using StoreView = bool(const Formation &, mlir::Operation *view);
/// Whether an edge stays within a kernel, and why.
using Decide = std::optional<Decision>(const Edge &);

/// Keys and values that the model returns, too, become results of the kernel of their attention.
void keepOperands(Formation &kernels, Group &attention);

/// The kernel that is to compute and store a candidate that leaves the body; null if none is.
Group *keeperOf(const Candidate &candidate);

//===--- The table, read top to bottom ---===//

void formKernels(Formation &kernels);
/// The first rule that refuses the candidate, if any.
std::optional<Refusal> refuse(const Candidate &candidate);
bool storesView(const Formation &kernels, mlir::Operation *view);
/// Of the first rule that refused the producer or decides the edge, which is one of the table.
Verdict decide(const Edge &edge);

/// The verdicts of all edges, in program order of their consumers.
std::vector<Verdict> decideEdges(const Formation &kernels);

} // namespace cupola::fusion

#endif // CUPOLA_LIB_TRANSFORMS_FUSION_RULES_RULE_H
