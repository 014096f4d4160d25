//===- lib/Transforms/DeclareAliases.cpp - results that lie in the memory of arguments ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/DeclareAliases.h"

#include "dialects/Graph/Placement.h"
#include "dialects/Graph/Provenance.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola {

namespace {

/// What the `*` of `pattern` stands for in `name`; nothing where the two do not match.
std::optional<StringRef> match(StringRef pattern, StringRef name) {
  if (!pattern.contains('*'))
    return pattern == name ? std::optional<StringRef>("") : std::nullopt;
  auto [before, after] = pattern.split('*');
  if (name.size() < before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after))
    return std::nullopt;
  return name.drop_front(before.size()).drop_back(after.size());
}

class AliasDeclarer {
public:
  explicit AliasDeclarer(ModuleOp module)
      : module(module), main(module.lookupSymbol<func::FuncOp>("main")),
        ret(cast<func::ReturnOp>(main.getBody().front().getTerminator())), b(module.getContext()) {}

  Status declare(StringRef input, StringRef output) {
    if (input.count('*') > 1 || input.count('*') != output.count('*'))
      return Status::usage(named(input, output) + ": one '*' may stand in both names, or in none");
    bool found = false;
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (std::optional<std::string> name = aliasOf(input, output, argumentName(i))) {
        CUPOLA_TRY(declarePair(i, *name));
        found = true;
      }
    return found ? Status() : Status::usage(named(input, output) + ": the model has no such input");
  }

private:
  static std::string named(StringRef input, StringRef output) { return ("--alias " + input + "=" + output).str(); }
  StringRef argumentName(unsigned i) { return main.getArgAttrOfType<StringAttr>(i, "graph.name").getValue(); }

  Status declarePair(unsigned input, const std::string &outputName) {
    const std::string what = named(argumentName(input), outputName);
    for (unsigned output = 0; output < main.getNumResults(); ++output) {
      if (main.getResultAttrOfType<StringAttr>(output, "graph.name").getValue() != outputName)
        continue;
      if (main.getArgAttr(input, graph::storageAttr) || main.getResultAttr(output, graph::storageAttr))
        return Status::usage(what + ": one of the two has an alias already");
      return append(input, output, what);
    }
    return Status::usage(what + ": the model has no output '" + outputName + "'");
  }

  Status append(unsigned input, unsigned output, const std::string &what) {
    Value past = main.getArgument(input), present = ret.getOperand(output);
    auto concat = present.getDefiningOp<graph::ConcatOp>();
    if (!concat || concat.getInputs().front() != past || llvm::is_contained(concat.getInputs().drop_front(), past)) {
      std::string maker = present.getDefiningOp() ? "it is made by node '" + graph::displayName(present.getLoc()) + "'"
                                                  : "it is an input";
      return Status::unsupported(what + ": expected the output to be Concat of the input and what is appended to it; " +
                                 maker);
    }
    b.setInsertionPoint(concat);
    auto join = graph::JoinOp::create(b, concat.getLoc(), concat.getInputs(), concat.getAxis());
    concat.replaceAllUsesWith(join.getResult());
    concat.erase();
    ArrayAttr storage = storageOf(join, argumentName(input));
    main.setArgAttr(input, graph::storageAttr, storage);
    main.setResultAttr(output, graph::storageAttr, storage);
    main.setResultAttr(output, graph::aliasAttr, b.getI64IntegerAttr(input));
    return {};
  }

  /// The result with as many rows along the axis as there is room for. How many is of no
  /// importance where nothing stands outside of the axis.
  ArrayAttr storageOf(graph::JoinOp join, StringRef pastName) {
    graph::Exprs storage = graph::shapeOf(join.getResult());
    const int64_t axis = join.getAxis();
    if (llvm::any_of(ArrayRef<Expr>(storage).take_front(axis), [](const Expr &e) { return !e.isConstant(1); }))
      storage[axis] = makeCapacity(storage[axis], pastName);
    return graph::exprArray(b.getContext(), storage);
  }

  /// A symbol after those of the model, bounded as what it has room for is.
  Expr makeCapacity(const Expr &rows, StringRef pastName) {
    Operation *last = nullptr;
    int64_t next = 0;
    for (auto symbol : module.getOps<graph::SymbolOp>()) {
      int64_t number = 0;
      if (!symbol.getSymName().drop_front().getAsInteger(10, number))
        next = std::max(next, number + 1);
      last = symbol;
    }
    OpBuilder::InsertionGuard guard(b);
    last ? b.setInsertionPointAfter(last) : b.setInsertionPointToStart(module.getBody());
    const Ranges ranges = graph::symbolRanges(module);
    const std::optional<int64_t> most = rows.constant() ? std::nullopt : bounds(rows, ranges).hi;
    const std::string id = "s" + std::to_string(next);
    Location named = NameLoc::get(b.getStringAttr("capacity of " + pastName));
    graph::SymbolOp::create(b, named, id, 1, most.value_or(0), /*divisor=*/1, /*run=*/false,
                            /*definition=*/graph::ExprAttr());
    return Expr::symbol(id);
  }

  ModuleOp module;
  func::FuncOp main;
  func::ReturnOp ret;
  OpBuilder b;
};

} // namespace

std::optional<std::string> aliasOf(StringRef input, StringRef output, StringRef name) {
  const std::optional<StringRef> star = match(input, name);
  if (!star)
    return std::nullopt;
  auto [before, after] = output.split('*');
  return (before + *star + after).str();
}

Status declareAliases(ModuleOp module, StringRef input, StringRef output) {
  return AliasDeclarer(module).declare(input, output);
}

} // namespace cupola
