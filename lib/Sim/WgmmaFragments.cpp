//===- lib/Sim/WgmmaFragments.cpp - Left operands of wgmma in registers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Hardware may read a fragment at any time between the product and the wait for it: nobody changes it then, and a fence
// stands between what wrote it and the product.
#include "lib/Sim/FragmentLayout.h"
#include "lib/Sim/Machine.h"
#include "lib/Sim/Matrix.h"

#include <algorithm>
#include <cstring>

namespace cupola::sim {

static constexpr unsigned kWords = 4; ///< of a step

static const uint32_t *operandOf(const Thread &lane) { return static_cast<const uint32_t *>(lane.operandA); }

static bool hasValues(const Fragments &f, unsigned first, unsigned words) {
  for (unsigned l = 0; l < kWarpLanes; ++l)
    if (std::memcmp(f.lanes[l] + first, &f.values[l * f.steps * kWords + first], words * sizeof(uint32_t)) != 0)
      return false;
  return true;
}

static void loadValues(Fragments &f) {
  for (unsigned l = 0; l < kWarpLanes; ++l)
    std::memcpy(&f.values[l * f.steps * kWords], f.lanes[l], f.steps * kWords * sizeof(uint32_t));
}

static void checkUnchanged(Fragments &f, const Thread *lanes, uintptr_t pc) {
  if (hasValues(f, 0, f.steps * kWords))
    return;
  reportWgmma(lanes, "has changed fragments of products that it had not waited for", pc);
  loadValues(f);
}

void fenceFragments(WgmmaWarp &state, const Thread *lanes, uint32_t steps, uintptr_t pc) {
  const uint32_t *const first = operandOf(lanes[0]);
  auto at = std::find_if(state.fragments.begin(), state.fragments.end(),
                         [&](const Fragments &f) { return f.lanes[0] == first && f.steps == steps; });
  if (at == state.fragments.end()) {
    Fragments f;
    for (unsigned l = 0; l < kWarpLanes; ++l)
      f.lanes[l] = operandOf(lanes[l]);
    f.steps = steps;
    f.values.resize(size_t(kWarpLanes) * steps * kWords);
    at = state.fragments.insert(state.fragments.end(), std::move(f));
  }
  at->pending == 0 ? loadValues(*at) : checkUnchanged(*at, lanes, pc);
}

FragmentsStep useFragments(WgmmaWarp &state, const Thread *lanes, uintptr_t pc) {
  const uint32_t *const first = operandOf(lanes[0]);
  for (size_t i = state.fragments.size(); i-- > 0;) {
    Fragments &f = state.fragments[i];
    if (first < f.lanes[0] || first >= f.lanes[0] + f.steps * kWords)
      continue;
    const auto word = static_cast<unsigned>(first - f.lanes[0]);
    if (f.pending == 0 && !hasValues(f, word, kWords)) {
      reportWgmma(lanes, "multiplies fragments that it has changed since the last wgmma_fence", pc);
      loadValues(f);
    }
    ++f.pending;
    return {i, word / kWords};
  }
  reportWgmma(lanes, "multiplies fragments that were in no wgmma_fence", pc);
  abandonLaunch();
}

void checkFragments(WgmmaWarp &state, const Thread *lanes, uintptr_t pc) {
  for (Fragments &f : state.fragments)
    if (f.pending != 0)
      checkUnchanged(f, lanes, pc);
}

void loadFragments(Tile &tile, Fragments &fragments, unsigned step) {
  --fragments.pending;
  for (unsigned l = 0; l < kWarpLanes; ++l)
    for (unsigned e = 0; e < 2 * kWords; ++e) {
      const uint32_t word = fragments.values[(l * fragments.steps + step) * kWords + e / 2];
      const Coordinate at = coordinateOfA(l, e);
      tile.a[at.column][at.row] = e % 2 ? word >> 16 : word & 0xffff;
    }
}

} // namespace cupola::sim
