//===- lib/Runtime/ControlRecorder.cpp - Control steps that the device decides about ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/ControlRecorder.h"

#include <algorithm>

namespace cupola::runtime {

using format::BufferKind;
using format::Step;

/// Conditionals inside of each other, each of which takes a stream. Models have two or three.
static constexpr size_t kMostNested = 8;

//===--- Which programs ---===//

/// Whether anything of a body follows from the symbol.
static bool uses(const ParsedBody &body, const std::string &symbol) {
  const auto isIn = [&](const Expr &expr) { return expr.uses(symbol); };
  return body.planSymbols.count(symbol) > 0 || std::any_of(body.scalars.begin(), body.scalars.end(), isIn) ||
         std::any_of(body.checks.begin(), body.checks.end(),
                     [&](const ParsedCheck &check) { return isIn(check.lhs) || isIn(check.rhs); });
}

static bool uses(const ParsedProgram &program, const std::string &symbol) {
  return !symbol.empty() && std::any_of(program.bodies.begin(), program.bodies.end(),
                                        [&](const ParsedBody &body) { return uses(body, symbol); });
}

static bool isPlain(const format::Loop &loop, const ParsedControl &parsed, const ParsedProgram &program) {
  return !uses(program, loop.index) && loop.count.empty() && loop.extents.empty() && loop.scans.empty() &&
         (loop.limit.empty() || parsed.limit.constant());
}

/// A call waits for values that a run finds.
static bool isPlain(const Step &step, size_t at, const ParsedBody &parsed, const ParsedProgram &program) {
  switch (step.kind) {
  case Step::LaunchStep:
  case Step::CopyStep:
    return true;
  case Step::IfStep:
    return step.branch.symbols.empty();
  case Step::WhileStep:
    return isPlain(step.loop, parsed.controls.at(at), program);
  case Step::CallStep:
  case Step::HostStep:
    break;
  }
  return false;
}

static bool isPlain(const format::Body &body, const ParsedBody &parsed, const ParsedProgram &program) {
  for (size_t i = 0; i < body.steps.size(); ++i)
    if (!isPlain(body.steps[i], i, parsed, program))
      return false;
  return std::none_of(body.buffers.begin(), body.buffers.end(),
                      [](const format::Buffer &buffer) { return buffer.kind == BufferKind::Growing; });
}

static size_t nestingOf(const format::Program &program, const format::Body &body) {
  size_t most = 0;
  for (const Step &step : body.steps)
    for (uint32_t inner : format::bodiesOf(step))
      most = std::max(most, 1 + nestingOf(program, program.bodies[inner]));
  return most;
}

/// A library's calls may want more of a stream than the body of a conditional has.
static bool callsLibraries(const Executable &executable) {
  const format::Program &program = executable.program();
  for (size_t i = program.steps.size(); i < format::stepCount(program); ++i)
    if (executable.calls().function(i))
      return true;
  return false;
}

/// Blocks that have to run at the same time are held against what the GPU has free, where the driver can still refuse
/// them: a graph that decides by itself has nobody to ask.
static bool cooperatesInBodies(const format::Program &program) {
  for (const format::Body &body : program.bodies)
    for (const Step &step : body.steps)
      if (step.kind == Step::LaunchStep && program.kernels[step.launch.kernel].cooperative)
        return true;
  return false;
}

Status ControlRecorder::start(const Executable &executable) {
  const format::Program &program = executable.program();
  const ParsedProgram &parsed = executable.parsedProgram();
  bool arePlain = isPlain(program, parsed, parsed) && !callsLibraries(executable) && !cooperatesInBodies(program);
  for (size_t i = 0; i < program.bodies.size(); ++i)
    arePlain = arePlain && isPlain(program.bodies[i], parsed.bodies[i], parsed);
  const size_t depth = arePlain ? nestingOf(program, program) : 0;
  if (depth == 0 || depth > kMostNested || !runner.stream->canRecord() ||
      runner.stream->prepareConditionals(depth).failed())
    return Status::ok();
  isFit = true;
  return counts.allocate(executable.device(), format::stepCount(program) * sizeof(int64_t), runner.hooks);
}

//===--- Before a run ---===//

Result<Held> ControlRecorder::place() {
  Held before, now = held();
  do { // an arena that grows moves what was placed in it
    before = std::move(now);
    placed.clear();
    CUPOLA_TRY(placeBodies(runner.program(), 0));
    now = held();
  } while (!(before == now));
  return now;
}

/// Each 1 + a buffer; 0: none.
static std::vector<uint32_t> decidingBuffers(const Step &step) {
  if (step.kind == Step::IfStep)
    return {1 + step.branch.condition};
  return {step.loop.trip, step.loop.condition, step.loop.proceed};
}

Status ControlRecorder::placeBodies(Frame &frame, size_t at) {
  for (size_t i = 0; i < frame.body().steps.size(); ++i) {
    const Step &step = frame.body().steps[i];
    if (!format::isControl(step.kind))
      continue;
    std::vector<HandedBuffer> parameters = parametersOf(frame, i);
    for (const HandedBuffer &parameter : parameters)
      placed.push_back(parameter.start());
    for (uint32_t buffer : decidingBuffers(step))
      placed.push_back(addressOf(frame, buffer));
    for (uint32_t body : format::bodiesOf(step)) {
      Frame &inner = frameOf(body);
      CUPOLA_TRY(runner.prepare(inner, at + 1, parameters).within(runner.stepText(frame, i)));
      CUPOLA_TRY(placeBodies(inner, at + 1));
    }
  }
  return Status::ok();
}

/// An iteration finds carried values in the spare buffers, and makes the new ones in those of the results.
std::vector<HandedBuffer> ControlRecorder::parametersOf(Frame &frame, size_t step) const {
  std::vector<HandedBuffer> list;
  for (const format::Touched &touched : format::handedOver(frame.body().steps[step]))
    list.push_back(frame.handed(touched.buffer, touched.written));
  if (frame.body().steps[step].kind != Step::WhileStep)
    return list;
  const format::Loop &loop = frame.body().steps[step].loop;
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    list[loop.captures.size() + i] = frame.handed(loop.carried[i].spare, false);
    list[loop.captures.size() + loop.carried.size() + i] = frame.handed(loop.carried[i].result, true);
  }
  return list;
}

static bool isFixed(const Frame &frame, uint32_t buffer) {
  const Interval bytes = bounds(frame.parsed().buffers[buffer].bytes, rangesOf(frame.bucket().plan->bucket));
  return bytes.lo && bytes.hi && *bytes.lo == *bytes.hi;
}

bool ControlRecorder::copiesStay() const {
  return std::all_of(runner.frames.begin(), runner.frames.end(), [](const Frame &frame) {
    if (frame.bucket().plan->transfersVary)
      return false;
    for (const Step &step : frame.body().steps)
      for (const format::Carried &carried : step.loop.carried)
        if (!isFixed(frame, carried.initial) || !isFixed(frame, carried.result))
          return false;
    return true;
  });
}

Held ControlRecorder::held() const {
  Held all{placed, {}};
  for (size_t i = 1; i < runner.arenas.size(); ++i)
    all.addresses.push_back(runner.arenas[i].address());
  for (size_t i = 1; i < runner.frames.size(); ++i)
    all.plans.push_back(runner.frames[i].isBound() ? runner.frames[i].bucket().plan : nullptr);
  return all;
}

//===--- Recording ---===//

Status ControlRecorder::recordSteps(Frame &frame) {
  for (size_t i = 0; i < frame.body().steps.size(); ++i)
    switch (frame.body().steps[i].kind) {
    case Step::IfStep:
      CUPOLA_TRY(recordBranch(frame, i));
      break;
    case Step::WhileStep:
      CUPOLA_TRY(recordLoop(frame, i));
      break;
    default:
      CUPOLA_TRY(runner.queue(frame, i, /*atMost=*/true));
    }
  return Status::ok();
}

/// Of 1 + a buffer; 0 of 0, which is none.
DeviceAddress ControlRecorder::addressOf(Frame &frame, uint32_t buffer) const {
  return buffer == 0 ? 0 : frame.handed(buffer - 1, false).start();
}

Condition ControlRecorder::condition(Frame &frame, uint32_t flag) const {
  Condition result;
  result.flag = addressOf(frame, flag);
  result.raised = runner.flagBlock.address();
  return result;
}

Status ControlRecorder::recordBranch(Frame &frame, size_t step) {
  const format::Branch &branch = frame.body().steps[step].branch;
  Condition chosen = condition(frame, 1 + branch.condition);
  for (uint32_t body : branch.bodies) {
    CUPOLA_TRY(runner.stream->beginConditional(chosen, /*repeats=*/false));
    CUPOLA_TRY(recordSteps(frameOf(body)));
    CUPOLA_TRY(runner.stream->endConditional(chosen));
    chosen.negated = true;
  }
  return Status::ok();
}

/// The results are what comes out where nothing is iterated, too.
Status ControlRecorder::recordLoop(Frame &frame, size_t step) {
  const format::Loop &loop = frame.body().steps[step].loop;
  Stream &stream = *runner.stream;
  const auto copy = [&](uint32_t from, uint32_t to) {
    const HandedBuffer source = frame.handed(from, false), target = frame.handed(to, true);
    return stream.copy(target.start(), source.start(), std::min(source.size(), target.size()));
  };
  for (const format::Carried &carried : loop.carried) {
    CUPOLA_TRY(copy(carried.initial, carried.spare));
    CUPOLA_TRY(copy(carried.initial, carried.result));
  }
  Condition first = condition(frame, loop.condition);
  if (!loop.limit.empty())
    CUPOLA_TRY(runner.evaluate(frame.parsed().controls.at(step).limit, first.limit));
  first.trip = addressOf(frame, loop.trip);
  first.count = counts.address() + sizeof(int64_t) * (frame.firstStep() + step);
  Condition again = first;
  again.flag = addressOf(frame, loop.proceed);
  CUPOLA_TRY(stream.beginConditional(first, /*repeats=*/true));
  CUPOLA_TRY(recordSteps(frameOf(loop.body)));
  for (const format::Carried &carried : loop.carried)
    CUPOLA_TRY(copy(carried.result, carried.spare));
  return stream.endConditional(again);
}

} // namespace cupola::runtime
