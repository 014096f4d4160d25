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

/// Loops between an op and the kernel, the outer first, the conditions that it is under, and whose work it is.
struct Surroundings {
  SmallVector<simt::ForOp> loops;
  SmallVector<GuardOp> guards;
  RoleOp role;

  bool operator==(const Surroundings &other) const {
    return loops == other.loops && guards == other.guards && role == other.role;
  }
};

/// Nothing of an op that something else surrounds, as a loop of tiles, whose copies move themselves.
std::optional<Surroundings> surroundingsOf(Operation *op, Block &entry) {
  Surroundings found;
  for (Operation *parent = op->getParentOp(); op->getBlock() != &entry; op = parent, parent = op->getParentOp())
    if (auto loop = dyn_cast<simt::ForOp>(parent); loop && !loop.getRing())
      found.loops.insert(found.loops.begin(), loop);
    else if (auto guard = dyn_cast<GuardOp>(parent))
      found.guards.push_back(guard);
    else if (auto role = dyn_cast<RoleOp>(parent))
      found.role = role;
    else if (!isa<LastBlockOp>(parent)) // what the last block reads all of them ask for
      return std::nullopt;
  return found;
}

/// Loops and conditions where the kernel begins, once more. Requests that come one after the other in the same ones
/// share them.
struct Nest {
  Surroundings of;
  OpBuilder inside; ///< of the innermost
  IRMapping made;   ///< values to those here
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
    std::optional<Surroundings> around = surroundingsOf(op, func.getBody().front());
    if (!around)
      return;
    const std::optional<SmallVector<simt::ForOp>> loops = neededLoops(*around);
    if (!loops || count(*loops, vars) > most)
      return;
    around->loops = *loops;
    if (!begin.last || !(begin.last->of == *around))
      open(begin, *around, func, vars);
    const SmallVector<Value> at = mapped(begin, begin.last->inside, places);
    OpBuilder here = begin.last->inside;
    if (!mask.empty())
      under(begin, here, graph::exprArray(func.getContext(), mask), conditions);
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
      const auto [from, to, step] = boundsOf(loop, vars);
      all *= isSerial(loop) ? ahead : ceilDiv(to - from, step).constant().value_or(most + 1);
    }
    return all;
  }
  struct Bounds {
    Expr from, to, step;
  };
  static Bounds boundsOf(simt::ForOp loop, kernel::Variables &vars) {
    const auto read = [&](const Expr &expr) { return vars.read(expr, loop.getIndices()); };
    return {read(loop.getFrom()), read(loop.getTo()), read(loop.getStep())};
  }
  /// A loop of many iterations of one thread.
  static bool isSerial(simt::ForOp loop) { return !loop.getUnroll(); }

  void open(Beginning &begin, const Surroundings &around, simt::FuncOp func, kernel::Variables &vars) {
    begin.last.emplace(Nest{around, begin.next, begin.made});
    begin.first = nullptr;
    const auto guarded = [&](ArrayAttr exprs, ValueRange values) {
      Operation *made = under(begin, begin.last->inside, exprs, values);
      begin.first = begin.first ? begin.first : made;
    };
    if (RoleOp role = around.role) {
      const Expr thread = vars.of(func.getThreadIndex());
      const auto from = static_cast<int64_t>(role.getFrom()), to = static_cast<int64_t>(role.getTo());
      graph::Exprs exprs;
      if (from > 0)
        exprs.push_back(thread - from);
      if (to < static_cast<int64_t>(func.getThreads()))
        exprs.push_back(to - 1 - thread);
      const SmallVector<Value> values = vars.write(exprs);
      guarded(graph::exprArray(func.getContext(), exprs), values);
    }
    for (simt::ForOp loop : around.loops)
      enter(begin, loop, vars);
    for (GuardOp guard : llvm::reverse(around.guards))
      guarded(guard.getExprs(), guard.getIndices());
  }

  void enter(Beginning &begin, simt::ForOp loop, kernel::Variables &vars) {
    const auto [from, to, step] = boundsOf(loop, vars);
    Expr bounds[] = {from, isSerial(loop) ? min(to, from + step * ahead) : to, step};
    OpBuilder &b = begin.last->inside;
    const SmallVector<Value> values = mapped(begin, b, vars.write(bounds));
    auto copy = simt::ForOp::create(b, loop.getLoc(), bounds[0], bounds[1], bounds[2], values, loop.getUnroll());
    Block &body = copy.getBody().emplaceBlock();
    begin.last->made.map(loop.getIndex(), body.addArgument(b.getIndexType(), loop.getIndex().getLoc()));
    b.setInsertionPointToEnd(&body);
    begin.first = begin.first ? begin.first : copy.getOperation();
  }

  /// What `b` makes from now on is under the conditions.
  Operation *under(Beginning &begin, OpBuilder &b, ArrayAttr exprs, ValueRange values) {
    auto guard = GuardOp::create(b, op->getLoc(), exprs, mapped(begin, b, values));
    b.setInsertionPointToEnd(&guard.getBody().emplaceBlock());
    return guard;
  }

  /// The values, or what they are made of once more: in front of the nest what the kernel has outside of loops.
  SmallVector<Value> mapped(Beginning &begin, OpBuilder &b, ValueRange values) {
    for (Value value : values)
      bring(begin, b, value);
    return llvm::map_to_vector(values, [&](Value value) { return begin.last->made.lookupOrDefault(value); });
  }
  void bring(Beginning &begin, OpBuilder &b, Value value) {
    Operation *of = value.getDefiningOp();
    IRMapping &made = begin.last->made;
    if (!of || made.contains(value))
      return;
    for (Value operand : of->getOperands())
      bring(begin, b, operand);
    if (!isa<simt::FuncOp>(of->getParentOp())) {
      b.clone(*of, made);
      return;
    }
    OpBuilder front = begin.first ? OpBuilder(begin.first) : begin.next;
    front.clone(*of, made);
    begin.made.map(value, made.lookup(value));
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
