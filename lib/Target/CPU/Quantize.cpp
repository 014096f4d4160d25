//===- lib/Target/CPU/Quantize.cpp - rounding to bytes in steps of a constant ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Quantize.h"
#include "lib/Target/CPU/Scalars.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::BinaryKind;
using cupola::graph::UnaryKind;

namespace cupola::cpu {
namespace {

/// Far from denormals and infinity for every x that counts.
constexpr float kLeast = 0x1p-80f, kMost = 0x1p80f;

/// Both ways give the same for every x around the place where n becomes n + 1. Both rise with x, so that they are equal
/// between two such places if they are so at both.
bool agreesAround(const Rounding &rounding, float scale, int64_t n) {
  constexpr int kNeighbours = 4; // one is enough for what rounding the place itself does
  const auto place = static_cast<float>((static_cast<double>(n) + 0.5) * scale);
  float x = place;
  for (int i = 0; i < kNeighbours; ++i)
    x = std::nextafter(x, -INFINITY);
  for (int i = -kNeighbours; i <= kNeighbours; ++i, x = std::nextafter(x, INFINITY)) {
    const int64_t found = rounding.nearest(x);
    const bool isEnd = std::abs(i) == kNeighbours;
    if (std::nearbyint(x / scale) != static_cast<float>(found) || (isEnd && found != (i < 0 ? n : n + 1)))
      return false;
  }
  return true;
}

bool agreesAt(const Rounding &rounding, float scale, float x, int64_t n) {
  return std::nearbyint(x / scale) == static_cast<float>(n) && rounding.nearest(x) == n;
}

/// A constant number of the kernel.
std::optional<float> numberOf(Value value) {
  auto constant = value.getDefiningOp<kernel::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  if (!number || !number.getType().isF32())
    return std::nullopt;
  return number.getValue().convertToFloat();
}

/// The other operand of an addition of a small integer, which is written to `zero`, or the value itself.
Value withoutZero(Value value, int64_t &zero) {
  constexpr float kMostZero = 255;
  auto sum = value.getDefiningOp<BinaryOp>();
  std::optional<float> added = sum && sum.getKind() == BinaryKind::Add ? numberOf(sum.getRhs()) : std::nullopt;
  if (!added || std::nearbyint(*added) != *added || std::abs(*added) > kMostZero)
    return value;
  zero = static_cast<int64_t>(*added);
  return sum.getLhs();
}

Value toNearestInteger(Code &c, Value x) {
  const Type type = c.typeLike(c.b.getI32Type(), x);
  return LLVM::CallIntrinsicOp::create(c.b, c.loc, type, c.b.getStringAttr("llvm.lrint"), x).getResult(0);
}

} // namespace

int64_t Rounding::nearest(float x) const {
  x = std::min(std::max(x, low), high);
  return static_cast<int64_t>(std::nearbyint(std::fma(x, factor, x * rest)));
}

std::optional<Rounding> Rounding::of(float scale, int64_t first, int64_t last) {
  if (!(scale >= kLeast && scale <= kMost))
    return std::nullopt;
  Rounding r;
  r.factor = 1 / scale;
  r.rest = static_cast<float>(1 / static_cast<double>(scale) - r.factor);
  r.low = static_cast<float>(first) * scale;
  r.high = static_cast<float>(last) * scale;
  bool agrees = agreesAt(r, scale, r.low, first) && agreesAt(r, scale, r.high, last);
  for (int64_t n = first; n < last && agrees; ++n)
    agrees = agreesAround(r, scale, n);
  return agrees ? std::optional(r) : std::nullopt;
}

static std::optional<Quantization> quantizationOf(CastOp cast) {
  const auto type = dyn_cast<IntegerType>(cast.getType());
  if (!type || type.getWidth() != 8 || !cast.getInput().getType().isF32())
    return std::nullopt;
  int64_t zero = 0;
  auto round = withoutZero(cast.getInput(), zero).getDefiningOp<UnaryOp>();
  auto division =
      round && round.getKind() == UnaryKind::Round ? round.getInput().getDefiningOp<BinaryOp>() : BinaryOp();
  std::optional<float> scale =
      division && division.getKind() == BinaryKind::Div ? numberOf(division.getRhs()) : std::nullopt;
  if (!scale)
    return std::nullopt;
  const int64_t first = isUnsigned(type) ? 0 : -128;
  std::optional<Rounding> rounding = Rounding::of(*scale, first - zero, first + 255 - zero);
  return rounding ? std::optional(Quantization{division.getLhs(), *rounding, zero, isUnsigned(type)}) : std::nullopt;
}

Quantizations::Quantizations(FuncOp func) {
  func.walk([&](CastOp cast) {
    if (std::optional<Quantization> found = quantizationOf(cast))
      add(cast, *found);
  });
}

void Quantizations::add(CastOp cast, Quantization quantization) {
  ends[cast] = quantization;
  for (Value value = cast.getInput(); value != quantization.input && value.hasOneUse();
       value = value.getDefiningOp()->getOperand(0))
    parts.insert(value.getDefiningOp());
  const auto isReader = [](Operation *user) { return isa<CastOp>(user) && user->getResult(0).getType().isF32(); };
  for (Operation *user : cast->getUsers())
    if (isReader(user))
      addReader(llvm::cast<CastOp>(user), quantization);
  if (llvm::all_of(cast->getUsers(), isReader))
    parts.insert(cast);
}

/// The byte as f32. What takes the zero point off again is the integer before that was added.
void Quantizations::addReader(CastOp cast, Quantization quantization) {
  ends[cast] = quantization;
  quantization.lessZero = true;
  const auto takesZero = [&](Operation *user) {
    auto difference = dyn_cast<BinaryOp>(user);
    return difference && difference.getKind() == BinaryKind::Sub && difference.getLhs() == cast.getResult() &&
           numberOf(difference.getRhs()) == static_cast<float>(quantization.zero);
  };
  for (Operation *user : cast->getUsers())
    if (takesZero(user))
      ends[user] = quantization;
  if (llvm::all_of(cast->getUsers(), takesZero))
    parts.insert(cast);
}

const Quantization *Quantizations::find(Operation *op) const {
  const auto found = ends.find(op);
  return found == ends.end() ? nullptr : &found->second;
}

Value emitQuantization(Code &c, const Quantization &q, Value x) {
  const Value inside = emitBetween(c, x, q.rounding.low, q.rounding.high);
  const Value factor = c.real(q.rounding.factor, x);
  const Value ratio =
      q.rounding.rest == 0 ? c.mulf(inside, factor) : c.fma(inside, factor, c.mulf(inside, c.real(q.rounding.rest, x)));
  Value n = toNearestInteger(c, ratio);
  if (!q.isUnsigned) // the least unsigned byte is 0
    n = c.select(c.isNaN(x), c.integer(-q.zero, n), n);
  return q.zero == 0 || q.lessZero ? n : c.addi(n, c.integer(q.zero, n));
}

} // namespace cupola::cpu
