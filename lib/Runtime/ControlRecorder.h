//===- lib/Runtime/ControlRecorder.h - Control steps that the device decides about ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A recording may hold branches and loops where the host has nothing to do on the way: no symbol gets a value in the
// run, every buffer has its place and its size beforehand. Every body is then placed once per run, and the control
// steps become conditionals of the stream. All other programs are run by BodyRunner, whose host decides.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_CONTROLRECORDER_H
#define CUPOLA_LIB_RUNTIME_CONTROLRECORDER_H

#include "lib/Runtime/BodyRunner.h"

namespace cupola::runtime {

class ControlRecorder {
public:
  explicit ControlRecorder(BodyRunner &runner) : runner(runner) {}

  /// Finds out whether the program is one of those, and the device can decide. After BodyRunner::start.
  Status start(const Executable &executable);
  /// Whether the device decides; false of a program without control steps.
  bool decides() const { return isFit; }
  /// From now on the host does.
  void refuse() { isFit = false; }

  /// Places all bodies for the present run, whose program was placed, and queues their bindings tables. What a
  /// recording of them would have in it.
  Result<Held> place();
  /// Whether what a recording copies has the same size in all shapes that it serves.
  bool copiesStay() const;

  /// All steps of the program, for a recording.
  Status record() { return recordSteps(runner.program()); }

private:
  Held held() const;
  Status placeBodies(Frame &frame, size_t depth);
  Status recordSteps(Frame &frame);
  Status recordBranch(Frame &frame, size_t step);
  Status recordLoop(Frame &frame, size_t step);
  std::vector<HandedBuffer> parametersOf(Frame &frame, size_t step) const;
  Frame &frameOf(uint32_t body) const { return runner.frames[1 + body]; }
  Condition condition(Frame &frame, uint32_t flag) const;
  DeviceAddress addressOf(Frame &frame, uint32_t buffer) const;

  BodyRunner &runner;
  bool isFit = false;
  DeviceMemory counts;               ///< an i64 per step of all bodies
  std::vector<DeviceAddress> placed; ///< of what is handed to bodies and decides about them
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CONTROLRECORDER_H
