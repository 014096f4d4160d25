//===- lib/Sim/Clocks.h - Order of threads pair by pair: a vector of clocks for each ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Barriers of a block order all its threads, so that one number says what is ordered (Stamp.h). An mbarrier orders
// those who arrive before those who wait, so from the first one on each thread has a vector: known(t, u) is the clock
// of u below which the accesses of u happened before what t does now. Whatever else accesses memory, behind the
// threads' backs, has a number and a clock, too: the copies that count towards one mbarrier, the products of one warp.
#ifndef CUPOLA_LIB_SIM_CLOCKS_H
#define CUPOLA_LIB_SIM_CLOCKS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupola::sim {

struct Thread;

class Clocks {
public:
  /// Numbers that a stamp has room for.
  static constexpr unsigned kCapacity = 1024;
  /// A clock per number.
  using Vector = std::vector<uint32_t>;

  /// The running threads know of each other what barriers have ordered up to now.
  void begin();
  /// A number for something that is no thread. Its clock begins with 1. kCapacity: there is none left.
  unsigned add() { return count < kCapacity ? count++ : kCapacity; }
  static Vector makeVector() { return Vector(kCapacity); }

  uint32_t &known(unsigned t, unsigned u) { return rows[size_t(t) * kCapacity + u]; }
  /// Everything before `begin` that other threads did happens before what `thread` does now.
  bool isBeginKnown(unsigned thread) const;
  /// What happened before what `thread` does from here on; its clock goes up.
  void release(Thread &thread, Vector &into);
  void acquire(unsigned thread, const Vector &from);
  /// All threads from first to first + count know what each of them does; their clocks become `clock`.
  void join(Thread *first, unsigned count, uint32_t clock);
  /// What the thread and everything before it has done, without an effect on it.
  void collect(const Thread &thread, Vector &into) const;

private:
  unsigned count = 0;
  Vector rows;        ///< kCapacity clocks of each thread
  Vector atBeginning; ///< the clocks of the threads
};

/// From here on the running blocks' accesses are ordered by the vectors.
void beginPreciseOrder();

} // namespace cupola::sim

#endif
