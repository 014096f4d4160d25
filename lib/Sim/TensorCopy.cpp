//===- lib/Sim/TensorCopy.cpp - Boxes of tensors on their way to shared memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// PTX ISA, "cp.async.bulk.tensor". All is checked when the copy starts; the bytes move when a phase of its mbarrier
// needs them (MBarrier.cpp). Until then the target holds poison, and every access to it is a race.
#include "lib/Sim/TensorCopy.h"

#include "lib/Runtime/Format/TensorMapLimits.h"
#include "lib/Sim/Access.h"
#include "lib/Sim/Regions.h"
#include "lib/Sim/Shadow.h"
#include "lib/Sim/WgmmaLayout.h"
#include "lib/Sim/device/calls.cuh"

#include <algorithm>
#include <cstring>

namespace cupola::sim {

namespace {

constexpr uint64_t kChunk = 16; ///< bytes that a swizzle keeps together

/// A copy that a thread starts.
struct Copy {
  const TensorMap *map;
  const int32_t *at;
  const uint32_t *taps; ///< of a window, else null
  uint64_t target;      ///< offset in shared memory
  uint64_t bytes;       ///< of the box
  uintptr_t pc;
};

[[noreturn]] void fail(const std::string &text, uintptr_t pc) {
  machine.reports.add(Finding::TensorCopy, "the tensor copy by " + threadText() + ": " + text, pc);
  abandonLaunch();
}

uint64_t rowBytes(const TensorMap &map) { return uint64_t(map.box[0]) * map.elementBytes; }
uint64_t countRows(const TensorMap &map) {
  uint64_t rows = 1;
  for (uint32_t d = 1; d < map.rank; ++d)
    rows *= map.box[d];
  return rows;
}

/// The part of a row of the box that lies in the tensor.
struct Row {
  uintptr_t address = 0;
  uint64_t offset = 0, bytes = 0; ///< within the row
};

/// Where row `number` of a box lies along the dimensions but the innermost.
void findInBox(const TensorMap &map, const int32_t *at, uint64_t number, int64_t *where) {
  for (uint32_t d = 1; d < map.rank; ++d) {
    where[d] = int64_t(at[d]) + static_cast<int64_t>(number % map.box[d]);
    number /= map.box[d];
  }
}

/// How many places a window has along a dimension.
int64_t countPlaces(const TensorMap &map, uint32_t d) {
  return (int64_t(map.extents[d]) - 1 + map.upper[d - 1] - map.lower[d - 1]) / map.steps[d - 1] + 1;
}

/// Where place `number` behind the one at `at` lies: places along one dimension, then along the next.
void findPlace(const TensorMap &map, const int32_t *at, const uint32_t *taps, uint64_t number, int64_t *where) {
  auto rest = static_cast<int64_t>(number);
  for (uint32_t d = 1; d < map.rank - 1; ++d) {
    const int64_t lower = map.lower[d - 1], step = map.steps[d - 1], places = countPlaces(map, d);
    const int64_t place = (at[d] - lower) / step + rest;
    where[d] = lower + step * (place % places) + taps[d - 1];
    rest = place / places;
  }
  where[map.rank - 1] = at[map.rank - 1] + rest;
}

Row findRow(const TensorMap &map, const int32_t *at, const uint32_t *taps, uint64_t number) {
  int64_t where[5];
  map.hasWindow() ? findPlace(map, at, taps, number, where) : findInBox(map, at, number, where);
  uintptr_t address = map.address;
  for (uint32_t d = 1; d < map.rank; ++d) {
    if (where[d] < 0 || where[d] >= map.extents[d])
      return {};
    address += static_cast<uint64_t>(where[d]) * map.strides[d - 1];
  }
  const int64_t first = std::max<int64_t>(at[0], 0);
  const int64_t last = std::min<int64_t>(int64_t(at[0]) + map.box[0], map.extents[0]);
  if (first >= last)
    return {};
  const uint64_t size = map.elementBytes;
  return {address + static_cast<uint64_t>(first) * size, static_cast<uint64_t>(first - at[0]) * size,
          static_cast<uint64_t>(last - first) * size};
}

bool isAcquired(uintptr_t address, const Thread &t) {
  return std::any_of(machine.acquiredMaps.begin(), machine.acquiredMaps.end(), [&](const auto &entry) {
    return entry.first == address && (stampThread(entry.second) == t.index || isOrderedInBlock(entry.second, t));
  });
}

const TensorMap &checkMap(const void *pointer, int rank, uintptr_t pc) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const Region *region = findRegion(address);
  if (!region || !isAllowed(*region, address, sizeof(TensorMap), false))
    fail("its map lies at " + describeAddress(address), pc);
  const auto &map = *static_cast<const TensorMap *>(pointer);
  if (address % 64 != 0 || map.magic != kTensorMapMagic)
    fail("there is no tensor map at " + describeAddress(address), pc);
  if (map.rank != static_cast<uint32_t>(rank))
    fail(std::to_string(rank) + " coordinates for a tensor of " + std::to_string(map.rank) + " dimensions", pc);
  if (rowBytes(map) % kChunk != 0 || (map.swizzle && rowBytes(map) > map.swizzle))
    fail("a box with rows of " + std::to_string(rowBytes(map)) + " bytes and a swizzle of " +
             std::to_string(map.swizzle),
         pc);
  if (!isAcquired(address, *machine.current))
    fail("nobody acquired its map before", pc);
  return map;
}

/// The first place is one of the window's: what a GPU does from elsewhere on is not modelled.
void checkWindow(const Copy &copy) {
  const TensorMap &map = *copy.map;
  if (map.hasWindow() != (copy.taps != nullptr))
    fail(copy.taps ? "taps for a map without a window" : "a map with a window, and no taps", copy.pc);
  if (!copy.taps)
    return;
  for (uint32_t d = 1; d < map.rank - 1; ++d) {
    const int64_t behind = int64_t(copy.at[d]) - map.lower[d - 1];
    if (behind < 0 || behind % map.steps[d - 1] != 0 || behind / map.steps[d - 1] >= countPlaces(map, d))
      fail("no place begins at " + std::to_string(copy.at[d]) + " of dimension " + std::to_string(d), copy.pc);
    if (copy.taps[d - 1] >= format::tensorWindowTaps(map.rank - 2))
      fail("a tap of " + std::to_string(copy.taps[d - 1]) + ", possible are 0 to " +
               std::to_string(format::tensorWindowTaps(map.rank - 2) - 1),
           copy.pc);
  }
}

void checkTargetPlace(const Copy &copy) {
  const uint64_t alignment = std::max<uint64_t>(128, 8 * copy.map->swizzle);
  const uintptr_t address = machine.sharedBase + copy.target;
  if (copy.target >= machine.sharedBytes || copy.target + copy.bytes > machine.sharedBytes)
    failAccess(Finding::OutOfBounds, address, copy.bytes, true, copy.pc, "a tensor copy writes shared memory only");
  if (copy.target % alignment != 0)
    failAccess(Finding::Misaligned, address, copy.bytes, true, copy.pc,
               "the target of the tensor copy must be a multiple of " + std::to_string(alignment));
}

/// `row` is read by the copies that count towards `reader`.
void checkRow(const Row &row, const MBarrier &reader, const Copy &copy) {
  const Thread &t = *machine.current;
  Region *region = findRegion(row.address);
  if (!region || !isAllowedSlow(*region, row.address, static_cast<unsigned>(row.bytes), false))
    failAccess(Finding::OutOfBounds, row.address, row.bytes, false, copy.pc, "by a tensor copy");
  if (!t.hasWaitedForGrid && !region->isFixed)
    reportEarlyAccess(row.address, row.bytes, false, copy.pc);
  if (region->written) {
    const int64_t hole = region->written->firstUnset(row.address - region->writtenBase, row.bytes);
    if (hole >= 0)
      reportUninitialised({region->writtenBase + static_cast<uintptr_t>(hole), copy.map->elementBytes, false, false,
                           copy.pc, "read by a tensor copy"});
  }
  machine.traffic.countCopy(row.address, row.bytes);
  if (!region->writable)
    return;
  const auto size = copy.map->elementBytes;
  const uintptr_t offset = row.address - region->begin;
  if ((offset | size) & ((1u << region->shift) - 1))
    splitRegionCells(*region, offset, size);
  const Stamp stamp = makeStamp(machine.blockSerial, reader.clock, reader.number);
  Cell *cell = &machine.cellPool[region->cells + (offset >> region->shift)];
  const Access access{row.address, static_cast<unsigned>(row.bytes), false, false, copy.pc, "read by a tensor copy"};
  for (Cell *end = cell + (row.bytes >> region->shift); cell != end; ++cell) {
    if (cell->write >= machine.launchStart && !(cell->write >= machine.blockStart && isOwn(cell->write, t)))
      checkGlobalWrite(cell->write, t, access);
    cell->read = cell->read < machine.launchStart  ? stamp | kReadByOne
                 : cell->read < machine.blockStart ? cell->read | kNeverClock << kClockShift
                                                   : machine.readSets.add(cell->read, stamp);
  }
}

/// Whether the bytes that the cell covers may be overwritten; else it is reported.
bool isFree(const Cell &cell, const Thread &t, const Access &access) {
  if (cell.write >= machine.blockStart) {
    const unsigned by = stampThread(cell.write);
    const bool isOwn = by == t.index && !(cell.write & kAsyncFlag);
    if (!isOwn && ((cell.write & kAsyncFlag) || !isOrderedInBlock(cell.write, t))) {
      checkSharedWrite(cell.write, t, access);
      return false;
    }
    if (by < machine.threads.size()) {
      machine.reports.add(Finding::TensorCopy,
                          "to " + describeAddress(access.address) + " by " + threadText() + ": " + threadName(by) +
                              " wrote there by itself, and no proxy fence stands between",
                          access.pc);
      return false;
    }
  }
  if (cell.read >= machine.blockStart)
    checkSharedReads(cell.read, t, access);
  return true;
}

/// The target in `block` is free, and taken from now on.
void takeTarget(Block &block, const MBarrier &barrier, const Copy &copy) {
  const Thread &t = *machine.current;
  Access access{block.sharedBase + copy.target, static_cast<unsigned>(copy.bytes), true, false, copy.pc, "tensor copy"};
  const Stamp stamp = makeStamp(machine.blockSerial, kNeverClock, barrier.number) | kAsyncFlag;
  bool isClean = checkProducts(block, t, access);
  Cell *cell = blockCells(block) + (copy.target >> machine.sharedShift);
  access.bytes = 1u << machine.sharedShift;
  for (uint64_t i = 0; i < copy.bytes >> machine.sharedShift; ++i, access.address += access.bytes) {
    if (isClean)
      isClean = isFree(cell[i], t, access);
    cell[i] = {stamp, 0};
  }
  std::memset(reinterpret_cast<void *>(block.sharedBase + copy.target), kPoison, copy.bytes);
}

void start(const void *shared, const void *map, const int32_t *at, const uint32_t *taps, int rank, const void *barrier,
           uint32_t blocks, uintptr_t pc) {
  const Thread &t = *machine.current;
  if (blocks == 0 || blocks >> machine.blocks.size())
    fail("a mask of " + std::to_string(blocks) + " in a cluster of " + std::to_string(machine.blocks.size()), pc);
  beginPreciseOrder();
  Copy copy = {&checkMap(map, rank, pc), at, taps, reinterpret_cast<uintptr_t>(shared) - machine.sharedBase, 0, pc};
  copy.bytes = rowBytes(*copy.map) * countRows(*copy.map);
  checkWindow(copy);
  checkTargetPlace(copy);
  const uint64_t offset = reinterpret_cast<uintptr_t>(barrier) - machine.sharedBase;
  std::vector<std::pair<Block *, MBarrier *>> targets;
  for (Block &block : machine.blocks)
    if (blocks >> block.rank & 1)
      targets.emplace_back(&block, &useMBarrier(block, offset, "starts a tensor copy", true, pc));
  const uint64_t rows = countRows(*copy.map);
  for (uint64_t i = 0; i < rows; ++i)
    if (const Row row = findRow(*copy.map, at, taps, i); row.bytes != 0)
      checkRow(row, *targets[0].second, copy);
  Delivery delivery = {*copy.map,     {}, {}, static_cast<uint32_t>(copy.target), static_cast<uint32_t>(copy.bytes),
                       threadText(t), pc};
  std::copy(at, at + rank, delivery.at);
  if (taps)
    std::copy(taps, taps + rank - 2, delivery.taps);
  for (auto [block, target] : targets) {
    takeTarget(*block, *target, copy);
    target->copies.push_back(delivery);
  }
  for (auto [block, target] : targets)
    settle(*block, *target);
}

} // namespace

void deliver(const Delivery &copy, Block &block, const MBarrier &barrier) {
  const uint64_t width = rowBytes(copy.map), rows = countRows(copy.map);
  std::vector<char> bytes(width);
  for (uint64_t i = 0; i < rows; ++i) {
    const Row row = findRow(copy.map, copy.at, copy.taps, i);
    std::memset(bytes.data(), 0, width);
    std::memcpy(bytes.data() + row.offset, reinterpret_cast<const void *>(row.address), row.bytes);
    for (uint64_t at = 0; at < width; at += kChunk) {
      const auto place = static_cast<uint32_t>(copy.target + i * width + at);
      std::memcpy(reinterpret_cast<void *>(block.sharedBase + swizzled(place, copy.map.swizzle)), bytes.data() + at,
                  kChunk);
    }
  }
  const Stamp stamp = makeStamp(machine.blockSerial, barrier.clock, barrier.number);
  Cell *cell = blockCells(block) + (copy.target >> machine.sharedShift);
  for (uint64_t i = 0; i < copy.bytes >> machine.sharedShift; ++i)
    cell[i].write = stamp;
}

} // namespace cupola::sim

using namespace cupola::sim;

extern "C" {

void cupola_sim_tensor_map_acquire(const void *map) {
  const Thread &t = *machine.current;
  beginPreciseOrder();
  machine.acquiredMaps.emplace_back(reinterpret_cast<uintptr_t>(map), t.stamp);
}

void cupola_sim_tensor_copy(void *shared, const void *map, const int *at, int rank, unsigned long long *barrier) {
  start(shared, map, at, nullptr, rank, barrier, 1u << machine.block->rank,
        reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}

void cupola_sim_tensor_copy_multicast(void *shared, const void *map, const int *at, int rank,
                                      unsigned long long *barrier, unsigned blocks) {
  start(shared, map, at, nullptr, rank, barrier, blocks, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}

void cupola_sim_tensor_copy_window(void *shared, const void *map, const int *at, int rank, const unsigned *taps,
                                   unsigned long long *barrier) {
  start(shared, map, at, taps, rank, barrier, 1u << machine.block->rank,
        reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}
}
