//===- lib/Sim/WgmmaAccumulators.cpp - What products of a warpgroup add to ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Machine.h"
#include "lib/Sim/Matrix.h"
#include "lib/Sim/WgmmaLayout.h"

#include <algorithm>
#include <cstring>

namespace cupola::sim {

namespace {

/// A quiet NaN that no product makes.
constexpr uint32_t kPending = 0x7fc5a5a5;

/// Those whose first lane has them where lane 0 has; tiles.size(): none.
size_t findAccumulators(const WgmmaWarp &state, const Thread *lanes, uint32_t tiles) {
  const auto found = std::find_if(state.accumulators.begin(), state.accumulators.end(), [&](const Accumulators &a) {
    return a.lanes[0] == lanes[0].result && a.tiles == tiles;
  });
  return static_cast<size_t>(found - state.accumulators.begin());
}

template <class Visit> void forEachLane(Accumulators &a, Visit visit) {
  for (unsigned l = 0; l < kWarpLanes; ++l)
    visit(a.lanes[l], &a.values[l * a.tiles * 4], a.tiles * 4);
}

void loadValues(Accumulators &a) {
  forEachLane(a, [](const float *lane, float *values, unsigned n) { std::memcpy(values, lane, n * sizeof(float)); });
}

bool hasValues(Accumulators &a) {
  bool equal = true;
  forEachLane(a, [&](const float *lane, const float *values, unsigned n) {
    equal &= std::memcmp(values, lane, n * sizeof(float)) == 0;
  });
  return equal;
}

/// Nobody has touched what a product is going to write.
void checkPending(Accumulators &a, const Thread *lanes, uintptr_t pc) {
  bool touched = false;
  forEachLane(a, [&](const float *lane, const float *, unsigned n) {
    for (unsigned i = 0; i < n; ++i)
      touched |= std::memcmp(lane + i, &kPending, sizeof kPending) != 0;
  });
  if (touched)
    reportWgmma(lanes, "has changed accumulators of products that it had not waited for", pc);
}

/// Calls visit(element of the tile, element of the lane).
template <class Visit> void forEachElement(unsigned tiles, Visit visit) {
  for (unsigned l = 0; l < kWarpLanes; ++l)
    for (unsigned j = 0; j < tiles; ++j)
      for (unsigned e = 0; e < 4; ++e)
        visit(wgmmaRow(l, e), wgmmaColumn(l, j, e), (l * tiles + j) * 4 + e);
}

} // namespace

void fenceAccumulators(WgmmaWarp &state, const Thread *lanes, uint32_t tiles, uintptr_t pc) {
  const size_t at = findAccumulators(state, lanes, tiles);
  if (at == state.accumulators.size()) {
    Accumulators a;
    for (unsigned l = 0; l < kWarpLanes; ++l)
      a.lanes[l] = static_cast<float *>(lanes[l].result);
    a.tiles = tiles;
    a.values.resize(size_t(kWarpLanes) * tiles * 4);
    state.accumulators.push_back(std::move(a));
  }
  Accumulators &a = state.accumulators[at];
  a.pending == 0 ? loadValues(a) : checkPending(a, lanes, pc);
}

size_t beginAccumulating(WgmmaWarp &state, const Thread *lanes, uint32_t tiles, uintptr_t pc) {
  const size_t at = findAccumulators(state, lanes, tiles);
  if (at == state.accumulators.size()) {
    reportWgmma(lanes, "multiplies into accumulators that were in no wgmma_fence", pc);
    abandonLaunch();
  }
  Accumulators &a = state.accumulators[at];
  if (a.pending != 0) {
    checkPending(a, lanes, pc);
  } else if (!hasValues(a)) {
    reportWgmma(lanes, "multiplies into accumulators that it has changed since the last wgmma_fence", pc);
    loadValues(a);
  }
  ++a.pending;
  return at;
}

void setPending(Accumulators &a) {
  forEachLane(a, [](float *lane, const float *, unsigned n) {
    for (unsigned i = 0; i < n; ++i)
      std::memcpy(lane + i, &kPending, sizeof kPending);
  });
}

void checkAccumulators(WgmmaWarp &state, const Thread *lanes, uintptr_t pc) {
  for (Accumulators &a : state.accumulators)
    if (a.pending != 0)
      checkPending(a, lanes, pc);
}

void loadAccumulators(Tile &tile, const Accumulators &a) {
  forEachElement(a.tiles, [&](uint32_t row, uint32_t column, size_t at) { tile.c[row][column] = a.values[at]; });
}

void storeAccumulators(const Tile &tile, Accumulators &a, const Thread *lanes, uintptr_t pc) {
  forEachElement(a.tiles, [&](uint32_t row, uint32_t column, size_t at) { a.values[at] = tile.c[row][column]; });
  if (--a.pending != 0)
    return;
  checkPending(a, lanes, pc);
  forEachLane(a, [](float *lane, const float *values, unsigned n) { std::memcpy(lane, values, n * sizeof(float)); });
}

} // namespace cupola::sim
