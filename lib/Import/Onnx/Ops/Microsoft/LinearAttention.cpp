//===- lib/Import/Onnx/Ops/Microsoft/LinearAttention.cpp - keys and values summed up in a state ===//
// SPDX-License-Identifier: Apache-2.0
//
// Every head has a matrix S, which a step lets decay, adds to and reads:
//
//   S' = e S + k (x) u,  u = v or b (v - k^T e S),  o = q^T S' = (e q)^T S + (q . k) u
//
// So a step reads S for a product with few rows, those of e k and e q, and once more to
// write S'. All that needs no S is computed for all steps at once, before the loop.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/LoopBody.h"
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"
#include "lib/Import/Onnx/Text.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

struct Rule {
  std::string_view name;
  bool decays, corrects;
};

constexpr Rule rules[] = {
    {"linear", false, false},
    {"gated", true, false},
    {"delta", false, true},
    {"gated_delta", true, true},
};

Rule ruleOf(OpBinder &op) {
  const std::string name = op.stringAttribute("update_rule", "gated_delta");
  for (const Rule &rule : rules)
    if (rule.name == name)
      return rule;
  op.bad("attribute 'update_rule' is " + quoted(name) + ", expected linear, gated, delta or gated_delta");
}

/// One node. Where there are fewer query heads than states, each reads several of these.
class LinearAttention {
public:
  explicit LinearAttention(OpBinder &op)
      : op(op), rule(ruleOf(op)), type(op.element(0, "query")), compute(formulaType({type})) {
    refuseAttributes(op, {{"state_window", 0}});
    op.ignoreAttribute("chunk_size"); // a hint for kernels
    const int64_t width = widthOf(0, "query");
    readHeads(width);
    const Exprs dims = op.shape(0, "query");
    batch = dims[0], length = dims[1];
    keySize = width / queryHeads;
    valueSize = partOf(2, "value", heads);
    const double given = op.floatAttribute("scale", 0);
    scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(keySize));
  }

  void run() {
    prepare();
    Value state = initialState();
    const Type stored = op.b.element(state);
    std::vector<Value> made;
    state = op.b.cast(state, compute);
    if (length.isConstant(1)) {
      made = step(Expr(0), state);
      made[1] = op.b.unsqueeze(made[1], {0});
    } else {
      LoopBody body(op, {state}, {length, Value(), Value()}, /*hasCondition=*/false);
      body.make([&](const Expr &index, ArrayRef<Tensor> carried) {
        const std::vector<Value> next = step(index, op.materialize(carried[0]));
        return std::vector<Tensor>{op.ofValue(next[0]), op.ofValue(next[1])};
      });
      made = body.create();
    }
    op.result(op.b.transpose(made[1], {1, 0, 2}));
    op.result(op.b.cast(made[0], stored), 1);
  }

private:
  //===--- What the node says ---===//

  /// The last extent of an operand of rank 3.
  int64_t widthOf(size_t index, StringRef name) const {
    requireRank(op, index, name, 3);
    const Expr extent = op.shape(index, name)[2];
    if (!extent.constant())
      op.undecided({extent}, operandText(index, name) + " has the last extent " + extent.text() +
                                 ", supported are constant extents");
    if (*extent.constant() < 1)
      op.bad(operandText(index, name) + " has the last extent 0, expected 1 at least");
    return *extent.constant();
  }

  /// One of so many parts of the last extent.
  int64_t partOf(size_t index, StringRef name, int64_t parts) const {
    const int64_t width = widthOf(index, name);
    if (width % parts != 0)
      op.bad(operandText(index, name) + " has the last extent " + std::to_string(width) + ", expected a multiple of " +
             std::to_string(parts));
    return width / parts;
  }

  void readHeads(int64_t width) {
    queryHeads = op.requiredInt("q_num_heads");
    heads = op.requiredInt("kv_num_heads");
    const int64_t least = std::min(queryHeads, heads), most = std::max(queryHeads, heads);
    if (least < 1 || most % least != 0 || most > 65536)
      op.bad("attributes 'q_num_heads' and 'kv_num_heads' are " + std::to_string(queryHeads) + " and " +
             std::to_string(heads) + ", expected a multiple and its divisor");
    if (width % queryHeads != 0)
      op.bad("attribute 'q_num_heads' is " + std::to_string(queryHeads) + ", expected a divisor of the last extent " +
             std::to_string(width) + " of input 0 (query)");
    group = std::max<int64_t>(1, queryHeads / heads);
  }

  /// An operand of every step as [batch, length, parts, size], in the type of formulas.
  Value operand(size_t index, StringRef name, int64_t parts, int64_t size) const {
    Exprs dims = op.shape(index, name);
    dims.pop_back();
    op.b.sameShape(dims, {batch, length}, "batch and length of " + operandText(index, name) + " and input 0 (query)");
    return op.b.cast(op.b.reshape(op.value(index, name), {batch, length, parts, size}), compute);
  }

  /// Each of the parts as often as states share it.
  Value forStates(Value value, int64_t parts, int64_t size) const {
    if (parts >= heads)
      return value;
    Value apart = op.b.unsqueeze(value, {3});
    apart = op.b.broadcast(apart, {batch, length, parts, heads / parts, size});
    return op.b.reshape(apart, {batch, length, heads, size});
  }

  Value keys() const {
    const int64_t parts = partOf(1, "key", keySize);
    if (heads % parts != 0)
      op.bad("input 1 (key) has " + std::to_string(parts) + " heads of " + std::to_string(keySize) +
             " elements, expected a divisor of attribute 'kv_num_heads', " + std::to_string(heads));
    return forStates(operand(1, "key", parts, keySize), parts, keySize);
  }

  /// [batch, length, heads, group, keySize]
  Value queries() const {
    Value scaled = op.b.binary(BinaryKind::Mul, operand(0, "query", queryHeads, keySize), op.b.scalar(scale, compute));
    return op.b.reshape(forStates(scaled, queryHeads, keySize), {batch, length, heads, group, keySize});
  }

  /// An operand that the rule needs, whose rows have one of two widths.
  int64_t widthOfFactor(size_t index, StringRef name, int64_t one, int64_t other) const {
    if (!op.has(index))
      op.bad(operandText(index, name) + " is missing, expected one as attribute 'update_rule' is " + quoted(rule.name));
    const int64_t width = widthOf(index, name);
    if (width != one && width != other)
      op.bad(operandText(index, name) + " has the last extent " + std::to_string(width) + ", expected " +
             std::to_string(one) + " or " + std::to_string(other));
    return width;
  }

  /// [batch, heads, keySize, valueSize]
  Value initialState() const {
    const Exprs dims{batch, heads, keySize, valueSize};
    if (!op.has(3))
      return op.b.broadcast(op.b.scalar(0, type), dims);
    requireRank(op, 3, "past_state", 4);
    op.b.sameShape(op.shape(3, "past_state"), dims, "the shape of input 3 (past_state) and that of a state");
    return op.value(3, "past_state");
  }

  //===--- What all steps have before the loop, with batch and length in front ---===//

  void prepare() {
    Value k = keys(), q = queries(), row = op.b.unsqueeze(k, {3});
    shares = op.ofValue(op.b.reduce(ReduceKind::Sum, op.b.binary(BinaryKind::Mul, q, row), {4}));
    Value rows = rule.corrects ? op.b.concat({row, q}, 3) : q;
    if (rule.decays) {
      const int64_t width = widthOfFactor(4, "decay", heads, heads * keySize);
      Value e = op.b.unary(UnaryKind::Exp, operand(4, "decay", heads, width / heads));
      rows = op.b.binary(BinaryKind::Mul, rows, op.b.unsqueeze(e, {3}));
      factors = op.ofValue(op.b.unsqueeze(e, {4}));
    }
    if (rule.corrects)
      rates = op.ofValue(operand(5, "beta", widthOfFactor(5, "beta", heads, 1), 1));
    keyColumns = op.ofValue(op.b.unsqueeze(k, {4}));
    values = op.ofValue(op.b.unsqueeze(operand(2, "value", heads, valueSize), {3}));
    readers = op.ofValue(rows);
  }

  //===--- A step ---===//

  /// What it has of a tensor of all steps: [batch, ..].
  Value at(Tensor all, const Expr &index) const {
    Value value = op.materialize(op.bodies().scopes.here(all));
    Exprs sizes = op.b.shape(value), starts(sizes.size(), Expr(0));
    starts[1] = index;
    sizes[1] = Expr(1);
    return op.b.squeeze(op.b.slice(value, starts, Ints(sizes.size(), 1), sizes), {1});
  }

  /// Of [batch, heads, rows, valueSize].
  Value rowsFrom(Value value, int64_t first, int64_t count) const {
    return op.b.slice(value, {Expr(0), Expr(0), Expr(first), Expr(0)}, {1, 1, 1, 1}, {batch, heads, count, valueSize});
  }

  /// The next state, and what the queries read of it: [batch, all heads * valueSize].
  std::vector<Value> step(const Expr &index, Value state) const {
    Value products = op.b.matmul(at(readers, index), state), added = at(values, index);
    if (rule.corrects) {
      Value rest = op.b.binary(BinaryKind::Sub, added, rowsFrom(products, 0, 1));
      added = op.b.binary(BinaryKind::Mul, op.b.unsqueeze(at(rates, index), {3}), rest);
      products = rowsFrom(products, 1, group);
    }
    Value share = op.b.binary(BinaryKind::Mul, at(shares, index), added);
    Value output = op.b.binary(BinaryKind::Add, products, share);
    if (rule.decays)
      state = op.b.binary(BinaryKind::Mul, at(factors, index), state);
    Value next = op.b.binary(BinaryKind::Add, state, op.b.binary(BinaryKind::Mul, at(keyColumns, index), added));
    return {next, op.b.reshape(op.b.cast(output, type), {batch, heads * group * valueSize})};
  }

  OpBinder &op;
  const Rule rule;
  const Type type, compute;
  Expr batch, length;
  int64_t queryHeads = 1, heads = 1, group = 1; ///< group: queries that read a state
  int64_t keySize = 1, valueSize = 1;
  double scale = 1;
  Tensor readers = nullptr; ///< what S is multiplied by: e k where the rule corrects, then e q; [heads, rows, keySize]
  Tensor keyColumns = nullptr; ///< k: [heads, keySize, 1]
  Tensor values = nullptr;     ///< [heads, 1, valueSize]
  Tensor shares = nullptr;     ///< q . k: [heads, group, 1]
  Tensor factors = nullptr;    ///< e: [heads, 1 or keySize, 1]
  Tensor rates = nullptr;      ///< b: [heads or 1, 1]
};

} // namespace

void importLinearAttention(OpBinder &op) {
  op.requireInputs(3, 6);
  LinearAttention(op).run();
}

} // namespace cupola::onnx_import::microsoft
