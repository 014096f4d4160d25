//===- lib/Sim/Fiber.h - Stacks and the switch between them ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A simulated thread is a stack and a stack pointer. The switch is written by hand for x86-64 (4-6 ns; ucontext takes
// about 1 us because it makes a system call). There is no other implementation: on another processor `sim` is not
// built.
#ifndef CUPOLA_LIB_SIM_FIBER_H
#define CUPOLA_LIB_SIM_FIBER_H

#include <cstddef>
#include <cstdint>
#include <vector>

/// Saves the callee-saved registers on the running stack, stores the stack pointer in *from and continues on `to`.
extern "C" void cupolaSimSwitch(void **from, void *to);

namespace cupola::sim {

constexpr size_t kStackBytes = 64 << 10;

/// Stacks with an inaccessible page below each of the first ones, and below the others together: a process has 65530
/// mappings. They are kept for the life of the pool.
class StackPool {
public:
  StackPool() = default;
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;
  ~StackPool();

  /// Makes sure there are at least `count` stacks. False when memory is short.
  bool reserve(size_t count);
  /// Lowest address of stack `index`.
  uintptr_t low(size_t index) const { return stacks[index]; }
  /// Index of the stack that holds `address`, or -1.
  int find(uintptr_t address) const;
  /// A stack pointer from which cupolaSimSwitch enters `entry` on stack `index`. `entry` must not return.
  void *prepare(size_t index, void (*entry)()) const;

private:
  struct Mapping {
    void *memory;
    size_t bytes;
  };
  bool map(size_t count);

  std::vector<uintptr_t> stacks;
  std::vector<Mapping> mappings;
};

} // namespace cupola::sim

#endif
