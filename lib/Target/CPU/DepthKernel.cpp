//===- lib/Target/CPU/DepthKernel.cpp - the innermost tile of a contraction of few columns ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/DepthKernel.h"
#include "lib/Target/CPU/MicroKernel.h"

using namespace mlir;

namespace cupola::cpu {
namespace {

using Values = SmallVector<Value>;

struct Generator {
  Generator(OpBuilder &b, Location loc, const DepthKernel &shape, const CpuArchitecture &isa)
      : c(b, loc, isa, isa.lanesOf(elementBytes(shape.element))), shape(shape),
        vectorType(VectorType::get({static_cast<int64_t>(c.lanes)}, shape.element)) {}

  Code c;
  const DepthKernel &shape;
  VectorType vectorType;
  Value lhs, lhsStride, lhsRows, rhs, tile;
  Values lhsRow, distances; ///< where rows begin, and from a run to the next in elements

  Value zero() { return c.number(cast<TypedAttr>(c.b.getZeroAttr(vectorType))); }
  /// The first `count` lanes.
  Value lanesBelow(unsigned count) {
    SmallVector<bool> lanes(c.lanes, false);
    std::fill_n(lanes.begin(), count, true);
    return c.number(DenseElementsAttr::get(VectorType::get(vectorType.getShape(), c.b.getI1Type()), lanes));
  }

  Value load(Value pointer, unsigned count = 0) {
    const unsigned alignment = elementBytes(shape.element);
    if (count == 0)
      return LLVM::LoadOp::create(c.b, c.loc, vectorType, pointer, alignment);
    return LLVM::MaskedLoadOp::create(c.b, c.loc, vectorType, pointer, lanesBelow(count), zero(), alignment);
  }

  /// Rows that do not exist repeat the last one.
  void findRows() {
    const Value last = c.subi(lhsRows, c.i64(1));
    const Type i64 = c.b.getI64Type(), pointer = lhs.getType();
    for (unsigned i = 0; i < shape.rows; ++i) {
      const Value row = c.minsi(c.i64(i), last);
      if (!shape.runs) {
        lhsRow.push_back(c.address(lhs, c.muli(row, lhsStride), shape.element));
        continue;
      }
      const Value entry = c.address(lhs, c.muli(row, c.i64(2)), i64);
      lhsRow.push_back(LLVM::LoadOp::create(c.b, c.loc, pointer, entry, 8));
      distances.push_back(LLVM::LoadOp::create(c.b, c.loc, i64, c.address(entry, c.i64(1), i64), 8));
    }
  }

  /// Adds the products of vector k of a row's piece, which begins at vector `first` of the depth, and of which `count`
  /// elements exist; 0: all.
  Values depthStep(Value first, Value k, ValueRange sums, unsigned count = 0) {
    Values right, next;
    const Value column = c.muli(c.addi(first, k), c.i64(shape.columns));
    for (unsigned j = 0; j < shape.columns; ++j)
      right.push_back(load(c.address(rhs, c.addi(column, c.i64(j)), vectorType)));
    for (unsigned i = 0; i < shape.rows; ++i) {
      const Value left = load(c.address(lhsRow[i], k, vectorType), count);
      for (unsigned j = 0; j < shape.columns; ++j)
        next.push_back(c.fma(left, right[j], sums[i * shape.columns + j]));
    }
    return next;
  }

  Values zeros() { return Values(shape.rows * shape.columns, zero()); }

  Values sumsOfPiece(Value first, ValueRange init) {
    Values sums = c.forCount(c.i64(shape.vectors), init,
                             [&](Value k, ValueRange carried) { return depthStep(first, k, carried); });
    return shape.rest ? depthStep(first, c.i64(shape.vectors), sums, shape.rest) : sums;
  }

  Values sumsOfRuns() {
    Values init = zeros();
    const size_t count = init.size();
    llvm::append_range(init, lhsRow);
    Values all = c.forCount(c.i64(shape.runs), init, [&](Value run, ValueRange carried) {
      lhsRow.assign(carried.begin() + count, carried.end());
      Values next = sumsOfPiece(c.muli(run, c.i64(shape.vectors)), carried.take_front(count));
      for (auto [row, distance] : llvm::zip_equal(lhsRow, distances))
        next.push_back(c.address(row, distance, shape.element));
      return next;
    });
    all.resize(count);
    return all;
  }

  void emit() {
    findRows();
    const Value results = c.addLanes(shape.runs ? sumsOfRuns() : sumsOfPiece(c.i64(0), zeros()));
    const unsigned count = shape.rows * shape.columns, alignment = elementBytes(shape.element);
    if (count == c.lanes)
      LLVM::StoreOp::create(c.b, c.loc, results, tile, alignment);
    else // what follows of the tile is not this call's
      LLVM::MaskedStoreOp::create(c.b, c.loc, results, tile, lanesBelow(count), alignment);
    LLVM::ReturnOp::create(c.b, c.loc, ValueRange());
  }
};

std::string nameOf(const DepthKernel &shape) {
  std::string name = kMicroKernelPrefix;
  llvm::raw_string_ostream(name) << "depth_" << shape.element << "_" << shape.rows << "_" << shape.columns << "_rest"
                                 << shape.rest << "_vectors" << shape.vectors << "_runs" << shape.runs;
  return name;
}

} // namespace

LLVM::LLVMFuncOp depthKernel(ModuleOp module, const DepthKernel &shape, const CpuArchitecture &isa) {
  const std::string name = nameOf(shape);
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(module.getContext()), i64 = b.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), {pointer, i64, i64, pointer, pointer});
  auto function = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type, LLVM::Linkage::External);
  function.setVisibility_(LLVM::Visibility::Hidden); // between the objects of an image
  for (unsigned pointerArgument : {0, 3, 4})
    function.setArgAttr(pointerArgument, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(function.addEntryBlock(b));
  Generator generator(b, module.getLoc(), shape, isa);
  Value *arguments[] = {&generator.lhs, &generator.lhsStride, &generator.lhsRows, &generator.rhs, &generator.tile};
  for (auto [argument, value] : llvm::zip_equal(arguments, function.getArguments()))
    *argument = value;
  generator.emit();
  return function;
}

} // namespace cupola::cpu
