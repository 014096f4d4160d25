//===- lib/Target/CPU/Elements.cpp - the ops of a loop's body ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/Scalars.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola::kernel;
using arith::CmpIPredicate;

namespace cupola::cpu {

Emitter::Values Emitter::lookup(ValueRange kernelValues) {
  return llvm::map_to_vector(kernelValues, [&](Value value) { return values.lookup(value); });
}

void Emitter::emitBlock(mlir::Block &body) {
  for (Operation &op : body)
    emitOp(&op);
}

Emitter::Values Emitter::emitYield(mlir::Block &body) {
  emitBlock(body);
  return lookup(body.getTerminator()->getOperands());
}

void Emitter::emitOp(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ForeachOp loop) { emitForeach(loop); })
      .Case([&](MapOp map) { emitMap(map); })
      .Case([&](kernel::ReduceOp reduce) { emitReduce(reduce); })
      .Case([&](kernel::ArgReduceOp reduce) { emitArgReduce(reduce); })
      .Case([&](kernel::LoadOp load) { emitLoad(load); })
      .Case([&](kernel::StoreOp store) { emitStore(store); })
      .Case([&](ExtractOp extract) { emitExtract(extract); })
      .Case([&](CheckedIndexOp check) { emitCheckedIndex(check); })
      .Case([&](KnownIndexOp known) { emitKnownIndex(known); })
      .Case([&](ApplyOp apply) {
        aliases[vars.name(apply)] = vars.read(apply.getExpr(), apply.getIndices()).substitute(aliases);
      })
      .Default([&](Operation *other) { emitScalar(other); });
}

static Value emitConstant(Code &c, kernel::ConstantOp op) {
  TypedAttr value = op.getValue();
  Type type = valueType(value.getType());
  if (auto real = dyn_cast<FloatAttr>(value); real && isa<IntegerType>(type)) // by its bits
    return c.number(IntegerAttr::get(type, real.getValue().bitcastToAPInt()));
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return c.number(IntegerAttr::get(type, integer.getValue()));
  return c.number(value);
}

void Emitter::emitScalar(Operation *op) {
  if (quantizations.isPart(op))
    return;
  if (const Quantization *found = quantizations.find(op)) {
    const Value number = emitQuantization(c, *found, values.lookup(found->input));
    values[op->getResult(0)] = emitCast(c, c.b.getI32Type(), op->getResult(0).getType(), number);
    return;
  }
  Values in = lookup(op->getOperands());
  auto result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](kernel::ConstantOp constant) { return emitConstant(c, constant); })
          .Case([&](UnaryOp unary) {
            return emitUnary(c, unary.getKind(), unary.getInput().getType(), in[0], unary.getAlpha().convertToDouble(),
                             unary.getBeta().convertToDouble());
          })
          .Case(
              [&](BinaryOp binary) { return emitBinary(c, binary.getKind(), binary.getLhs().getType(), in[0], in[1]); })
          .Case([&](kernel::SelectOp select) {
            auto range = select.getCondition().getDefiningOp<InRangeOp>();
            const std::optional<bool> chosen = range ? isKnown(range) : std::nullopt;
            return chosen ? in[*chosen ? 1 : 2] : c.select(in[0], in[1], in[2]);
          })
          .Case([&](kernel::CastOp cast) { return emitCast(c, cast.getInput().getType(), cast.getType(), in[0]); })
          .Case([&](kernel::BitcastOp bits) { return c.bitcast(in[0], valueType(bits.getType())); })
          .Case([&](IndexOp at) { return index(vars.read(at.getExpr(), at.getIndices())); })
          .Case([&](InRangeOp range) -> Value {
            Value all = conjunction(vars.read(range.getExprs(), range.getIndices())).all;
            return all ? all : arith::ConstantOp::create(c.b, c.loc, c.b.getBoolAttr(true)).getResult();
          })
          .Default([](Operation *) { return Value(); });
  if (result)
    values[op->getResult(0)] = result;
}

void Emitter::emitLoad(kernel::LoadOp op) {
  if (op.getOther() && isKnown(op) == false) {
    values[op.getResult()] = values.lookup(op.getOther());
    return;
  }
  auto view = op.getView().getType();
  Value base = buffers.lookup(op.getView());
  const Expr position = vars.read(op.getPosition(), op.getIndices());
  Address from = loadAddress(base, view.getElement(), position);
  Value other = op.getOther() ? values.lookup(op.getOther()) : Value();
  Condition condition = conjunction(vars.read(op.getMask(), op.getIndices()));
  // A load without a lane is slow, a trap inside of the processor, where no memory is.
  if (condition.uniform && (from.contiguous || from.step != 1))
    from.pointer = c.select(condition.uniform, from.pointer, base);
  values[op.getResult()] = load(from, view.getElement(), condition.all, other, view.getAccess() == Access::Read);
}

void Emitter::emitStore(kernel::StoreOp op) {
  if (isKnown(op) == false)
    return;
  auto view = op.getView().getType();
  Address to = address(buffers.lookup(op.getView()), view.getElement(), vars.read(op.getPosition(), op.getIndices()));
  // A position names no axis of one element; along it the only lane is the first one.
  to.contiguous |= !vectorVar.empty() && !to.isVector();
  store(values.lookup(op.getValue()), to, view.getElement(), conjunction(vars.read(op.getMask(), op.getIndices())).all);
}

void Emitter::emitExtract(ExtractOp op) {
  Value tile = op.getTile();
  Type element = op.getTile().getType().getElement();
  auto loadFrom = [&](Address from) { values[op.getResult()] = load(from, element, {}, {}, /*invariant=*/false); };
  if (tile == window.tile) {
    graph::Exprs point = vars.read(op.getPoint(), op.getIndices());
    Expr row = point[0] - Expr::symbol("window_row"), column = point[1] - Expr::symbol("window_column");
    return loadFrom(address(window.pointer, element, row * window.rowStride + column * window.columnStride));
  }
  if (auto stored = plan.tiles.find(tile); stored != plan.tiles.end())
    return loadFrom(tileAt(stored->second, element, plan.steps ? rowTilePosition(op) : tilePosition(vars, op)));

  auto map = tile.getDefiningOp<MapOp>();
  Aliases outer = aliases, inner = aliases;
  for (const auto &[var, at] : aliasesOf(vars, map, op))
    inner[var] = at.substitute(outer);
  aliases = inner;
  Values yielded = emitYield(map.getBody().front());
  aliases = outer;
  values[op.getResult()] = yielded[cast<OpResult>(tile).getResultNumber()];
}

//===----------------------------------------------------------------------===//
// Indices of the model
//===----------------------------------------------------------------------===//

void Emitter::raiseFlag(Value bad) {
  if (Code::isVector(bad)) {
    if (mask)
      bad = c.andi(bad, mask);
    bad = vector::ReductionOp::create(c.b, c.loc, vector::CombiningKind::OR, bad);
  }
  scf::IfOp::create(c.b, c.loc, bad, [&](OpBuilder &b, Location loc) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value flags = LLVM::LoadOp::create(b, loc, pointer, bindings);
    Value number = arith::TruncIOp::create(b, loc, b.getI32Type(), step);
    Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
    number = arith::AddIOp::create(b, loc, number, one);
    LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::umax, flags, number, LLVM::AtomicOrdering::monotonic);
    scf::YieldOp::create(b, loc);
  });
}

void Emitter::emitCheckedIndex(CheckedIndexOp op) {
  Type type = op.getValue().getType();
  // Unsigned values above the largest i64 are out of range as negative ones too small are.
  Value i = emitCast(c, type, c.b.getI64Type(), values.lookup(op.getValue()));
  Value extent = index(op.getExtent());
  Value zero = c.i64(0);
  Value isNegative = c.cmpi(CmpIPredicate::slt, i, zero);
  if (type.isUnsignedInteger())
    i = c.select(isNegative, extent, i);
  else
    i = c.select(isNegative, c.addi(i, extent), i);
  Value bad = c.ori(c.cmpi(CmpIPredicate::slt, i, zero), c.cmpi(CmpIPredicate::sge, i, extent));
  raiseFlag(op.getCondition() ? c.andi(bad, values.lookup(op.getCondition())) : bad);
  Value last = c.subi(extent, c.i64(1));
  variables[vars.name(op.getResult())] = c.maxsi(c.minsi(i, last), zero);
}

void Emitter::emitKnownIndex(KnownIndexOp op) {
  variables[vars.name(op.getResult())] =
      emitCast(c, op.getValue().getType(), c.b.getI64Type(), values.lookup(op.getValue()));
}

} // namespace cupola::cpu
