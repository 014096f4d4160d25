//===- lib/Target/CUDA/SplitTokens.cpp - kernels of their own for one token -------===//
// SPDX-License-Identifier: Apache-2.0
//
// One graph of a decoder serves prompts and single tokens: how many tokens a run has is open. What is fast for one is
// not for the other: a token's attention shares its keys among blocks, a prompt's its rows. So kernels whose rows are
// tokens come twice, and one of both has no blocks. Both read weights as the model has them: turned for tokens alone
// (TurnWeights.cpp) they would lie in memory twice.
//===----------------------------------------------------------------------===//

#include "lib/Target/CUDA/AttentionParts.h"
#include "lib/Target/CUDA/Constants.h"
#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_SPLITTOKENS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

using Scalars = std::vector<std::string>; ///< n0, n1, .., some of them

/// Those of an expression that is one term, in which each is a factor or in one; none if it is anything else.
Scalars scalarsOf(const Expr &rows) {
  const std::set<std::string> names = rows.symbols();
  if (rows.terms().size() != 1 || rows.offset() != 0 || rows.terms()[0].degree() != names.size())
    return {};
  return Scalars(names.begin(), names.end());
}

/// The place of n0, n1, .. among the scalars.
size_t placeOf(const std::string &scalar) { return std::stoul(scalar.substr(1)); }

bool mayBeOne(FuncOp func, const std::string &scalar) {
  const auto known = cast<ScalarAttr>(func.getScalars()[placeOf(scalar)]);
  return known.getMin() <= 1 && known.getMax() != 1 && known.getDivisor() == 1;
}

class Splitter {
public:
  explicit Splitter(ModuleOp module) : symbols(module), users(cuda::fusionsByKernel(module)) {}

  void run(ModuleOp module) {
    std::vector<std::pair<FuncOp, Scalars>> found;
    auto collect = [&](Scalars (Splitter::*rowsOf)(FuncOp)) {
      for (auto func : module.getOps<FuncOp>())
        if (Scalars rows = (this->*rowsOf)(func); !rows.empty())
          found.emplace_back(func, std::move(rows));
    };
    collect(&Splitter::rowsOfAttention);
    for (auto [func, rows] : found)
      for (graph::FusionOp fusion : users.at(func.getSymName()))
        tokens.merge(symbolsOf(fusion, rows));
    for (auto func : module.getOps<FuncOp>())
      takeSequences(func);
    collect(&Splitter::rowsOfProduct);
    for (const auto &[func, rows] : found)
      split(func, rows);
  }

private:
  /// Those of the model that are in some scalars.
  static std::set<std::string> symbolsOf(graph::FusionOp fusion, const Scalars &scalars) {
    const graph::Exprs values = graph::exprsOf(*fusion.getScalars());
    std::set<std::string> result;
    for (const std::string &scalar : scalars)
      result.merge(values[placeOf(scalar)].symbols());
    return result;
  }

  /// Known to the device alone: launches get the most blocks that they may need then.
  bool isOfRun(const std::string &symbol) {
    auto op = symbols.lookup<graph::SymbolOp>(symbol);
    return op && op.getRun();
  }

  /// Of a kernel whose rows are multiples of scalars, where all fusions with it are as they should.
  Scalars openRows(FuncOp func, const Expr &rows, llvm::function_ref<bool(graph::FusionOp, const Scalars &)> fits) {
    const Scalars scalars = scalarsOf(rows);
    const auto used = users.find(func.getSymName());
    if (used == users.end() || !llvm::all_of(scalars, [&](const std::string &n) { return mayBeOne(func, n); }))
      return {};
    const bool all = llvm::all_of(used->second, [&](graph::FusionOp fusion) {
      return llvm::none_of(symbolsOf(fusion, scalars), [&](const std::string &symbol) { return isOfRun(symbol); }) &&
             fits(fusion, scalars);
    });
    return all ? scalars : Scalars();
  }

  /// Rows are tokens of this run, and keys are of others, too.
  Scalars rowsOfAttention(FuncOp func) {
    const auto parts = cuda::attentionParts(func);
    if (!parts)
      return {};
    const std::set<std::string> steps = ForOp(parts->steps).getSteps().symbols();
    return openRows(func, parts->rows, [&](graph::FusionOp fusion, const Scalars &rows) {
      const std::set<std::string> own = symbolsOf(fusion, rows);
      return llvm::any_of(symbolsOf(fusion, Scalars(steps.begin(), steps.end())),
                          [&](const std::string &symbol) { return own.count(symbol) == 0; });
    });
  }

  /// Where attention has a token of each sequence, or few, and only how many sequences there are is open.
  void takeSequences(FuncOp func) {
    const auto parts = cuda::attentionParts(func);
    const auto used = users.find(func.getSymName());
    if (!parts || used == users.end() || parts->rows.constant().value_or(cuda::fewTokens + 1) > cuda::fewTokens ||
        ForOp(parts->steps).getSteps().constant())
      return;
    Scalars sequences;
    for (const Expr &extent : graph::exprsOf(func.getGrid()))
      llvm::append_range(sequences, extent.symbols());
    for (graph::FusionOp fusion : used->second)
      tokens.merge(symbolsOf(fusion, sequences));
  }

  /// Rows are tokens of such an attention, of one sequence or several. What a library may do comes once.
  Scalars rowsOfProduct(FuncOp func) {
    auto dots = func.getBody().getOps<DotOp>();
    if (tokens.empty() || !llvm::hasSingleElement(dots))
      return {};
    const Expr rows = graph::exprOf((*dots.begin()).getExtents()[0]);
    return openRows(func, rows, [&](graph::FusionOp fusion, const Scalars &scalars) {
      return !fusion.getLibrary() && llvm::any_of(symbolsOf(fusion, scalars),
                                                  [&](const std::string &symbol) { return tokens.count(symbol) != 0; });
    });
  }

  void split(FuncOp func, const Scalars &scalars) {
    std::map<std::string, Expr> ones;
    Expr areOnes = 1;
    for (const std::string &scalar : scalars) {
      const Expr n = Expr::symbol(scalar);
      ones[scalar] = 1;
      areOnes *= 1 - min(max(n - 1, 1 - n), 1);
    }
    FuncOp token = func.clone();
    token.setSymName((func.getSymName() + "_token").str());
    symbols.insert(token, std::next(func->getIterator()));
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](graph::ExprAttr attr) {
      return graph::ExprAttr::get(attr.getContext(), attr.getValue().substitute(ones));
    });
    replacer.recursivelyReplaceElementsIn(token, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
    OpBuilder b(func.getContext());
    b.setInsertionPointAfter(token);
    cuda::TwinOp::create(b, func.getLoc(), FlatSymbolRefAttr::get(token.getSymNameAttr()),
                         FlatSymbolRefAttr::get(func.getSymNameAttr()), graph::ExprAttr::get(b.getContext(), areOnes));
  }

  SymbolTable symbols;
  std::map<StringRef, SmallVector<graph::FusionOp>> users;
  std::set<std::string> tokens; ///< symbols of the model
};

struct SplitTokens : cuda::impl::SplitTokensBase<SplitTokens> {
  void runOnOperation() override { Splitter(getOperation()).run(getOperation()); }
};

} // namespace
