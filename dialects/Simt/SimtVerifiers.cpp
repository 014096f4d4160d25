//===- dialects/Simt/SimtVerifiers.cpp - verifiers of the simt dialect ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Simt/Verify.h"
#include "lib/Runtime/Format/TensorMapLimits.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;
using cupola::kernel::ViewType;

namespace {

/// Whether all threads of a group of `threads` consecutive ones see the same value.
bool isUniform(const Expr &expr, ValueRange indices, int64_t threads);

bool isUniform(Value index, int64_t threads) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<simt::ForOp>(argument.getOwner()->getParentOp());
    return !loop || (isUniform(loop.getFrom(), loop.getIndices(), threads) &&
                     isUniform(loop.getStep(), loop.getIndices(), threads));
  }
  auto apply = index.getDefiningOp<kernel::ApplyOp>();
  return apply && isUniform(apply.getExpr(), apply.getIndices(), threads);
}

bool isThread(Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  auto func = argument ? dyn_cast<simt::FuncOp>(argument.getOwner()->getParentOp()) : simt::FuncOp();
  return func && func.getThreadIndex() == argument;
}

bool isUniform(const Expr &expr, ValueRange indices, int64_t threads) {
  std::map<std::string, Expr> split;
  for (auto [i, index] : llvm::enumerate(indices))
    if (isThread(index))
      split["x" + std::to_string(i)] = Expr::symbol("group") * threads + Expr::symbol("lane");
  Expr byLane = simplify(expr.substitute(split), {{"lane", cupola::Range{Expr(0), Expr(threads - 1)}}});
  if (byLane.uses("lane"))
    return false;
  for (auto [i, index] : llvm::enumerate(indices))
    if (byLane.uses("x" + std::to_string(i)) && !isUniform(index, threads))
      return false;
  return true;
}

LogicalResult index(Operation *op, RegistersType type, ArrayAttr index, bool element) {
  size_t expected = type.getExtents().size() + (element && type.getVector() > 1);
  if (index.size() == expected)
    return success();
  return op->emitOpError() << "has " << index.size() << " indices, not " << expected;
}

Type elementOf(Value memory) {
  if (auto view = dyn_cast<ViewType>(memory.getType()))
    return view.getElement();
  return cast<SmemType>(memory.getType()).getElement();
}

} // namespace

LogicalResult simt::access(Operation *op, RegistersType registers, Value memory) {
  if (registers.getElement() != elementOf(memory))
    return op->emitOpError("moves another type than the memory holds");
  int64_t bytes = registers.getVector() * graph::byteSize(registers.getElement());
  if (!llvm::isPowerOf2_64(bytes) || bytes > 16)
    return op->emitOpError() << "moves " << bytes << " bytes, not 1, 2, 4, 8 or 16";
  return success();
}

LogicalResult simt::isPlain(Operation *op, SmemType memory) {
  if (memory.getSwizzle())
    return op->emitOpError() << "accesses memory with a swizzle of " << memory.getSwizzle() << " bytes";
  return success();
}

/// A role is reached by whole warpgroups.
static bool splitsGroups(RoleOp role, int64_t threads) {
  return role.getFrom() % threads != 0 || role.getTo() % threads != 0;
}

LogicalResult simt::reachedTogether(Operation *op, int64_t threads) {
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp()) {
    bool together = true;
    if (auto role = dyn_cast<RoleOp>(outer))
      together = !splitsGroups(role, threads);
    else if (isa<GuardOp, simt::ForOp>(outer)) {
      ValueRange indices = OperandRange(cast<kernel::PositionInterface>(outer).getIndicesMutable());
      kernel::forEachExpr(outer, [&](const Expr &condition) { together &= isUniform(condition, indices, threads); });
    }
    if (!together)
      return op->emitOpError("is under a condition that differs between threads that must meet")
                 .attachNote(outer->getLoc())
             << "the condition";
  }
  return success();
}

int64_t simt::blockThreads(Operation *op) {
  auto func = op->getParentOfType<simt::FuncOp>();
  return func ? func.getThreads() : 0;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static LogicalResult verifyElement(EmitError error, Type element) {
  if (element.isIntOrFloat())
    return success();
  return error() << "elements of type " << element << " are no numbers";
}

LogicalResult RegistersType::verify(EmitError error, ArrayRef<int64_t>, Type element, int64_t vector) {
  if (vector < 1)
    return error() << "a vector of " << vector << " elements";
  return verifyElement(error, element);
}

LogicalResult simt::verifySwizzle(EmitError error, int64_t swizzle) {
  if (format::isSwizzle(swizzle))
    return success();
  return error() << "a swizzle of " << swizzle << " bytes is none of 0, 32, 64 and 128";
}

LogicalResult SmemType::verify(EmitError error, int64_t, Type element, int64_t swizzle) {
  return success(succeeded(verifySwizzle(error, swizzle)) && succeeded(verifyElement(error, element)));
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult simt::FuncOp::verify() {
  const size_t axes = getBlocks().size(), count = getBody().getNumArguments();
  if (axes < 1 || axes > 3)
    return emitOpError() << "a grid has 1 to 3 axes, not " << axes;
  auto isIndex = [](BlockArgument argument) { return argument.getType().isIndex(); };
  if (count < axes + 1 || !llvm::all_of(getBlockIndices(), isIndex) || !isIndex(getThreadIndex()))
    return emitOpError("has no index of the block and the thread");
  for (BlockArgument view : getViews())
    if (!isa<ViewType>(view.getType()))
      return emitOpError() << "parameter of type " << view.getType() << " is no view";
  if (getThreads() < 1 || getThreads() > 1024)
    return emitOpError() << "a block has 1 to 1024 threads, not " << static_cast<int64_t>(getThreads());
  if (getCluster() > 8)
    return emitOpError() << "a cluster has at most 8 blocks, not " << getCluster();
  for (auto map : getMaps().getAsRange<TensorMapAttr>())
    if (map.getView() >= getViews().size())
      return emitOpError() << "a tensor map is about parameter " << map.getView() << " of " << getViews().size();
  if (getWorkspace().size() > getViews().size())
    return emitOpError() << "has " << getWorkspace().size() << " parts of a workspace, more than parameters";
  for (BlockArgument part : getViews().take_back(getWorkspace().size()))
    if (auto view = cast<ViewType>(part.getType());
        view.getAccess() != kernel::Access::ReadWrite || graph::byteSize(view.getElement()) < 4)
      return emitOpError() << "a workspace of " << view << " holds no words";
  return success();
}

LogicalResult simt::ForOp::verify() {
  if (failed(kernel::verifyIndices(*this, getBody(), 1 + getStarts().size())))
    return failure();
  for (int64_t start : getStarts())
    if (start < 0 || start >= static_cast<int64_t>(getRing()))
      return emitOpError() << "starts at " << start << " in a ring of " << getRing();
  if (getRing() && getUnroll())
    return emitOpError("has a ring, which nothing unrolls");
  return success();
}

LogicalResult TileLoopOp::verify() {
  if (getStages() < 1)
    return emitOpError("needs at least one stage");
  if (getAsync() && !loadsFragments())
    return emitOpError("copies asynchronously, but loads no fragments");
  for (Region *region : {&getFetch(), &getStore()})
    if (failed(kernel::verifyIndices(*this, *region, 2)))
      return failure();
  for (Region *region : {&getLoad(), &getCompute()})
    if (failed(kernel::verifyIndices(*this, *region, 3)))
      return failure();
  // Fragments of one step are loaded while those of the other are used.
  if (loadsFragments() ? getSteps() % 2 != 0 : getSteps() != 1)
    return emitOpError() << "has " << getSteps() << " steps, "
                         << (loadsFragments() ? "not an even number" : "but fragments of none");
  return success();
}

LogicalResult RegistersOp::verify() {
  RegistersType type = getRegisters().getType();
  if (!getInit())
    return success();
  if (!type.getExtents().empty() || type.getVector() > 1 || getInit().getType() != type.getElement())
    return emitOpError("a first value of its own type is for a variable");
  return success();
}

/// An access of one element; `does`: what it does with it.
template <class Op> static LogicalResult verifyElement(Op op, Value value, StringRef does) {
  RegistersType registers = op.getRegisters().getType();
  if (value.getType() != registers.getElement())
    return op.emitOpError() << does << " another type than the registers hold";
  return index(op, registers, op.getIndex(), /*element=*/true);
}

LogicalResult GetOp::verify() { return verifyElement(*this, getResult(), "reads"); }
LogicalResult SetOp::verify() { return verifyElement(*this, getValue(), "writes"); }
LogicalResult AccumulateOp::verify() { return verifyElement(*this, getValue(), "combines"); }

LogicalResult LoadVectorOp::verify() {
  if (getMask().empty() != !getOther())
    return emitOpError("needs a mask and a value for where it fails, or neither");
  if (failed(index(*this, getRegisters().getType(), getIndex(), /*element=*/false)))
    return failure();
  return access(*this, getRegisters().getType(), getMemory());
}

LogicalResult StoreVectorOp::verify() {
  if (failed(index(*this, getRegisters().getType(), getIndex(), /*element=*/false)))
    return failure();
  return access(*this, getRegisters().getType(), getMemory());
}

LogicalResult SmemOp::verify() {
  auto bytes = [](SmemType type) { return type.getCount() * graph::byteSize(type.getElement()); };
  if (getOver() && (bytes(getOver().getType()) < bytes(getSmem().getType()) ||
                    getOver().getType().getAlignment() % getSmem().getType().getAlignment() != 0))
    return emitOpError() << "has no place in " << getOver().getType();
  const int64_t alignment = getSmem().getType().getAlignment();
  if (getOffset() && *getOffset() % alignment != 0)
    return emitOpError() << "offset " << *getOffset() << " is no multiple of " << alignment;
  return success();
}

LogicalResult LoadSharedOp::verify() {
  if (getResult().getType() != getSmem().getType().getElement())
    return emitOpError("loads another type than the memory holds");
  return success();
}

LogicalResult StoreSharedOp::verify() {
  if (getValue().getType() != getSmem().getType().getElement())
    return emitOpError("stores another type than the memory holds");
  return success();
}

LogicalResult AsyncCopyOp::verify() {
  if (getView().getType().getElement() != getSmem().getType().getElement())
    return emitOpError("copies between different types");
  if (getBytes() != 4 && getBytes() != 8 && getBytes() != 16)
    return emitOpError() << "copies " << getBytes() << " bytes, not 4, 8 or 16";
  return success();
}

LogicalResult AsyncPairOp::verify() {
  const Type element = getView().getType().getElement();
  if (element != getSmem().getType().getElement())
    return emitOpError("copies between different types");
  if (graph::byteSize(element) != 2)
    return emitOpError() << "copies elements of " << graph::byteSize(element) << " bytes, not of 2";
  return isPlain(*this, getSmem().getType());
}

LogicalResult LastBlockOp::verify() {
  if (getBlocks().isConstant(1))
    return emitOpError("one block alone is the last one");
  if (!getCounters().getType().getElement().isUnsignedInteger(32) ||
      !getScratch().getType().getElement().isUnsignedInteger(32))
    return emitOpError("counts by elements of ui32, and wants scratch of ui32");
  return reachedTogether(*this, blockThreads(*this));
}

bool FuncOp::isCooperative() {
  return walk([](GridBarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

template <class Op> static LogicalResult verifyMeeting(Op op) {
  if (!op.getCounters().getType().getElement().isUnsignedInteger(32))
    return op.emitOpError("counts by elements of ui32");
  if (op->template getParentOfType<FuncOp>().getCluster() != 0)
    return op.emitOpError("is for blocks without clusters");
  return reachedTogether(op, blockThreads(op));
}

LogicalResult GridBarrierOp::verify() { return verifyMeeting(*this); }

LogicalResult GridLeaveOp::verify() { return verifyMeeting(*this); }

LogicalResult BarrierOp::verify() { return reachedTogether(*this, blockThreads(*this)); }

LogicalResult WarpBarrierOp::verify() { return reachedTogether(*this, 32); }

LogicalResult BlockReduceOp::verify() {
  if (getScratch().getType().getCount() < blockThreads(*this) / 32)
    return emitOpError("needs scratch for one value per warp");
  return reachedTogether(*this, blockThreads(*this));
}

LogicalResult LoadFragmentOp::verify() {
  auto type = getFragment().getType();
  if (getWidth() == 0 || type.getExtents().size() != 1 || type.getExtents()[0] % getWidth() != 0)
    return emitOpError() << "fragment " << type << " is not made of vectors of " << getWidth();
  return isPlain(*this, getSmem().getType());
}

LogicalResult UnpackOp::verify() {
  RegistersType bytes = getBytes().getType(), out = getOut().getType();
  if (!bytes.getElement().isUnsignedInteger(8) || !bytes.getExtents().empty() || bytes.getVector() % 4 != 0)
    return emitOpError() << "bytes of type " << bytes << " are no vector of whole words of ui8";
  if (!isa<FloatType>(out.getElement()) || out.getElement().isF64() || out.getVector() != bytes.getVector() ||
      !out.getExtents().empty())
    return emitOpError() << "results of type " << out << " are no vector of as many f32, f16 or bf16";
  if (!getScale().getType().isF32() && getScale().getType() != out.getElement())
    return emitOpError() << "a scale of type " << getScale().getType() << " is neither f32 nor of the results";
  return success();
}

LogicalResult WidenOp::verify() {
  RegistersType bytes = getBytes().getType(), out = getOut().getType();
  if (graph::byteSize(bytes.getElement()) != 1 || !bytes.getExtents().empty() || bytes.getVector() % 4 != 0)
    return emitOpError() << "bytes of type " << bytes << " are no vector of whole words";
  if (!isa<FloatType>(out.getElement()) || graph::byteSize(out.getElement()) < 2 || out.getExtents().size() != 1 ||
      out.getExtents()[0] * out.getVector() != bytes.getVector())
    return emitOpError() << "results of type " << out << " are no vectors of as many floats of 16 bits or more";
  return success();
}

LogicalResult FmaTileOp::verify() {
  ArrayRef<int64_t> acc = getAcc().getType().getExtents();
  ArrayRef<int64_t> a = getA().getType().getExtents(), b = getB().getType().getExtents();
  if (acc.size() != 2 || a.size() != 1 || b.size() != 1 || acc[0] != a[0] || acc[1] != b[0])
    return emitOpError("accumulators are not lhs by rhs");
  return success();
}

LogicalResult MmaLoadOp::verify() {
  if (getFragment().getType().getExtents().size() != 2)
    return emitOpError("fragments are [tiles][registers]");
  const SmemType smem = getSmem().getType();
  const int64_t row = getStride() * graph::byteSize(smem.getElement());
  if (row % 16 != 0)
    return emitOpError() << "rows " << getStride() << " apart are not aligned to 16 bytes";
  if (smem.getSwizzle() && smem.getSwizzle() != row)
    return emitOpError() << "reads rows of " << row << " bytes from memory with a swizzle of " << smem.getSwizzle();
  return reachedTogether(*this, 32);
}

LogicalResult MmaLoadPairOp::verify() {
  const int64_t bytes = graph::byteSize(getSmem().getType().getElement());
  if (bytes != 2)
    return emitOpError() << "loads elements of " << bytes << " bytes, not of 2";
  if (!getFragment().getType().getElement().isUnsignedInteger(32))
    return emitOpError("fills fragments of ui32");
  if (failed(index(*this, getFragment().getType(), getIndex(), /*element=*/true)))
    return failure();
  return isPlain(*this, getSmem().getType());
}

LogicalResult MmaOp::verify() {
  ArrayRef<int64_t> acc = getAcc().getType().getExtents();
  ArrayRef<int64_t> a = getA().getType().getExtents(), b = getB().getType().getExtents();
  if (acc.size() != 3 || a.size() != 2 || b.size() != 2 || acc[0] != a[0] || acc[2] != 4)
    return emitOpError("accumulators are not lhs tiles by rhs tiles by 4");
  const int64_t first = getFirst();
  if (first < 0 || first + b[0] > acc[1])
    return emitOpError() << "rhs tiles from " << first << " on are none of the accumulators";
  if (a[1] != 2 * b[1] || (b[1] != 1 && b[1] != 2))
    return emitOpError("fragments are neither of K 8 nor of K 16");
  if (acc[1] != b[0] && b[1] != 2)
    return emitOpError("some of the accumulators take fragments of K 16");
  const bool isTf32 = getKind() == MmaKind::TF32 || getKind() == MmaKind::TF32x3;
  if (isTf32 && (b[1] != 2 || acc[1] != b[0]))
    return emitOpError("f32 operands have two registers of rhs, for all accumulators");
  const bool areBytes = isOfBytes(getKind());
  if (areBytes && (b[1] != 2 || acc[1] != b[0]))
    return emitOpError("bytes have two registers of rhs, for all accumulators");
  const bool areIntegers = areBytes && !isOfFloat8(getKind());
  if (const Type sum = getAcc().getType().getElement(); areIntegers ? !sum.isSignlessInteger(32) : !sum.isF32())
    return emitOpError() << "accumulates in " << sum << ", not in " << (areIntegers ? "i32" : "f32");
  return reachedTogether(*this, 32);
}

LogicalResult MmaPackOp::verify() {
  ArrayRef<int64_t> acc = getAcc().getType().getExtents(), fragment = getFragment().getType().getExtents();
  if (acc.size() != 3 || fragment.size() != 2 || acc[0] != fragment[0] || acc[2] != 4)
    return emitOpError("fragments are not those of the accumulators' rows");
  if (fragment[1] != 2 && fragment[1] != 4)
    return emitOpError("fragments are neither of K 8 nor of K 16");
  return success();
}

LogicalResult WarpReduceOp::verify() {
  if (getLanes() < 2 || getLanes() > 32 || !llvm::isPowerOf2_64(getLanes()))
    return emitOpError() << "combines " << getLanes() << " lanes, not a power of two up to 32";
  return reachedTogether(*this, 32);
}
