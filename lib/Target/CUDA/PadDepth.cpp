//===- lib/Target/CUDA/PadDepth.cpp - products whose depth comes in odd runs ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/OperandCopies.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_PADDEPTH
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Runs are padded to a multiple of this.
constexpr int64_t group = 4;

/// The least number that `k` itself is divided by; 0 if there is none.
int64_t leastDivisor(const Expr &e, const std::string &k) {
  int64_t least = 0;
  auto take = [&](int64_t divisor) { least = divisor && (!least || divisor < least) ? divisor : least; };
  for (const Term &term : e.terms())
    for (const Factor &factor : term.factors) {
      const Atom &atom = *factor.atom;
      if (atom.kind() == Atom::Kind::Symbol)
        continue;
      const bool divides = atom.kind() == Atom::Kind::FloorDiv || atom.kind() == Atom::Kind::Mod;
      if (divides && atom.lhs() == Expr::symbol(k))
        take(atom.rhs().constant().value_or(0));
      take(leastDivisor(atom.lhs(), k));
    }
  return least;
}

class Padder {
public:
  explicit Padder(DotOp dot)
      : dot(dot), vars(dot->getParentOfType<kernel::FuncOp>()), k(vars.name(indicesOf(dot).k)),
        extents(graph::exprsOf(dot.getExtents())) {}

  void run() {
    LoadOp lhs = cuda::plainLoad(dot.getLhs().front()), rhs = cuda::plainLoad(dot.getRhs().front());
    std::optional<int64_t> depth = extents[2].constant();
    if (!lhs || !rhs || !depth)
      return;
    length = runOf(lhs);
    if (length < 3 || length % 2 == 0 || *depth % length != 0)
      return;
    padded = llvm::alignTo(length, group);
    pad(lhs);
    pad(rhs);
    extents[2] = *depth / length * padded;
    dot.setExtentsAttr(graph::exprArray(dot.getContext(), extents));
  }

private:
  /// How many neighbours along k are neighbours in memory, under one mask.
  int64_t runOf(LoadOp load) {
    graph::Exprs exprs = vars.read(load.getMask(), load.getIndices());
    exprs.push_back(vars.read(load.getPosition(), load.getIndices()));
    int64_t least = 0;
    for (const Expr &e : exprs)
      if (int64_t divisor = leastDivisor(simplify(e, vars.ranges()), k); divisor && (!least || divisor < least))
        least = divisor;
    const Expr position = simplify(exprs.back(), vars.ranges());
    return least && cuda::stepsByOne(position, k) ? least : 0;
  }

  /// In terms of the new k: its run, and its place in it.
  Expr inRuns(const Expr &e) {
    const Expr run = Expr::symbol("run"), place = Expr::symbol("place"), all = Expr::symbol(k);
    Ranges ranges = vars.ranges();
    ranges["run"] = {Expr(0), floorDiv(extents[2], length) - 1};
    ranges["place"] = {Expr(0), Expr(length - 1)};
    const Expr split = simplify(e.substitute({{k, run * length + place}}), ranges);
    return split.substitute({{"run", floorDiv(all, padded)}, {"place", mod(all, padded)}});
  }

  /// Zeros behind the end of every run.
  void pad(LoadOp load) {
    OpBuilder builder(load);
    graph::Exprs exprs = {vars.read(load.getPosition(), load.getIndices())};
    llvm::append_range(exprs, vars.read(load.getMask(), load.getIndices()));
    for (Expr &e : exprs)
      e = inRuns(e);
    exprs.push_back(Expr(length - 1) - mod(Expr::symbol(k), padded));
    Value zero = load.getOther();
    if (!zero)
      zero = ConstantOp::create(builder, load.getLoc(), builder.getZeroAttr(load.getType()));
    Value own = dot.getRhs().front().findAncestorOpInBlock(*load) ? dot.getRhs().getArgument(0) : indicesOf(dot).k;
    SmallVector<Value> indices = vars.write(exprs);
    llvm::replace(indices, indicesOf(dot).k, own);
    ArrayAttr mask = graph::exprArray(builder.getContext(), ArrayRef(exprs).drop_front());
    Value padded =
        LoadOp::create(builder, load.getLoc(), load.getType(), load.getView(), exprs[0], mask, indices, zero);
    load.replaceAllUsesWith(padded);
    load.erase();
  }

  DotOp dot;
  Variables vars;
  std::string k;
  graph::Exprs extents;
  int64_t length = 0, padded = 0; ///< of a run
};

struct PadDepth : cuda::impl::PadDepthBase<PadDepth> {
  using PadDepthBase::PadDepthBase;
  /// Patches of an image have its runs as they are.
  bool hasPatches(const GpuArchitecture &target) {
    cuda::KernelFacts facts(getOperation());
    return !cuda::ConvPatchAttr::candidates(facts, target).empty();
  }
  void runOnOperation() override {
    const GpuArchitecture *target = findGpu(arch);
    for (DotOp dot : getOperation().getBody().getOps<DotOp>())
      if (target && (cuda::areHalves(dot, *target) || cuda::areBytes(dot, *target)) && !hasPatches(*target))
        Padder(dot).run();
  }
};

} // namespace
