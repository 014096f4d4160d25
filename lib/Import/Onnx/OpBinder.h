//===- lib/Import/Onnx/OpBinder.h - typed access to one node ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// What an import function sees of a node: operands, attributes with defaults,
// operands as constants or as symbolic integers, and where results go. Whatever
// is not as ONNX says throws NodeError with what was found and expected; the node
// loop adds the node's name, op and opset.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPBINDER_H
#define CUPOLA_LIB_IMPORT_ONNX_OPBINDER_H

#include "lib/Import/Onnx/BlobStore.h"
#include "lib/Import/Onnx/GraphBuilder.h"
#include "lib/Import/Onnx/Known.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <deque>
#include <functional>
#include <set>

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
class TensorProto;
class TypeProto;
} // namespace onnx

namespace cupola::onnx_import {

class Bodies;
struct Scope;

struct TensorRecord;
using Tensor = TensorRecord *;

/// Of numbers that are read from data: 0 or more, which the run checks, or any.
enum class Sign : uint8_t { Length, Any };

/// What a value consists of that is no tensor (Composite.h).
struct Composite {
  enum Kind { Sequence, Stack, Optional, Maps };
  Kind kind = Sequence;
  std::vector<Tensor> elements; ///< of a stack, the one tensor; of an optional, its value or nothing; of maps, their
                                ///< values, [rows, labels], and the labels
};

/// A value of the model: in the IR, or known and put into the IR when needed; or a sequence or an optional.
struct TensorRecord {
  Exprs dims;
  Type element;                ///< as the model has it; also of the tensors in a sequence
  Value value;                 ///< null: not in the IR yet
  mlir::ElementsAttr constant; ///< of an initialiser or Constant node
  std::optional<Known> known;
  mlir::Location where;         ///< of the node that made it
  bool poisoned = false;        ///< made by a node that cannot be imported
  bool allNonZero = false;      ///< every element is a constant other than 0
  const Scope *scope = nullptr; ///< the body that may use `value` (Scopes.h)
  std::optional<Composite> composite = std::nullopt;
};

/// Owns the records of one import.
class TensorPool {
public:
  explicit TensorPool(GraphBuilder &builder) : builder(builder) {}
  Tensor add(TensorRecord record) { return &records.emplace_back(std::move(record)); }
  /// Of the tensors that are made from here on.
  void setScope(const Scope *next) { scope = next; }
  /// `element`: as the model has it, where the value holds a narrow type (NarrowTypes.h).
  Tensor ofValue(Value value, Type element = {});
  Tensor ofKnown(Known known, Type element);
  Tensor ofConstant(const onnx::TensorProto &tensor, const BlobStore &blobs);
  Tensor ofComposite(Composite composite, Type element);
  Tensor poison();
  /// The tensor in the IR: a constant or graph.dims is made at the first call.
  Value materialize(Tensor tensor);

private:
  GraphBuilder &builder;
  std::deque<TensorRecord> records; ///< addresses stay
  const Scope *scope = nullptr;

  Value materializeKnown(const TensorRecord &tensor);
};

/// int32 or int64.
bool isIndexType(Type element);

/// "input 1 (shape)"
std::string operandText(size_t index, llvm::StringRef name);

class OpBinder {
public:
  OpBinder(const onnx::NodeProto &node, GraphBuilder &builder, TensorPool &pool, const BlobStore &blobs,
           const Limits &limits, const std::map<std::string, std::string> &aliases, std::vector<Tensor> inputs,
           Bodies &bodies)
      : b(builder), limits(limits), node(node), pool(pool), blobs(blobs), aliases(aliases), operands(std::move(inputs)),
        subgraphs(bodies) {}

  GraphBuilder &b;
  const Limits &limits;

  // Operands. `name` is ONNX's name of the operand.
  size_t inputCount() const { return operands.size(); }
  /// For a form that is read as a later one.
  void setOperand(size_t index, Tensor tensor) {
    operands.resize(std::max(operands.size(), index + 1));
    operands[index] = tensor;
  }
  bool has(size_t index) const { return index < operands.size() && operands[index]; }
  Tensor operand(size_t index, llvm::StringRef name) const;  ///< of any kind
  Tensor sequence(size_t index, llvm::StringRef name) const; ///< elementsOf: its tensors
  Tensor tensor(size_t index, llvm::StringRef name) const;   ///< throws where it is none, as what follows
  Value value(size_t index, llvm::StringRef name) const;
  std::vector<Value> allValues() const;                   ///< of a variadic op; at least one
  Value scalar(size_t index, llvm::StringRef name) const; ///< of one element, which has the type that ONNX asks for
  Exprs shape(size_t index, llvm::StringRef name) const;
  int64_t rank(size_t index, llvm::StringRef name, int64_t least = 0) const;
  Type element(size_t index, llvm::StringRef name) const;
  void requireFloat(size_t index, llvm::StringRef name) const;
  void requireNumber(size_t index, llvm::StringRef name) const; ///< not bool
  void requireBool(size_t index, llvm::StringRef name) const;
  void requireIndex(size_t index, llvm::StringRef name) const; ///< int32 or int64
  void requireInputs(int least, int most) const;

  // Operands that must be known.
  const Known *known(size_t index) const; ///< null: not known or absent
  /// Whether operands may be read from data while the model runs; if not, the importer knows that one could be.
  bool readsData() const;
  /// The elements: known, or read from data (NumbersOfData.h). Throws where they are neither.
  Known numbers(size_t index, llvm::StringRef name, Sign sign = Sign::Length) const;
  Exprs symbolicInts(size_t index, llvm::StringRef name, Sign sign = Sign::Length) const; ///< such integers
  Ints constantInts(size_t index, llvm::StringRef name) const;
  Expr symbolicInt(size_t index, llvm::StringRef name) const;
  int64_t constantInt(size_t index, llvm::StringRef name) const;
  double constantNumber(size_t index, llvm::StringRef name) const;

  // Attributes.
  bool hasAttribute(llvm::StringRef name) const;
  int64_t intAttribute(llvm::StringRef name, int64_t fallback) const;
  double floatAttribute(llvm::StringRef name, double fallback) const;
  std::string stringAttribute(llvm::StringRef name, llvm::StringRef fallback) const;
  std::optional<Ints> intsAttribute(llvm::StringRef name) const;
  std::optional<std::vector<double>> floatsAttribute(llvm::StringRef name) const;
  std::optional<std::vector<std::string>> stringsAttribute(llvm::StringRef name) const;
  Tensor tensorAttribute(llvm::StringRef name) const;                           ///< null: absent
  void ignoreAttribute(llvm::StringRef name) const { read.insert(name.str()); } ///< without effect on the result
  const onnx::GraphProto &graphAttribute(llvm::StringRef name) const;
  const onnx::TypeProto *typeAttribute(llvm::StringRef name) const; ///< null: absent
  int64_t requiredInt(llvm::StringRef name) const;
  Ints requiredInts(llvm::StringRef name) const;
  /// An attribute nobody asked for is an error: it could change the result.
  void checkAllAttributesRead() const;

  // Axes: -rank..rank-1 become 0..rank-1; lists are sorted and free of repetition.
  int64_t axis(int64_t value, int64_t rank, llvm::StringRef name = "axis") const;
  Ints axes(llvm::ArrayRef<int64_t> values, int64_t rank, llvm::StringRef name = "axes") const;

  // Bodies (Bodies.h, LoopBody.h).
  Bodies &bodies() const { return subgraphs; }
  Tensor ofValue(Value value, Type element = {}) const { return pool.ofValue(value, element); }
  Value materialize(Tensor tensor) const { return pool.materialize(tensor); }
  Tensor ofKnown(Known known, Type element) const { return pool.ofKnown(std::move(known), element); }
  Tensor ofComposite(Composite composite, Type element) const;

  // Results.
  size_t outputCount() const;
  bool wants(size_t index) const; ///< the output exists and has a name
  /// Whether it is to lie in the memory of an operand, both of them the model's (--alias).
  bool sharesMemory(size_t output, size_t input) const;
  void result(Value value, size_t index = 0);
  void result(Tensor tensor, size_t index = 0);
  void result(Value held, Type element, size_t index = 0);
  void result(Known known, Type element, size_t index = 0);
  const std::vector<Tensor> &results() const { return outputs; }

  [[noreturn]] void bad(const std::string &message) const;
  [[noreturn]] void unsupported(const std::string &message) const;
  /// Unsupported because the value of an operand, or extents, are open while compiling.
  [[noreturn]] void undecided(size_t index, const std::string &message) const;
  [[noreturn]] void undecided(llvm::ArrayRef<Expr> extents, const std::string &message) const;

private:
  const onnx::NodeProto &node;
  TensorPool &pool;
  const BlobStore &blobs;
  const std::map<std::string, std::string> &aliases; ///< ShapeOptions::aliases
  std::vector<Tensor> operands;
  std::vector<Tensor> outputs;
  Bodies &subgraphs;
  mutable std::set<std::string> read; ///< attributes that were asked for

  [[noreturn]] void undecidedByData(size_t index, llvm::StringRef name) const;
  void requireKnown(size_t index, llvm::StringRef name) const;
  const onnx::AttributeProto *attribute(llvm::StringRef name, int type) const;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPBINDER_H
