//===- lib/Target/CUDA/PrefetchWeights.cpp - weights on their way while the kernel before ends ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;

namespace cupola::cuda {
#define GEN_PASS_DEF_PREFETCHWEIGHTS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Iterations whose weights are asked for: 16 bytes of each thread are 8 KB of a block of 512, for each of them.
constexpr int64_t ahead = 4;
/// How often a thread asks at most for what one load reads.
constexpr int64_t most = 16;

/// Loops between an op and the kernel, the outer first, and the conditions that it is under.
struct Surroundings {
  SmallVector<simt::ForOp> loops;
  SmallVector<GuardOp> guards;
};

/// Nothing of an op that something else surrounds, as roles do, or a loop of tiles, whose copies move themselves.
std::optional<Surroundings> surroundingsOf(Operation *op, Block &entry) {
  Surroundings found;
  for (Operation *parent = op->getParentOp(); op->getBlock() != &entry; op = parent, parent = op->getParentOp())
    if (auto loop = dyn_cast<simt::ForOp>(parent); loop && !loop.getRing())
      found.loops.insert(found.loops.begin(), loop);
    else if (auto guard = dyn_cast<GuardOp>(parent))
      found.guards.push_back(guard);
    else if (!isa<LastBlockOp>(parent)) // what the last block reads all of them ask for
      return std::nullopt;
  return found;
}

/// Loops and conditions where the kernel begins, once more. Requests that come one after the other in the same ones
/// share them.
struct Nest {
  SmallVector<simt::ForOp> loops;
  SmallVector<GuardOp> guards;
  OpBuilder inside; ///< of the innermost
  IRMapping made;   ///< values to those here

  bool isFor(ArrayRef<simt::ForOp> otherLoops, ArrayRef<GuardOp> otherGuards) const {
    return otherLoops == ArrayRef(loops) && otherGuards == ArrayRef(guards);
  }
};

/// Where the kernel begins, as far as it is written.
struct Beginning {
  OpBuilder next;             ///< where nests go, one behind the other
  std::optional<Nest> last;   ///< the newest of them
  Operation *first = nullptr; ///< the outermost op of it; null: it is no loop and no guard
  IRMapping made;             ///< values of the kernel to those in front of all nests
};

/// Asks for what one op reads of a weight: where the kernel begins, in those loops alone that the place depends on.
class Request {
public:
  /// `indices` are those of the op, some of which neither the position nor the mask may use.
  Request(Operation *op, Value view, graph::ExprAttr position, ArrayAttr mask, ValueRange indices,
          kernel::Variables &vars)
      : op(op), view(view), position(vars.read(position.getValue(), indices)), mask(vars.read(mask, indices)) {
    places = vars.write(this->position);
    conditions = vars.write(this->mask);
  }

  /// Of the weights of `func`, if the op reads one.
  static std::optional<Request> of(Operation *op, simt::FuncOp func, kernel::Variables &vars) {
    const auto isWeight = [&](Value memory) {
      auto view = dyn_cast<BlockArgument>(memory);
      return view && view.getOwner() == &func.getBody().front() && isa<kernel::ViewType>(view.getType()) &&
             llvm::is_contained(cuda::constantsOf(func), view.getArgNumber());
    };
    if (auto load = dyn_cast<LoadVectorOp>(op); load && isWeight(load.getMemory()))
      return Request(op, load.getMemory(), load.getPositionAttr(), load.getMask(), load.getIndices(), vars);
    if (auto load = dyn_cast<kernel::LoadOp>(op); load && isWeight(load.getView()))
      return Request(op, load.getView(), load.getPositionAttr(), load.getMask(), load.getIndices(), vars);
    return std::nullopt;
  }

  /// If it is worth it, and possible.
  void place(Beginning &begin, simt::FuncOp func, kernel::Variables &vars) {
    const std::optional<Surroundings> around = surroundingsOf(op, func.getBody().front());
    if (!around)
      return;
    const std::optional<SmallVector<simt::ForOp>> loops = neededLoops(*around);
    if (!loops || count(*loops, vars) > most)
      return;
    const bool isShared = begin.last && begin.last->isFor(*loops, around->guards);
    bringOutside(begin, isShared, *loops, around->guards);
    if (!isShared)
      open(begin, *loops, around->guards, vars);
    Nest &nest = *begin.last;
    const SmallVector<Value> at = mapped(nest, nest.inside, places);
    OpBuilder here = nest.inside;
    if (!mask.empty())
      under(nest, here, graph::exprArray(func.getContext(), mask), conditions);
    PrefetchOp::create(here, op->getLoc(), view, graph::ExprAttr::get(func.getContext(), position), at);
  }

private:
  /// Those whose index, or what follows from it, is in the position or in a condition. Null: one depends on data.
  std::optional<SmallVector<simt::ForOp>> neededLoops(const Surroundings &around) {
    llvm::DenseSet<Value> needed;
    const auto isMade = [&](Value value) { return collect(value, needed); };
    bool isKnown = llvm::all_of(places, isMade) && llvm::all_of(conditions, isMade);
    for (GuardOp guard : around.guards)
      isKnown &= llvm::all_of(guard.getIndices(), isMade);
    SmallVector<simt::ForOp> loops;
    for (simt::ForOp loop : llvm::reverse(around.loops)) {
      if (!needed.contains(loop.getIndex()))
        continue;
      isKnown &= llvm::all_of(loop.getIndices(), isMade);
      loops.insert(loops.begin(), loop);
    }
    return isKnown ? std::optional(loops) : std::nullopt;
  }

  /// The loop indices that a value is made of; false where it is made of something loaded, or of a counter.
  bool collect(Value value, llvm::DenseSet<Value> &needed) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<simt::ForOp>(argument.getOwner()->getParentOp());
      needed.insert(value);
      return !loop || argument == loop.getIndex();
    }
    Operation *made = value.getDefiningOp();
    return made->getNumRegions() == 0 && isMemoryEffectFree(made) &&
           llvm::all_of(made->getOperands(), [&](Value operand) { return collect(operand, needed); });
  }

  /// How often a thread asks.
  int64_t count(ArrayRef<simt::ForOp> loops, kernel::Variables &vars) {
    int64_t all = 1;
    for (simt::ForOp loop : loops) {
      const std::optional<int64_t> trips = tripsOf(loop, vars).constant();
      all *= isSerial(loop) ? ahead : trips.value_or(most + 1);
    }
    return all;
  }
  static Expr tripsOf(simt::ForOp loop, kernel::Variables &vars) {
    const Expr from = vars.read(loop.getFrom(), loop.getIndices()), to = vars.read(loop.getTo(), loop.getIndices()),
               step = vars.read(loop.getStep(), loop.getIndices());
    return ceilDiv(to - from, step);
  }
  /// A loop of many iterations of one thread.
  static bool isSerial(simt::ForOp loop) { return !loop.getUnroll(); }

  /// What all of it is made of that the kernel has outside of loops, in front of the nest.
  void bringOutside(Beginning &begin, bool isShared, ArrayRef<simt::ForOp> loops, ArrayRef<GuardOp> guards) {
    OpBuilder b = isShared && begin.first ? OpBuilder(begin.first) : begin.next;
    const auto bringAll = [&](ValueRange values) {
      for (Value value : values)
        bringOutside(begin, b, value);
    };
    bringAll(places);
    bringAll(conditions);
    for (simt::ForOp loop : loops)
      bringAll(loop.getIndices());
    for (GuardOp guard : guards)
      bringAll(guard.getIndices());
  }
  void bringOutside(Beginning &begin, OpBuilder &b, Value value) {
    Operation *of = value.getDefiningOp();
    if (!of || begin.made.contains(value))
      return;
    for (Value operand : of->getOperands())
      bringOutside(begin, b, operand);
    if (!isa<simt::FuncOp>(of->getParentOp()))
      return;
    b.clone(*of, begin.made);
    if (begin.last)
      begin.last->made.map(value, begin.made.lookup(value));
  }

  void open(Beginning &begin, ArrayRef<simt::ForOp> loops, ArrayRef<GuardOp> guards, kernel::Variables &vars) {
    begin.last.emplace(Nest{SmallVector<simt::ForOp>(loops), SmallVector<GuardOp>(guards), begin.next, begin.made});
    Nest &nest = *begin.last;
    for (simt::ForOp loop : loops)
      enter(nest, loop, vars);
    for (GuardOp guard : llvm::reverse(guards))
      under(nest, nest.inside, guard.getExprs(), guard.getIndices());
    begin.first = nest.inside.getBlock() == begin.next.getBlock() ? nullptr : outermost(nest);
  }
  static Operation *outermost(Nest &nest) {
    Operation *op = nest.inside.getBlock()->getParentOp();
    while (!isa<simt::FuncOp>(op->getParentOp()))
      op = op->getParentOp();
    return op;
  }

  void enter(Nest &nest, simt::ForOp loop, kernel::Variables &vars) {
    const Expr from = vars.read(loop.getFrom(), loop.getIndices()), to = vars.read(loop.getTo(), loop.getIndices()),
               step = vars.read(loop.getStep(), loop.getIndices());
    Expr bounds[] = {from, isSerial(loop) ? min(to, from + step * ahead) : to, step};
    OpBuilder &b = nest.inside;
    const SmallVector<Value> values = mapped(nest, b, vars.write(bounds));
    auto copy = simt::ForOp::create(b, loop.getLoc(), bounds[0], bounds[1], bounds[2], values, loop.getUnroll());
    Block &body = copy.getBody().emplaceBlock();
    nest.made.map(loop.getIndex(), body.addArgument(b.getIndexType(), loop.getIndex().getLoc()));
    b.setInsertionPointToEnd(&body);
  }

  /// What `b` makes from now on is under the conditions.
  void under(Nest &nest, OpBuilder &b, ArrayAttr exprs, ValueRange values) {
    auto guard = GuardOp::create(b, op->getLoc(), exprs, mapped(nest, b, values));
    b.setInsertionPointToEnd(&guard.getBody().emplaceBlock());
  }

  /// The values, or what they are made of once more.
  SmallVector<Value> mapped(Nest &nest, OpBuilder &b, ValueRange values) {
    for (Value value : values)
      bring(nest, b, value);
    return llvm::map_to_vector(values, [&](Value value) { return nest.made.lookupOrDefault(value); });
  }
  void bring(Nest &nest, OpBuilder &b, Value value) {
    Operation *of = value.getDefiningOp();
    if (!of || nest.made.contains(value))
      return;
    for (Value operand : of->getOperands())
      bring(nest, b, operand);
    b.clone(*of, nest.made);
  }

  Operation *op;
  Value view;
  Expr position;
  graph::Exprs mask;
  SmallVector<Value> places, conditions; ///< the indices of either
};

struct PrefetchWeights : cuda::impl::PrefetchWeightsBase<PrefetchWeights> {
  void runOnOperation() override {
    simt::FuncOp func = getOperation();
    kernel::Variables vars(func);
    std::vector<Request> requests;
    func.walk([&](Operation *op) {
      if (std::optional<Request> request = Request::of(op, func, vars))
        requests.push_back(std::move(*request));
    });
    Beginning begin{OpBuilder::atBlockBegin(&func.getBody().front()), {}, nullptr, {}};
    for (Request &request : requests)
      request.place(begin, func, vars);
  }
};

} // namespace
