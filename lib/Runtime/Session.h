//===- lib/Runtime/Session.h - Runs an executable, one thread at a time ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_SESSION_H
#define CUPOLA_LIB_RUNTIME_SESSION_H

#include "lib/Runtime/ControlRecorder.h"
#include "lib/Runtime/Executable.h"
#include "lib/Runtime/RunCounters.h"
#include "lib/Runtime/RunTimes.h"
#include "lib/Runtime/RunsInFlight.h"
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
  /// How many runs may be under way at once; at least 1.
  size_t inFlight = 2;
};

/// Runs on one stream, in order, that share arena, bindings and copies of tensors. A second
/// thread in a call of it, and a process made by fork, get Code::Usage.
class Session {
public:
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Executable> executable, SessionOptions options);
  /// Waits for the runs under way.
  ~Session();

  /// Fixes the inputs' shapes, finds those of the outputs and makes room. Plans
  /// of the last shapes are kept. Wrong shapes: Code::Usage; no memory:
  /// Code::Environment with a table; the session stays usable after both.
  /// `strides` and `elements` as of bindShapes (lib/Runtime/ShapeBinding.h).
  Status bind(const std::vector<Shape> &inputs, const std::vector<Strides> &strides = {},
              const std::vector<Elements> &elements = {});

  bool isBound() const { return current != nullptr; }
  /// Valid while bound. A dimension that is known only after a run is -1 until one succeeded.
  const std::vector<Shape> &outputShapes() const { return shapes; }
  /// Of an output in the memory of an input, else null. Valid while bound.
  const Strides *sharedStrides(size_t output) const {
    const auto found = current->interface.sharedStrides.find(output);
    return found == current->interface.sharedStrides.end() ? nullptr : &found->second;
  }
  uint64_t arenaBytes() const { return plan().arenaBytes; }
  /// How many layouts of the arena the session made so far: one per bucket of shapes.
  uint64_t arenasPlanned() const { return runner.program().arenasPlanned(); }
  /// How many inputs and outputs the runs so far copied, because the device could not use them where they lie.
  uint64_t copiedTensors() const { return counters.read().copiedTensors; }
  /// What the runs so far came to; latencies are from the call that queues a run to when its end is seen. On any
  /// thread, also while a run is under way on another.
  RunCounts counts() const { return counters.read(); }

  /// Queues a run behind all that is on the stream, and gives its number: 1, 2, .. Binds first
  /// if the inputs' shapes, strides or elements of shape inputs are others than the bound ones. Writes nothing outside
  /// `outputs`, whose contents after an error are unspecified. An output in the memory of an
  /// input has that one's address and strides; only the rows that follow the input's are
  /// written. An output whose shape is known only after the run is given without an address,
  /// and its shape is not looked at.
  ///
  /// The memory of the tensors is the run's until `wait`, or until the caller knows otherwise
  /// that the stream is past it; the lists are read during the call. What is wrong with the
  /// tensors, or no memory for their shapes, is returned here, and there is no run; every other
  /// error is returned by `wait`.
  ///
  /// The call waits
  ///  - where SessionOptions::inFlight runs are under way, for the oldest of them;
  ///  - for all of them, where a new shape takes more memory that cannot grow in place;
  ///  - on the way of a program with branches and loops, where the host decides: its control steps read values;
  ///  - for the run itself, where that finds the shape of an output: there is one such memory;
  ///  - cuda: for what comes before a copy from or to host memory that is not page-locked, and for all
  ///    that is on the stream where a shape input lies on the device.
  /// On cpu and sim it computes.
  Result<uint64_t> enqueue(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs);
  /// Waits for a run and returns its error. Runs are waited for in any order, each at most once:
  /// Code::Usage for one that was, and for a number that no run has. Of a run that nobody waits
  /// for nothing stays but its error. Where a device is lost, the runs under way and all later
  /// ones return the first cause.
  Status wait(uint64_t run);
  /// `enqueue` and `wait`.
  Status run(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) {
    return runOnce(inputs, outputs, nullptr);
  }
  /// The same step by step, with the time that each takes on the device, which is waited for
  /// after every step, so that the whole is more than a run takes.
  Status runTimed(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs, RunTimes &times) {
    times = RunTimes();
    return runOnce(inputs, outputs, &times);
  }
  /// After `run` or `enqueue`: copies an output whose shape was known only then, which the session
  /// keeps until the next one or a bind. `tensor` has the shape of outputShapes(). Code::Usage for
  /// other outputs, and where the last run failed or there is none.
  Status fetch(size_t output, const TensorRef &tensor);

  /// Tensors of strings hold numbers of a table of the session (lib/Runtime/Host/StringTable.h). A caller gives its
  /// strings and gets their numbers, for as many runs as it likes, until the first call that follows a run: with that
  /// it begins to give those of the next one.
  Status numberStrings(const std::string_view *texts, size_t count, int64_t *numbers);
  /// The texts of a run's outputs, or of what was given; they live until the next run begins or strings are given for
  /// it. Code::Usage for a number that no string has now.
  Status readStrings(const int64_t *numbers, size_t count, std::string_view *texts);

  /// Of a step of the program. Valid while bound.
  StepWork workOf(size_t step) const;
  /// Where the program's buffers lie, and their bytes. Valid while bound.
  const std::vector<Placement> &placements() const { return plan().buffers; }

  const Executable &executable() const { return *shared; }

private:
  struct Bound {
    std::vector<Shape> inputs;
    std::vector<Strides> strides;
    std::vector<Elements> elements;
    BoundInterface interface;
  };
  class Turn;

  Session(std::shared_ptr<const Executable> executable, SessionOptions options)
      : shared(std::move(executable)), options(std::move(options)), strings(shared->package().strings) {}

  Status start();
  Status checkProcess() const;
  Status bindNow(const std::vector<Shape> &inputs, const std::vector<Strides> &strides,
                 const std::vector<Elements> &elements);
  Result<std::shared_ptr<const Bound>> boundFor(const std::vector<Shape> &inputs, const std::vector<Strides> &strides,
                                                const std::vector<Elements> &elements);
  Result<std::vector<Elements>> readShapeInputs(const std::vector<TensorRef> &inputs);
  Status makeRoom(const BoundPlan &plan, const BoundInterface &interface);
  Status outOfMemory(const BoundPlan &plan, const BoundInterface &interface, const Status &cause) const;

  /// Null where there is none.
  static const char *addressProblem(const TensorRef &tensor, bool isOpen);
  Status checkTensors(const char *kind, const std::vector<TensorRef> &tensors,
                      const std::vector<format::Tensor> &declared) const;
  Status checkOutputShapes(const std::vector<TensorRef> &outputs) const;
  Status checkShared(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) const;
  Status checkOverlap(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) const;
  Status locate(const std::vector<const TensorRef *> &tensors);
  Status reserveStaging(uint64_t bytes);
  Status prepare(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs);
  Result<uint64_t> enqueueNow(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                              RunTimes *times);
  void endRun(RunSlot &slot);
  Status waitNow(uint64_t run);
  Status runOnce(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs, RunTimes *times);
  Status queueRun(const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs, RunSlot &slot,
                  RunTimes *times);
  Status queueInputs(const std::vector<TensorRef> &inputs);
  Status queueOutputs(const std::vector<TensorRef> &outputs);
  Status queueSteps(RunSlot &slot);
  Status queueEach();
  Status recordSteps();
  Status queueMarked();
  Status queueTimed(RunTimes &times);
  Status finishShapes();

  const format::Package &package() const { return shared->package(); }
  const format::Program &program() const { return shared->program(); }
  Device &device() const { return shared->device(); }
  const BoundPlan &plan() const { return runner.program().plan(); }

  std::shared_ptr<const Executable> shared; ///< outlives what follows
  SessionOptions options;
  pid_t process = 0;
  std::atomic<bool> busy{false};
  StringTable strings;
  bool hasHostSteps = false;
  std::unique_ptr<Stream> stream;
  RunsInFlight runs;
  BodyRunner runner;
  ControlRecorder recorder{runner};
  DeviceMemory staging;

  std::shared_ptr<const Bound> current; ///< null before the first bind
  std::deque<std::shared_ptr<const Bound>> recent;
  std::vector<Shape> shapes;     ///< of the outputs
  std::vector<bool> openOutputs; ///< their shape is known only after a run
  bool hasResults = false;       ///< a run succeeded since the last bind
  bool holdsIo = false;          ///< what is recorded has the address of an input or output in it
  /// By input, then by output: the address in this run, and whether it is that
  /// of a copy.
  std::vector<DeviceAddress> io;
  std::vector<bool> staged;
  RunCounters counters;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_SESSION_H
