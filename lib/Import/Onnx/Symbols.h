//===- lib/Import/Onnx/Symbols.h - dimensions and what is known of them ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Owns the module's graph.symbol ops and the facts that the model forces on them.
// A fact about a bare symbol takes effect at once (current() applies it) and is
// recorded as graph.assume, to be checked when shapes are bound. Types made
// before a fact keep the old expressions until the importer retypes the module.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SYMBOLS_H
#define CUPOLA_LIB_IMPORT_ONNX_SYMBOLS_H

#include "dialects/Graph/Graph.h"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace cupola::onnx_import {

using graph::Exprs;

class Symbols {
public:
  /// The module's graph.symbol and graph.assume ops are made at its front.
  explicit Symbols(mlir::ModuleOp module) : module(module) {}

  /// A new symbol. `origin`: "dimension 0 ('batch') of input 'x'"; `name`: of the
  /// model, for the location; max 0: unbounded.
  Expr create(const std::string &name, const std::string &origin, int64_t min, int64_t max);

  /// An element of a shape input, or one of the two that a float is (lib/Runtime/Format/ShapeElements.h): any number
  /// from `min` on. `input`: the input's name.
  Expr createElement(const std::string &input, const std::string &origin, int64_t min);
  /// The input that the symbol is an element of, or null.
  const std::string *inputOf(const std::string &id) const;
  /// Whether the value depends on elements of inputs, which may have any sign.
  bool followsElements(const Expr &expr) const;
  /// The value of a symbol that `define` made.
  std::optional<Expr> definitionOf(const std::string &id) const;
  /// A symbol with this value, of which is known that it lies in min..max (0: unbounded): checked when shapes are
  /// bound. `what`, for people, is its name. The same value is the same symbol.
  Expr define(const Expr &value, const std::string &what, int64_t min, int64_t max);

  /// A symbol that a branch or a loop gives values to; no fact can be checked of it. It is never above `most`, and the
  /// run checks that it is never below `least`.
  Expr createRun(const std::string &origin, const std::optional<Expr> &most = std::nullopt,
                 const std::string &name = "", int64_t least = 0);
  /// The symbol that element `place` of a value of the import was read into, if it was.
  std::optional<Expr> numberOf(mlir::Value value, int64_t place) const;
  void setNumber(mlir::Value value, int64_t place, const Expr &symbol);
  /// What was read as a number of any sign is to be 0 or more from now on, which the run checks where it is read.
  void useAsLength(const Expr &number);
  bool isRun(const std::string &id) const { return state.runs.count(id) != 0; }
  const std::set<std::string> &runSymbols() const { return state.runs; }
  bool usesRun(const Expr &expr) const;

  /// The expression under all facts so far, simplified.
  Expr current(const Expr &expr) const;
  Exprs current(llvm::ArrayRef<Expr> exprs) const;
  const Ranges &ranges() const { return state.known; }

  /// Open: it depends on run symbols, so that nobody can check it when shapes are bound.
  enum class Outcome { Holds, Impossible, Open };
  /// Both are equal from now on. `who`: the node that forces it.
  Outcome assumeEqual(const Expr &a, const Expr &b, const std::string &who);
  Outcome assumeLessEqual(const Expr &a, const Expr &b, const std::string &who);
  /// Equal, or one of them is 1: no change to the expressions.
  Outcome assumeBroadcast(const Expr &a, const Expr &b, const std::string &who);

  /// What the user calls the symbol: "batch", "x[0]".
  std::string nameOf(const std::string &id) const;

  /// Names the inputs that the symbols of `expr` come from, "384*s0 (s0 is
  /// dimension 0 ('batch') of input 'x')".
  std::string describe(const Expr &expr) const;

  /// Of a fact that `who` forces.
  graph::ReasonAttr reason(const Expr &a, const Expr &b, const std::string &who) const;

  /// All symbols and facts so far; `restore` takes back those that came after.
  struct State {
    std::map<std::string, Expr> replaced;
    std::map<std::string, std::string> origins;
    std::map<std::string, graph::SymbolOp> ops;
    std::set<std::string> runs;
    std::map<std::string, std::string> elements;              ///< of shape inputs: which input
    std::map<std::string, Expr> defined;                      ///< by their bounds and values, as text
    std::map<std::pair<const void *, int64_t>, Expr> numbers; ///< read of data: looked up alone, never walked
    std::set<std::string> recorded;                           ///< facts already written, as text
    mlir::Operation *last = nullptr;                          ///< of the ops at the module's front that were made here
    Ranges known;
  };
  std::shared_ptr<const State> save() const { return std::make_shared<State>(state); }
  void restore(const State &before);

  /// Writes bounds found by facts into the graph.symbol ops.
  void finish();

private:
  mlir::ModuleOp module;
  State state;

  void record(const Expr &a, graph::Relation relation, const Expr &b, const std::string &who);
  Outcome assumeConstant(const Expr &e, int64_t value, const std::string &who);
  bool givesWay(const std::string &first, const std::string &second) const;
  bool replace(const Expr &symbol, const Expr &value);
  void raiseLow(const Expr &e);
  void useMinimum(const Expr &e);
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SYMBOLS_H
