//===- lib/Target/CUDA/SplitTokens.cpp - kernels of their own for one token -------===//
// SPDX-License-Identifier: Apache-2.0
//
// One graph of a decoder serves prompts and single tokens: how many tokens a run has is open. What is fast for one is
// not for the other: a token's attention shares its keys among blocks, a prompt's its rows. So kernels whose rows are
// tokens come twice, and one of both has no blocks.
//===----------------------------------------------------------------------===//

#include "lib/Target/CUDA/AttentionParts.h"
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

/// n0, n1, .. of which an expression is a multiple; none if it is anything else.
std::optional<std::string> scalarOf(const Expr &rows) {
  if (rows.terms().size() != 1 || rows.offset() != 0 || rows.symbols().size() != 1)
    return std::nullopt;
  const std::string name = *rows.symbols().begin();
  const std::optional<Expr> each = rows.coefficient(name);
  return each && each->constant() ? std::optional(name) : std::nullopt;
}

/// The place of n0, n1, .. among the scalars.
size_t placeOf(const std::string &scalar) { return std::stoul(scalar.substr(1)); }

class Splitter {
public:
  explicit Splitter(ModuleOp module) : symbols(module) {
    module.walk([&](graph::FusionOp fusion) {
      if (std::optional<StringRef> kernel = fusion.getKernel())
        users[*kernel].push_back(fusion);
    });
  }

  void run(ModuleOp module) {
    SmallVector<FuncOp> attentions;
    for (auto func : module.getOps<FuncOp>())
      if (isOpenAttention(func))
        attentions.push_back(func);
    for (FuncOp func : attentions)
      split(func, *scalarOf(cuda::attentionParts(func)->rows));
  }

private:
  /// Rows are tokens of this run, and keys are others, too.
  bool isOpenAttention(FuncOp func) {
    const auto parts = cuda::attentionParts(func);
    const std::optional<std::string> rows = parts ? scalarOf(parts->rows) : std::nullopt;
    const auto used = users.find(func.getSymName());
    if (!rows || used == users.end() || !mayBeOne(func, *rows))
      return false;
    const Expr steps = ForOp(parts->steps).getSteps();
    return llvm::all_of(used->second, [&](graph::FusionOp fusion) {
      const graph::Exprs scalars = graph::exprsOf(*fusion.getScalars());
      const std::set<std::string> tokens = scalars[placeOf(*rows)].symbols();
      return llvm::any_of(steps.symbols(), [&](const std::string &scalar) {
        const std::set<std::string> keys = scalars[placeOf(scalar)].symbols();
        return llvm::any_of(keys, [&](const std::string &symbol) { return tokens.count(symbol) == 0; });
      });
    });
  }

  bool mayBeOne(FuncOp func, const std::string &scalar) {
    const auto known = cast<ScalarAttr>(func.getScalars()[placeOf(scalar)]);
    return known.getMin() <= 1 && known.getMax() != 1 && known.getDivisor() == 1;
  }

  void split(FuncOp func, const std::string &scalar) {
    FuncOp token = func.clone();
    token.setSymName((func.getSymName() + "_token").str());
    symbols.insert(token, std::next(func->getIterator()));
    AttrTypeReplacer one;
    one.addReplacement([&](graph::ExprAttr attr) {
      return graph::ExprAttr::get(attr.getContext(), attr.getValue().substitute({{scalar, Expr(1)}}));
    });
    one.recursivelyReplaceElementsIn(token, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
    Builder b(func.getContext());
    const Expr n = Expr::symbol(scalar), isOther = min(max(n - 1, 1 - n), 1);
    auto shareOf = [&](const Expr &share) { return graph::ExprAttr::get(b.getContext(), share); };
    token->setAttr(cuda::shareOfBlocksAttr, shareOf(1 - isOther));
    func->setAttr(cuda::shareOfBlocksAttr, shareOf(isOther));
    func->setAttr(cuda::tokenKernelAttr, FlatSymbolRefAttr::get(token.getSymNameAttr()));
  }

  SymbolTable symbols;
  std::map<StringRef, SmallVector<graph::FusionOp>> users;
};

struct SplitTokens : cuda::impl::SplitTokensBase<SplitTokens> {
  void runOnOperation() override { Splitter(getOperation()).run(getOperation()); }
};

} // namespace
