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
#include <vector>

namespace cupola::sim {

struct Block;
struct Thread;
struct Warp;

/// An array acc[tiles][4] of each lane.
struct Accumulators {
  float *lanes[32];
  unsigned tiles;
  std::vector<float> values; ///< [lane][tiles * 4]: as at the last fence or by the products since then
  unsigned pending = 0;      ///< products under way
};

struct WgmmaProduct {
  uint64_t a, b; ///< descriptors
  size_t accumulators;
  uint32_t kind, group;
  uintptr_t pc;
};

/// What a warp has under way. Groups are numbered from 0; reads of group g have the clock g + 1.
struct WgmmaWarp {
  unsigned number = 0;         ///< of its products, as one who reads (Clocks.h)
  uint32_t open = 0, done = 0; ///< the group that is open, and how many were waited for
  std::vector<Accumulators> accumulators;
  std::vector<WgmmaProduct> products; ///< not waited for
  std::vector<uint32_t> lastRead;     ///< by 16 bytes of shared memory: the clock of the last read, 0: none
};

// What the last lane that comes does for its warp.
void fenceAccumulators(Warp &warp, Thread *lanes, uint32_t tiles);
/// `parameter`: tiles << 8 | CupolaSimWgmma. Lane operands: descriptors in operandA and operandB, accumulators in
/// result.
void startProduct(Warp &warp, Thread *lanes, uint32_t parameter);
void commitProducts(Warp &warp, Thread *lanes);
void waitForProducts(Warp &warp, Thread *lanes, uint32_t pending);
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
