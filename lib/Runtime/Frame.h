//===- lib/Runtime/Frame.h - What a session has per body ---===//
// SPDX-License-Identifier: Apache-2.0
//
// find a plan for symbol values -> use it -> place its buffers -> upload -> queue steps.
// What is as it was the last time is not done again, so that a body entered once more
// with the same values costs a few comparisons.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FRAME_H
#define CUPOLA_LIB_RUNTIME_FRAME_H

#include "lib/Runtime/Bindings.h"
#include "lib/Runtime/Executable.h"
#include "lib/Runtime/GrowingBuffer.h"
#include "lib/Runtime/StepList.h"

#include <deque>
#include <memory>
#include <vector>

namespace cupola::runtime {

/// A buffer that a step hands over to a body.
struct HandedBuffer {
  DeviceAddress address = 0;
  uint64_t bytes = 0;
  GrowingBuffer *memory = nullptr; ///< of one whose size is found in a run; then the above is nothing
  bool written = false;

  DeviceAddress start() const { return memory ? memory->address() : address; }
  uint64_t size() const { return memory ? memory->bytes() : bytes; }
};

/// What a recording has in it besides weights and kernels.
struct Held {
  std::vector<DeviceAddress> addresses;
  std::vector<std::shared_ptr<const BucketPlan>> plans; ///< of bodies
  friend bool operator==(const Held &a, const Held &b) { return a.addresses == b.addresses && a.plans == b.plans; }
};

/// Where the buffers of a body lie in a run.
struct Places {
  DeviceAddress arena = 0;
  std::vector<HandedBuffer> parameters;
  std::vector<DeviceAddress> io;       ///< the program's: by input, then by output
  std::vector<GrowingBuffer> *outputs; ///< the program's: of open outputs
};

class Frame {
public:
  /// A bucket's plan with what running its shapes left behind.
  struct BucketState {
    std::shared_ptr<const BucketPlan> plan;
    std::shared_ptr<Recording> recording; ///< of all steps, for every shape of the bucket
    bool ran = false;                     ///< every kernel ran once, so that it may be recorded
    Held held;                            ///< by `recording`, or by one of the last run
    bool isHosts = false;                 ///< the host decides about its branches and loops
  };
  struct Bound {
    SymbolValues values; ///< of what the plan uses
    BoundPlan plan;
    std::shared_ptr<BucketState> bucket;
  };

  /// `position` as of lib/Runtime/Format/Bodies.h, `first` the number of its first step.
  Frame(const Executable &executable, size_t position, uint32_t first);

  /// Memory for the bindings table, which is uploaded on `stream`; `counters`: for buffers of that kind.
  Status allocate(Stream &stream, DeviceAddress flags, DeviceAddress counters);

  /// The plan for these values, remembered or made. `interface` as of bindBody.
  Result<std::shared_ptr<Bound>> find(const SymbolValues &values, const BoundInterface *interface);
  Result<std::vector<int64_t>> scalarsAt(const SymbolValues &values) const { return bindScalars(bodyPlace(), values); }
  /// Makes them the ones that the rest is about.
  void use(const std::shared_ptr<Bound> &bound, std::vector<int64_t> scalars);
  void unbind() { current.reset(); }
  void dropRecordings();
  bool isBound() const { return current != nullptr; }
  const BoundPlan &plan() const { return current->plan; }
  const std::vector<int64_t> &scalars() const { return scalarValues; }
  BucketState &bucket() const { return *current->bucket; }
  /// How many layouts of the arena were made so far: one per bucket of values.
  uint64_t arenasPlanned() const { return planned; }

  /// Addresses for the steps, words and tensor maps for the bindings table. An error names the launch's nodes.
  Status place(Places places);
  /// Queues the bindings table if it is another than the device has.
  Status upload(Stream &stream);
  /// A step that is no control step.
  Status queue(Stream &stream, size_t step, bool atMost = false) const {
    return steps.queue(stream, step, bindings.address(), atMost);
  }
  /// See StepList.
  bool runsAll() const { return steps.runsAll(); }

  /// For a body that `buffer` is handed to.
  HandedBuffer handed(uint32_t buffer, bool written);
  const BufferValue &value(size_t buffer) const { return values[buffer]; }

  const format::Body &body() const { return format::bodyAt(executable.program(), position); }
  const ParsedBody &parsed() const { return bodyPlace().parsed(); }
  size_t bodyPosition() const { return position; }
  uint32_t firstStep() const { return first; }

private:
  BodyPlace bodyPlace() const {
    return {executable.package(), executable.program(), executable.parsedProgram(), position};
  }
  std::shared_ptr<BucketState> stateOf(const std::shared_ptr<const BucketPlan> &bucket);
  void usePlan(const std::shared_ptr<Bound> &bound);
  GrowingBuffer *memoryOf(uint32_t buffer);
  DeviceAddress baseOf(const Placement &placement) const;
  void bindIo();
  Status bindMaps();

  const Executable &executable;
  const size_t position;
  const uint32_t first;
  Bindings bindings;
  StepList steps;
  std::vector<uint32_t> ioViews; ///< the program's buffers with a bindings word of their own

  std::shared_ptr<Bound> current; ///< null before the first use
  std::deque<std::shared_ptr<Bound>> recent;
  std::deque<std::shared_ptr<BucketState>> buckets; ///< the last used first
  uint64_t planned = 0;
  std::vector<int64_t> scalarValues;

  DeviceAddress counters = 0;
  Places places;
  std::vector<DeviceAddress> starts; ///< of the parameters when the buffers were placed
  bool isPlaced = false, isUploaded = false;
  std::vector<BufferValue> values;    ///< by buffer
  std::vector<GrowingBuffer> growing; ///< by buffer, of those that grow
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_FRAME_H
