//===- lib/Transforms/MergeMatMuls.cpp - one contraction for several weights ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/PackedWeights.h"

#include <map>
#include <tuple>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_MERGEMATMULS
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;

/// A contraction with a weight, the bias that is added to it and the number that the sum
/// is multiplied by, if any.
struct Member {
  graph::MatMulOp matmul;
  graph::ConstantOp weight; ///< [K, N], or [N, K] where `transposed`; null where they are packed
  bool transposed = false;
  std::string form;         ///< of packed weights
  graph::BinaryOp add;      ///< null without a bias
  graph::ConstantOp bias;   ///< N elements
  graph::BinaryOp multiply; ///< null without a number
  Value factor;             ///< a splat
  Value result;             ///< of all of it

  int64_t columns() { return graph::typeOf(matmul.getResult()).getShape().back(); }
};

bool hasBytes(graph::ConstantOp constant) {
  return constant && isa<FloatType>(graph::elementOf(constant.getResult())) && !bytesOf(constant.getValue()).empty();
}

/// The constant of N elements that `value`, of shape [M, N], repeats in every row.
graph::ConstantOp rowConstant(Value value) {
  int64_t columns = graph::typeOf(value).getShape().back();
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getInput();
  if (graph::elementCount(value) != Expr(columns))
    return {};
  if (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  return hasBytes(constant) ? constant : graph::ConstantOp();
}

/// Scaled queries and keys, where the number does not move behind the next contraction.
void findFactor(Member &member) {
  if (!member.result.hasOneUse())
    return;
  Operation *user = *member.result.getUsers().begin();
  if (!isa<graph::BinaryOp>(user))
    return;
  for (Pair pair : operandsOf(user->getResult(0), graph::BinaryKind::Mul))
    if (pair.first == member.result && splatOf(pair.second)) {
      member.multiply = cast<graph::BinaryOp>(user);
      member.factor = pair.second;
      member.result = member.multiply.getResult();
      return;
    }
}

void findBias(Member &member) {
  member.result = member.matmul.getResult();
  if (!member.result.hasOneUse())
    return;
  Operation *user = *member.result.getUsers().begin();
  if (!isa<graph::BinaryOp>(user))
    return;
  for (Pair pair : operandsOf(user->getResult(0), graph::BinaryKind::Add)) {
    if (pair.first != member.result)
      continue;
    if (graph::ConstantOp bias = rowConstant(pair.second)) {
      member.add = cast<graph::BinaryOp>(user);
      member.bias = bias;
      member.result = member.add.getResult();
      return;
    }
  }
}

/// Whether the model gives `value` out, maybe behind views.
bool isGivenOut(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return graph::leavesBody(user) || (viewInput(user) && isGivenOut(user->getResult(0)));
  });
}

/// A contraction of a matrix with a constant whose result goes into views only: any other
/// arithmetic on it is better off in its own epilogue. One that is an output writes that
/// itself; out of a joint matrix it would have to be copied.
std::optional<Member> memberOf(graph::MatMulOp op) {
  Member member;
  member.matmul = op;
  Value rhs = op.getRhs();
  if (auto transpose = rhs.getDefiningOp<graph::TransposeOp>()) {
    member.transposed = true;
    rhs = transpose.getInput();
  }
  member.weight = rhs.getDefiningOp<graph::ConstantOp>();
  if (!member.weight)
    member.form = formOfPacked(op.getRhs());
  if (graph::rankOf(op.getResult()) != 2 || (member.form.empty() && !hasBytes(member.weight)))
    return std::nullopt;
  findBias(member);
  findFactor(member);
  for (Operation *user : member.result.getUsers())
    if (!viewInput(user))
      return std::nullopt;
  if (isGivenOut(member.result))
    return std::nullopt;
  return member;
}

class Merger {
public:
  explicit Merger(MutableArrayRef<Member> members)
      : members(members), b(members.front().matmul), element(graph::elementOf(members.front().result)) {}

  void merge() {
    graph::MatMulOp first = members.front().matmul;
    Location loc = location();
    Value merged =
        graph::MatMulOp::create(b, loc, first.getLhs(), joinedWeight(), first.getTf32Attr(), first.getInt8RowsAttr());
    const RankedTensorType type = graph::typeOf(merged);
    if (llvm::any_of(members, [](Member &m) { return bool(m.add); }))
      merged = graph::BinaryOp::create(b, loc, graph::BinaryKind::Add, merged, joinedBias(type));
    if (llvm::any_of(members, [](Member &m) { return bool(m.multiply); }))
      merged = graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, merged, joinedFactors(type));
    int64_t begin = 0;
    for (Member &member : members) {
      replace(member, merged, begin);
      begin += member.columns();
    }
    for (Member &member : members) {
      if (member.multiply)
        member.multiply.erase();
      if (member.add)
        member.add.erase();
      member.matmul.erase();
    }
  }

private:
  Location location() {
    SmallVector<Operation *> ops;
    for (Member &member : members) {
      ops.push_back(member.matmul);
      if (member.add)
        ops.push_back(member.add);
      if (member.multiply)
        ops.push_back(member.multiply);
    }
    return fusedLoc(b, ops);
  }

  Location locationOfConstants(function_ref<graph::ConstantOp(Member &)> constantOf) {
    SmallVector<Operation *> ops;
    for (Member &member : members)
      if (graph::ConstantOp constant = constantOf(member))
        ops.push_back(constant);
    return fusedLoc(b, ops);
  }

  Value joinedWeight() {
    SmallVector<ColumnPart> parts;
    Member &first = members.front();
    if (!first.weight)
      return joinPacked(b,
                        llvm::map_to_vector(members, [](Member &member) -> Value { return member.matmul.getRhs(); }));
    int64_t depth = graph::typeOf(first.matmul.getRhs()).getShape().front();
    for (Member &member : members)
      parts.push_back({bytesOf(member.weight.getValue()), member.columns()});
    Location loc = locationOfConstants([](Member &m) { return m.weight; });
    if (!first.transposed)
      return graph::ConstantOp::create(b, loc, joinColumns(depth, parts, element));
    // [n0, K] above [n1, K]: one row of parts, each K times as wide.
    for (ColumnPart &part : parts)
      part.columns *= depth;
    ElementsAttr joined = joinColumns(1, parts, element);
    int64_t columns = joined.getNumElements() / depth;
    Value flat = graph::ConstantOp::create(b, loc, joined);
    Location turned = fusedLoc(
        b, llvm::map_to_vector(members, [](Member &member) { return member.matmul.getRhs().getDefiningOp(); }));
    Value stacked = reshapeTo(b, turned, flat, {Expr(columns), Expr(depth)});
    return graph::TransposeOp::create(b, turned, stacked, ArrayRef<int64_t>{1, 0});
  }

  Value joinedBias(RankedTensorType type) {
    SmallVector<ColumnPart> parts;
    for (Member &member : members)
      parts.push_back({member.bias ? bytesOf(member.bias.getValue()) : ArrayRef<char>(), member.columns()});
    Location loc = locationOfConstants([](Member &m) { return m.bias; });
    return repeated(graph::ConstantOp::create(b, loc, joinColumns(1, parts, element)), type);
  }

  /// A number per column: the sum is in f32 until it is stored, so each column is rounded
  /// where it was, once, and one of a member without a number is multiplied by 1.
  Value joinedFactors(RankedTensorType type) {
    SmallVector<APFloat> numbers;
    SmallVector<Operation *> ops;
    for (Member &member : members) {
      APFloat number(member.factor ? *splatOf(member.factor) : 1.0);
      bool losesInfo;
      number.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      numbers.append(member.columns(), number);
      if (member.factor)
        ops.push_back(constantBehind(member.factor).getOperation());
    }
    auto row = DenseElementsAttr::get(RankedTensorType::get({1, int64_t(numbers.size())}, element), numbers);
    return repeated(graph::ConstantOp::create(b, fusedLoc(b, ops), row), type);
  }

  Value repeated(Value row, RankedTensorType type) {
    return row.getType() == type ? row : graph::BroadcastOp::create(b, location(), type, row).getResult();
  }

  /// The member's columns take over. They are a view, so they carry the name of the
  /// view that follows rather than that of the contraction.
  void replace(Member &member, Value merged, int64_t begin) {
    Value old = member.result;
    Location loc = old.use_empty() ? member.matmul.getLoc() : (*old.getUsers().begin())->getLoc();
    Value part =
        graph::SliceOp::create(b, loc, old.getType(), merged, graph::exprArray(b.getContext(), {Expr(0), Expr(begin)}),
                               ArrayRef<int64_t>{1, 1});
    old.replaceAllUsesWith(part);
  }

  MutableArrayRef<Member> members;
  OpBuilder b;
  Type element;
};

class MergeMatMuls : public impl::MergeMatMulsBase<MergeMatMuls> {
public:
  using MergeMatMulsBase::MergeMatMulsBase;

  void runOnOperation() override {
    for (Block *body : graph::bodiesOf(getOperation()))
      mergeIn(*body);
  }

private:
  void mergeIn(Block &body) {
    std::vector<SmallVector<Member>> groups; // of one operand, one permission and one form of weights
    std::map<std::tuple<const void *, const void *, bool, std::string>, size_t> places;
    for (graph::MatMulOp op : body.getOps<graph::MatMulOp>())
      if (std::optional<Member> member = memberOf(op)) {
        const auto [found, isNew] =
            places.try_emplace({op.getLhs().getAsOpaquePointer(), op.getInt8RowsAttr().getAsOpaquePointer(),
                                member->transposed, member->form},
                               groups.size());
        if (isNew)
          groups.emplace_back();
        groups[found->second].push_back(std::move(*member));
      }
    for (SmallVector<Member> &members : groups) {
      int64_t columns = 0;
      for (Member &member : members)
        columns += member.columns();
      if (members.size() >= 2 && columns <= maxColumns)
        Merger(members).merge();
    }
    eraseDead(body);
  }
};

} // namespace
} // namespace cupola
