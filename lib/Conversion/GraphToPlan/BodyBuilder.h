//===- lib/Conversion/GraphToPlan/BodyBuilder.h - one body of the host program ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_CONVERSION_GRAPHTOPLAN_BODYBUILDER_H
#define CUPOLA_LIB_CONVERSION_GRAPHTOPLAN_BODYBUILDER_H

#include "dialects/Graph/Graph.h"
#include "lib/Conversion/GraphToPlan/GraphToPlan.h"

#include <set>

namespace cupola {

class BodyBuilder;

/// What all bodies of a program share.
struct ProgramBuilder {
  mlir::ModuleOp module;
  const TargetKernels &kernels;
  WeightTable &weights;
  BodyBuilder *main = nullptr; ///< the outermost body, which has the init launches
  std::set<std::string> runSymbols;
  /// By weights, and the content of the kernel that packs them with its scalars: their place among the Init buffers.
  std::map<std::pair<std::vector<unsigned>, std::string>, unsigned> packed;
};

/// Makes the steps of a block of the graph, or of its end: what follows a branch or a loop whose results
/// have extents that nobody knows before becomes a body of its own, which is called then.
class BodyBuilder {
public:
  /// Steps go into `block`. `known`: the run symbols that have values when it is entered.
  BodyBuilder(ProgramBuilder &program, mlir::Block &block, std::set<std::string> known);

  mlir::Value addBuffer(plan::BufferKind kind, int64_t index, const Expr &bytes, mlir::Location loc);
  /// `buffer` holds `value`, which this body is handed.
  void define(mlir::Value value, mlir::Value buffer) { buffers[value] = buffer; }

  /// The ops from `first` to the end of its block. What the block returns goes to `results`, by position; null:
  /// it is there already.
  void build(mlir::Block::iterator first, llvm::SmallVector<mlir::Value> results);

  /// The buffer of a constant.
  mlir::Value weightBuffer(graph::ConstantOp constant);

private:
  bool isKnown(const Expr &expr) const;
  mlir::Value bufferOf(mlir::Value value);
  llvm::SmallVector<mlir::Value> buffersOf(mlir::ValueRange values);
  mlir::Value resultBuffer(mlir::Value value);
  mlir::Value ownBuffer(mlir::Value value);
  void place(mlir::Value value, mlir::Value buffer);
  bool isWrittenInPlace(mlir::Value value) const;

  void addLaunch(graph::FusionOp fusion);
  /// Of the last parameters of a kernel.
  mlir::Value workspace(const KernelWorkspace &part, mlir::ArrayAttr scalars, mlir::Location loc);
  llvm::SmallVector<mlir::Value> callBuffers(graph::FusionOp fusion);
  void pack(graph::FusionOp fusion, kernel::PackedAttr packed, mlir::ArrayAttr scalars,
            llvm::SmallVectorImpl<mlir::Value> &operands);
  plan::LaunchOp launch(mlir::Location location, llvm::StringRef kernel, mlir::ValueRange buffers,
                        mlir::ArrayAttr scalars);

  // Branches and loops (ControlToPlan.cpp)
  void addIf(graph::IfOp op);
  void addLoop(graph::LoopOp op);
  void addHost(graph::HostOp op);
  void addRest(mlir::Operation *last, std::set<std::string> after, llvm::ArrayRef<mlir::Value> results);

  ProgramBuilder &program;
  mlir::OpBuilder b;
  std::set<std::string> known;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<unsigned, mlir::Value> weightBuffers, packedBuffers;
  mlir::Value counterBuffer; ///< null: no launch of this body needs one
  /// By a rest: what it reads of the body around it, in the order of its parameters.
  llvm::SetVector<mlir::Value> captured;
};

/// Bytes of the memory that the tensor lies in.
Expr bytesOf(mlir::Value tensor);

} // namespace cupola

#endif // CUPOLA_LIB_CONVERSION_GRAPHTOPLAN_BODYBUILDER_H
