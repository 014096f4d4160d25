//===- dialects/Simt/SimtClusterVerifiers.cpp - verifiers of clusters, mbarriers, tensor copies, wgmma ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Simt/Verify.h"
#include "lib/Runtime/Format/TensorMapLimits.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;
using cupola::kernel::ViewType;

/// The threads that wgmma and the budget of registers take as one.
static constexpr int64_t warpgroup = 128;
/// Of a multiprocessor.
static constexpr int64_t allRegisters = 65536;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

LogicalResult TensorMapAttr::verify(llvm::function_ref<InFlightDiagnostic()> error, unsigned, graph::ExprAttr,
                                    ArrayRef<graph::ExprAttr> extents, ArrayRef<graph::ExprAttr> strides,
                                    ArrayRef<int64_t> box, int64_t swizzle, ArrayRef<int64_t> lower,
                                    ArrayRef<int64_t> upper, ArrayRef<int64_t> steps) {
  if (extents.empty() || extents.size() > format::kTensorMapRank)
    return error() << "a tensor map of rank " << extents.size() << ", 1 to " << format::kTensorMapRank
                   << " are possible";
  if (strides.size() != extents.size() || box.size() != extents.size())
    return error() << extents.size() << " extents have " << strides.size() << " strides and " << box.size()
                   << " extents of a box";
  if (!strides.front().getValue().isConstant(1))
    return error() << "the innermost stride is " << strides.front().getValue().text() << ", not 1";
  for (int64_t extent : box)
    if (extent < 1 || extent > format::kTensorMapBox)
      return error() << "a box of " << extent << " elements, 1 to " << format::kTensorMapBox << " are possible";
  if (!lower.empty())
    if (const std::string fault = format::tensorWindowFault(extents.size(), lower, upper, steps); !fault.empty())
      return error() << fault;
  return verifySwizzle(error, swizzle);
}

/// Null, and an error, if the function has no such map.
static TensorMapAttr mapOf(Operation *op, uint64_t map) {
  auto func = op->getParentOfType<simt::FuncOp>();
  if (func && map < func.getMaps().size())
    return cast<TensorMapAttr>(func.getMaps()[map]);
  op->emitOpError() << "is about tensor map " << map << ", which the function does not have";
  return {};
}

LogicalResult TensorMapAcquireOp::verify() { return success(mapOf(*this, getMap()) != nullptr); }

LogicalResult TensorCopyOp::verify() {
  TensorMapAttr map = mapOf(*this, getMap());
  if (!map)
    return failure();
  auto func = (*this)->getParentOfType<simt::FuncOp>();
  auto view = cast<ViewType>(func.getViews()[map.getView()].getType());
  SmemType to = getSmem().getType();
  if (view.getElement() != to.getElement())
    return emitOpError("copies between different types");
  if (map.getSwizzle() != to.getSwizzle())
    return emitOpError() << "copies with a swizzle of " << map.getSwizzle() << " bytes to memory with one of "
                         << to.getSwizzle();
  if (getCoordinates().size() != map.getBox().size())
    return emitOpError() << "has " << getCoordinates().size() << " coordinates, not " << map.getBox().size();
  if (getTaps().size() != map.getSteps().size())
    return emitOpError() << "has " << getTaps().size() << " taps, not " << map.getSteps().size();
  if (map.hasWindow() && getBlocks())
    return emitOpError("copies the places of a window to several blocks");
  if (getBlocks() >> func.getCluster())
    return emitOpError() << "goes to blocks that a cluster of " << func.getCluster() << " does not have";
  return success();
}

//===----------------------------------------------------------------------===//
// Clusters and roles
//===----------------------------------------------------------------------===//

static LogicalResult isInCluster(Operation *op) {
  auto func = op->getParentOfType<simt::FuncOp>();
  return func && func.getCluster() == 0 ? op->emitOpError("is in a function without clusters") : success();
}

LogicalResult ClusterBarrierOp::verify() {
  if (failed(isInCluster(*this)))
    return failure();
  return reachedTogether(*this, blockThreads(*this));
}

LogicalResult LoadClusterOp::verify() {
  const RegistersType to = getRegisters().getType();
  if (failed(isInCluster(*this)) || failed(access(*this, to, getSmem())))
    return failure();
  if (!to.getExtents().empty() || to.getVector() * graph::byteSize(to.getElement()) != 16)
    return emitOpError("moves 16 bytes, which are no one vector of ") << to;
  return isPlain(*this, getSmem().getType());
}

bool RoleOp::givesRegisters() { return static_cast<int64_t>(getRegisters()) * blockThreads(*this) < allRegisters; }

bool RoleOp::exchangesRegisters() {
  return llvm::any_of((*this)->getBlock()->getOps<RoleOp>(),
                      [&](RoleOp other) { return other.getRegisters() != getRegisters(); });
}

int64_t RoleOp::residentBlocks() {
  return exchangesRegisters() ? 1 : allRegisters / (blockThreads(*this) * static_cast<int64_t>(getRegisters()));
}

LogicalResult RoleOp::verify() {
  const int64_t from = getFrom(), to = getTo(), threads = blockThreads(*this);
  constexpr int64_t warp = 32;
  const int64_t group = exchangesRegisters() ? warpgroup : warp;
  if (from < 0 || from >= to || to > threads || from % group != 0 || to % group != 0)
    return emitOpError() << "threads " << from << " to " << to << " are no " << (group == warp ? "warps" : "warpgroups")
                         << " of the block's " << threads;
  if (getRegisters() % 8 != 0 || getRegisters() < 24 || getRegisters() > 240)
    return emitOpError() << getRegisters() << " registers are no multiple of 8 from 24 to 240";
  int64_t taken = 0;
  for (RoleOp role : (*this)->getBlock()->getOps<RoleOp>())
    taken += (role.getTo() - role.getFrom()) * role.getRegisters();
  if (taken > allRegisters)
    return emitOpError() << "the roles have " << taken << " registers, more than " << allRegisters;
  return success();
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

static LogicalResult verifyBarriers(Operation *op, SmemType barriers) {
  return barriers.getElement().isInteger(64) ? success() : op->emitOpError("mbarriers have 64 bits");
}

LogicalResult MbarrierInitOp::verify() {
  if (getArrivals() < 1)
    return emitOpError("a phase has at least one arrival");
  return verifyBarriers(*this, getBarriers().getType());
}
LogicalResult MbarrierExpectOp::verify() {
  // PTX ISA, "Tracking asynchronous operations by the mbarrier object": the range of tx-count.
  if (getBytes() < 0 || getBytes() >= 1 << 20)
    return emitOpError() << getBytes() << " bytes are not what an mbarrier counts";
  return verifyBarriers(*this, getBarriers().getType());
}
LogicalResult MbarrierArriveOp::verify() { return verifyBarriers(*this, getBarriers().getType()); }
LogicalResult MbarrierWaitOp::verify() { return verifyBarriers(*this, getBarriers().getType()); }

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// An array [tiles][4] of each thread.
static bool hasFours(RegistersType type) {
  return type.getVector() <= 1 && type.getExtents().size() == 2 && type.getExtents()[1] == 4;
}
static bool areAccumulators(RegistersType type) { return type.getElement().isF32() && hasFours(type); }
static bool areFragments(RegistersType type) { return type.getElement().isUnsignedInteger(32) && hasFours(type); }

LogicalResult WgmmaFenceOp::verify() {
  if (getFragments() && !areFragments(getFragments().getType()))
    return emitOpError() << getFragments().getType() << " are no fragments";
  return success();
}

LogicalResult WgmmaFragmentsOp::verify() {
  RegistersType acc = getAcc().getType();
  if (!areAccumulators(acc) || (acc.getExtents()[0] != 8 && acc.getExtents()[0] != 16))
    return emitOpError() << "accumulators " << acc << " are none of 64 by 64 or 128";
  if (!areFragments(getA().getType()))
    return emitOpError() << getA().getType() << " are no fragments";
  const SmemType b = getB().getType();
  if (!b.getElement().isF16() && !b.getElement().isBF16())
    return emitOpError("multiplies f16 with f16 or bf16 with bf16");
  if (b.getSwizzle() != 128)
    return emitOpError("reads shared memory with a swizzle of 128 bytes");
  return reachedTogether(*this, warpgroup);
}

LogicalResult WgmmaPackOp::verify() {
  const RegistersType acc = getAcc().getType(), fragments = getFragments().getType();
  if (!areAccumulators(acc) || !areFragments(fragments) || acc.getExtents()[0] != 2 * fragments.getExtents()[0])
    return emitOpError() << fragments << " are not the fragments of accumulators " << acc;
  return success();
}

LogicalResult WgmmaOp::verify() {
  RegistersType acc = getAcc().getType();
  const int64_t tiles = acc.getExtents().empty() ? 0 : acc.getExtents()[0];
  if (!areAccumulators(acc) || (tiles != 8 && tiles != 16 && tiles != 32))
    return emitOpError() << "accumulators " << acc << " are none of 64 by 64, 128 or 256";
  Type element = getA().getType().getElement();
  if (element != getB().getType().getElement() || (!element.isF16() && !element.isBF16()))
    return emitOpError("multiplies f16 with f16 or bf16 with bf16");
  if (getA().getType().getSwizzle() != 128 || getB().getType().getSwizzle() != 128)
    return emitOpError("reads shared memory with a swizzle of 128 bytes");
  if (getSteps() < 1 || getSteps() > 4)
    return emitOpError() << "a row of 64 k has no " << getSteps() << " steps of 16";
  return reachedTogether(*this, warpgroup);
}
