//===- lib/Import/Onnx/GraphBuilder.h - graph ops with inferred types ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes ops of the graph dialect of what is known of extents by now, and inserts the
// explicit broadcasts. What the operands' shapes force becomes a fact (Symbols.h).
// Shapes that contradict each other throw NodeError, which the importer's node loop
// catches; nothing else in the import throws.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_GRAPHBUILDER_H
#define CUPOLA_LIB_IMPORT_ONNX_GRAPHBUILDER_H

#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/Limits.h"
#include "lib/Import/Onnx/StringNumbers.h"
#include "lib/Import/Onnx/Symbols.h"

namespace cupola::onnx_import {

/// A node that cannot be imported.
struct NodeError {
  ErrorKind kind;
  std::string message;
  /// What has no value while compiling, if that is the reason: an operand, or extents.
  std::optional<size_t> operand = std::nullopt;
  Exprs undecided = {};
  bool isByOperands = false; ///< the extents of its operands, if these are known, may be enough
};

/// Of an expression that is overflowed; `what` depends on dimensions by it.
NodeError tooLong(const std::string &what);

using mlir::Type;
using mlir::Value;
using Ints = llvm::SmallVector<int64_t>;

/// begin, begin + 1, ..., end - 1
inline Ints sequence(int64_t begin, int64_t end) {
  Ints values;
  for (int64_t i = begin; i < end; ++i)
    values.push_back(i);
  return values;
}

/// "[s0, 384]"
std::string shapeText(llvm::ArrayRef<Expr> shape);
/// "float32", "int64", "bool", as ONNX names element types.
std::string typeText(Type element);

class GraphBuilder {
public:
  GraphBuilder(mlir::OpBuilder &ops, Symbols &symbols, const Limits &limits)
      : ops(ops), symbols(symbols), limits(limits), where(ops.getUnknownLoc()) {}

  /// The node that the next ops belong to.
  void setNode(mlir::Location location, std::string label) {
    where = location;
    who = std::move(label);
  }
  mlir::Location location() const { return where; }
  const std::string &label() const { return who; }
  /// Sets the location alone; returns the one before.
  mlir::Location swapLocation(mlir::Location next) {
    std::swap(next, where);
    return next;
  }
  mlir::MLIRContext *context() const { return ops.getContext(); }
  Type int64() const { return ops.getI64Type(); } ///< of indices
  Symbols &facts() const { return symbols; }
  StringNumbers &strings() { return stringNumbers; } ///< of the model
  const Ranges &ranges() const { return symbols.ranges(); }

  Exprs shape(Value value) const { return symbols.current(graph::shapeOf(value)); }
  Type element(Value value) const { return graph::elementOf(value); }
  /// The tensor type after a look at rank, overflow and Limits::tensorBytes.
  mlir::RankedTensorType type(llvm::ArrayRef<Expr> dims, Type element) const;

  // Facts; all throw when they cannot hold. `what` describes a and b.
  Expr sameExtent(const Expr &a, const Expr &b, const std::string &what);
  /// The same, but what is known only while the model runs is checked there.
  Expr sameExtentHere(const Expr &a, const Expr &b, const std::string &what);
  /// `extent` is 1 or that of the `whole`.
  void oneOrAll(const Expr &extent, const Expr &whole, const std::string &what);
  Exprs sameShape(llvm::ArrayRef<Expr> a, llvm::ArrayRef<Expr> b, const std::string &what);
  /// The same with sameExtentHere.
  Exprs sameShapeHere(llvm::ArrayRef<Expr> a, llvm::ArrayRef<Expr> b, const std::string &what);
  void atMost(const Expr &a, const Expr &b, const std::string &what);
  /// What follows from elements of inputs may have any sign, and what follows from many extents is long: it becomes a
  /// symbol of its own that is checked to lie in min..max (0: unbounded) when shapes are bound. Anything else stays as
  /// it is.
  Expr bounded(const Expr &value, const std::string &what, int64_t min, int64_t max);
  Expr extent(const Expr &value, const std::string &what) { return bounded(value, what, 0, 0); }
  Expr broadcastExtent(const Expr &a, const Expr &b);
  Exprs broadcastShapes(llvm::ArrayRef<Expr> a, llvm::ArrayRef<Expr> b);

  Value constant(mlir::ElementsAttr value);
  /// One number in a tensor of `rank` dimensions of extent 1.
  Value scalar(double value, Type element, size_t rank = 0);
  Value intScalar(int64_t value, Type element, size_t rank = 0);
  /// One integer, which may be known when shapes are bound.
  Value integer(const Expr &value, Type element);
  Value integer(const Expr &value) { return integer(value, int64()); }
  Value iota(llvm::ArrayRef<Expr> dims, int64_t axis);                  ///< int64
  Value places(const Expr &start, const Expr &step, const Expr &count); ///< int64: start, start + step, ..
  Value dims(llvm::ArrayRef<Expr> values, llvm::ArrayRef<int64_t> shape, Type element);

  // Views; no op where nothing changes.
  Value reshape(Value value, llvm::ArrayRef<Expr> dims);
  Value withRank(Value value, size_t rank);                ///< adds leading extents of 1
  Value broadcast(Value value, llvm::ArrayRef<Expr> dims); ///< also raises the rank
  Value transpose(Value value, llvm::ArrayRef<int64_t> perm);
  Value slice(Value value, llvm::ArrayRef<Expr> starts, llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<Expr> sizes);
  Value concat(llvm::ArrayRef<Value> values, int64_t axis);
  Value pad(Value value, llvm::ArrayRef<Expr> low, llvm::ArrayRef<Expr> high, graph::PadMode mode,
            mlir::TypedAttr fill);
  /// graph.window; `places`: how many windows along each of the dimensions from `axis` on.
  Value window(Value value, int64_t axis, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
               llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<Expr> places);
  Value squeeze(Value value, llvm::ArrayRef<int64_t> axes);   ///< sorted; extents must be 1
  Value unsqueeze(Value value, llvm::ArrayRef<int64_t> axes); ///< sorted positions in the result

  // Pointwise; operands are broadcast to each other.
  Value unary(graph::UnaryKind kind, Value value, double alpha = 0, double beta = 0);
  Value binary(graph::BinaryKind kind, Value lhs, Value rhs);
  Value select(Value condition, Value lhs, Value rhs);
  Value cast(Value value, Type element, bool rounded = false);
  Value bitcast(Value value, Type element); ///< of types of as many bits, not bool
  /// graph.call of operands that have the shape of the result; `same` may be null.
  Value call(graph::SnippetAttr snippet, llvm::ArrayRef<Value> inputs, Value same, llvm::ArrayRef<Expr> dims,
             Type element);

  /// graph.host: `function` and `parameters` as of lib/Runtime/Format/HostOps.h.
  Value host(llvm::StringRef function, llvm::ArrayRef<std::string> parameters, llvm::ArrayRef<Value> inputs,
             llvm::ArrayRef<Expr> dims, Type element, Value same = {});
  /// What graph ops make by `same` in so many steps, which the host may do in far fewer: few steps they do, very many
  /// the host alone.
  Value hostOr(llvm::StringRef function, llvm::ArrayRef<std::string> parameters, llvm::ArrayRef<Value> inputs,
               llvm::ArrayRef<Expr> dims, Type element, const Expr &steps, llvm::function_ref<Value()> same);

  // The rest; axes are sorted and not negative.
  Value reduce(graph::ReduceKind kind, Value value, llvm::ArrayRef<int64_t> axes); ///< keeps dims
  /// `isRead`: else nobody reads the result where the axis has no elements.
  Value argReduce(graph::ReduceKind kind, Value value, int64_t axis, bool last, bool isRead = true);
  Value softmax(Value value, int64_t axis, bool log, graph::SoftmaxGuard guard = graph::SoftmaxGuard::None);
  Value layerNorm(Value value, int64_t axis, double epsilon, bool rms);
  /// numpy rules: ranks from 1 on, batch broadcast. `int8Rows`: of graph.matmul.
  Value matmul(Value lhs, Value rhs, std::optional<graph::Int8Rows> int8Rows = std::nullopt);
  /// graph.conv of [N, C, spatial..] and [O, C / groups, window..].
  Value conv(Value input, Value weights, llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> dilations,
             int64_t groups, llvm::ArrayRef<Expr> places);
  /// `isInRange`: every index is known to be one of the axis, and not negative.
  Value gather(Value data, Value indices, int64_t axis, int64_t batchDims = 0, bool isInRange = false);
  Value gatherElements(Value data, Value indices, int64_t axis, bool isRead = true); ///< of argReduce
  Value gatherND(Value data, Value indices, int64_t batchDims);

  [[noreturn]] void fail(const std::string &message, ErrorKind kind = ErrorKind::BadModel) const;
  /// Unsupported because extents are open while compiling.
  [[noreturn]] void undecided(llvm::ArrayRef<Expr> extents, const std::string &message) const;

private:
  /// An op whose result type is inferred.
  template <class Op, class... Args> Value make(Args &&...args) {
    mlir::OperationState state(where, Op::getOperationName());
    Op::build(ops, state, Type(), std::forward<Args>(args)...);
    const auto operands = llvm::map_to_vector(
        state.operands, [&](Value operand) { return graph::TensorComponents{shape(operand), element(operand)}; });
    const graph::TensorComponents result = Op::inferFor(state, operands);
    state.types.front() = type(symbols.current(result.dims), result.element);
    return ops.create(state)->getResult(0);
  }
  bool isBroadcastOf(const Expr &whole, const Expr &part) const;
  void sameRank(llvm::ArrayRef<Expr> a, llvm::ArrayRef<Expr> b, const std::string &what) const;
  void checkHere(const Expr &a, graph::Relation relation, const Expr &b, const std::string &why);
  void check(Symbols::Outcome outcome, const Expr &a, const Expr &b, const std::string &what,
             const std::string &expected) const;

  /// Extents that others were broadcast to, and all of those, as texts.
  std::map<std::string, std::set<std::string>> broadcasts;
  StringNumbers stringNumbers;
  mlir::OpBuilder &ops;
  Symbols &symbols;
  const Limits &limits;
  mlir::Location where;
  std::string who;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_GRAPHBUILDER_H
