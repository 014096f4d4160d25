//===- dialects/Graph/GraphVerifiers.cpp - verifiers of the graph ops ---===//
// SPDX-License-Identifier: Apache-2.0
//
// That a result has the type that follows from operands and attributes is the business of InferType.h.

#include "dialects/Graph/Graph.h"

#include "lib/Runtime/Format/HostOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::graph;

namespace {

LogicalResult sameShape(Operation *op, Value a, Value b) {
  if (shapeOf(a) == shapeOf(b))
    return success();
  return op->emitOpError() << "operand of type " << a.getType() << " has not the shape of " << b.getType();
}

LogicalResult sameElement(Operation *op, Value a, Value b) {
  if (elementOf(a) == elementOf(b))
    return success();
  return op->emitOpError() << "element types " << elementOf(a) << " and " << elementOf(b) << " differ";
}

LogicalResult isBool(Operation *op, Value value) {
  if (elementOf(value).isInteger(1))
    return success();
  return op->emitOpError() << "expected elements of type i1, found " << elementOf(value);
}

LogicalResult axisInRange(Operation *op, int64_t axis, Value value) {
  if (axis >= 0 && axis < static_cast<int64_t>(rankOf(value)))
    return success();
  return op->emitOpError() << "axis " << axis << " is out of range for rank " << rankOf(value);
}

LogicalResult exprs(Operation *op, ArrayAttr found, size_t count) {
  if (found.size() != count)
    return op->emitOpError() << "expected " << count << " expressions, found " << found.size();
  return success();
}

/// One positive number per dimension of a window.
LogicalResult windowNumbers(Operation *op, StringRef name, ArrayRef<int64_t> numbers, size_t count) {
  if (numbers.size() != count)
    return op->emitOpError() << name << " has " << numbers.size() << " entries, expected " << count;
  if (llvm::any_of(numbers, [](int64_t number) { return number < 1; }))
    return op->emitOpError() << name << " has an entry below 1";
  return success();
}

/// The last window along a dimension lies inside of `extent`, as far as numbers tell.
LogicalResult windowsFit(Operation *op, const Expr &extent, const Expr &places, int64_t stride, const Expr &size,
                         int64_t dilation) {
  Expr last = (places - 1) * Expr(stride) + (size - 1) * Expr(dilation);
  std::optional<int64_t> room = (extent - 1 - last).constant(), count = places.constant();
  if (room && *room < 0 && count != 0)
    return op->emitOpError() << places.text() << " windows of " << size.text() << " do not fit into " << extent.text();
  return success();
}

} // namespace

LogicalResult DimsOp::verify() {
  std::optional<int64_t> count = elementCount(getResult()).constant();
  if (!count)
    return emitOpError("needs a static shape");
  return exprs(*this, getExprs(), *count);
}

LogicalResult IotaOp::verify() { return axisInRange(*this, getAxis(), getResult()); }

LogicalResult BinaryOp::verify() {
  if (failed(sameShape(*this, getRhs(), getLhs())))
    return failure();
  return sameElement(*this, getLhs(), getRhs());
}

LogicalResult SelectOp::verify() {
  if (failed(isBool(*this, getCondition())) || failed(sameShape(*this, getCondition(), getLhs())) ||
      failed(sameShape(*this, getRhs(), getLhs())))
    return failure();
  return sameElement(*this, getRhs(), getLhs());
}

LogicalResult CastOp::verify() {
  const Type from = elementOf(getInput()), to = elementOf(getResult());
  if (from != to && (isFloat8(to) || (isFloat8(from) && !isa<FloatType>(to))))
    return emitOpError() << "cannot make " << to << " of " << from;
  return sameShape(*this, getInput(), getResult());
}

LogicalResult BitcastOp::verify() {
  const Type from = elementOf(getInput()), to = elementOf(getResult());
  if (from.isInteger(1) || to.isInteger(1) || from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "cannot take the bits of " << from << " as " << to;
  return sameShape(*this, getInput(), getResult());
}

LogicalResult CallOp::verify() {
  if (getInputs().size() != getSnippet().getParameters().size())
    return emitOpError() << "has " << getInputs().size() << " inputs, the snippet "
                         << getSnippet().getParameters().size() << " parameters";
  for (Value operand : getOperands())
    if (failed(sameShape(*this, operand, getResult())))
      return failure();
  return getSame() ? sameElement(*this, getSame(), getResult()) : success();
}

LogicalResult ReshapeOp::verify() {
  if (failed(sameElement(*this, getInput(), getResult())))
    return failure();
  // Equal counts that no algebra sees are facts of the module: only a proved
  // difference is an error.
  Expr from = elementCount(getInput()), to = elementCount(getResult());
  if (from.constant() && to.constant() && from != to)
    return emitOpError() << "cannot turn " << from.text() << " elements into " << to.text();
  return success();
}

LogicalResult TransposeOp::verify() {
  SmallVector<bool> seen(rankOf(getInput()), false);
  if (getPerm().size() != seen.size())
    return emitOpError() << "perm has " << getPerm().size() << " entries for rank " << seen.size();
  for (int64_t dim : getPerm()) {
    if (failed(axisInRange(*this, dim, getInput())))
      return failure();
    if (seen[dim])
      return emitOpError() << "perm repeats dimension " << dim;
    seen[dim] = true;
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  if (rankOf(getInput()) != rankOf(getResult()))
    return emitOpError() << "rank " << rankOf(getInput()) << " becomes " << rankOf(getResult());
  for (auto [from, to] : llvm::zip_equal(shapeOf(getInput()), shapeOf(getResult())))
    if (from != to && from.constant() && !from.isConstant(1) && to.constant())
      return emitOpError() << "cannot broadcast extent " << from.text() << " to " << to.text();
  return sameElement(*this, getInput(), getResult());
}

LogicalResult SliceOp::verify() {
  if (getSteps().size() != rankOf(getInput()) || llvm::is_contained(getSteps(), 0))
    return emitOpError("needs a step that is not 0 for every dimension");
  if (rankOf(getInput()) != rankOf(getResult()))
    return emitOpError("keeps the rank");
  if (failed(sameElement(*this, getInput(), getResult())))
    return failure();
  return exprs(*this, getStarts(), rankOf(getInput()));
}

LogicalResult PadOp::verify() {
  if (rankOf(getInput()) != rankOf(getResult()))
    return emitOpError("keeps the rank");
  if (getValue().getType() != elementOf(getInput()))
    return emitOpError() << "pads " << elementOf(getInput()) << " with a value of type " << getValue().getType();
  if (failed(sameElement(*this, getInput(), getResult())))
    return failure();
  return exprs(*this, getLow(), rankOf(getInput()));
}

/// Operands one after the other along an axis.
template <class Op> static LogicalResult verifyInARow(Op op) {
  if (op.getInputs().empty())
    return op.emitOpError("needs an operand");
  Value first = op.getInputs().front();
  if (failed(axisInRange(op, op.getAxis(), first)))
    return failure();
  for (Value input : op.getInputs()) {
    if (rankOf(input) != rankOf(first))
      return op.emitOpError("operands have one rank");
    if (failed(sameElement(op, input, first)))
      return failure();
    for (auto [dim, extent] : llvm::enumerate(shapeOf(input))) {
      const Expr other = extentOf(first, dim);
      if (dim != op.getAxis() && extent.constant() && other.constant() && extent != other)
        return op.emitOpError() << "extents " << other.text() << " and " << extent.text() << " differ in dimension "
                                << dim;
    }
  }
  return success();
}

LogicalResult ConcatOp::verify() { return verifyInARow(*this); }

LogicalResult JoinOp::verify() { return verifyInARow(*this); }

LogicalResult WindowOp::verify() {
  if (failed(axisInRange(*this, getAxis(), getInput())))
    return failure();
  size_t axis = getAxis(), dims = getSizes().size();
  Exprs in = shapeOf(getInput()), out = shapeOf(getResult());
  if (dims == 0 || axis + dims > in.size() || out.size() != in.size() + dims)
    return emitOpError() << "windows over " << dims << " dimensions from " << axis << " on turn rank " << in.size()
                         << " into " << out.size();
  if (failed(windowNumbers(*this, "sizes", getSizes(), dims)) ||
      failed(windowNumbers(*this, "strides", getStrides(), dims)) ||
      failed(windowNumbers(*this, "dilations", getDilations(), dims)))
    return failure();
  ArrayRef<Expr> places = ArrayRef(out).slice(axis, dims);
  for (size_t i = 0; i < dims; ++i)
    if (failed(windowsFit(*this, in[axis + i], places[i], getStrides()[i], Expr(getSizes()[i]), getDilations()[i])))
      return failure();
  return verifyInferred(*this, {resultShape(in, axis, getSizes(), places), elementOf(getInput())});
}

LogicalResult GatherOp::verify() {
  if (failed(axisInRange(*this, getAxis(), getData())))
    return failure();
  const int64_t axis = getAxis(), batch = getBatchDims(), rank = rankOf(getIndices());
  if (batch < 0 || batch > axis || batch > rank)
    return emitOpError() << batch << " common dimensions of " << axis << " before the axis and " << rank
                         << " of indices";
  return success();
}

LogicalResult GatherElementsOp::verify() {
  if (rankOf(getData()) != rankOf(getIndices()))
    return emitOpError("data and indices have one rank");
  return axisInRange(*this, getAxis(), getData());
}

LogicalResult GatherNDOp::verify() {
  const int64_t rank = rankOf(getIndices()), batch = getBatchDims();
  const std::optional<int64_t> depth = rank > 0 ? extentOf(getIndices(), rank - 1).constant() : std::nullopt;
  if (!depth || batch < 0 || batch >= rank || batch + *depth > static_cast<int64_t>(rankOf(getData())))
    return emitOpError("the last dimension of indices must be static and fit the data's rank");
  return success();
}

LogicalResult ReduceOp::verify() {
  if (!llvm::is_sorted(getAxes()))
    return emitOpError("axes are not sorted");
  for (int64_t axis : getAxes())
    if (failed(axisInRange(*this, axis, getInput())))
      return failure();
  return success();
}

LogicalResult ArgReduceOp::verify() {
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min)
    return emitOpError("kind is max or min");
  return axisInRange(*this, getAxis(), getInput());
}

LogicalResult SoftmaxOp::verify() { return axisInRange(*this, getAxis(), getInput()); }

/// The dimensions that span a row.
static LogicalResult rowAxes(Operation *op, ArrayRef<int64_t> axes, Value input) {
  if (axes.empty())
    return op->emitOpError("normalises over no dimension");
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (failed(axisInRange(op, axis, input)))
      return failure();
    if (i > 0 && axis <= axes[i - 1])
      return op->emitOpError("axes do not ascend");
  }
  return success();
}

LogicalResult LayerNormOp::verify() { return rowAxes(*this, getAxes(), getInput()); }

LogicalResult MomentsOp::verify() {
  if (failed(rowAxes(*this, getAxes(), getInput())))
    return failure();
  if (!isa<FloatType>(elementOf(getInput())))
    return emitOpError() << "has no moments of " << elementOf(getInput());
  return success();
}

LogicalResult NormalizeOp::verify() {
  if (failed(rowAxes(*this, getAxes(), getInput())))
    return failure();
  Exprs dims = shapeOf(getInput()), moments = shapeOf(getMoments());
  if (moments.size() != dims.size() + 1 || !moments.back().isConstant(2) ||
      elementOf(getMoments()) != momentType(elementOf(getInput())))
    return emitOpError() << "operand of type " << getMoments().getType() << " does not hold moments of "
                         << getInput().getType();
  for (auto [axis, extent] : llvm::enumerate(dims)) {
    bool mayBeOne = llvm::is_contained(getAxes(), static_cast<int64_t>(axis));
    if (moments[axis] != extent && !(mayBeOne && moments[axis].isConstant(1)))
      return emitOpError() << "has " << moments[axis].text() << " moments along axis " << axis << " of extent "
                           << extent.text();
  }
  return success();
}

LogicalResult StatisticsOp::verify() {
  if (failed(rowAxes(*this, getAxes(), getMoments())))
    return failure();
  const Exprs dims = shapeOf(getMoments());
  if (!dims.back().isConstant(2) || getAxes().back() == int64_t(dims.size()) - 1)
    return emitOpError() << "operand of type " << getMoments().getType() << " does not hold moments";
  return success();
}

/// Products of TF32 are said of f32 elements.
template <class Contraction> static LogicalResult hasTf32Right(Contraction op, Value operand) {
  if (op.getTf32() && !elementOf(operand).isF32())
    return op.emitOpError() << "multiplies " << elementOf(operand) << ", not f32, as tf32";
  return success();
}

LogicalResult MatMulOp::verify() {
  Exprs lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  size_t rank = lhs.size();
  if (rank < 2 || rhs.size() != rank)
    return emitOpError() << "ranks " << rank << " and " << rhs.size() << " are not one rank of at least 2";
  if (lhs[rank - 1] != rhs[rank - 2])
    return emitOpError() << "contracts " << lhs[rank - 1].text() << " with " << rhs[rank - 2].text();
  if (ArrayRef<Expr>(lhs).drop_back(2) != ArrayRef<Expr>(rhs).drop_back(2))
    return emitOpError("batch dimensions differ");
  if (failed(hasTf32Right(*this, getLhs())))
    return failure();
  return productOf(elementOf(getLhs()), elementOf(getRhs())) ? success() : sameElement(*this, getLhs(), getRhs());
}

int64_t BlockMatMulOp::blockSize() { return *floorDiv(extentOf(getRhs(), 0), extentOf(getRhsScales(), 0)).constant(); }

LogicalResult BlockMatMulOp::verify() {
  for (Value operand : getOperands())
    if (rankOf(operand) != 2)
      return emitOpError() << "has an operand of rank " << rankOf(operand) << ", expected matrices";
  if (!elementOf(getLhs()).isSignlessInteger(8) || !elementOf(getRhs()).isInteger(8) ||
      !elementOf(getStart()).isSignlessInteger(32))
    return emitOpError() << "multiplies " << elementOf(getLhs()) << " by " << elementOf(getRhs()) << " from "
                         << elementOf(getStart()) << " on, expected i8 by i8 or ui8 from i32 on";
  if (!elementOf(getLhsScales()).isF32() || !elementOf(getRhsScales()).isF32())
    return emitOpError("has scales that are not f32");
  const Exprs lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs()), blocks = shapeOf(getRhsScales());
  if (lhs[1] != rhs[0])
    return emitOpError() << "contracts " << lhs[1].text() << " with " << rhs[0].text();
  const Exprs ofRows = {lhs[0], blocks[0]};
  if (blocks[1] != rhs[1] || shapeOf(getStart()) != ofRows || shapeOf(getLhsScales()) != ofRows)
    return emitOpError("has scales or a start of other rows, columns or blocks than its operands");
  const std::optional<int64_t> depth = rhs[0].constant(), count = blocks[0].constant();
  if (!depth || !count || *count <= 0 || *depth % *count != 0)
    return emitOpError() << "divides a depth of " << rhs[0].text() << " into " << blocks[0].text() << " blocks";
  return success();
}

bool ConvOp::hasWindow() {
  const Exprs weights = shapeOf(getWeights());
  return llvm::any_of(ArrayRef(weights).slice(dims().window, weights.size() - 2),
                      [](const Expr &extent) { return !extent.isConstant(1); });
}

LogicalResult ConvOp::verify() {
  Exprs in = shapeOf(getInput()), weights = shapeOf(getWeights()), out = shapeOf(getResult());
  size_t rank = in.size(), spatial = rank - 2;
  if (rank < 3 || weights.size() != rank || out.size() != rank)
    return emitOpError() << "ranks " << rank << ", " << weights.size() << " and " << out.size()
                         << " are not one rank of at least 3";
  if (failed(windowNumbers(*this, "strides", getStrides(), spatial)) ||
      failed(windowNumbers(*this, "dilations", getDilations(), spatial)) ||
      failed(windowNumbers(*this, "groups", {static_cast<int64_t>(getGroups())}, 1)))
    return failure();
  const Dims at = dims();
  if (in[at.channels] != weights[at.depth] * Expr(getGroups()))
    return emitOpError() << getGroups() << " groups of " << weights[at.depth].text() << " channels contract "
                         << in[at.channels].text() << " channels";
  if (std::optional<int64_t> channels = weights[at.columns].constant(); channels && *channels % getGroups() != 0)
    return emitOpError() << *channels << " output channels do not divide into " << getGroups() << " groups";
  if (!productOf(elementOf(getInput()), elementOf(getWeights())))
    return sameElement(*this, getInput(), getWeights());
  if (failed(hasTf32Right(*this, getInput())))
    return failure();
  ArrayRef<Expr> places = ArrayRef(out).slice(at.places, spatial);
  for (size_t i = 0; i < spatial; ++i)
    if (failed(windowsFit(*this, in[at.places + i], places[i], getStrides()[i], weights[at.window + i],
                          getDilations()[i])))
      return failure();
  return verifyInferred(*this, {resultShape(getLayout(), in, weights, places),
                                productOf(elementOf(getInput()), elementOf(getWeights()))});
}

/// The inputs are there that the call takes.
static LogicalResult verifyLibrary(FusionOp op) {
  std::optional<ArrayRef<int64_t>> inputs = op.getLibraryInputs();
  if (op.getLibrary().has_value() != inputs.has_value())
    return op.emitOpError("has a library call and its inputs, or none of both");
  if (!inputs)
    return success();
  if (op.getLibraryRefused())
    return op.emitOpError("has a library call that is refused");
  if (static_cast<int64_t>(inputs->size()) != op.getLibrary()->countInputs())
    return op.emitOpError() << "has " << inputs->size() << " inputs of a library call that takes "
                            << op.getLibrary()->countInputs();
  if (llvm::any_of(*inputs, [&](int64_t i) { return i < 0 || i >= static_cast<int64_t>(op.getInputs().size()); }))
    return op.emitOpError("has an input of its library call that is no input of the fusion");
  return success();
}

LogicalResult FusionOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(getInputs()))
    return emitOpError("operands and arguments of the region differ in type");
  if (auto yield = dyn_cast<YieldOp>(body.back()); !yield || yield.getValues().getTypes() != getResultTypes())
    return emitOpError("yielded values and results differ in type");
  if (getKernel().has_value() != getScalars().has_value())
    return emitOpError("has a kernel and its scalars, or none of both");
  return verifyLibrary(*this);
}

LogicalResult FusionOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getKernel() && !symbols.lookupNearestSymbolFrom(*this, getKernelAttr()))
    return emitOpError() << "has the kernel " << getKernelAttr() << ", which is not there";
  return success();
}

LogicalResult VerdictAttr::verify(function_ref<InFlightDiagnostic()> emitError, LocationAttr, LocationAttr, bool,
                                  StringRef rule, ReasonAttr, ArrayRef<LocationAttr>) {
  if (rule.empty() || !llvm::all_of(rule, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; }))
    return emitError() << "'" << rule << "' is no name of a rule: small letters and hyphens";
  return success();
}

/// What a report is about is there.
static LogicalResult verifyFunctionOf(Operation *report, FlatSymbolRefAttr function, SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<FunctionOpInterface>(report, function))
    return report->emitOpError() << "is about " << function << ", which is no function";
  return success();
}

LogicalResult VerdictsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyFunctionOf(*this, getFunctionAttr(), symbols);
}

LogicalResult PrecisionOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyFunctionOf(*this, getFunctionAttr(), symbols);
}

LogicalResult LayoutsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyFunctionOf(*this, getFunctionAttr(), symbols);
}

OpFoldResult HostOp::fold(FoldAdaptor adaptor) { return adaptor.getSame(); }

LogicalResult HostOp::verify() {
  format::HostCall call;
  call.op = getFunction().str();
  for (auto parameter : getParameters().getAsRange<StringAttr>())
    call.arguments.push_back(parameter.getValue().str());
  call.operands.resize(getInputs().size());
  call.results.resize(1);
  if (Status status = format::checkHostCall(call); status.failed())
    return emitOpError() << status.message();
  const format::HostOp &op = *format::findHostOp(call.op);
  const Type writes = typeOf(format::dtypeOf(op.writes, call.arguments), getContext());
  for (auto [input, element] : llvm::zip_first(getInputs(), op.reads))
    if (const Type reads = typeOf(format::dtypeOf(element, call.arguments), getContext()); elementOf(input) != reads)
      return emitOpError() << "reads elements of " << elementOf(input) << ", expected " << reads;
  if (elementOf(getResult()) != writes)
    return emitOpError() << "has a result of " << elementOf(getResult()) << ", expected " << writes;
  if (getSame() && getSame().getType() != getResult().getType())
    return emitOpError() << "is the same as a value of " << getSame().getType() << ", but has a result of "
                         << getResult().getType();
  return success();
}
