//===- lib/Target/CUDA/PrintTogether.cpp - what threads do together, as CUDA C++ ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/KernelPrinter.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;
using graph::exprsOf;

namespace cupola::cuda {

/// A position in swizzled memory, in two: whole groups of eight rows, which no permutation changes, and the rest.
static std::pair<Expr, Expr> splitRows(const Expr &position, SmemType type) {
  const int64_t group = 8 * type.getSwizzle() / graph::byteSize(type.getElement());
  std::vector<Term> outer, inner;
  for (const Term &term : position.terms())
    (term.coefficient % group == 0 ? outer : inner).push_back(term);
  const int64_t rest = llvm::mod(position.offset(), static_cast<uint64_t>(group));
  return {Expr::fromTerms(std::move(outer), position.offset() - rest), Expr::fromTerms(std::move(inner), rest)};
}

std::string KernelPrinter::at(Value memory, const Expr &position, ValueRange indices) {
  return operand(memory) + " + " + expr(position, indices);
}

std::string KernelPrinter::address(Value memory, const Expr &position, ValueRange indices) {
  auto type = dyn_cast<SmemType>(memory.getType());
  if (!type || !type.getSwizzle())
    return at(memory, position, indices);
  const auto [rows, place] = splitRows(vars.read(position, indices), type);
  return "swizzled<" + std::to_string(type.getSwizzle()) + ">(" + names.lookup(memory) +
         (rows.isConstant(0) ? "" : " + " + text()(rows)) + ", " + text()(place) + ")";
}

std::string KernelPrinter::sharedElement(Value smem, const Expr &position, ValueRange indices) {
  if (cast<SmemType>(smem.getType()).getSwizzle())
    return "*" + address(smem, position, indices);
  return names.lookup(smem) + "[" + expr(position, indices) + "]";
}

void KernelPrinter::print(AsyncPairOp op) {
  const std::string count = expr(op.getCount(), op.getIndices());
  line("cp_async_pair(" + at(op.getSmem(), op.getTarget(), op.getIndices()) + ", " + operand(op.getView()) + " + " +
       expr(op.getPosition(), op.getIndices()) + ", " +
       (op.getMask().empty() ? count : all(op.getMask(), op.getIndices()) + " ? " + count + " : 0") + ");");
}

void KernelPrinter::print(LoadFragmentOp op) {
  line("ld_fragment<" + llvm::Twine(op.getWidth()) + ">(" + names.lookup(op.getFragment()) + ", " +
       at(op.getSmem(), op.getPosition(), op.getIndices()) + ", " + llvm::Twine(op.getStride()) + ");");
}

void KernelPrinter::print(MmaLoadOp op) {
  static constexpr const char *functions[] = {"mma_load_a", "mma_load_b", "mma_load_b_transposed",
                                              "mma_load_a_along_k"};
  const std::string function = functions[static_cast<int>(op.getOperand())];
  const std::string fragment = names.lookup(op.getFragment()), stride = std::to_string(op.getStride());
  const SmemType type = op.getSmem().getType();
  if (!type.getSwizzle())
    return line(function + "(" + fragment + ", " + at(op.getSmem(), op.getPosition(), op.getIndices()) + ", " + stride +
                ");");
  const auto [rows, place] = splitRows(vars.read(op.getPosition(), op.getIndices()), type);
  line(function + "<" + llvm::Twine(type.getSwizzle()) + ">(" + fragment + ", " + names.lookup(op.getSmem()) + " + " +
       text()(rows) + ", " + stride + (place.isConstant(0) ? "" : ", " + text()(place)) + ");");
}

void KernelPrinter::print(MmaLoadPairOp op) {
  auto when = [&](ArrayAttr conditions) {
    return ", " + (conditions.empty() ? "true" : all(conditions, op.getIndices()));
  };
  line(element(op.getFragment(), op.getIndex(), op.getIndices()) + " = mma_load_pair(" +
       at(op.getSmem(), op.getPosition(), op.getIndices()) + when(op.getFirst()) + when(op.getSecond()) + ");");
}

/// Of the header's function.
static std::string suffixOf(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
    return "";
  case MmaKind::I8:
    return "_bytes<i8, i8>";
  case MmaKind::UI8:
    return "_bytes<u8, u8>";
  case MmaKind::UI8I8:
    return "_bytes<u8, i8>";
  case MmaKind::I8UI8:
    return "_bytes<i8, u8>";
  case MmaKind::E4M3:
    return "_float8<f8e4m3fn, f8e4m3fn>";
  case MmaKind::E5M2:
    return "_float8<f8e5m2, f8e5m2>";
  case MmaKind::E4M3E5M2:
    return "_float8<f8e4m3fn, f8e5m2>";
  case MmaKind::E5M2E4M3:
    return "_float8<f8e5m2, f8e4m3fn>";
  default:
    return ("_" + stringifyMmaKind(kind)).str();
  }
}

void KernelPrinter::print(MmaOp op) {
  const bool isWhole = op.getAcc().getType().getExtents()[1] == op.getB().getType().getExtents()[0];
  const std::string kind = suffixOf(op.getKind());
  line(llvm::Twine(isWhole ? "warp_mma_tile" : "warp_mma_columns") + kind + "(" + names.lookup(op.getAcc()) + ", " +
       names.lookup(op.getA()) + ", " + names.lookup(op.getB()) +
       (isWhole ? std::string() : ", " + std::to_string(op.getFirst())) + ");");
}

void KernelPrinter::print(MmaPackOp op) {
  line(llvm::Twine("mma_pack_a<") + (op.getBf16() ? "bf16" : "f16") + ">(" + names.lookup(op.getFragment()) + ", " +
       names.lookup(op.getAcc()) + ", " + expr(op.getStep(), op.getIndices()) + ");");
}

void KernelPrinter::print(RoleOp op) {
  const std::string &t = indexNames[vars.name(func.getThreadIndex())];
  std::string from = op.getFrom() == 0 ? "" : t + " >= " + std::to_string(op.getFrom());
  std::string to = op.getFrom() != 0 && op.getTo() == func.getThreads() ? "" : t + " < " + std::to_string(op.getTo());
  braces("if (" + from + (from.empty() || to.empty() ? "" : " && ") + to + ")", [&] {
    if (op.exchangesRegisters())
      line(llvm::Twine(op.givesRegisters() ? "give" : "take") + "_registers<" + llvm::Twine(op.getRegisters()) +
           ">();");
    block(op.getBody().front());
  });
}

void KernelPrinter::print(LastBlockOp op) {
  braces("if (cu_last_block(" + at(op.getCounters(), op.getPosition(), op.getIndices()) + ", " +
             expr(op.getBlocks(), op.getIndices()) + ", " + names.lookup(op.getScratch()) + "))",
         [&] { block(op.getBody().front()); });
}

void KernelPrinter::print(GridBarrierOp op) {
  line("cu_grid_barrier(" + names.lookup(op.getCounters()) + ", " + expr(op.getArrivals(), op.getIndices()) + ");");
}

void KernelPrinter::print(GridLeaveOp op) {
  line("cu_grid_leave(" + names.lookup(op.getCounters()) + ", " + expr(op.getArrivals(), op.getIndices()) + ");");
}

void KernelPrinter::print(ClusterRankOp op) {
  line("const " + llvm::Twine(indexType()) + " " + name(op.getResult(), "rank") + " = cluster_rank();");
}

void KernelPrinter::print(WarpgroupOp op) {
  line("const " + llvm::Twine(indexType()) + " " + name(op.getResult(), "wg") + " = cu_warpgroup();");
}

void KernelPrinter::print(MbarrierInitOp op) {
  line("mbarrier_init(" + at(op.getBarriers(), op.getPosition(), op.getIndices()) + ", " +
       llvm::Twine(op.getArrivals()) + ");");
}

void KernelPrinter::print(MbarrierExpectOp op) {
  line("mbarrier_expect(" + at(op.getBarriers(), op.getPosition(), op.getIndices()) + ", " +
       llvm::Twine(op.getBytes()) + ");");
}

void KernelPrinter::print(LoadClusterOp op) {
  line(names.lookup(op.getRegisters()) + " = ld_cluster_vec" + vectorType(op.getRegisters().getType()) + "(" +
       at(op.getSmem(), op.getPosition(), op.getIndices()) + ", " + expr(op.getRank(), op.getIndices()) + ");");
}

void KernelPrinter::print(MbarrierArriveOp op) {
  line("mbarrier_arrive(" + at(op.getBarriers(), op.getPosition(), op.getIndices()) + ", " +
       expr(op.getRank(), op.getIndices()) + ");");
}

void KernelPrinter::print(MbarrierWaitOp op) {
  line("mbarrier_wait(" + at(op.getBarriers(), op.getPosition(), op.getIndices()) + ", " +
       expr(op.getParity(), op.getIndices()) + ");");
}

void KernelPrinter::print(TensorMapAcquireOp op) { line("tensor_map_acquire(map" + llvm::Twine(op.getMap()) + ");"); }

void KernelPrinter::print(TensorCopyOp op) {
  auto list = [&](ArrayAttr exprs, StringRef type) {
    std::string text;
    for (const Expr &e : exprsOf(exprs))
      text += ((text.empty() ? "{" : ", ") + type + "(" + expr(e, op.getIndices()) + ")").str();
    return text + "}, ";
  };
  const bool hasTaps = !op.getTaps().empty();
  line(llvm::Twine(hasTaps          ? "tensor_copy_window("
                   : op.getBlocks() ? "tensor_copy_multicast("
                                    : "tensor_copy(") +
       at(op.getSmem(), op.getTarget(), op.getIndices()) + ", map" + llvm::Twine(op.getMap()) + ", " +
       list(op.getCoordinates(), "i32") + (hasTaps ? list(op.getTaps(), "u32") : std::string()) +
       at(op.getBarriers(), op.getBarrier(), op.getIndices()) +
       (op.getBlocks() ? ", " + std::to_string(op.getBlocks()) : std::string()) + ");");
}

void KernelPrinter::print(WgmmaFenceOp op) {
  line("wgmma_fence(" + names.lookup(op.getAcc()) +
       (op.getFragments() ? ", " + names.lookup(op.getFragments()) : std::string()) + ");");
}

void KernelPrinter::print(WgmmaWaitOp op) {
  line("wgmma_wait<" + llvm::Twine(op.getPending()) + ">(" + names.lookup(op.getAcc()) + ");");
}

void KernelPrinter::print(WgmmaOp op) {
  auto behind = [&](const Expr &position) { return ", " + expr(floorDiv(position, 8), op.getIndices()); };
  const std::string steps = op.getSteps() == 1 ? "" : "<" + std::to_string(op.getSteps()) + ">";
  line(llvm::Twine(op.getGroup() ? "wgmma_transposed" : "wgmma") + steps + "(" + names.lookup(op.getAcc()) + ", " +
       names.lookup(op.getA()) + ", " + names.lookup(op.getB()) +
       (op.getGroup() ? ", " + std::to_string(op.getGroup()) : std::string()) + behind(op.getPositionA()) +
       behind(op.getPositionB()) + ");");
}

void KernelPrinter::print(WgmmaFragmentsOp op) {
  line(llvm::Twine(op.getTransposed() ? "wgmma_fragments_transposed" : "wgmma_fragments") +
       (op.getSets() ? "<false>(" : "(") + names.lookup(op.getAcc()) + ", " + names.lookup(op.getA()) + ", " +
       names.lookup(op.getB()) + ", " + llvm::Twine(op.getGroup()) + ", " +
       expr(floorDiv(graph::exprOf(op.getPositionAttr()), 8), op.getIndices()) + ");");
}

void KernelPrinter::print(WgmmaPackOp op) {
  line(llvm::Twine("wgmma_pack<") + (op.getBf16() ? "bf16" : "f16") + ">(" + names.lookup(op.getFragments()) + ", " +
       names.lookup(op.getAcc()) + ");");
}

void KernelPrinter::print(WarpReduceOp op) {
  std::string lanes = op.getLanes() == 32 ? "" : "<" + std::to_string(op.getLanes()) + ">";
  line(define(op.getResult()) + (lanes.empty() ? "warp_" : "lanes_") + graph::stringifyReduceKind(op.getKind()) +
       lanes + "(" + operand(op.getValue()) + ");");
}

void KernelPrinter::print(BlockReduceOp op) {
  line(define(op.getResult()) + "block_" + graph::stringifyReduceKind(op.getKind()) + "<" +
       llvm::Twine(func.getThreads()) + ">(" + operand(op.getValue()) + ", " + names.lookup(op.getScratch()) + ");");
}

} // namespace cupola::cuda
