//===- lib/Target/CPU/KernelPlan.cpp - what follows from a kernel and its schedule ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Scalars.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::exprsOf;

namespace cupola::cpu {
namespace {

/// A thread should have at least this many elements of work.
constexpr double kThreadWork = 8192;
/// Tiles above this size are computed again instead of stored.
constexpr int64_t kMaxTileBytes = 1 << 18;

Status hasNoCode(Operation *op, StringRef what) {
  return Status::internal(
      ("the CPU target has no code for " + what + " in kernel " + op->getParentOfType<FuncOp>().getSymName()).str());
}

Status checkOps(FuncOp func) {
  Status status;
  func.walk([&](Operation *op) {
    if (auto unary = dyn_cast<UnaryOp>(op)) {
      if (!supportsUnary(unary.getKind(), unary.getInput().getType()))
        status = hasNoCode(op, graph::stringifyUnaryKind(unary.getKind()));
    } else if (auto binary = dyn_cast<BinaryOp>(op)) {
      if (!supportsBinary(binary.getKind(), binary.getLhs().getType()))
        status = hasNoCode(op, graph::stringifyBinaryKind(binary.getKind()));
    }
    return status.isOk() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return status;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Loading and converting again costs no more than loading what was stored.
bool isCheap(MapOp map) {
  return llvm::all_of(map.getBody().front(),
                      [](Operation &op) { return isa<LoadOp, CastOp, kernel::ConstantOp, YieldOp>(op); });
}

std::optional<int64_t> bytesOf(Value tile, const Ranges &ranges) {
  auto type = cast<TileType>(tile.getType());
  Expr count = 1;
  for (graph::ExprAttr extent : type.getExtents())
    count *= extent.getValue();
  std::optional<int64_t> most = bounds(count, ranges).hi;
  if (!most || *most * elementBytes(type.getElement()) > kMaxTileBytes)
    return std::nullopt;
  return *most * elementBytes(type.getElement());
}

void placeTiles(KernelPlan &kernel) {
  kernel.func.walk([&](MapOp map) {
    if (isCheap(map))
      return;
    for (Value tile : map.getTiles())
      if (std::optional<int64_t> bytes = bytesOf(tile, kernel.vars.ranges()))
        kernel.tiles[tile] = kernel.reserve(*bytes);
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Nest collectLoops(Variables &vars, FuncOp func) {
  Nest nest;
  nest.vars = vars.names(func.getPoint());
  llvm::append_range(nest.extents, exprsOf(func.getGrid()));
  nest.body = &func.getBody().front();
  if (ForeachOp loop = onlyForeach(func)) {
    llvm::append_range(nest.vars, vars.names(loop.getBody().getArguments()));
    llvm::append_range(nest.extents, exprsOf(loop.getExtents()));
    nest.body = &loop.getBody().front();
  }
  return nest;
}

} // namespace

ForeachOp onlyForeach(FuncOp func) {
  ForeachOp found;
  for (Operation &op : func.getBody().front()) {
    if (isa<kernel::ConstantOp>(op))
      continue;
    auto loop = dyn_cast<ForeachOp>(op);
    if (!loop || found)
      return nullptr;
    found = loop;
  }
  return found;
}

Status doesNotSuit(FuncOp func, const CpuArchitecture &isa) {
  return Status::internal(
      ("the schedule of kernel " + func.getSymName() + " does not suit it on " + StringRef(isa.name)).str());
}

void Nest::vectorise(unsigned loop) {
  vectorised = true;
  std::rotate(vars.begin() + loop, vars.begin() + loop + 1, vars.end());
  std::rotate(extents.begin() + loop, extents.begin() + loop + 1, extents.end());
}

int64_t KernelPlan::reserve(int64_t bytes) {
  const auto offset = static_cast<int64_t>(scratchBytes);
  scratchBytes += (bytes + 127) / 64 * 64;
  return offset;
}

bool KernelPlan::hasRoomForLanes(int64_t lanes) const {
  return static_cast<int64_t>(scratchBytes) * lanes <= kMaxTileBytes;
}

void KernelPlan::widenTiles(int64_t lanes) {
  scratchBytes = 0;
  nest.hasLaneTiles = true;
  func.walk([&](MapOp map) {
    for (Value tile : map.getTiles())
      if (auto stored = tiles.find(tile); stored != tiles.end())
        stored->second = reserve(*bytesOf(tile, vars.ranges()) * lanes);
  });
}

void KernelPlan::setGrain(double work) { grain = static_cast<uint32_t>(std::clamp(kThreadWork / work, 1.0, 1e6)); }

double estimate(const Expr &extent) {
  std::map<std::string, int64_t> values;
  for (const std::string &symbol : extent.symbols())
    values[symbol] = 64;
  return std::max<double>(1, extent.evaluate(values).value_or(1));
}

double distanceOf(const Expr &step) {
  const std::optional<int64_t> known = step.constant();
  return known ? std::abs(static_cast<double>(*known)) : estimate(step);
}

Result<KernelPlan> readKernel(FuncOp func, const CpuArchitecture &isa) {
  KernelPlan kernel(func);
  if (stepsOf(func)) { // whose tiles lie in blocks of rows
    CUPOLA_ASSIGN(kernel.steps, readSteps(kernel.vars, func, isa.lanes()));
  } else if (dotOf(func)) {
    placeTiles(kernel);
    CUPOLA_ASSIGN(kernel.contraction, readContraction(kernel.vars, func));
  } else {
    placeTiles(kernel);
    kernel.nest = collectLoops(kernel.vars, func);
  }
  return kernel;
}

Result<KernelPlan> planKernel(FuncOp func, const CpuArchitecture &isa) {
  CUPOLA_TRY(checkOps(func));
  CUPOLA_ASSIGN(KernelPlan kernel, readKernel(func, isa));
  auto schedule = dyn_cast_or_null<ScheduleInterface>(func.getScheduleAttr());
  CUPOLA_TRY(schedule ? schedule.plan(kernel, isa) : doesNotSuit(func, isa));
  return kernel;
}

} // namespace cupola::cpu
