//===- lib/Target/CPU/Loads.cpp - what lanes read, wherever it lies ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace cupola::cpu {

/// Constants of a vector at these places, 0 at those behind it.
static Value constantsAt(Code &c, DenseElementsAttr all, ArrayRef<int32_t> places) {
  const auto values = llvm::to_vector(all.getValues<APInt>());
  const auto chosen = llvm::map_to_vector(places, [&](int32_t place) {
    return place < static_cast<int32_t>(values.size()) ? values[place] : APInt::getZero(values[0].getBitWidth());
  });
  const auto type = VectorType::get({static_cast<int64_t>(places.size())}, all.getElementType());
  return c.number(DenseElementsAttr::get(type, chosen));
}

/// Lanes of a vector at these places, false at those behind it, in a form that folds where they are known: comparing
/// with other constants takes one instruction, and moving lanes of a mask several.
static Value lanesAt(Code &c, Value whole, ArrayRef<int32_t> places) {
  const auto count = static_cast<int32_t>(cast<VectorType>(whole.getType()).getNumElements());
  const auto length = static_cast<int64_t>(places.size());
  const auto broadcast = [&](vector::BroadcastOp of) -> Value {
    return vector::BroadcastOp::create(c.b, c.loc, VectorType::get({length}, of.getSource().getType()), of.getSource());
  };
  const auto only = [&](Value lanes) {
    const auto own = llvm::map_to_vector(places, [&](int32_t place) { return place < count; });
    return llvm::all_of(own, [](bool is) { return is; })
               ? lanes
               : c.andi(lanes,
                        c.number(DenseElementsAttr::get(cast<VectorType>(lanes.getType()), ArrayRef<bool>(own))));
  };
  if (auto both = whole.getDefiningOp<arith::AndIOp>())
    return c.andi(lanesAt(c, both.getLhs(), places), lanesAt(c, both.getRhs(), places));
  if (auto same = whole.getDefiningOp<vector::BroadcastOp>(); same && !Code::isVector(same.getSource()))
    return only(broadcast(same));
  if (auto compared = whole.getDefiningOp<arith::CmpIOp>()) {
    auto same = compared.getLhs().getDefiningOp<vector::BroadcastOp>();
    DenseElementsAttr constants;
    if (same && !Code::isVector(same.getSource()) && matchPattern(compared.getRhs(), m_Constant(&constants)))
      return only(c.cmpi(compared.getPredicate(), broadcast(same), constantsAt(c, constants, places)));
  }
  Value none = whole;
  if (llvm::is_contained(places, count))
    none = c.number(DenseElementsAttr::get(cast<VectorType>(whole.getType()), false));
  return LLVM::ShuffleVectorOp::create(c.b, c.loc, whole, none, places);
}

static Value lanesFrom(Code &c, Value whole, int64_t from, int64_t count) {
  return lanesAt(c, whole, llvm::to_vector(llvm::seq<int32_t>(from, from + count)));
}

/// A load per register. Splitting a wider one, LLVM 22 may learn that a half has no lane to
/// load, and then loads all of it: here the optimiser learns it first.
Value Emitter::maskedLoad(VectorType type, Value pointer, Value lanes, Value other) {
  const int64_t count = type.getNumElements(), half = count / 2;
  const Type element = type.getElementType();
  if (count * elementBytes(element) <= isa.vectorBytes)
    return LLVM::MaskedLoadOp::create(c.b, c.loc, type, pointer, lanes, other, elementBytes(element));
  const auto loadFrom = [&](int64_t from) {
    return maskedLoad(VectorType::get({half}, element), c.address(pointer, c.i64(from), element),
                      lanesFrom(c, lanes, from, half), lanesFrom(c, other, from, half));
  };
  const Value low = loadFrom(0), high = loadFrom(half);
  return LLVM::ShuffleVectorOp::create(c.b, c.loc, low, high, llvm::to_vector(llvm::seq<int32_t>(0, count)));
}

/// A short vector is read where any of its lanes is wanted.
Value Emitter::loadRepeated(Address from, Type storage, Value lanes, Value other, bool invariant) {
  const int64_t all = c.lanes, count = all / from.repeats;
  const auto type = VectorType::get({count}, storage);
  const auto shuffled = [&](Value vector, int64_t length, llvm::function_ref<int64_t(int64_t)> lane) {
    const auto places = llvm::map_range(llvm::seq<int64_t>(0, length), lane);
    return LLVM::ShuffleVectorOp::create(c.b, c.loc, vector, vector, llvm::to_vector_of<int32_t>(places)).getResult();
  };
  Value few;
  for (int64_t i = 0; lanes && i < from.repeats; ++i) {
    Value some = shuffled(lanes, count, [&](int64_t lane) { return lane * from.repeats + i; });
    few = few ? c.ori(few, some) : some;
  }
  const unsigned alignment = elementBytes(storage);
  const auto zero = [&](VectorType of) { return c.number(cast<TypedAttr>(c.b.getZeroAttr(of))); };
  Value loaded = few ? maskedLoad(type, from.pointer, few, zero(type))
                     : LLVM::LoadOp::create(c.b, c.loc, type, from.pointer, alignment, false, false, invariant);
  Value whole = shuffled(loaded, all, [&](int64_t lane) { return lane / from.repeats; });
  return lanes ? c.select(lanes, whole, other ? c.splat(other) : zero(VectorType::get({all}, storage))) : whole;
}

/// What of a vector from `first` on are lanes' elements, which lie `step` apart, and are wanted.
static Value wantedFrom(Code &c, Value lanes, int64_t first, int64_t step) {
  const int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  const auto places = llvm::map_range(llvm::seq<int64_t>(first, first + count), [&](int64_t at) {
    return at % step == 0 && at / step < count ? at / step : count;
  });
  return lanesAt(c, lanes, llvm::to_vector_of<int32_t>(places));
}

/// All that lies between the first and the last lane's element, and nothing behind it; of `lanes` alone, if given, and
/// 0 elsewhere.
Value Emitter::loadApart(Address from, Type storage, Value lanes, bool invariant) {
  const int64_t count = c.lanes, last = (from.step - 1) * (count - 1);
  const auto type = VectorType::get({count}, storage);
  Value result;
  for (int64_t i = 0; i < from.step; ++i) {
    const int64_t first = std::min(i * count, last);
    const Value pointer = c.address(from.pointer, c.i64(first), storage);
    const Value part =
        lanes ? maskedLoad(type, pointer, wantedFrom(c, lanes, first, from.step),
                           c.number(cast<TypedAttr>(c.b.getZeroAttr(type))))
              : LLVM::LoadOp::create(c.b, c.loc, type, pointer, elementBytes(storage), false, false, invariant);
    const auto places = llvm::map_range(llvm::seq<int64_t>(0, count), [&](int64_t lane) {
      const int64_t at = lane * from.step;
      return i > 0 && at < i * count ? lane : (i > 0 ? count : 0) + std::min(at - first, count - 1);
    });
    result =
        LLVM::ShuffleVectorOp::create(c.b, c.loc, i == 0 ? part : result, part, llvm::to_vector_of<int32_t>(places));
  }
  return result;
}

Value Emitter::loadLanes(Address from, Type storage, Value lanes, Value other, bool invariant) {
  if (from.repeats > 1)
    return loadRepeated(from, storage, lanes, other, invariant);
  if (from.step != 1) {
    const Value apart = loadApart(from, storage, lanes, invariant);
    return lanes && other ? c.select(lanes, apart, c.splat(other)) : apart;
  }
  auto type = VectorType::get({static_cast<int64_t>(c.lanes)}, storage);
  unsigned alignment = elementBytes(storage);
  if (from.contiguous && !lanes)
    return LLVM::LoadOp::create(c.b, c.loc, type, from.pointer, alignment, false, false, invariant);
  Value rest = other ? c.splat(other) : c.number(cast<TypedAttr>(c.b.getZeroAttr(type)));
  if (from.contiguous)
    return maskedLoad(type, from.pointer, lanes, rest);
  return LLVM::masked_gather::create(c.b, c.loc, type, c.splat(from.pointer), lanes ? lanes : allLanes(true),
                                     ValueRange{rest}, alignment);
}

Value Emitter::load(Address from, Type element, Value condition, Value other, bool invariant) {
  Type storage = storageType(element);
  if (other && storage != valueType(element))
    other = c.convert<arith::ExtUIOp>(other, storage);
  bool isMasked = condition && (Code::isVector(condition) || Code::isVector(other));
  Value result;
  if (from.isVector() || isMasked) {
    result = loadLanes(from, storage, maskWith(condition), other, invariant);
  } else if (condition) {
    auto branch = scf::IfOp::create(
        c.b, c.loc, condition,
        [&](OpBuilder &b, Location loc) {
          Value loaded = LLVM::LoadOp::create(b, loc, storage, from.pointer);
          scf::YieldOp::create(b, loc, loaded);
        },
        [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, other); });
    result = branch.getResult(0);
  } else {
    result = LLVM::LoadOp::create(c.b, c.loc, storage, from.pointer, elementBytes(element), false, false, invariant);
  }
  if (storage == valueType(element))
    return result;
  return c.cmpi(CmpIPredicate::ne, result, c.integer(0, result));
}

} // namespace cupola::cpu
