//===- lib/Sim/Wgmma.h - Products of a warpgroup, run as late as allowed ---===//
// SPDX-License-Identifier: Apache-2.0
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". Each warp does its 16 rows for
// itself. A product reads shared memory when it is waited for, the latest moment at which hardware may; until then its
// accumulators hold a NaN.
#ifndef CUPOLA_LIB_SIM_WGMMA_H
#define CUPOLA_LIB_SIM_WGMMA_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cupola::sim {

struct Block;
struct Thread;
struct Warp;
struct Tile;

/// An array acc[tiles][4] of each lane.
struct Accumulators {
  float *lanes[32];
  unsigned tiles;
  std::vector<float> values; ///< [lane][tiles * 4]: as at the last fence or by the products since then
  unsigned pending = 0;      ///< products under way
};

/// A left operand in registers: an array a[steps][4] of each lane, for 16 k in each step.
struct Fragments {
  const uint32_t *lanes[32];
  unsigned steps;
  std::vector<uint32_t> values; ///< [lane][steps * 4]: as at the last fence
  unsigned pending = 0;         ///< products under way that read them
};

struct WgmmaProduct {
  uint64_t a, b; ///< descriptors; a: the step of the fragments, where it is in registers
  size_t accumulators, fragments;
  uint32_t kind, group;
  uintptr_t pc;
};

/// What a warp has under way. Groups are numbered from 0; reads of group g have the clock g + 1.
struct WgmmaWarp {
  unsigned number = 0;         ///< of its products, as one who reads (Clocks.h)
  uint32_t open = 0, done = 0; ///< the group that is open, and how many were waited for
  std::vector<Accumulators> accumulators;
  std::vector<Fragments> fragments;
  std::vector<WgmmaProduct> products; ///< not waited for
  std::vector<uint32_t> lastRead;     ///< by 16 bytes of shared memory: the clock of the last read, 0: none
};

// What the last lane that comes does for its warp.
/// `parameter`: steps << 8 | tiles. Lane operands: accumulators in result, fragments in operandA.
void fenceProducts(Warp &warp, Thread *lanes, uint32_t parameter);
/// `parameter`: tiles << 8 | CupolaSimWgmma. Lane operands: descriptors in operandA and operandB, or a step of
/// fragments in operandA; accumulators in result.
void startProduct(Warp &warp, Thread *lanes, uint32_t parameter);
void commitProducts(Warp &warp, Thread *lanes);
void waitForProducts(Warp &warp, Thread *lanes, uint32_t pending);

// Accumulators (WgmmaAccumulators.cpp).
void fenceAccumulators(WgmmaWarp &state, const Thread *lanes, uint32_t tiles, uintptr_t pc);
/// A product begins that writes them. Gives which they are.
size_t beginAccumulating(WgmmaWarp &state, const Thread *lanes, uint32_t tiles, uintptr_t pc);
/// The lanes find NaN in them from here on.
void setPending(Accumulators &accumulators);
/// Reported if the thread has changed some that products under way write.
void checkAccumulators(WgmmaWarp &state, const Thread *lanes, uintptr_t pc);
/// The product is over: what it adds to, and what came of it; the lanes get that of the last one.
void loadAccumulators(Tile &tile, const Accumulators &accumulators);
void storeAccumulators(const Tile &tile, Accumulators &accumulators, const Thread *lanes, uintptr_t pc);

// Fragments (WgmmaFragments.cpp).
void fenceFragments(WgmmaWarp &state, const Thread *lanes, uint32_t steps, uintptr_t pc);
/// A product begins that reads them. Gives which they are, and the step in them.
struct FragmentsStep {
  size_t fragments;
  unsigned step;
};
FragmentsStep useFragments(WgmmaWarp &state, const Thread *lanes, uintptr_t pc);
/// Reported if the thread has changed some that products under way read.
void checkFragments(WgmmaWarp &state, const Thread *lanes, uintptr_t pc);
/// The product is over: what it read.
void loadFragments(Tile &tile, Fragments &fragments, unsigned step);

void reportWgmma(const Thread *lanes, const std::string &text, uintptr_t pc);
/// All four warps of a warpgroup give or take.
void changeRegisters(Warp &warp, Thread *lanes, uint32_t count, bool takes);

/// The warp of a warpgroup does something that all four do alike. Reported if another did otherwise.
void checkWarpgroup(const Warp &warp, const Thread *lanes, uint64_t a, uint64_t b);
/// When the last lane of a warp has finished.
void checkProductsAtEnd(const Warp &warp);
/// When a block ends: its warpgroups, and the registers that they took.
void checkWarpgroupsAtEnd(const Block &block);
/// The first warp of the block that reads any of the bytes by a product whose end does not happen before what `thread`
/// does now; null: none.
const Warp *findUnorderedProduct(const Block &block, uint64_t offset, uint64_t bytes, const Thread &thread);

} // namespace cupola::sim

#endif
