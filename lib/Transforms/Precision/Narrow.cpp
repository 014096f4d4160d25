//===- lib/Transforms/Precision/Narrow.cpp - the pass `precision` ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels compute in f32 whatever the type of a tensor; the type says how a value lies in
// memory. So an op whose operands have 16 bits gets a result of 16 bits, and any other is left
// as it is and its result cast, unless one op alone reads it, which is computed beside it.
// Where that turns out to be another kernel, NarrowStored.cpp casts it.

#include "dialects/Graph/Control.h"
#include "dialects/Graph/Placement.h"
#include "dialects/Graph/Provenance.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Precision/Keep.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_PRECISION
#include "lib/Transforms/Passes.h.inc"

namespace {

/// How a value that was f32 lies in memory.
enum class Storage {
  Wide,     ///< f32: inputs of the model, of bodies, and views of them
  Constant, ///< as its readers like it
  Vector,   ///< a view of a small constant: a bias, a scale
  Kept,     ///< f32 for a reason
  Fluid,    ///< computed in f32 for one reader, which may take it as it is or cast
  Narrow,   ///< 16 bits
};

/// Narrows the values of one body.
class Body {
public:
  Body(Block &block, FloatType element, const KeepsNode &keepsNode)
      : block(block), element(element), keep(block, element, keepsNode) {}

  /// `narrowed` counts ops with a result of 16 bits; `kept` takes the reasons of the others.
  void run(int64_t &narrowed, SmallVectorImpl<Attribute> &kept) {
    for (BlockArgument argument : block.getArguments())
      if (isF32(argument))
        storage[argument] = Storage::Wide;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      visit(&op, kept);
      narrowed += op.getNumResults() == 1 && storage.lookup(op.getResult(0)) == Storage::Narrow;
    }
  }

  /// The arguments and results of @main are to have 16 bits, too.
  void narrowInterface(func::FuncOp func) {
    auto narrow = [&](Type type) -> Type {
      auto tensor = cast<RankedTensorType>(type);
      return tensor.getElementType().isF32() ? tensor.clone(element) : tensor;
    };
    for (BlockArgument argument : block.getArguments())
      if (isF32(argument)) {
        argument.setType(narrow(argument.getType()));
        storage[argument] = Storage::Narrow;
      }
    const FunctionType type = func.getFunctionType();
    func.setType(
        FunctionType::get(func.getContext(), block.getArgumentTypes(), llvm::map_to_vector(type.getResults(), narrow)));
  }

private:
  static bool isF32(Value value) { return graph::elementOf(value).isF32(); }

  /// Few elements, which differ: rounding them would cost more than memory is saved.
  bool isVector(Value value) const {
    if (storageOf(value) == Storage::Vector)
      return true;
    if (!hasStorage(value) || storageOf(value) != Storage::Constant || match::splatOf(value))
      return false;
    return llvm::count_if(graph::shapeOf(value), [](const Expr &extent) { return !extent.isConstant(1); }) <= 1;
  }
  bool hasStorage(Value value) const { return storage.contains(value); }
  Storage storageOf(Value value) const { return storage.lookup(value); }

  /// A cast for this reader alone: were it shared, its result would lie in memory instead of the value.
  Value wide(Value value, Operation *reader) {
    OpBuilder b(reader);
    const Location loc = reader->hasTrait<OpTrait::IsTerminator>() ? value.getLoc() : reader->getLoc();
    return match::castTo(b, loc, value, Float32Type::get(value.getContext()));
  }
  /// One cast for all readers. It belongs to the node that computes the value; what is given to the body has none.
  Value narrow(Value value, Operation *reader) {
    if (!isF32(value))
      return value;
    Value &known = casts[value];
    if (!known) {
      OpBuilder b(value.getContext());
      b.setInsertionPointAfterValue(value);
      const bool isGiven = isa<BlockArgument>(value) || value.getDefiningOp<graph::ConstantOp>();
      known = match::castTo(b, isGiven ? reader->getLoc() : value.getLoc(), value, element);
    }
    return known;
  }

  void takeWide(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (hasStorage(operand.get()))
        operand.set(wide(operand.get(), op));
  }

  /// Operands and result get 16 bits.
  void makeNarrow(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (hasStorage(operand.get()))
        operand.set(narrow(operand.get(), op));
    Value result = op->getResult(0);
    if (!isF32(result)) // of a comparison
      return;
    result.setType(cast<RankedTensorType>(result.getType()).clone(element));
    if (auto pad = dyn_cast<graph::PadOp>(op))
      pad.setValueAttr(FloatAttr::get(element, cast<FloatAttr>(pad.getValue()).getValueAsDouble()));
    storage[result] = Storage::Narrow;
  }

  /// The op computes in f32. What it gives several readers lies in memory with 16 bits; what one reads may, if it
  /// `fits`.
  void makeFluid(Operation *op, bool fits) {
    takeWide(op);
    Value result = op->getResult(0);
    if (!isF32(result))
      return;
    storage[result] = Storage::Fluid;
    if (result.hasOneUse() && fits)
      op->setAttr(graph::storedAttr, TypeAttr::get(element));
    if (result.hasOneUse() || result.use_empty())
      return;
    SmallVector<OpOperand *> uses(llvm::make_pointer_range(result.getUses()));
    const Value stored = narrow(result, op);
    for (OpOperand *use : uses)
      use->set(stored);
    storage[stored] = Storage::Narrow;
  }

  void makeWide(Operation *op, Storage as) {
    takeWide(op);
    storage[op->getResult(0)] = as;
  }

  void visit(Operation *op, SmallVectorImpl<Attribute> &kept) {
    auto concerns = [&](Value value) { return hasStorage(value) || isF32(value); };
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !isa<graph::ClassInterface>(op))
      return leaveBody(op);
    if (!llvm::any_of(op->getOperands(), concerns) && !isF32(op->getResult(0)))
      return;
    if (isa<graph::ConstantOp>(op)) {
      storage[op->getResult(0)] = Storage::Constant;
    } else if (auto conversion = dyn_cast<graph::CastOp>(op)) {
      visitCast(conversion, kept);
    } else if (isa<graph::BitcastOp>(op)) {
      visitBits(op, kept);
    } else if (movesElements(op)) {
      visitView(op);
    } else {
      visitComputation(op, kept);
    }
  }

  /// What leaves the body, and what control flow reads, keeps its type.
  void leaveBody(Operation *op) {
    if (auto end = dyn_cast<func::ReturnOp>(op)) {
      for (auto [operand, type] :
           llvm::zip_equal(end->getOpOperands(), op->getParentOfType<func::FuncOp>().getResultTypes()))
        if (hasStorage(operand.get()))
          operand.set(cast<RankedTensorType>(type).getElementType().isF32() ? wide(operand.get(), op)
                                                                            : narrow(operand.get(), op));
      return;
    }
    takeWide(op);
    for (Value result : op->getResults())
      if (isF32(result))
        storage[result] = Storage::Wide;
  }

  void visitCast(graph::CastOp op, SmallVectorImpl<Attribute> &kept) {
    Value result = op.getResult();
    if (hasStorage(op.getInput()) && graph::elementOf(result) == graph::elementOf(op.getInput())) {
      result.replaceAllUsesWith(op.getInput()); // it was narrowed before
      return op.erase();
    }
    if (!isF32(result))
      return;
    if (graph::elementOf(op.getInput()) == element) {
      storage[result] = Storage::Wide;
      casts[result] = op.getInput();
    } else if (std::optional<std::string> reason = keep.reason(op)) {
      keepWide(op, *reason, kept);
    } else {
      storage[result] = keep.isKnownToFit(result) ? Storage::Wide : Storage::Kept;
    }
  }

  /// Of the type they have in the model, as bits say which number they are.
  void visitBits(Operation *op, SmallVectorImpl<Attribute> &kept) {
    if (isF32(op->getResult(0)))
      return keepWide(op, "its numbers are bits of another type", kept);
    takeWide(op);
  }

  /// Where the elements come from lies how they do. Of several values with different storage
  /// those of 16 bits prevail, unless one of the others is the caller's memory or does not fit.
  void visitView(Operation *op) {
    Storage all = Storage::Constant;
    bool isNarrower = false;
    for (Value operand : op->getOperands()) {
      if (!hasStorage(operand))
        continue;
      const Storage one = storageOf(operand);
      isNarrower |= one == Storage::Fluid || one == Storage::Narrow;
      all = all == Storage::Constant || one == Storage::Kept ? one : all;
    }
    const bool inPlace = isa<graph::JoinOp>(op) && storageOf(op->getOperand(0)) == Storage::Wide;
    if (all == Storage::Kept || keep.reason(op))
      return makeWide(op, Storage::Kept);
    if (inPlace || (all == Storage::Wide && !isNarrower))
      return makeWide(op, Storage::Wide);
    if ((all == Storage::Constant || all == Storage::Vector) && isVector(op->getOperand(0)))
      return makeWide(op, Storage::Vector);
    makeNarrow(op);
  }

  void keepWide(Operation *op, StringRef reason, SmallVectorImpl<Attribute> &kept) {
    makeWide(op, Storage::Kept);
    MLIRContext *context = op->getContext();
    kept.push_back(graph::KeptAttr::get(context, op->getLoc(), graph::ReasonAttr::get(context, reason)));
  }

  void visitComputation(Operation *op, SmallVectorImpl<Attribute> &kept) {
    auto classes = cast<graph::ClassInterface>(op);
    Value result = op->getResult(0);
    if (classes.getPrecisionClass() == graph::PrecisionClass::Never) // positions of elements, whatever their type
      return;
    if (isF32(result))
      if (std::optional<std::string> reason = keep.reason(op))
        return keepWide(op, *reason, kept);
    const bool fits = llvm::all_of(op->getOperands(), [&](Value operand) { return keep.fits(operand); });
    const Operands operands = operandsOf(op);
    const bool isMatrix = classes.getPrecisionClass() == graph::PrecisionClass::Matrix;
    if (fits && (isMatrix || (operands.narrow && !operands.wide && !operands.vector)))
      return makeNarrow(op);
    const bool goesOn = !isMatrix && classes.getFusionClass() != graph::FusionClass::RowNormal;
    if (operands.allKept && goesOn && isF32(result) && !keep.isKnownToFit(result))
      return makeWide(op, Storage::Kept);
    makeFluid(op, fits);
  }

  /// Those that are or were f32, but for constants.
  struct Operands {
    bool narrow = false, wide = false, allKept = true, vector = false;
  };
  Operands operandsOf(Operation *op) const {
    Operands found;
    for (Value operand : op->getOperands()) {
      found.vector |= isVector(operand);
      if (!hasStorage(operand) || storageOf(operand) == Storage::Constant || storageOf(operand) == Storage::Vector)
        continue;
      found.allKept &= storageOf(operand) == Storage::Kept;
      (isF32(operand) ? found.wide : found.narrow) = true;
    }
    found.allKept &= found.wide;
    return found;
  }

  Block &block;
  const FloatType element;
  const Keep keep;
  DenseMap<Value, Storage> storage; ///< of values that are or were f32
  DenseMap<Value, Value> casts;     ///< to 16 bits
};

FloatType elementNamed(StringRef name, MLIRContext *context) {
  if (name == "f16")
    return Float16Type::get(context);
  return name == "bf16" ? FloatType(BFloat16Type::get(context)) : FloatType();
}

class Precision : public impl::PrecisionBase<Precision> {
public:
  using PrecisionBase::PrecisionBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const FloatType type = elementNamed(element, &getContext());
    const KeepsNode keepsNode = keepsMatching(keep);
    const graph::NodeNames before = graph::namedNodes(func);
    int64_t narrowed = 0;
    SmallVector<Attribute> kept;
    for (Block *block : graph::bodiesOf(func)) {
      Body body(*block, type, keepsNode);
      if (interface && block == &func.getBody().front())
        body.narrowInterface(func);
      body.run(narrowed, kept);
    }
    graph::recordGone(func, before, graph::Fate::Dead); // casts of what has 16 bits now
    OpBuilder b(&getContext());
    b.setInsertionPointAfter(func);
    graph::PrecisionOp::create(b, func.getLoc(), func.getSymName(), type, narrowed, b.getArrayAttr(kept));
  }
};

} // namespace
} // namespace cupola
