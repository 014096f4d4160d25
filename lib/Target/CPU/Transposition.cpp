//===- lib/Target/CPU/Transposition.cpp - squares of vectors, turned in registers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// As many vectors as one has lanes are loaded along `from` and transposed; then the body runs once per element of
// `from`, with its lanes along `to`. What was turned lies in scratch memory in between, so that the rows are a loop:
// a square at an edge has fewer of them. The first cache holds it, and short bodies are unrolled and read registers.

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using namespace cupola::kernel;
using arith::CmpIPredicate;

namespace cupola::cpu {

Emitter::Span Emitter::spanOf(unsigned loop, Value piece, int64_t tile) {
  const Expr &extent = plan.nest.extents[loop];
  const Value end = index(extent);
  if (std::optional<int64_t> known = extent.constant(); known && *known <= tile)
    return {plan.nest.vars[loop], extent, c.i64(0), end};
  const Value lower = c.muli(piece, c.i64(tile));
  return {plan.nest.vars[loop], extent, lower, c.minsi(end, c.addi(lower, c.i64(tile)))};
}

/// Tiles are whole vectors but for the last.
void Emitter::edgesOf(const Span &span, function_ref<void(Edge)> body) {
  const int64_t lanes = c.lanes;
  const bool isWhole = wholeVectors(span.extent);
  const Value length = c.subi(span.upper, span.lower);
  const Value end = isWhole ? span.upper : c.addi(span.lower, c.andi(length, c.i64(-lanes)));
  if (span.extent.constant().value_or(lanes) >= lanes)
    forLoop(span.lower, end, lanes, {}, [&](Value first, Carried) -> Values {
      body({first, nullptr});
      return {};
    });
  if (isWhole)
    return;
  atEdge(end, span.upper, {}, [&](Value rest) -> Values {
    body({end, rest});
    return {};
  });
}

void Emitter::withLanes(const std::string &var, Edge edge, function_ref<void()> body) {
  variables[var] = edge.first;
  vectorVar = var;
  mask = edge.count ? tailMask(edge.count) : nullptr;
  body();
  mask = nullptr;
  vectorVar.clear();
}

/// Rows that do not exist repeat the last one.
void Emitter::turn(const Transposition::Turned &turned, Edge from, Edge to) {
  LoadOp load = turned.load;
  const std::string &row = plan.nest.vars.back();
  const std::optional<int64_t> count = to.count ? getConstantIntValue(to.count) : c.lanes;
  const Value last = to.count ? c.subi(c.addi(to.first, to.count), c.i64(1)) : Value();
  Values vectors;
  withLanes(plan.nest.vars[plan.nest.parallel], from, [&] {
    for (int64_t i = 0; i < static_cast<int64_t>(c.lanes); ++i) {
      if (!count || i < *count) {
        const Value at = c.addi(to.first, c.i64(i));
        variables[row] = count ? at : c.minsi(at, last);
        emitLoad(load);
      }
      vectors.push_back(values.lookup(load));
    }
  });
  // Integers of the width in memory: what is half a float is not shuffled as one everywhere, nor is a bit.
  const Type element = load.getType(), bits = c.b.getIntegerType(8 * elementBytes(element));
  for (Value &vector : vectors)
    vector = element.isInteger(1) ? c.convert<arith::ExtUIOp>(vector, bits) : c.bitcast(vector, bits);
  c.transpose(vectors);
  for (auto [i, vector] : llvm::enumerate(vectors))
    LLVM::StoreOp::create(c.b, c.loc, vector, c.address(scratchAt(turned.offset), c.i64(i * c.lanes), bits),
                          elementBytes(element));
}

void Emitter::loadTurned(const Transposition::Turned &turned, Value row) {
  LoadOp load = turned.load;
  const Type element = load.getType(), storage = storageType(element);
  const Value at = c.address(scratchAt(turned.offset), c.muli(row, c.i64(c.lanes)), storage);
  const auto type = VectorType::get({static_cast<int64_t>(c.lanes)}, storage);
  Value vector = LLVM::LoadOp::create(c.b, c.loc, type, at, elementBytes(element));
  if (storage != valueType(element))
    vector = c.cmpi(CmpIPredicate::ne, vector, c.integer(0, vector));
  values[load.getResult()] = vector;
}

void Emitter::emitSquare(ArrayRef<Operation *> body, Edge from, Edge to) {
  const Transposition &transposition = *plan.nest.transposition;
  for (const Transposition::Turned &turned : transposition.turned)
    turn(turned, from, to);
  withLanes(plan.nest.vars.back(), to, [&] {
    forLoop(c.i64(0), from.count ? from.count : c.i64(c.lanes), 1, {}, [&](Value row, Carried) -> Values {
      variables[plan.nest.vars[plan.nest.parallel]] = c.addi(from.first, row);
      for (const Transposition::Turned &turned : transposition.turned)
        loadTurned(turned, row);
      for (Operation *op : body)
        emitOp(op);
      return {};
    });
  });
}

void Emitter::emitTransposition(ArrayRef<Value> iteration) {
  const Nest &nest = plan.nest;
  const Transposition &transposition = *nest.transposition;
  for (unsigned i = 0; i < nest.parallel; ++i)
    variables[nest.vars[i]] = iteration[i];
  const Levels levels = levelsOf(nest);
  for (Operation *op : levels[nest.parallel])
    emitOp(op);
  SmallVector<Operation *> body;
  for (Operation &op : *nest.body)
    if (!llvm::is_contained(levels[nest.parallel], &op) &&
        llvm::none_of(transposition.turned, [&](const auto &turned) { return turned.load == &op; }))
      body.push_back(&op);
  const bool isFromInner = transposition.inner == Side::From;
  const Value outer = iteration[nest.parallel], inner = iteration[nest.parallel + 1];
  const Span from = spanOf(nest.parallel, isFromInner ? inner : outer, transposition.fromTile);
  const Span to = spanOf(nest.parallel + 1, isFromInner ? outer : inner, transposition.toTile);
  edgesOf(isFromInner ? to : from, [&](Edge first) {
    edgesOf(isFromInner ? from : to,
            [&](Edge second) { emitSquare(body, isFromInner ? second : first, isFromInner ? first : second); });
  });
}

} // namespace cupola::cpu
