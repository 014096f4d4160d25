//===- lib/Target/CPU/MicroKernel.cpp - the innermost tile of a contraction ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/MicroKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace cupola::cpu {
namespace {

using Values = SmallVector<Value>;
constexpr int64_t kLine = 64;

struct Generator {
  Generator(OpBuilder &b, Location loc, const MicroKernel &shape, const CpuArchitecture &isa)
      : c(b, loc, isa, isa.lanesOf(elementBytes(shape.element))), shape(shape), mostRows(isa.tileRows / 2),
        rows(shape.rows), vectorType(VectorType::get({static_cast<int64_t>(c.lanes)}, valueType(shape.element))) {}

  Code c;
  const MicroKernel &shape;
  const unsigned mostRows; ///< at a time, with blocks
  unsigned firstRow = 0, rows;
  VectorType vectorType;
  Value lhs, lhsStride, lhsRows, rhs, rhsStride, depth, tile, accumulate, columns, ahead;
  Value starts, columnScales, rowScales, rowScaleStride;
  Value lastMask, runFirst; ///< null: a row has no runs
  Values lhsRow;

  Type element() { return vectorType.getElementType(); }

  Value loadVector(Value pointer, Value lanes = {}) {
    unsigned alignment = elementBytes(shape.element);
    if (!lanes)
      return LLVM::LoadOp::create(c.b, c.loc, vectorType, pointer, alignment);
    Value zero = c.number(cast<TypedAttr>(c.b.getZeroAttr(vectorType)));
    return LLVM::MaskedLoadOp::create(c.b, c.loc, vectorType, pointer, lanes, zero, alignment);
  }

  /// Rows that do not exist repeat the last one.
  Value rowAt(unsigned i) { return c.minsi(c.i64(firstRow + i), c.subi(lhsRows, c.i64(1))); }

  void findRows() {
    for (unsigned i = 0; i < rows; ++i)
      lhsRow.push_back(c.address(lhs, c.muli(rowAt(i), lhsStride),
                                 shape.unit == 1 ? element() : c.b.getIntegerType(32 / shape.unit)));
  }

  Value runAt(unsigned i) { return c.address(lhs, c.muli(rowAt(i), c.i64(2)), c.b.getI64Type()); }

  void findFirstRuns() {
    for (unsigned i = 0; i < rows; ++i)
      lhsRow.push_back(LLVM::LoadOp::create(c.b, c.loc, lhs.getType(), runAt(i), 8));
  }

  void findMask() {
    if (!shape.masked)
      return;
    Value count = c.subi(columns, c.i64((shape.vectors - 1) * c.lanes));
    SmallVector<int32_t> lanes = llvm::to_vector(llvm::seq<int32_t>(0, c.lanes));
    Value limit = arith::TruncIOp::create(c.b, c.loc, c.b.getI32Type(), count);
    lastMask = c.cmpi(arith::CmpIPredicate::slt, c.number(c.b.getI32VectorAttr(lanes)), limit);
  }

  Value asVector(Value words, unsigned bits) {
    const int64_t count = static_cast<int64_t>(c.lanes) * 32 / bits;
    return LLVM::BitcastOp::create(c.b, c.loc, VectorType::get({count}, c.b.getIntegerType(bits)), words);
  }

  Value call(StringRef intrinsic, ValueRange operands) {
    const std::string name = ("llvm.x86." + intrinsic).str();
    return LLVM::CallIntrinsicOp::create(c.b, c.loc, vectorType, c.b.getStringAttr(name), operands).getResult(0);
  }

  /// Sums of the products of neighbouring i16. With the extension LLVM makes one instruction of this and what adds it.
  Value multiplyPairs(Value a, Value x) {
    return call(c.lanes == 16 ? "avx512.pmaddw.d.512" : "avx2.pmadd.wd", {asVector(a, 16), asVector(x, 16)});
  }

  /// Vectors of words of bytes as those of i16: the even bytes, and the odd ones.
  Values halvesOf(Value words, bool isSigned) {
    Value halves = asVector(words, 16), eight = c.integer(8, halves);
    const auto upper = [&](Value half) {
      return isSigned ? c.binary<arith::ShRSIOp>(half, eight) : c.binary<arith::ShRUIOp>(half, eight);
    };
    Value odd = upper(halves);
    return {upper(c.binary<arith::ShLIOp>(halves, eight)), odd};
  }

  /// What the products of an element are made of: itself, or both halves where bytes have no instruction that is exact.
  Values partsOf(Value words, bool isRight) {
    return shape.unit == 4 && !shape.extended ? halvesOf(words, isRight == isRightSigned()) : Values{words};
  }

  /// One side has a sign.
  bool isRightSigned() { return shape.block == 0; }

  Value multiplyAdd(ValueRange a, ValueRange x, Value sum) {
    if (shape.unit == 4 && shape.extended) {
      Value left = asVector(a[0], 8), right = asVector(x[0], 8); // the instruction has the signed one last
      return call(c.lanes == 16 ? "avx512.vpdpbusd.512" : "avx512.vpdpbusd.256",
                  isRightSigned() ? Values{sum, left, right} : Values{sum, right, left});
    }
    if (shape.unit != 1) {
      for (auto [left, right] : llvm::zip_equal(a, x))
        sum = c.addi(multiplyPairs(left, right), sum);
      return sum;
    }
    if (isa<FloatType>(element()))
      return c.fma(a[0], x[0], sum);
    return c.addi(c.muli(a[0], x[0]), sum);
  }

  /// Both of the numbers of four bits in each byte of words, as bytes.
  std::pair<Value, Value> numbersOf(Value words) {
    const Value mask = c.integer(0x0f0f0f0f, words), upper = c.binary<arith::ShRUIOp>(words, c.integer(4, words));
    return {c.andi(words, mask), c.andi(upper, mask)};
  }

  Values depthStep(Value k, ValueRange sums) {
    const Value place = runFirst ? c.addi(runFirst, k) : k;
    Value row = c.address(rhs, c.muli(place, rhsStride), element());
    Values right;
    if (shape.prefetches && firstRow == 0) {
      Value line = c.address(ahead, c.muli(place, c.i64(kLine)), c.b.getI8Type());
      LLVM::Prefetch::create(c.b, c.loc, line, /*rw=*/0, /*hint=*/2, /*cache=*/1);
    }
    for (unsigned j = 0; j < shape.vectors; ++j)
      right.push_back(
          loadVector(c.address(row, c.i64(j * c.lanes), element()), j + 1 == shape.vectors ? lastMask : Value()));
    if (!shape.nibbles)
      return multiplyRows(k, right, sums);
    Values low, high;
    for (Value words : right) {
      const auto [first, second] = numbersOf(words);
      low.push_back(first);
      high.push_back(second);
    }
    const Value first = c.muli(k, c.i64(2));
    const Values half = multiplyRows(first, low, sums);
    return multiplyRows(c.addi(first, c.i64(1)), high, half);
  }

  /// Element k of each row by what all columns have there.
  Values multiplyRows(Value k, ValueRange columns, ValueRange sums) {
    const auto right = llvm::map_to_vector(columns, [&](Value words) { return partsOf(words, true); });
    Values next;
    for (unsigned i = 0; i < rows; ++i) {
      Value left = LLVM::LoadOp::create(c.b, c.loc, element(), c.address(lhsRow[i], k, element()),
                                        elementBytes(shape.element) / shape.unit);
      const Values parts = partsOf(c.splat(left), false);
      for (unsigned j = 0; j < shape.vectors; ++j)
        next.push_back(multiplyAdd(parts, right[j], sums[i * shape.vectors + j]));
    }
    return next;
  }

  void writeTile(ValueRange sums, bool adds) {
    const Type type = sums[0].getType(), number = cast<VectorType>(type).getElementType();
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < shape.vectors; ++j) {
        Value at = c.address(tile, c.i64((firstRow + i) * shape.tileStride + j * c.lanes), number);
        Value sum = sums[i * shape.vectors + j];
        if (adds) {
          const Value before = LLVM::LoadOp::create(c.b, c.loc, type, at, elementBytes(shape.element));
          sum = isa<FloatType>(number) ? c.addf(before, sum) : c.addi(before, sum);
        }
        LLVM::StoreOp::create(c.b, c.loc, sum, at, elementBytes(shape.element));
      }
  }

  void emit() {
    if (shape.block) {
      emitBlocks();
    } else {
      shape.run ? findFirstRuns() : findRows();
      findMask();
      emitSums();
    }
    LLVM::ReturnOp::create(c.b, c.loc, ValueRange());
  }

  void emitSums() {
    Value zero = c.number(cast<TypedAttr>(c.b.getZeroAttr(vectorType)));
    Values init(rows * shape.vectors, zero);
    if (shape.depth)
      depth = c.i64(shape.depth);
    writeTotals(shape.run ? sumsOfRuns(init) : sumsOf(depth, init));
  }

  Values sumsOf(Value steps, ValueRange init) {
    return c.forCount(steps, init, [&](Value k, ValueRange sums) { return depthStep(k, sums); });
  }

  /// Distances from a run to the next are read again: pointers need the registers.
  Values sumsOfRuns(Values init) {
    const size_t count = init.size();
    const Type i64 = c.b.getI64Type();
    const Value run = c.i64(shape.run);
    llvm::append_range(init, lhsRow);
    Values all = c.forCount(c.binary<arith::DivUIOp>(depth, run), init, [&](Value i, ValueRange carried) {
      lhsRow.assign(carried.begin() + count, carried.end());
      runFirst = c.muli(i, run);
      Values next = sumsOf(run, carried.take_front(count));
      for (auto [row, pointer] : llvm::enumerate(lhsRow)) {
        const Value distance = LLVM::LoadOp::create(c.b, c.loc, i64, c.address(runAt(row), c.i64(1), i64), 8);
        next.push_back(c.address(pointer, distance, element()));
      }
      return next;
    });
    all.resize(count);
    return all;
  }

  //===--- Blocks: sums of one and of all of the depth are both in registers, for half of the rows at a time ---===//

  VectorType floatType() { return VectorType::get(vectorType.getShape(), c.b.getF32Type()); }
  Value loadFloats(Value pointer) { return LLVM::LoadOp::create(c.b, c.loc, floatType(), pointer, 4); }

  void emitBlocks() {
    for (; firstRow < shape.rows; firstRow += rows) {
      rows = std::min(mostRows, shape.rows - firstRow);
      lhsRow.clear();
      findRows();
      const Value zero = c.number(cast<TypedAttr>(c.b.getZeroAttr(floatType())));
      const Value blocks = c.binary<arith::DivUIOp>(depth, c.i64(shape.block));
      const Values totals = c.forCount(blocks, Values(rows * shape.vectors, zero),
                                       [&](Value block, ValueRange carried) { return addBlock(block, carried); });
      writeTotals(totals);
    }
  }

  /// What a block has for a row, in all lanes.
  Value ofRow(Value from, unsigned row, Value block, Type type) {
    Value at = c.address(from, c.addi(c.muli(rowAt(row), rowScaleStride), block), type);
    return c.splat(LLVM::LoadOp::create(c.b, c.loc, type, at, /*alignment=*/4));
  }

  /// The integers of a block: each begins with the start of its row.
  Values sumsOfBlock(Value block) {
    Values init;
    for (unsigned i = 0; i < rows; ++i)
      init.append(shape.vectors, ofRow(starts, i, block, element()));
    const int64_t steps = shape.nibbles ? shape.block / 2 : shape.block;
    const Value first = c.muli(block, c.i64(steps));
    return c.forCount(c.i64(steps), init,
                      [&](Value k, ValueRange carried) { return depthStep(c.addi(first, k), carried); });
  }

  Values addBlock(Value block, ValueRange totals) {
    const Type number = c.b.getF32Type();
    const Value row = c.muli(block, c.i64(shape.tileStride));
    const Values sums = sumsOfBlock(block);
    Values scales, next;
    for (unsigned j = 0; j < shape.vectors; ++j)
      scales.push_back(loadFloats(c.address(columnScales, c.addi(row, c.i64(j * c.lanes)), number)));
    for (unsigned i = 0; i < rows; ++i) {
      const Value scale = ofRow(rowScales, i, block, number);
      for (unsigned j = 0; j < shape.vectors; ++j) {
        const Value sum = arith::SIToFPOp::create(c.b, c.loc, floatType(), sums[i * shape.vectors + j]);
        next.push_back(c.fma(sum, c.mulf(scale, scales[j]), totals[i * shape.vectors + j]));
      }
    }
    return next;
  }

  void writeTotals(ValueRange totals) {
    const Value adds = c.cmpi(arith::CmpIPredicate::ne, accumulate, c.i64(0));
    const auto branch = [&](bool add) {
      return [&, add](OpBuilder &b, Location loc) {
        writeTile(totals, add);
        scf::YieldOp::create(b, loc);
      };
    };
    scf::IfOp::create(c.b, c.loc, adds, branch(true), branch(false));
  }
};

std::string nameOf(const MicroKernel &shape) {
  std::string type;
  llvm::raw_string_ostream(type) << shape.element;
  return kMicroKernelPrefix + type + "_" + std::to_string(shape.rows) + "_" + std::to_string(shape.vectors) + "_" +
         std::to_string(shape.tileStride) + (shape.unit == 1 ? "" : "_by" + std::to_string(shape.unit)) +
         (shape.run ? "_run" + std::to_string(shape.run) : "") +
         (shape.block ? "_block" + std::to_string(shape.block) : "") + (shape.nibbles ? "_nibbles" : "") +
         (shape.extended ? "_extended" : "") + (shape.masked ? "_masked" : "") + (shape.prefetches ? "_ahead" : "") +
         (shape.depth ? "_depth" + std::to_string(shape.depth) : "");
}

} // namespace

LLVM::LLVMFuncOp microKernel(ModuleOp module, const MicroKernel &shape, const CpuArchitecture &isa) {
  std::string name = nameOf(shape);
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
  SmallVector<Type> types{pointer, i64, i64, pointer, i64, i64, pointer, i64, i64, pointer};
  if (shape.block)
    types.append({pointer, pointer, pointer, i64});
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  auto function = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type, LLVM::Linkage::External);
  function.setVisibility_(LLVM::Visibility::Hidden); // between the objects of an image
  if (shape.extended)
    function.setTargetFeaturesAttr(LLVM::TargetFeaturesAttr::get(context, ArrayRef<StringRef>{isa.dots.feature}));
  for (unsigned pointerArgument : {0, 3, 6})
    function.setArgAttr(pointerArgument, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(function.addEntryBlock(b));
  Generator generator(b, module.getLoc(), shape, isa);
  Value *arguments[] = {&generator.lhs,       &generator.lhsStride,     &generator.lhsRows, &generator.rhs,
                        &generator.rhsStride, &generator.depth,         &generator.tile,    &generator.accumulate,
                        &generator.columns,   &generator.ahead,         &generator.starts,  &generator.columnScales,
                        &generator.rowScales, &generator.rowScaleStride};
  for (auto [argument, value] : llvm::zip(arguments, function.getArguments()))
    *argument = value;
  generator.emit();
  return function;
}

std::vector<OwningOpRef<ModuleOp>> takeMicroKernels(ModuleOp module, function_ref<bool(StringRef)> isWanted) {
  std::vector<OwningOpRef<ModuleOp>> taken;
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>())) {
    if (!function.getName().starts_with(kMicroKernelPrefix))
      continue;
    if (isWanted(function.getName())) {
      taken.push_back(ModuleOp::create(module.getLoc()));
      OpBuilder::atBlockEnd(taken.back()->getBody()).clone(*function);
    }
    function.getBody().getBlocks().clear();
  }
  return taken;
}

} // namespace cupola::cpu
