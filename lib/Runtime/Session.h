//===- lib/Runtime/Session.h - Runs an executable, one thread at a time ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_SESSION_H
#define CUPOLA_LIB_RUNTIME_SESSION_H

#include "lib/Runtime/Bindings.h"
#include "lib/Runtime/Executable.h"
#include "lib/Runtime/StepList.h"
#include "lib/Runtime/Tensor.h"

#include <atomic>
#include <deque>
#include <memory>
#include <sys/types.h>
#include <vector>

namespace cupola::runtime {

struct SessionOptions {
  /// The caller's stream (CUstream), or null for one of the session's own.
  void *stream = nullptr;
  /// For the arena and the session's copies of inputs and outputs.
  MemoryHooks memory;
  /// Arena regions hold 0xFF bytes (NaN as floats) whenever no live buffer is
  /// there, and so do outputs before the run: for finding wrong plans.
  bool poison = false;
};

/// Arena, bindings and tensors of one run at a time. A second thread in `bind`
/// or `run`, and a process made by fork, get Code::Usage.
class Session {
public:
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Executable> executable, SessionOptions options);

  /// Fixes the inputs' shapes, finds those of the outputs and makes room. Plans
  /// of the last shapes are kept. Wrong shapes: Code::Usage; no memory:
  /// Code::Environment with a table; the session stays usable after both.
  /// `strides` as of bindShapes (lib/Runtime/ShapeBinding.h).
  Status bind(const std::vector<Shape> &inputs, const std::vector<Strides> &strides = {});

  bool isBound() const { return current != nullptr; }
  /// Valid while bound.
  const std::vector<Shape> &outputShapes() const { return current->plan.outputShapes; }
  /// Of an output in the memory of an input, else null. Valid while bound.
  const Strides *sharedStrides(size_t output) const {
    const auto found = current->plan.sharedStrides.find(output);
    return found == current->plan.sharedStrides.end() ? nullptr : &found->second;
  }
  uint64_t arenaBytes() const { return current->plan.arenaBytes; }
  /// How many layouts of the arena the session made so far: one per bucket of shapes.
  uint64_t arenasPlanned() const { return planned; }

  /// Runs once and waits. Binds first if the inputs' shapes or strides are others than the
  /// bound ones. Writes nothing outside `outputs`, whose contents after an error
  /// are unspecified. An output in the memory of an input has that one's address and
  /// strides; only the rows that follow the input's are written.
  Status run(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) {
    return runOnce(inputs, outputs, nullptr);
  }
  /// The same step by step, with the milliseconds of each: the device is waited for
  /// after every step, so that their sum is more than a run takes.
  Status runTimed(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                  std::vector<double> &milliseconds) {
    return runOnce(inputs, outputs, &milliseconds);
  }
  /// The size of the buffers that a step names, and what its kernel computes. Valid while bound.
  struct StepWork {
    uint64_t bytes = 0;
    int64_t operations = 0; ///< 0: unknown
  };
  StepWork workOf(size_t step) const;

  const Executable &executable() const { return *shared; }

private:
  /// A bucket's plan with what running its shapes left behind.
  struct BucketState {
    std::shared_ptr<const BucketPlan> plan;
    std::unique_ptr<Recording> recording; ///< of all steps, for every shape of the bucket
    bool ran = false;                     ///< every kernel ran once, so that it may be recorded
  };
  struct Bound {
    std::vector<Shape> inputs;
    std::vector<Strides> strides;
    BoundPlan plan;
    std::shared_ptr<BucketState> bucket;
  };
  class Turn;

  Session(std::shared_ptr<const Executable> executable, SessionOptions options)
      : shared(std::move(executable)), options(std::move(options)) {}

  Status start();
  Status checkProcess() const;
  Status bindNow(const std::vector<Shape> &inputs, const std::vector<Strides> &strides);
  Result<std::shared_ptr<Bound>> planFor(const std::vector<Shape> &inputs, const std::vector<Strides> &strides);
  std::shared_ptr<BucketState> stateOf(const std::shared_ptr<const BucketPlan> &bucket);
  Status makeRoom(const BoundPlan &plan);
  Status outOfMemory(const BoundPlan &plan, const Status &cause) const;

  Status checkTensors(const char *kind, const std::vector<TensorRef> &tensors,
                      const std::vector<format::Tensor> &declared) const;
  Status checkOutputShapes(const std::vector<TensorRef> &outputs) const;
  Status checkShared(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) const;
  Status checkOverlap(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) const;
  Status locate(const std::vector<const TensorRef *> &tensors);
  void setBuffers();
  Status runOnce(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                 std::vector<double> *milliseconds);
  Status queueRun(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                  std::vector<double> *milliseconds);
  Status queueInputs(const std::vector<TensorRef> &inputs);
  Status queueOutputs(const std::vector<TensorRef> &outputs);
  Status queueSteps();
  Status queueStep(size_t step, bool atMost = false);
  Status queueEach(bool atMost = false);
  Status queueMarked();
  Status queueTimed(std::vector<double> &milliseconds);
  Status markDead(DeviceAddress address, uint64_t bytes);

  const format::Package &package() const { return shared->package(); }
  const format::Program &program() const { return shared->program(); }
  Device &device() const { return shared->device(); }

  std::shared_ptr<const Executable> shared; ///< outlives what follows
  SessionOptions options;
  pid_t process = 0;
  std::atomic<bool> busy{false};
  std::unique_ptr<Stream> stream;
  DeviceMemory arena, staging;
  Bindings bindings;

  std::shared_ptr<Bound> current; ///< null before the first bind
  std::deque<std::shared_ptr<Bound>> recent;
  std::deque<std::shared_ptr<BucketState>> buckets; ///< the last used first
  uint64_t planned = 0;
  StepList steps;
  std::vector<uint32_t> ioViews; ///< buffers with a bindings word of their own
  bool copiesIo = false;         ///< a copy step names an input or output
  /// By input, then by output: the address in this run, and whether it is that
  /// of a copy.
  std::vector<DeviceAddress> io, preparedIo;
  std::vector<bool> staged;
  std::vector<BufferValue> values;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_SESSION_H
