//===- lib/Runtime/StepList.h - Steps with their arguments, ready to queue ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_STEPLIST_H
#define CUPOLA_LIB_RUNTIME_STEPLIST_H

#include "lib/Runtime/Bindings.h"
#include "lib/Runtime/BoundPlan.h"
#include "lib/Runtime/Device.h"
#include "lib/Runtime/LibraryCalls.h"
#include "lib/Runtime/LoadedKernels.h"

#include <vector>

namespace cupola::runtime {

/// What a kernel is told about a buffer.
struct BufferValue {
  uint64_t reference = 0; ///< the argument word
  DeviceAddress address = 0;
  uint64_t bytes = 0;
};

/// Word 1 + i of the bindings table is scalar i.
inline uint32_t scalarSlot(uint32_t scalar) { return scalar + 1; }

/// The arguments of all steps, one after the other, so that running allocates
/// nothing.
class StepList {
public:
  /// `first`: the number of the first step. `most`: the sizes for a recording that serves all
  /// shapes of a bucket. `calls`: of the steps that a library does; null: none. `bindings`: whose table will be queued.
  void build(const std::vector<format::Step> &steps, uint32_t first, const std::vector<Grid> &sizes,
             const std::vector<Grid> &most, const LoadedKernels &kernels, const LibraryCalls *calls,
             const Bindings &bindings);
  /// New values of the buffers, by buffer.
  void setBuffers(const std::vector<BufferValue> &values);

  size_t count() const { return list.size(); }
  /// A launch or transfer. `atMost`: with the blocks of the bucket's largest shape; kernels leave the surplus alone.
  Status queue(Stream &stream, size_t step, DeviceAddress bindings, bool atMost = false) const;
  /// Every step that some shape of the bucket runs is run by this shape, too.
  bool runsAll() const;

private:
  struct Entry {
    const format::Step *step = nullptr;
    Grid size, most;              ///< as of BoundPlan
    Function *function = nullptr; ///< of a launch
    size_t firstBuffer = 0, firstSlot = 0;
    size_t bufferCount = 0;
  };

  void addLaunch(Entry &entry, const LoadedKernels &kernels, Function *call);

  uint32_t first = 0;
  std::vector<Entry> list;
  std::vector<uint32_t> buffers; ///< of all launches and transfers
  std::vector<uint64_t> references, addresses, bytes;
  std::vector<uint32_t> slots;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_STEPLIST_H
