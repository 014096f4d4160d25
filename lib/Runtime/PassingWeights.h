//===- lib/Runtime/PassingWeights.h - weights that a device has only while they are prepared ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_PASSINGWEIGHTS_H
#define CUPOLA_LIB_RUNTIME_PASSINGWEIGHTS_H

#include "lib/Runtime/BoundPlan.h"
#include "lib/Runtime/DeviceMemory.h"
#include "lib/Runtime/Format/PackageFile.h"
#include "lib/Runtime/StepList.h"

namespace cupola::runtime {

/// What the init steps of a program alone read: it is copied to the device for the step that reads it, to memory that
/// all of them share and that is free behind the last. Lives longer than the stream of those copies.
class PassingWeights {
public:
  /// Of a variant's program. A device that reads host memory has none.
  PassingWeights(const format::PackageFile &file, const format::Program &program, const Device &device);
  bool has(uint32_t weight) const { return passing[weight]; }

  /// Room for what the neediest step reads.
  Status allocate(Device &device);
  /// Queues the copies for a step, and notes in `values` where its buffers are.
  Status bring(Stream &stream, const format::Step &step, const BoundPlan &plan, std::vector<BufferValue> &values) const;

private:
  /// By weight: where it lies for the step, and the end of all.
  std::map<uint32_t, uint64_t> placesFor(const format::Step &step, uint64_t &end) const;

  const format::PackageFile &file;
  const format::Program &program;
  std::vector<bool> passing; ///< by weight
  DeviceMemory memory;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_PASSINGWEIGHTS_H
