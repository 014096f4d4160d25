//===- lib/Target/CUDA/ShareKernels.cpp - products that differ in numbers only ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Constants.h"
#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"
#include "lib/Target/CUDA/Print.h"
#include "lib/Target/CUDA/WindowOperand.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_SHAREKERNELS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

using Numbers = std::vector<int64_t>;

using Change = llvm::function_ref<Expr(int64_t)>;

/// Rebuilds an expression with other numbers: coefficients that are not one, and constants.
/// A sign belongs to the sum, not to its number.
struct Renumber {
  Change change;

  Expr constant(int64_t value) { return value == -1 ? Expr(-1) : value < 0 ? -change(-value) : change(value); }
  Expr symbol(const std::string &name) { return Expr::symbol(name); }
  Expr binary(ExprOp op, const Expr &a, const Expr &b) { return apply(op, a, b); }
};

/// Gives the tile the extents of its product.
void retype(DotOp dot) {
  Type element = dot.getTile().getType().getElement();
  dot.getTile().setType(tileType(element, ArrayRef(graph::exprsOf(dot.getExtents())).take_front(2)));
}

/// Rewrites the numbers of all expressions of a kernel, in the order of a walk.
void mapNumbers(FuncOp func, Change change) {
  func->walk<WalkOrder::PreOrder>([&](Operation *op) {
    mapExprs(op, [&](const Expr &e) {
      Renumber builder{change};
      return buildExpr(e, builder);
    });
    if (auto dot = dyn_cast<DotOp>(op))
      retype(dot);
  });
}

/// What `depth` is divided by: with a known divisor the main loop needs no division.
void addDivisors(const Expr &e, const std::string &depth, std::string &divisors) {
  for (const Term &term : e.terms())
    for (const Factor &factor : term.factors) {
      const Atom &atom = *factor.atom;
      if (atom.kind() == Atom::Kind::Symbol || !atom.uses(depth))
        continue;
      divisors += atom.rhs().text() + ";";
      addDivisors(atom.lhs(), depth, divisors);
    }
}

/// A kernel, its numbers, and the rest of it: kernels with equal rests may be one.
struct Member {
  mutable FuncOp func;
  Numbers numbers;
  std::string rest;

  explicit Member(FuncOp func) : func(func) {
    auto dot = *func.getBody().getOps<DotOp>().begin();
    Variables vars(func);
    std::string depth = vars.name(indicesOf(dot).k), divisors;
    dot.walk([&](PositionInterface op) {
      for (const Expr &e : vars.read(op))
        addDivisors(e, depth, divisors);
    });
    OwningOpRef<FuncOp> copy(func.clone());
    copy->setSymName("k");
    copy->setKind(graph::KernelKind::Gemm); // A convolution may be the same product.
    mapNumbers(*copy, [&](int64_t number) {
      numbers.push_back(number);
      return Expr::symbol("number" + std::to_string(numbers.size()));
    });
    llvm::raw_string_ostream stream(rest);
    copy->print(stream, OpPrintingFlags().useLocalScope().assumeVerified());
    stream << divisors;
  }
};

/// Numbers that differ between the members, as multiples of new scalar parameters. Columns of
/// numbers with the same ratios share a parameter, so that what divides what is still seen.
class Parameters {
public:
  Parameters(ArrayRef<Member> members, size_t first) : next(first) {
    for (size_t i = 0; i < members[0].numbers.size(); ++i) {
      Numbers column;
      for (const Member &member : members)
        column.push_back(member.numbers[i]);
      values.push_back(valueOf(std::move(column)));
    }
  }

  std::vector<Expr> values;                 ///< of every number
  llvm::MapVector<size_t, Numbers> scalars; ///< parameter -> its value for every member

private:
  Expr valueOf(Numbers column) {
    int64_t common =
        std::accumulate(column.begin(), column.end(), int64_t(0), [](int64_t a, int64_t b) { return std::gcd(a, b); });
    if (llvm::all_of(column, [&](int64_t value) { return value == column[0]; }))
      return column[0];
    for (int64_t &value : column)
      value /= common;
    auto [found, isNew] = known.emplace(column, next);
    if (isNew)
      scalars[next++] = column;
    return Expr(common) * Expr::symbol("n" + std::to_string(found->second));
  }

  std::map<Numbers, size_t> known;
  size_t next;
};

/// One kernel for all members, or null if its positions would need 64 bits.
OwningOpRef<FuncOp> unite(ArrayRef<Member> members, const Parameters &parameters) {
  OwningOpRef<FuncOp> func(members[0].func.clone());
  size_t next = 0;
  mapNumbers(*func, [&](int64_t) { return parameters.values[next++]; });
  SmallVector<Attribute> scalars(func->getScalars().begin(), func->getScalars().end());
  for (const auto &[index, values] : parameters.scalars) {
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    scalars.push_back(ScalarAttr::get(func->getContext(), *least, *most, 1));
  }
  func->setScalarsAttr(ArrayAttr::get(func->getContext(), scalars));
  bool wasWide = llvm::any_of(members, [](const Member &m) { return cuda::needsWideIndex(m.func); });
  return !wasWide && cuda::needsWideIndex(*func) ? OwningOpRef<FuncOp>() : std::move(func);
}

/// The lowering of patches and of windows that tensor copies bring takes positions apart, which needs their numbers.
bool asksForNumbers(FuncOp func) {
  if (!isa_and_present<cuda::GemmWgmmaAttr>(func.getScheduleAttr()))
    return isa_and_present<cuda::ConvPatchAttr>(func.getScheduleAttr());
  Variables vars(func);
  return cuda::windowOperand(func, *func.getBody().getOps<DotOp>().begin(), /*depth=*/1, vars).has_value();
}

class Share {
public:
  explicit Share(ModuleOp module) : module(module), uses(cuda::fusionsByKernel(module)) {
    for (auto twin : module.getOps<cuda::TwinOp>())
      for (StringRef kernel : {twin.getKernel(), twin.getOther()}) // have the same scalars
        twins.insert(kernel);
  }

  void run() {
    std::map<std::string, size_t> places;
    std::vector<std::vector<Member>> groups;
    for (auto func : module.getOps<FuncOp>()) {
      if (!llvm::hasSingleElement(func.getBody().getOps<DotOp>()) || twins.count(func.getSymName()) ||
          asksForNumbers(func))
        continue;
      Member member(func);
      auto [place, isNew] = places.emplace(member.rest, groups.size());
      if (isNew)
        groups.emplace_back();
      groups[place->second].push_back(std::move(member));
    }
    for (const std::vector<Member> &members : groups)
      if (members.size() > 1)
        share(members);
  }

private:
  void share(ArrayRef<Member> members) {
    Parameters parameters(members, members[0].func.getScalars().size());
    OwningOpRef<FuncOp> united = unite(members, parameters);
    if (!united)
      return;
    Builder b(module.getContext());
    auto name = FlatSymbolRefAttr::get(united->getSymNameAttr());
    for (auto [i, member] : llvm::enumerate(members))
      for (graph::FusionOp fusion : uses[member.func.getSymName()]) {
        SmallVector<Attribute> scalars(fusion.getScalars()->getValue());
        for (const auto &[index, values] : parameters.scalars)
          scalars.push_back(graph::ExprAttr::get(b.getContext(), values[i]));
        fusion.setKernelAttr(name);
        fusion.setScalarsAttr(b.getArrayAttr(scalars));
      }
    OpBuilder(members[0].func).insert(united.release());
    for (const Member &member : members)
      member.func.erase();
  }

  ModuleOp module;
  std::map<StringRef, SmallVector<graph::FusionOp>> uses;
  std::set<StringRef> twins;
};

struct ShareKernels : cuda::impl::ShareKernelsBase<ShareKernels> {
  void runOnOperation() override { Share(getOperation()).run(); }
};

} // namespace
