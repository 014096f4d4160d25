//===- lib/Sim/Order.h - Order between blocks: fences and atomics ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Blocks are not ordered, except through: a fence of thread A, then an atomic of A on some address, then an atomic of
// thread B on that address, then a fence of B. What happened before A's fence then happens before what follows B's.
// Blocks of a cluster run together and have one number here; between them the vectors of clocks count, into which the
// same fences and atomics go.
#ifndef CUPOLA_LIB_SIM_ORDER_H
#define CUPOLA_LIB_SIM_ORDER_H

#include "lib/Sim/Clocks.h"
#include "lib/Sim/Stamp.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace cupola::sim {

struct Thread;

/// What one fence made public: all accesses of its block that happen before it.
struct Publication {
  uint64_t block;
  uint32_t thread, clock;                      ///< the thread that fenced, and its clock
  uint32_t barrierClock;                       ///< accesses of the block with a lower clock
  uint32_t warpClock;                          ///< accesses of the thread's warp with a lower clock
  std::shared_ptr<const Clocks::Vector> known; ///< instead, where order is by vectors of clocks
  bool covers(Stamp access) const;
};

class BlockOrder {
public:
  void beginLaunch();
  void beginBlock();
  /// The running thread fences.
  void fence(Thread &thread);
  /// The running thread does an atomic on `address`.
  void atomic(const Thread &thread, uintptr_t address);
  /// Whether atomics of `thread` on `address` made public what its block did before its last barrier.
  bool isPublished(uintptr_t address, const Thread &thread) const;
  /// Whether `access`, of an earlier block, happens before what `thread` does now.
  bool isOrdered(Stamp access, const Thread &thread) const;
  /// The same for everything that all earlier blocks of the launch did.
  bool isAllOrdered(const Thread &thread) const;

private:
  struct Acquired {
    Publication publication;
    uint32_t thread, clock; ///< who acquired it, and when
  };
  bool isVisible(const Acquired &acquired, const Thread &thread) const;
  static void merge(std::vector<Publication> &into, const Publication &publication);

  std::map<uintptr_t, std::vector<Publication>> released; ///< by address of the atomic
  std::map<uint32_t, Publication> fenced;                 ///< newest fence per thread of this block
  std::map<uint32_t, std::vector<Publication>> received;  ///< by thread: read by an atomic, not fenced yet
  std::map<uint64_t, std::vector<Acquired>> acquired;     ///< by block
};

} // namespace cupola::sim

#endif
