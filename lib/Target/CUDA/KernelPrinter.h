//===- lib/Target/CUDA/KernelPrinter.h - a simt.func as text, statement by statement ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_KERNELPRINTER_H
#define CUPOLA_LIB_TARGET_CUDA_KERNELPRINTER_H

#include "lib/Target/CUDA/Print.h"

#include <set>

namespace cupola::cuda {

/// Prints one function. Control, registers and memory are in PrintKernel.cpp, what threads do together in
/// PrintTogether.cpp.
class KernelPrinter {
public:
  KernelPrinter(simt::FuncOp func, bool wide) : func(func), wide(wide), vars(func) {}

  std::string print(llvm::StringRef name);

private:
  void line(const llvm::Twine &content);
  void line(const llvm::Twine &content, unsigned level);
  void head(llvm::StringRef name);
  void parameters();
  /// "const i32 t = cu_tid(), b = cu_block();", along several axes bx, by, bz.
  void threadAndBlock();
  /// "const auto f0 = [](f32 x) -> f32 { .. };", each snippet that is called once.
  void snippets();
  /// Prints a block's ops; the names that they take are free behind it.
  void block(mlir::Block &ops);
  template <class Body> void braces(const llvm::Twine &head, Body body) {
    line(head + " {");
    ++depth;
    body();
    --depth;
    line("}");
  }
  /// Names an index value as its location does, or `fallback`; with a number where the name is taken.
  const std::string &name(mlir::Value index, llvm::StringRef fallback = "p");
  ExprText text();
  std::string expr(const Expr &e, mlir::ValueRange indices);
  std::string all(mlir::ArrayAttr conditions, mlir::ValueRange indices);
  const char *indexType() const;
  std::string operand(mlir::Value value);
  /// "r0[i][e]"
  std::string element(mlir::Value registers, mlir::ArrayAttr index, mlir::ValueRange indices);
  std::string define(mlir::Value value);
  void statement(mlir::Operation *op);
  std::string vectorType(simt::RegistersType type);
  /// "s2 + i"
  std::string at(mlir::Value memory, const Expr &position, mlir::ValueRange indices);
  /// The same, or "swizzled<128>(s2 + 512 * i, j)": what moves by whole groups of eight rows is outside.
  std::string address(mlir::Value memory, const Expr &position, mlir::ValueRange indices);
  /// An element of shared memory.
  std::string sharedElement(mlir::Value smem, const Expr &position, mlir::ValueRange indices);

  void print(kernel::ApplyOp op);
  void print(kernel::CallOp op);
  void print(simt::ForOp op);
  void print(simt::GuardOp op);
  void print(simt::LastBlockOp op);
  void print(simt::GridBarrierOp op);
  void print(simt::GridLeaveOp op);
  void print(simt::RegistersOp op);
  void print(simt::SmemOp op);
  void print(simt::AdvanceOp op);
  void print(kernel::LoadOp op);
  void print(kernel::StoreOp op);
  void print(simt::LoadVectorOp op);
  void print(simt::StoreVectorOp op);
  void print(kernel::IndexOp op);
  void print(kernel::InRangeOp op);
  void print(kernel::CheckedIndexOp op);
  void print(kernel::KnownIndexOp op);
  void print(simt::LoadSharedOp op);
  void print(simt::StoreSharedOp op);
  void print(simt::AsyncCopyOp op);
  void print(simt::AsyncPairOp op);
  void print(simt::LoadFragmentOp op);
  void print(simt::MmaLoadOp op);
  void print(simt::MmaOp op);
  void print(simt::MmaLoadPairOp op);
  void print(simt::MmaPackOp op);
  void print(simt::RoleOp op);
  void print(simt::ClusterRankOp op);
  void print(simt::WarpgroupOp op);
  void print(simt::MbarrierInitOp op);
  void print(simt::MbarrierExpectOp op);
  void print(simt::LoadClusterOp op);
  void print(simt::MbarrierArriveOp op);
  void print(simt::MbarrierWaitOp op);
  void print(simt::TensorMapAcquireOp op);
  void print(simt::TensorCopyOp op);
  void print(simt::WgmmaFenceOp op);
  void print(simt::WgmmaWaitOp op);
  void print(simt::WgmmaOp op);
  void print(simt::WgmmaFragmentsOp op);
  void print(simt::WgmmaPackOp op);
  void print(simt::WarpReduceOp op);
  void print(simt::BlockReduceOp op);

  simt::FuncOp func;
  bool wide;
  kernel::Variables vars;
  std::map<std::string, std::string> indexNames;          ///< symbol -> name
  std::set<std::string> taken;                            ///< names in scope
  llvm::DenseMap<mlir::Operation *, std::string> callees; ///< the function that prints a call's snippet
  std::string source;
  unsigned depth = 0, scalars = 0, arrays = 0, buffers = 0, places = 0;
  llvm::DenseMap<mlir::Value, std::string> names;
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_KERNELPRINTER_H
