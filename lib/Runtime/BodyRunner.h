//===- lib/Runtime/BodyRunner.h - Runs the steps of a program and its bodies ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_BODYRUNNER_H
#define CUPOLA_LIB_RUNTIME_BODYRUNNER_H

#include "lib/Runtime/Frame.h"
#include "lib/Runtime/Host/StringTable.h"
#include "lib/Runtime/StepClock.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace cupola::runtime {

struct HostOperand; // lib/Runtime/Host/HostCall.h

/// What a run has besides the caller's tensors: frames, arenas, flags and the values of
/// symbols. A control step reads what it depends on back and enters a body; the host waits
/// for the device there and nowhere else. An error in a body ends the run, and the next one
/// begins anew. A step of the host waits for the device, too: its operands come to the host, its result goes back.
class BodyRunner {
public:
  /// All outlive it.
  Status start(const Executable &executable, Stream &stream, const MemoryHooks &hooks, StringTable &strings);

  Frame &program() { return frames.front(); }
  const Frame &program() const { return frames.front(); }
  /// The arena of the program.
  DeviceMemory &arena() { return arenas.front(); }
  FlagBlock &flags() { return flagBlock; }
  /// Outputs whose size is found in a run, by output.
  std::vector<GrowingBuffer> &openOutputs() { return outputs; }

  /// Begins a run with the values of all but run symbols. `poison` and `marks` as of
  /// SessionOptions and DeviceProperties::tracksContents; where both are false, memory
  /// that is dead is left alone.
  void begin(const SymbolValues &values, bool poison, bool marks);
  /// With those that the steps so far gave a value.
  const SymbolValues &values() const { return symbols; }

  /// All steps of a body that was placed. `depth` is 0 of the program.
  Status runSteps(Frame &frame, size_t depth);
  Status runStep(Frame &frame, size_t step, size_t depth);
  /// A step that is no control step; `atMost` as of StepList.
  Status queue(Frame &frame, size_t step, bool atMost = false);
  /// As the options of the run want it.
  Status markDead(DeviceAddress address, uint64_t bytes);

  /// As long as it lives, steps of bodies are timed.
  class Clocked {
  public:
    Clocked(BodyRunner &runner, StepClock &clock) : runner(runner) { runner.clock = &clock; }
    Clocked(const Clocked &) = delete;
    Clocked &operator=(const Clocked &) = delete;
    ~Clocked() { runner.clock = nullptr; }

  private:
    BodyRunner &runner;
  };

private:
  friend class LoopRun;
  friend class ControlRecorder;

  Status makeCounters();
  Status runSimple(Frame &frame, size_t step); ///< no control step
  Status runHost(Frame &frame, const format::HostCall &call);
  bool reachesHost() const; ///< whether the host's functions may use the device's memory
  Status bringToHost(const std::vector<HandedBuffer> &buffers, std::vector<std::vector<char>> &copies,
                     std::vector<HostOperand> &views);
  Status runBranch(Frame &frame, size_t step, size_t depth);
  /// Enters a body from depth `depth`. `nodes`: of the step, for errors.
  Status enter(uint32_t body, size_t depth, std::vector<HandedBuffer> parameters, const std::string &nodes);
  Status prepare(Frame &frame, size_t depth, std::vector<HandedBuffer> parameters);
  Status makeRoom(size_t depth, uint64_t bytes);
  Status settle(const Frame &frame, std::vector<HandedBuffer> &parameters);
  Status settle(uint64_t bytes, HandedBuffer &parameter);

  /// A value that the program computed. A flag that was raised is an error: what is read
  /// may be nothing then.
  Status read(const HandedBuffer &buffer, void *value, uint64_t bytes);
  Status readBool(const HandedBuffer &buffer, bool &value);
  Status foundFlag() const; ///< of what was read last, an error if there is one
  Status evaluate(const Expr &expr, int64_t &value) const;
  Status assign(const std::string &symbol, int64_t value, const std::string &nodes);
  /// Room in an open buffer for a value.
  Status reserve(GrowingBuffer &memory, uint64_t bytes, uint64_t kept = 0);
  Status noMemory(const std::string &what, uint64_t bytes, const Status &cause) const;
  std::string stepText(const Frame &frame, size_t step) const;
  void reportProgress(const Frame &frame, size_t step) const;
  /// Memory that is dead is marked, and progress told.
  bool isWatched() const { return poison || marks; }
  /// The same, an error with the step's nodes.
  Status named(const Frame &frame, size_t step, const Status &status) const;

  Device &device() const { return executable->device(); }

  const Executable *executable = nullptr;
  Stream *stream = nullptr;
  const MemoryHooks *hooks = nullptr;
  StringTable *strings = nullptr;
  FlagBlock flagBlock;
  DeviceMemory counters;
  Readback found;                  ///< by a control step
  std::deque<Frame> frames;        ///< by position
  std::deque<DeviceMemory> arenas; ///< by depth: one body of each is alive at a time
  std::vector<GrowingBuffer> outputs;
  SymbolValues symbols;
  std::map<std::string, const format::Symbol *> declared;
  bool poison = false, marks = false;
  StepClock *clock = nullptr; ///< null: nobody wants to know
  std::string position;       ///< of the step in each body around the present one, for progress
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_BODYRUNNER_H
