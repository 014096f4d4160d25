//===- lib/Import/Onnx/GraphBuilder.cpp - types, facts, constants, pointwise ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/GraphBuilder.h"

#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Planner/Checked.h"

using namespace mlir;
using namespace cupola::graph;

namespace cupola::onnx_import {

std::string shapeText(ArrayRef<Expr> shape) {
  std::string text = "[";
  for (const Expr &dim : shape)
    text += (text.size() > 1 ? ", " : "") + dim.text();
  return text + "]";
}

std::string typeText(Type element) { return modelRowOf(element).onnxName; }

NodeError tooLong(const std::string &what) {
  return {ErrorKind::Unsupported,
          what + " on dimensions by an expression with more than " + std::to_string(Expr::maxNodes) +
              " parts or by numbers that do not fit 64 bits; fewer unknown dimensions (--shape) make it shorter",
          std::nullopt,
          {},
          /*isByOperands=*/true};
}

void GraphBuilder::fail(const std::string &message, ErrorKind kind) const { throw NodeError{kind, message}; }

void GraphBuilder::undecided(ArrayRef<Expr> extents, const std::string &message) const {
  throw NodeError{ErrorKind::Unsupported, message, std::nullopt, Exprs(extents)};
}

RankedTensorType GraphBuilder::type(ArrayRef<Expr> dims, Type element) const {
  if (dims.size() > static_cast<size_t>(maxRank))
    fail("the result has rank " + std::to_string(dims.size()) + ", supported are ranks up to " +
             std::to_string(maxRank),
         ErrorKind::Unsupported);
  std::optional<int64_t> bytes = graph::byteSize(element);
  for (const Expr &dim : dims) {
    if (dim.overflowed() && !ranges().empty()) // perhaps only the expression is too long
      throw tooLong("an extent of the result depends");
    if (dim.overflowed())
      fail("an extent of the result does not fit 64 bits");
    const auto extent = dim.constant();
    if (extent && *extent < 0)
      fail("the result has the shape " + shapeText(dims) + ", expected no extent below 0");
    if (bytes && extent)
      bytes = checkedMul(*bytes, *extent);
  }
  const bool empty = llvm::any_of(dims, [](const Expr &dim) { return dim.isConstant(0); });
  if (!empty && !bytes)
    fail("the result has the shape " + shapeText(dims) + ", whose size does not fit 63 bits", ErrorKind::Limit);
  if (!empty && *bytes > limits.tensorBytes)
    fail("the result of " + exceeds(limits, &Limits::tensorBytes,
                                    "shape " + shapeText(dims) + " with " + std::to_string(*bytes) + " bytes"),
         ErrorKind::Limit);
  return tensorType(dims, element);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void GraphBuilder::check(Symbols::Outcome outcome, const Expr &a, const Expr &b, const std::string &what,
                         const std::string &expected) const {
  const std::string found = what + " are " + symbols.current(a).text() + " and " + symbols.current(b).text();
  if (outcome == Symbols::Outcome::Impossible)
    fail(found + ", expected " + expected);
  if (outcome == Symbols::Outcome::Open)
    throw NodeError{ErrorKind::Unsupported,
                    found + ", expected " + expected +
                        "; they are known only while the model runs, supported are extents for which that follows from "
                        "the model",
                    std::nullopt,
                    {},
                    /*isByOperands=*/true};
}

Expr GraphBuilder::sameExtent(const Expr &a, const Expr &b, const std::string &what) {
  check(symbols.assumeEqual(a, b, who + " needs them equal (" + what + ")"), a, b, what, "equal ones");
  return b.constant() ? b : symbols.current(a); // a number says more than a formula that has to be it
}

Expr GraphBuilder::sameExtentHere(const Expr &a, const Expr &b, const std::string &what) {
  const std::string why = who + " needs them equal (" + what + ")";
  if (symbols.assumeEqual(a, b, why) != Symbols::Outcome::Open)
    return sameExtent(a, b, what);
  checkHere(a, graph::Relation::Equal, b, why);
  return symbols.usesRun(symbols.current(a)) ? symbols.current(b) : symbols.current(a);
}

void GraphBuilder::oneOrAll(const Expr &extent, const Expr &whole, const std::string &what) {
  if (symbols.current(extent) == symbols.current(whole))
    return;
  const std::string why = who + " broadcasts the first to the second (" + what + ")";
  if (symbols.assumeBroadcast(extent, whole, why) == Symbols::Outcome::Open)
    checkHere(extent, graph::Relation::Broadcast, whole, why);
  atMost(extent, max(whole, Expr(1)), what);
}

void GraphBuilder::atMost(const Expr &a, const Expr &b, const std::string &what) {
  const std::string why = who + " needs the first to be at most the second (" + what + ")";
  const Symbols::Outcome outcome = symbols.assumeLessEqual(a, b, why);
  if (outcome != Symbols::Outcome::Open)
    return check(outcome, a, b, what, "the first to be at most the second");
  checkHere(a, graph::Relation::LessEqual, b, why);
}

/// A fact about run symbols, checked where they have values.
void GraphBuilder::checkHere(const Expr &a, graph::Relation relation, const Expr &b, const std::string &why) {
  graph::AssumeOp::create(ops, where, a, relation, b, symbols.reason(a, b, why));
}

void GraphBuilder::sameRank(ArrayRef<Expr> a, ArrayRef<Expr> b, const std::string &what) const {
  if (a.size() != b.size())
    fail(what + " are " + shapeText(a) + " and " + shapeText(b) + ", expected equal ones");
}

Exprs GraphBuilder::sameShape(ArrayRef<Expr> a, ArrayRef<Expr> b, const std::string &what) {
  sameRank(a, b, what);
  return llvm::map_to_vector(llvm::zip_equal(a, b), [&](const auto &extents) {
    return sameExtent(std::get<0>(extents), std::get<1>(extents), what);
  });
}

Exprs GraphBuilder::sameShapeHere(ArrayRef<Expr> a, ArrayRef<Expr> b, const std::string &what) {
  sameRank(a, b, what);
  return llvm::map_to_vector(llvm::zip_equal(a, b), [&](const auto &extents) {
    return sameExtentHere(std::get<0>(extents), std::get<1>(extents), what);
  });
}

/// Longer ones would make addresses that multiply them too long.
static constexpr size_t maxExtentNodes = 32;

Expr GraphBuilder::bounded(const Expr &value, const std::string &what, int64_t min, int64_t max) {
  const Expr now = symbols.current(value);
  const bool isPlain = !symbols.followsElements(now) && now.nodes() <= maxExtentNodes;
  if (isPlain || now.overflowed() || symbols.usesRun(now))
    return now;
  if (!now.asSymbol())
    return symbols.define(now, what + " of " + who, min, max);
  atMost(Expr(min), now, std::to_string(min) + " and " + what);
  if (max > 0)
    atMost(now, Expr(max), what + " and " + std::to_string(max));
  return symbols.current(now);
}

/// For min(x, c) against x, where c is not 1: they are equal or one of them is 1
/// exactly where x <= c. Slicing a table of c positions to the length x of the
/// input gives this.
static std::optional<Expr> clampedBy(const Expr &clamped, const Expr &plain) {
  if (clamped.terms().size() != 1 || clamped.offset() != 0 || clamped.terms()[0].coefficient != 1 ||
      clamped.terms()[0].factors.size() != 1)
    return std::nullopt;
  const Factor &factor = clamped.terms()[0].factors[0];
  if (factor.power != 1 || factor.atom->kind() != Atom::Kind::Min)
    return std::nullopt;
  for (const auto &[x, c] :
       {std::pair(factor.atom->lhs(), factor.atom->rhs()), std::pair(factor.atom->rhs(), factor.atom->lhs())})
    if (x == plain && c.constant() && *c.constant() > 1)
      return c;
  return std::nullopt;
}

Expr GraphBuilder::broadcastExtent(const Expr &first, const Expr &second) {
  const Expr a = symbols.current(first), b = symbols.current(second);
  if (a == b || b.isConstant(1))
    return a;
  if (a.isConstant(1))
    return b;
  if (a.constant() && b.constant())
    fail("extents " + a.text() + " and " + b.text() + " cannot be broadcast to each other, expected equal ones or 1");
  for (const auto &[clamped, plain] : {std::pair(a, b), std::pair(b, a)})
    if (const auto bound = clampedBy(clamped, plain))
      if (symbols.assumeLessEqual(plain, *bound, who) == Symbols::Outcome::Holds)
        return symbols.current(plain);
  const auto aboveOne = [&](const Expr &e) { return proveLess(Expr(1), e, ranges()) == true; };
  if (aboveOne(a) && aboveOne(b))
    return sameExtent(a, b, "extents of the operands");
  for (const auto &[whole, part] : {std::pair(a, b), std::pair(b, a)})
    if (isBroadcastOf(whole, part))
      return whole;
  const std::string why = who + " broadcasts them to each other";
  if (symbols.assumeBroadcast(a, b, why) == Symbols::Outcome::Open)
    checkHere(a, graph::Relation::Broadcast, b, why);
  if (a.constant() || b.constant())
    return a.constant() ? a : b; // the other one is 1 or equal to it
  // The larger one, unless the other is an empty 0: that is what an extent of 1 becomes beside it.
  const Expr result = extent(max(a, b) * min(min(a, b), Expr(1)), "an extent");
  if (!result.asSymbol()) // which may be another extent's once an import is taken back
    for (const Expr &part : {a, b}) {
      broadcasts[result.text()].insert(part.text());
      if (const auto parts = broadcasts.find(part.text()); parts != broadcasts.end())
        broadcasts[result.text()].insert(parts->second.begin(), parts->second.end());
    }
  return result;
}

/// One that was made of `part`, or of all that `part` was made of.
bool GraphBuilder::isBroadcastOf(const Expr &whole, const Expr &part) const {
  const auto of = broadcasts.find(whole.text()), own = broadcasts.find(part.text());
  if (of == broadcasts.end())
    return false;
  return of->second.count(part.text()) ||
         (own != broadcasts.end() &&
          std::includes(of->second.begin(), of->second.end(), own->second.begin(), own->second.end()));
}

Exprs GraphBuilder::broadcastShapes(ArrayRef<Expr> a, ArrayRef<Expr> b) {
  const size_t rank = std::max(a.size(), b.size());
  Exprs result;
  for (size_t i = 0; i < rank; ++i) {
    const Expr left = i + a.size() < rank ? Expr(1) : a[i + a.size() - rank];
    const Expr right = i + b.size() < rank ? Expr(1) : b[i + b.size() - rank];
    result.push_back(broadcastExtent(left, right));
  }
  return symbols.current(result);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value GraphBuilder::constant(ElementsAttr value) { return ConstantOp::create(ops, where, value); }

Value GraphBuilder::scalar(double value, Type element, size_t rank) {
  const auto tensor = RankedTensorType::get(Ints(rank, 1), element);
  if (isa<IntegerType>(element))
    return intScalar(static_cast<int64_t>(value), element, rank);
  return constant(DenseElementsAttr::get(tensor, ops.getFloatAttr(element, value)));
}

Value GraphBuilder::integer(const Expr &value, Type element) {
  return value.constant() ? intScalar(*value.constant(), element) : dims({value}, {}, element);
}

Value GraphBuilder::intScalar(int64_t value, Type element, size_t rank) {
  const auto tensor = RankedTensorType::get(Ints(rank, 1), element);
  const unsigned bits = element.getIntOrFloatBitWidth();
  const APInt number(64, static_cast<uint64_t>(value));
  return constant(DenseElementsAttr::get(tensor, number.trunc(bits)));
}

Value GraphBuilder::iota(ArrayRef<Expr> dims, int64_t axis) {
  return IotaOp::create(ops, where, type(dims, ops.getI64Type()), axis);
}

Value GraphBuilder::dims(ArrayRef<Expr> values, ArrayRef<int64_t> shape, Type element) {
  return DimsOp::create(ops, where, RankedTensorType::get(shape, element),
                        exprArray(context(), symbols.current(values)));
}

Value GraphBuilder::places(const Expr &start, const Expr &step, const Expr &count) {
  Value distance = binary(BinaryKind::Mul, iota({count}, 0), dims({step}, {}, ops.getI64Type()));
  return binary(BinaryKind::Add, distance, dims({start}, {}, ops.getI64Type()));
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

Value GraphBuilder::unary(UnaryKind kind, Value value, double alpha, double beta) {
  return make<UnaryOp>(kind, value, APFloat(alpha), APFloat(beta));
}

Value GraphBuilder::binary(BinaryKind kind, Value lhs, Value rhs) {
  if (element(lhs) != element(rhs))
    fail("the operands have elements of " + typeText(element(lhs)) + " and " + typeText(element(rhs)) +
         ", expected one type");
  const Exprs dims = broadcastShapes(shape(lhs), shape(rhs));
  lhs = broadcast(lhs, dims); // one after the other: arguments have no order
  rhs = broadcast(rhs, dims);
  return make<BinaryOp>(kind, lhs, rhs);
}

Value GraphBuilder::select(Value condition, Value lhs, Value rhs) {
  if (element(lhs) != element(rhs))
    fail("the branches have elements of " + typeText(element(lhs)) + " and " + typeText(element(rhs)) +
         ", expected one type");
  const Exprs dims = broadcastShapes(broadcastShapes(shape(lhs), shape(rhs)), shape(condition));
  condition = broadcast(condition, dims);
  lhs = broadcast(lhs, dims);
  rhs = broadcast(rhs, dims);
  return make<SelectOp>(condition, lhs, rhs);
}

Value GraphBuilder::host(StringRef function, ArrayRef<std::string> parameters, ArrayRef<Value> inputs,
                         ArrayRef<Expr> dims, Type element, Value same) {
  const auto texts = llvm::map_to_vector(parameters, [](const std::string &text) { return StringRef(text); });
  return graph::HostOp::create(ops, where, type(dims, element), ops.getStringAttr(function), ops.getStrArrayAttr(texts),
                               inputs, same);
}

Value GraphBuilder::hostOr(StringRef function, ArrayRef<std::string> parameters, ArrayRef<Value> inputs,
                           ArrayRef<Expr> dims, Type element, const Expr &steps, function_ref<Value()> same) {
  constexpr int64_t few = int64_t(1) << 14;  // take as long as calling the host
  constexpr int64_t many = int64_t(1) << 30; // take longer than bringing the operands to the host, also on a GPU
  const auto count = steps.constant();
  if (count && *count <= few)
    return same();
  const bool isForHost = bounds(steps, ranges()).lo.value_or(0) > many || (steps.overflowed() && ranges().empty());
  return host(function, parameters, inputs, symbols.current(dims), element, isForHost ? Value() : same());
}

Value GraphBuilder::call(graph::SnippetAttr snippet, ArrayRef<Value> inputs, Value same, ArrayRef<Expr> dims,
                         Type element) {
  return CallOp::create(ops, where, type(dims, element), snippet, inputs, same);
}

Value GraphBuilder::cast(Value value, Type element, bool rounded) {
  if (this->element(value) == element)
    return value;
  return CastOp::create(ops, where, type(shape(value), element), value, rounded);
}

Value GraphBuilder::bitcast(Value value, Type element) {
  return BitcastOp::create(ops, where, type(shape(value), element), value);
}

} // namespace cupola::onnx_import
