//===- lib/Target/CPU/Schedules/Transpose.cpp - squares of vectors, turned in registers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Pointwise work whose loads are contiguous along one loop and whose stores along another one. Squares are walked along
// the loop whose lines in memory would else lie far apart: where they lie a multiple of 4 KB apart, as rows of
// channels do, a cache keeps but a few of them.

#include "lib/Target/CPU/Code.h"
#include "lib/Target/CPU/Schedules/Schedules.h"

#include <numeric>

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {
namespace {

/// Of a tile, bytes along the inner loop times an element's, and elements along the other one. Lines that vectors fill
/// in part stay in the first cache until they are full, and those of large elements are walked for long, which is what
/// is fetched ahead.
constexpr int64_t kInnerTile = 256, kOuterTile = 64;
/// Lines a multiple of this apart share a set of the first cache; so far apart each has a page.
constexpr int64_t kSetBytes = 4096;

/// Not what looks up where to read: that takes most of the time, and less of it where loads of an index have lanes.
bool isElementwise(Operation &op) {
  return isa<LoadOp, StoreOp, UnaryOp, BinaryOp, SelectOp, CastOp, BitcastOp, kernel::ConstantOp, IndexOp, InRangeOp>(
      op);
}

/// How far a position moves with a loop; none where data take part in it, or it is not linear.
template <class AccessOp> std::optional<Expr> stepOf(Variables &vars, AccessOp op, const std::string &var) {
  if (llvm::any_of(op.getIndices(), [](Value index) { return index.getDefiningOp(); }))
    return std::nullopt;
  return vars.read(op.getPosition(), op.getIndices()).coefficient(var);
}

template <class AccessOp> bool isContiguous(Variables &vars, AccessOp op, const std::string &var) {
  std::optional<Expr> step = stepOf(vars, op, var);
  return step && step->isConstant(1);
}

/// Whether a load runs along `from` and moves with `to`. What it depends on is known before the square.
bool isTurned(Variables &vars, LoadOp load, const std::string &from, const std::string &to) {
  if (load.getView().getType().getAccess() != Access::Read ||
      (load.getOther() && !load.getOther().getDefiningOp<kernel::ConstantOp>()))
    return false;
  return isContiguous(vars, load, from) && !isContiguous(vars, load, to) &&
         vars.read(load.getPosition(), load.getIndices()).uses(to);
}

/// The loads to turn; none where the kernel is no transposition by these loops.
SmallVector<LoadOp> turnedLoads(Variables &vars, const Nest &nest, int64_t from, int64_t to) {
  const auto loops = static_cast<int64_t>(nest.vars.size());
  SmallVector<LoadOp> turned;
  if (!nest.body || from >= loops || to >= loops || from == to || !llvm::all_of(*nest.body, isElementwise))
    return turned;
  for (Operation &op : *nest.body) {
    if (auto store = dyn_cast<StoreOp>(op); store && !isContiguous(vars, store, nest.vars[to]))
      return {};
    if (auto load = dyn_cast<LoadOp>(op); load && isTurned(vars, load, nest.vars[from], nest.vars[to]))
      turned.push_back(load);
  }
  return turned;
}

/// What it costs to go across lines that lie so far apart along a loop: 0 to a bit more than 1.
template <class AccessOp> double distanceCost(Variables &vars, ArrayRef<AccessOp> ops, const std::string &var) {
  double most = 0;
  for (AccessOp op : ops) {
    std::optional<Expr> step = stepOf(vars, op, var);
    const int64_t elements = step ? static_cast<int64_t>(estimate(*step)) : kSetBytes;
    const int64_t bytes = elements * elementBytes(op.getView().getType().getElement());
    most = std::max(most, static_cast<double>(std::gcd(bytes, kSetBytes)) +
                              static_cast<double>(std::min(bytes, kSetBytes)) / 8);
  }
  return most / kSetBytes;
}

int64_t mostBytes(ArrayRef<LoadOp> loads) {
  int64_t most = 1;
  for (LoadOp load : loads)
    most = std::max<int64_t>(most, elementBytes(load.getType()));
  return most;
}

} // namespace

LogicalResult TransposeAttr::verify(EmitError error, int64_t from, int64_t to, int64_t fromTile, int64_t toTile, Side) {
  if (from < 0 || to < 0)
    return error() << "has a negative number";
  if (from == to)
    return error() << "goes from loop " << from << " to the same one";
  return verifyPositive(error, {fromTile, toTile});
}

/// Of the loops that fill squares well enough. Level 3 has no masks for elements of less than four bytes: at an edge
/// each takes a branch.
static int64_t leastExtent(const Nest &nest, const CpuArchitecture &isa) {
  unsigned least = 4;
  for (Operation &op : *nest.body) {
    if (auto load = dyn_cast<LoadOp>(op))
      least = std::min(least, elementBytes(load.getType()));
    else if (auto store = dyn_cast<StoreOp>(op))
      least = std::min(least, elementBytes(store.getValue().getType()));
  }
  return isa.level < 4 && least < 4 ? isa.lanes() : 3;
}

Candidates TransposeAttr::candidates(KernelPlan &kernel, const CpuArchitecture &isa) {
  Candidates all;
  if (kernel.steps || kernel.contraction || !kernel.tiles.empty())
    return all;
  const std::vector<Expr> &extents = kernel.nest.extents;
  const int64_t least = leastExtent(kernel.nest, isa);
  const auto isLong = [&](size_t loop) { return extents[loop].constant().value_or(least) >= least; };
  for (size_t to = 0; to < extents.size(); ++to)
    for (size_t from = 0; from < extents.size(); ++from) {
      if (!isLong(from) || !isLong(to))
        continue;
      const SmallVector<LoadOp> turned = turnedLoads(kernel.vars, kernel.nest, from, to);
      if (turned.empty())
        continue;
      for (Side inner : {Side::To, Side::From}) {
        const auto tile = [&](size_t loop, Side side) {
          return blockOf(extents[loop], isa.lanes(), side == inner ? kInnerTile * mostBytes(turned) : kOuterTile);
        };
        all.push_back(
            TransposeAttr::get(kernel.func.getContext(), from, to, tile(from, Side::From), tile(to, Side::To), inner));
      }
    }
  return all;
}

/// What squares at the edges do in vain, for each load that is turned, times how far the lines lie apart that a walk
/// goes across.
double TransposeAttr::cost(const KernelPlan &kernel, const CpuArchitecture &isa) const {
  Variables vars = kernel.vars;
  const Nest &nest = kernel.nest;
  const auto inVain = [&](int64_t loop) {
    const auto extent =
        static_cast<uint64_t>(std::max<int64_t>(1, nest.extents[loop].constant().value_or(isa.lanes())));
    return static_cast<double>(llvm::alignTo(extent, isa.lanes())) / static_cast<double>(extent);
  };
  const SmallVector<LoadOp> turned = turnedLoads(vars, nest, getFrom(), getTo());
  const SmallVector<StoreOp> stores(nest.body->getOps<StoreOp>());
  const double distance = getInner() == Side::From ? distanceCost<StoreOp>(vars, stores, nest.vars[getFrom()])
                                                   : distanceCost<LoadOp>(vars, turned, nest.vars[getTo()]);
  return inVain(getFrom()) * inVain(getTo()) * (1 + distance) / static_cast<double>(turned.size());
}

/// Makes the two loops the innermost ones.
static void moveInside(Nest &nest, unsigned from, unsigned to) {
  const auto move = [&](auto &list) {
    auto last = {list[from], list[to]};
    list.erase(list.begin() + std::max(from, to));
    list.erase(list.begin() + std::min(from, to));
    list.insert(list.end(), last);
  };
  move(nest.vars);
  move(nest.extents);
}

Status TransposeAttr::plan(KernelPlan &kernel, const CpuArchitecture &isa) const {
  const SmallVector<LoadOp> turned = turnedLoads(kernel.vars, kernel.nest, getFrom(), getTo());
  if (turned.empty() || !kernel.tiles.empty() || getFromTile() % isa.lanes() != 0 || getToTile() % isa.lanes() != 0)
    return doesNotSuit(kernel.func, isa);
  Nest &nest = kernel.nest;
  moveInside(nest, getFrom(), getTo());
  nest.parallel = nest.vars.size() - 2;
  Transposition &transposition = nest.transposition.emplace();
  transposition.fromTile = getFromTile();
  transposition.toTile = getToTile();
  transposition.inner = getInner();
  for (LoadOp load : turned)
    transposition.turned.push_back({load, kernel.reserve(isa.lanes() * isa.lanes() * elementBytes(load.getType()))});
  llvm::append_range(kernel.parallel, ArrayRef(nest.extents).take_front(nest.parallel));
  const Expr from = ceilDiv(nest.extents[nest.parallel], getFromTile());
  const Expr to = ceilDiv(nest.extents.back(), getToTile());
  llvm::append_range(kernel.parallel, getInner() == Side::From ? ArrayRef{to, from} : ArrayRef{from, to});
  const double rows = std::min(estimate(nest.extents[nest.parallel]), static_cast<double>(getFromTile()));
  const double columns = std::min(estimate(nest.extents.back()), static_cast<double>(getToTile()));
  const double ops = std::max(1.0, static_cast<double>(nest.body->getOperations().size()) / 8);
  kernel.setGrain(rows * columns * ops / 4);
  return {};
}

} // namespace cupola::cpu
