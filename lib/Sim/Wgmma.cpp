//===- lib/Sim/Wgmma.cpp - Products of a warpgroup, run as late as allowed ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Wgmma.h"

#include "lib/Sim/Access.h"
#include "lib/Sim/Matrix.h"
#include "lib/Sim/Regions.h"
#include "lib/Sim/Shadow.h"
#include "lib/Sim/WgmmaLayout.h"
#include "lib/Sim/device/calls.cuh"

#include <algorithm>
#include <cstring>

namespace cupola::sim {

namespace {

constexpr unsigned kK = 16, kRowsOfWarp = 16;
constexpr uint32_t kChunk = 16; ///< bytes that a swizzle keeps together, eight elements

WgmmaWarp &stateOf(Warp &warp) {
  if (warp.wgmma)
    return *warp.wgmma;
  beginPreciseOrder();
  warp.wgmma = std::make_unique<WgmmaWarp>();
  warp.wgmma->number = machine.clocks.add();
  warp.wgmma->lastRead.resize(kMaxSharedBytes / kChunk);
  if (warp.wgmma->number == Clocks::kCapacity) {
    machine.reports.add(Finding::Limit,
                        "threads, mbarriers and warps with wgmma of the blocks that run together are more than " +
                            std::to_string(Clocks::kCapacity),
                        warp.at.pc);
    abandonLaunch();
  }
  return *warp.wgmma;
}

/// Calls visit(offset in shared memory, huge where it lies in front of it, outer, k) for each 16 bytes of an operand:
/// elements k .. k+7 of one row or column, or `outer` .. outer+7 of one k where the rows or columns are innermost.
template <class Visit>
void forEachChunk(uint64_t descriptor, bool outerInnermost, uint32_t first, uint32_t count, Visit visit) {
  const MatrixDescriptor d = MatrixDescriptor::decode(descriptor);
  for (uint32_t outer = 0; outer < count; outer += outerInnermost ? 8 : 1)
    for (uint32_t k = 0; k < kK; k += outerInnermost ? 1 : 8)
      visit((outerInnermost ? d.alongOuter(first + outer, k) : d.alongK(first + outer, k)) - CupolaSimSharedStart,
            outer, k);
}

/// The 16 bytes of shared memory may be read by all lanes. False: it was reported.
class ChunkCheck {
public:
  ChunkCheck(const Warp &warp, const Thread *lanes) : warp(warp), lanes(lanes), cells(blockCells(*warp.block)) {}

  bool isReadable(uint32_t offset) {
    const unsigned count = kChunk >> machine.sharedShift;
    const Cell *cell = cells + (offset >> machine.sharedShift);
    for (unsigned i = 0; i < count; ++i)
      if (cell[i].write != readable && !isVisible(cell[i].write, offset))
        return false;
    return true;
  }

private:
  bool isVisible(Stamp write, uint32_t offset) {
    const Access access{warp.block->sharedBase + offset, kChunk, false, false, warp.at.pc, "read by wgmma"};
    if (write < machine.blockStart) {
      reportUninitialised(access);
      return false;
    }
    for (unsigned l = 0; l < kWarpLanes; ++l)
      if ((write & kAsyncFlag) || (stampThread(write) != lanes[l].index && !isOrderedInBlock(write, lanes[l]))) {
        checkSharedWrite(write, lanes[l], access);
        return false;
      }
    if (stampThread(write) < machine.threads.size()) {
      reportWgmma(lanes,
                  "multiplies what " + threadName(stampThread(write)) + " wrote to " + describeAddress(access.address) +
                      " by itself, and no proxy fence stands between",
                  warp.at.pc);
      return false;
    }
    readable = write;
    return true;
  }

  const Warp &warp;
  const Thread *lanes;
  const Cell *cells;
  Stamp readable = 0; ///< one that was found to be
};

void checkOperand(Warp &warp, const Thread *lanes, uint64_t descriptor, bool outerInnermost, uint32_t first,
                  uint32_t count) {
  WgmmaWarp &state = *warp.wgmma;
  ChunkCheck check(warp, lanes);
  bool isClean = true;
  forEachChunk(descriptor, outerInnermost, first, count, [&](uint32_t offset, uint32_t, uint32_t) {
    if (uint64_t(offset) + kChunk > machine.sharedBytes)
      failAccess(Finding::OutOfBounds, warp.block->sharedBase + offset, kChunk, false, warp.at.pc, "by wgmma");
    state.lastRead[offset / kChunk] = state.open + 1;
    if (isClean)
      isClean = check.isReadable(offset);
  });
}

unsigned rowsBefore(const Warp &warp) {
  return (static_cast<unsigned>(&warp - machine.warps.data()) - warp.block->firstWarp) % 4 * kRowsOfWarp;
}

uint64_t descriptorOf(const void *operand) { return *static_cast<const uint64_t *>(operand); }

/// What the product reads, now that it must.
void loadOperands(Tile &tile, const Warp &warp, const WgmmaProduct &product, uint32_t columns) {
  const auto *shared = reinterpret_cast<const char *>(warp.block->sharedBase);
  const bool transposed = product.kind & CupolaSimWgmmaTransposedB;
  if (product.kind & CupolaSimWgmmaFragments)
    loadFragments(tile, warp.wgmma->fragments[product.fragments], static_cast<unsigned>(product.a));
  else
    forEachChunk(product.a, false, rowsBefore(warp), kRowsOfWarp, [&](uint32_t offset, uint32_t row, uint32_t k) {
      uint16_t part[8];
      std::memcpy(part, shared + offset, sizeof part);
      for (unsigned i = 0; i < 8; ++i)
        tile.a[k + i][row] = part[i];
    });
  forEachChunk(product.b, transposed, 0, columns, [&](uint32_t offset, uint32_t column, uint32_t k) {
    uint16_t part[8];
    std::memcpy(part, shared + offset, sizeof part);
    for (unsigned i = 0; i < 8; ++i)
      (transposed ? tile.b[k][column + i] : tile.b[k + i][column]) = part[i];
  });
}

void carryOut(Warp &warp, const Thread *lanes, const WgmmaProduct &product) {
  static Tile tile;
  Accumulators &a = warp.wgmma->accumulators[product.accumulators];
  if (product.kind & CupolaSimWgmmaSets)
    std::fill(a.values.begin(), a.values.end(), 0.0f);
  loadOperands(tile, warp, product, a.tiles * 8);
  loadAccumulators(tile, a);
  tile.multiply(kRowsOfWarp, a.tiles * 8, kK, product.kind & CupolaSimWgmmaBf16 ? Operands::Bf16 : Operands::F16);
  storeAccumulators(tile, a, lanes, warp.at.pc);
}

} // namespace

void reportWgmma(const Thread *lanes, const std::string &text, uintptr_t pc) {
  machine.reports.add(Finding::Wgmma, "the warp of " + threadText(lanes[0]) + " " + text, pc);
}

void fenceProducts(Warp &warp, Thread *lanes, uint32_t parameter) {
  checkWarpgroup(warp, lanes, 0, 0);
  WgmmaWarp &state = stateOf(warp);
  const uint32_t tiles = parameter & 255;
  if (parameter >> 8)
    fenceFragments(state, lanes, parameter >> 8, warp.at.pc);
  fenceAccumulators(state, lanes, tiles, warp.at.pc);
}

void startProduct(Warp &warp, Thread *lanes, uint32_t parameter) {
  const uint32_t tiles = parameter >> 8, kind = parameter & 255;
  const bool hasFragments = kind & CupolaSimWgmmaFragments;
  const uint64_t a = hasFragments ? 0 : descriptorOf(lanes[0].operandA), b = descriptorOf(lanes[0].operandB);
  checkWarpgroup(warp, lanes, a, b);
  WgmmaWarp &state = stateOf(warp);
  for (unsigned l = 1; l < kWarpLanes; ++l)
    if ((!hasFragments && descriptorOf(lanes[l].operandA) != a) || descriptorOf(lanes[l].operandB) != b) {
      reportWgmma(lanes, "multiplies other operands in one lane than in another", warp.at.pc);
      break;
    }
  const size_t acc = beginAccumulating(state, lanes, tiles, warp.at.pc);
  WgmmaProduct product = {a, b, acc, 0, kind, state.open, warp.at.pc};
  if (hasFragments) {
    const FragmentsStep used = useFragments(state, lanes, warp.at.pc);
    product.fragments = used.fragments;
    product.a = used.step;
  } else {
    checkOperand(warp, lanes, a, false, rowsBefore(warp), kRowsOfWarp);
  }
  checkOperand(warp, lanes, b, kind & CupolaSimWgmmaTransposedB, 0, tiles * 8);
  setPending(state.accumulators[acc]);
  state.products.push_back(product);
}

void commitProducts(Warp &warp, Thread *lanes) {
  checkWarpgroup(warp, lanes, 0, 0);
  ++stateOf(warp).open;
}

void waitForProducts(Warp &warp, Thread *lanes, uint32_t pending) {
  checkWarpgroup(warp, lanes, 0, 0);
  WgmmaWarp &state = stateOf(warp);
  checkAccumulators(state, lanes, warp.at.pc);
  checkFragments(state, lanes, warp.at.pc);
  if (state.open > pending)
    state.done = std::max(state.done, state.open - pending);
  size_t count = 0;
  while (count < state.products.size() && state.products[count].group < state.done)
    carryOut(warp, lanes, state.products[count++]);
  state.products.erase(state.products.begin(), state.products.begin() + static_cast<ptrdiff_t>(count));
  for (unsigned l = 0; l < kWarpLanes; ++l)
    machine.clocks.known(lanes[l].index, state.number) = state.done + 1;
}

void checkProductsAtEnd(const Warp &warp) {
  if (!warp.wgmma || warp.wgmma->products.empty())
    return;
  const WgmmaProduct &product = warp.wgmma->products[0];
  reportWgmma(&machine.threads[warp.firstThread],
              product.group < warp.wgmma->open ? "ends before it has waited for its products"
                                               : "ends before it has committed its products",
              product.pc);
}

const Warp *findUnorderedProduct(const Block &block, uint64_t offset, uint64_t bytes, const Thread &thread) {
  const size_t warps = machine.warps.size() / machine.blocks.size();
  for (size_t w = block.firstWarp; w < block.firstWarp + warps; ++w) {
    const WgmmaWarp *state = machine.warps[w].wgmma.get();
    if (!state)
      continue;
    const uint32_t known = machine.clocks.known(thread.index, state->number);
    for (uint64_t chunk = offset / kChunk; chunk <= (offset + bytes - 1) / kChunk; ++chunk)
      if (state->lastRead[chunk] != 0 && state->lastRead[chunk] >= known)
        return &machine.warps[w];
  }
  return nullptr;
}

} // namespace cupola::sim
