//===- lib/Runtime/BodyRunner.cpp - Runs the steps of a program and its bodies ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/BodyRunner.h"
#include "lib/Runtime/Checks.h"
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/LoopRun.h"
#include "lib/Runtime/ProfilerRange.h"
#include "lib/Runtime/Text.h"

namespace cupola::runtime {

using format::BufferKind;

Status BodyRunner::start(const Executable &of, Stream &on, const MemoryHooks &with, StringTable &table) {
  strings = &table;
  executable = &of;
  stream = &on;
  hooks = &with;
  for (const format::Symbol &symbol : of.package().symbols)
    declared.emplace(symbol.id, &symbol);
  outputs.resize(of.package().outputs.size());
  arenas.resize(1);
  CUPOLA_TRY(flagBlock.allocate(device()));
  CUPOLA_TRY(found.allocate(device()));
  CUPOLA_TRY(makeCounters());
  uint32_t number = 0;
  for (size_t at = 0; at < format::bodyCount(of.program()); ++at) {
    Frame &frame = frames.emplace_back(of, at, number);
    CUPOLA_TRY(frame.allocate(*stream, flagBlock.address(), counters.address()));
    number += static_cast<uint32_t>(frame.body().steps.size());
  }
  return Status::ok();
}

/// Runs of a session come one after the other, so that all launches may have the same.
Status BodyRunner::makeCounters() {
  uint64_t bytes = 0;
  for (size_t at = 0; at < format::bodyCount(executable->program()); ++at)
    for (const format::Buffer &buffer : format::bodyAt(executable->program(), at).buffers)
      if (buffer.kind == BufferKind::Counters)
        bytes = std::max(bytes, format::countersBytes(buffer).value_or(0));
  if (bytes == 0)
    return Status::ok();
  CUPOLA_TRY(counters.allocate(device(), bytes, hooks));
  return stream->fill(counters.address(), 0, bytes);
}

void BodyRunner::begin(const SymbolValues &values, bool poisons, bool tracks) {
  symbols = values;
  poison = poisons;
  marks = tracks;
  position.clear();
  for (GrowingBuffer &output : outputs)
    output.setBytes(0);
}

//===--- Steps ---===//

std::string BodyRunner::stepText(const Frame &frame, size_t step) const {
  return runtime::stepText(executable->package(), frame.body().steps[step], frame.firstStep() + step);
}

void BodyRunner::reportProgress(const Frame &frame, size_t step) const {
  if (device().progress)
    device().progress(position + "step " + std::to_string(step + 1) + " of " +
                      std::to_string(frame.body().steps.size()));
}

Status BodyRunner::markDead(DeviceAddress address, uint64_t bytes) {
  if (poison)
    CUPOLA_TRY(stream->fill(address, 0xff, bytes));
  return marks ? stream->discard(address, bytes) : Status::ok();
}

/// Where it is wanted, every arena region is marked while nothing lives there.
Status BodyRunner::runSteps(Frame &frame, size_t depth) {
  const bool marked = isWatched();
  if (marked)
    CUPOLA_TRY(markDead(arenas[depth].address(), frame.plan().arenaBytes));
  for (size_t i = 0; i < frame.body().steps.size(); ++i) {
    if (marked)
      reportProgress(frame, i);
    CUPOLA_TRY(runStep(frame, i, depth));
    for (size_t b = 0; marked && b < frame.body().buffers.size(); ++b)
      if (frame.body().buffers[b].kind == BufferKind::Arena && frame.body().buffers[b].last == i)
        CUPOLA_TRY(markDead(frame.value(b).address, frame.value(b).bytes));
  }
  return Status::ok();
}

Status BodyRunner::runStep(Frame &frame, size_t step, size_t depth) {
  const ProfilerRange range([&] { return stepText(frame, step); });
  const format::Step::Kind kind = frame.body().steps[step].kind;
  if (!format::isControl(kind))
    return clock && depth > 0 ? clock->time(frame, step, [&] { return runSimple(frame, step); })
                              : runSimple(frame, step);
  const size_t outside = position.size();
  if (isWatched())
    position += "step " + std::to_string(step + 1) + " of " + std::to_string(frame.body().steps.size()) + ": ";
  CUPOLA_TRY(kind == format::Step::WhileStep ? LoopRun(*this, frame, step, depth).run()
                                             : runBranch(frame, step, depth));
  position.resize(outside);
  return Status::ok();
}

Status BodyRunner::runSimple(Frame &frame, size_t step) {
  const format::Step &entry = frame.body().steps[step];
  return entry.kind == format::Step::HostStep ? named(frame, step, runHost(frame, entry.host)) : queue(frame, step);
}

Status BodyRunner::queue(Frame &frame, size_t step, bool atMost) {
  return named(frame, step, frame.queue(*stream, step, atMost));
}

Status BodyRunner::named(const Frame &frame, size_t step, const Status &status) const {
  return status.isOk() ? status : status.within(stepText(frame, step));
}

/// A simulator wants to know who reads and writes.
bool BodyRunner::reachesHost() const {
  return device().properties().hostMemory && !device().properties().tracksContents;
}

Status BodyRunner::runHost(Frame &frame, const format::HostCall &call) {
  std::vector<HandedBuffer> operands;
  for (uint32_t buffer : call.operands)
    operands.push_back(frame.handed(buffer, /*written=*/false));
  std::vector<std::vector<char>> copies;
  std::vector<HostOperand> views;
  CUPOLA_TRY(bringToHost(operands, copies, views));
  const HandedBuffer target = frame.handed(call.results[0], /*written=*/true);
  std::vector<char> copy(reachesHost() ? 0 : target.size());
  char *result = reachesHost() ? reinterpret_cast<char *>(target.start()) : copy.data();
  HostCall step(
      call, std::move(views), {result, target.size()}, *strings,
      [this](uint64_t count, uint64_t least, const HostCall::Part &body) { stream->inParts(count, least, body); });
  CUPOLA_TRY(runHostCall(step, call.op));
  if (!copy.empty())
    CUPOLA_TRY(stream->upload(target.start(), copy.data(), copy.size()));
  return stream->synchronize();
}

/// As they lie, where the host's memory is the device's. A flag that was raised is an error as of `read`.
Status BodyRunner::bringToHost(const std::vector<HandedBuffer> &buffers, std::vector<std::vector<char>> &copies,
                               std::vector<HostOperand> &views) {
  for (const HandedBuffer &buffer : buffers) {
    if (reachesHost()) {
      views.push_back({reinterpret_cast<const char *>(buffer.start()), buffer.size()});
      continue;
    }
    std::vector<char> &copy = copies.emplace_back(buffer.size());
    views.push_back({copy.data(), copy.size()}); // where the elements lie stays when the list grows
    if (!copy.empty())
      CUPOLA_TRY(stream->download(copy.data(), buffer.start(), copy.size()));
  }
  CUPOLA_TRY(found.fetch(*stream, flagBlock));
  CUPOLA_TRY(stream->synchronize());
  return foundFlag();
}

Status BodyRunner::runBranch(Frame &frame, size_t step, size_t depth) {
  const format::Branch &branch = frame.body().steps[step].branch;
  const std::string nodes = stepText(frame, step);
  bool chosen = true;
  if (frame.body().steps[step].kind == format::Step::IfStep)
    CUPOLA_TRY(readBool(frame.handed(branch.condition, false), chosen));
  std::vector<HandedBuffer> parameters;
  for (const format::Touched &handed : format::handedOver(frame.body().steps[step]))
    parameters.push_back(frame.handed(handed.buffer, handed.written));
  CUPOLA_TRY(enter(branch.bodies[chosen ? 0 : 1], depth, std::move(parameters), nodes));
  const ParsedControl &parsed = frame.parsed().controls.at(step);
  std::vector<int64_t> values(branch.symbols.size());
  for (size_t i = 0; i < values.size(); ++i)
    CUPOLA_TRY(evaluate(chosen ? parsed.thenValues[i] : parsed.elseValues[i], values[i]).within(nodes));
  for (size_t i = 0; i < values.size(); ++i)
    CUPOLA_TRY(assign(branch.symbols[i], values[i], nodes));
  return Status::ok();
}

//===--- Entering a body ---===//

Status BodyRunner::enter(uint32_t body, size_t depth, std::vector<HandedBuffer> parameters, const std::string &nodes) {
  Frame &frame = frames[1 + body];
  CUPOLA_TRY(prepare(frame, depth + 1, std::move(parameters)).within(nodes));
  return runSteps(frame, depth + 1);
}

Status BodyRunner::prepare(Frame &frame, size_t depth, std::vector<HandedBuffer> parameters) {
  CUPOLA_TRY(checkBody(frame.body(), frame.parsed(), symbols));
  CUPOLA_ASSIGN(const std::shared_ptr<Frame::Bound> bound, frame.find(symbols, nullptr));
  CUPOLA_ASSIGN(std::vector<int64_t> scalars, frame.scalarsAt(symbols));
  CUPOLA_TRY(makeRoom(depth, bound->plan.arenaBytes));
  frame.use(bound, std::move(scalars));
  CUPOLA_TRY(settle(frame, parameters));
  CUPOLA_TRY(frame.place({arenas[depth].address(), std::move(parameters), {}, nullptr}));
  return frame.upload(*stream);
}

Status BodyRunner::makeRoom(size_t depth, uint64_t bytes) {
  while (arenas.size() <= depth)
    arenas.emplace_back();
  DeviceMemory &memory = arenas[depth];
  if (memory.address() != 0 && memory.bytes() >= bytes)
    return Status::ok();
  CUPOLA_TRY(stream->synchronize()); // where it fails, memory is taken back that no work may be under way beside
  const Status grown = memory.growTo(device(), *stream, bytes, hooks);
  return grown.isOk() ? grown : noMemory("a body's arena", bytes, grown);
}

/// Here the sizes of parameters meet those of what is handed over.
Status BodyRunner::settle(const Frame &frame, std::vector<HandedBuffer> &parameters) {
  for (HandedBuffer &parameter : parameters)
    if (parameter.memory && parameter.written)
      parameter.memory->setBytes(0);
  for (size_t i = 0; i < frame.plan().buffers.size(); ++i) {
    const Placement &placement = frame.plan().buffers[i];
    if (frame.body().buffers[i].kind == BufferKind::Parameter && !placement.isOpen)
      CUPOLA_TRY(settle(placement.bytes, parameters[placement.index]));
  }
  return Status::ok();
}

Status BodyRunner::settle(uint64_t bytes, HandedBuffer &parameter) {
  if (parameter.memory && parameter.written && bytes > parameter.memory->bytes()) {
    CUPOLA_TRY(reserve(*parameter.memory, bytes));
    parameter.memory->setBytes(bytes);
  }
  if (bytes > parameter.size())
    return Status::package("the manifest is inconsistent: a body wants " + std::to_string(bytes) +
                           " bytes of a buffer that has " + std::to_string(parameter.size()));
  return parameter.written ? markDead(parameter.start(), bytes) : Status::ok();
}

//===--- Values ---===//

Status BodyRunner::read(const HandedBuffer &buffer, void *value, uint64_t bytes) {
  if (buffer.size() < bytes)
    return Status::package("the manifest is inconsistent: a value of " + std::to_string(bytes) +
                           " bytes is read from a buffer that has " + std::to_string(buffer.size()));
  CUPOLA_TRY(found.read(*stream, flagBlock, buffer.start(), value, bytes));
  return foundFlag();
}

Status BodyRunner::foundFlag() const {
  const auto raised = found.raisedBy();
  return raised ? flagError(executable->package(), format::stepAt(executable->program(), *raised), *raised)
                : Status::ok();
}

Status BodyRunner::readBool(const HandedBuffer &buffer, bool &value) {
  uint8_t byte = 0;
  CUPOLA_TRY(read(buffer, &byte, sizeof(byte)));
  value = byte != 0;
  return Status::ok();
}

Status BodyRunner::evaluate(const Expr &expr, int64_t &value) const {
  const auto known = expr.evaluate(symbols);
  if (!known)
    return Status::limit(expr.text() + " has no value, or none within 64 bits");
  value = *known;
  return Status::ok();
}

Status BodyRunner::assign(const std::string &symbol, int64_t value, const std::string &nodes) {
  CUPOLA_TRY(checkSymbolRange(executable->package(), *declared.at(symbol), value, nodes));
  symbols[symbol] = value;
  return Status::ok();
}

Status BodyRunner::reserve(GrowingBuffer &memory, uint64_t bytes, uint64_t kept) {
  const Status status = memory.reserve(device(), *stream, bytes, kept, hooks);
  return status.isOk() ? status : noMemory("a value", bytes, status);
}

Status BodyRunner::noMemory(const std::string &what, uint64_t bytes, const Status &cause) const {
  const Result<uint64_t> free = device().freeBytes();
  return Status(cause.code(),
                "no memory for this run on " + device().properties().name + ": " + what + " " + std::to_string(bytes) +
                    " bytes, weights " + std::to_string(executable->residentBytes()) + " (resident), free " +
                    (free.isOk() ? std::to_string(*free) : std::string("unknown")) + ": " + cause.message());
}

} // namespace cupola::runtime
