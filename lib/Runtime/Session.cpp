//===- lib/Runtime/Session.cpp - A session's shapes and memory ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Session.h"
#include "lib/Runtime/SessionTurn.h"

#include <algorithm>
#include <unistd.h>

namespace cupola::runtime {

/// How many sets of input shapes a session remembers.
constexpr size_t kRecentShapes = 32;

static bool usesRunSymbols(const format::Package &package, const ParsedTensor &tensor) {
  return std::any_of(package.symbols.begin(), package.symbols.end(), [&](const format::Symbol &symbol) {
    return symbol.run &&
           std::any_of(tensor.dims.begin(), tensor.dims.end(), [&](const Expr &dim) { return dim.uses(symbol.id); });
  });
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Executable> executable, SessionOptions options) {
  std::unique_ptr<Session> session(new Session(std::move(executable), std::move(options)));
  CUPOLA_TRY(session->start());
  return session;
}

Status Session::start() {
  process = ::getpid();
  const std::vector<format::Buffer> &buffers = program().buffers;
  std::vector<bool> isIo(buffers.size());
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    const format::BufferKind kind = buffers[i].kind;
    isIo[i] = kind == format::BufferKind::Input || kind == format::BufferKind::Output ||
              (kind == format::BufferKind::View && isIo[buffers[i].index]);
  }
  const std::vector<format::Step> &steps = program().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (const std::optional<format::Transfer> transfer = format::transferOf(steps[i]))
      for (const format::Touched &touched : transfer->buffers)
        holdsIo |= isIo[touched.buffer];
    hasHostSteps |= steps[i].kind == format::Step::HostStep;
    if (shared->calls().function(i))
      for (uint32_t buffer : steps[i].launch.call.buffers)
        holdsIo |= isIo[buffer];
  }
  for (const ParsedTensor &output : shared->parsedInterface().outputs)
    openOutputs.push_back(usesRunSymbols(package(), output));
  CUPOLA_ASSIGN(stream, device().createStream(options.stream));
  CUPOLA_TRY(runs.allocate(device(), *stream, std::max<size_t>(options.inFlight, 1)));
  CUPOLA_TRY(runner.start(*shared, *stream, options.memory, strings));
  CUPOLA_TRY(recorder.start(*shared));
  holdsIo |= recorder.decides(); // bodies get the addresses of what is handed to them
  return Status::ok();
}

/// Runs under way use what the session frees.
Session::~Session() {
  if (stream)
    (void)stream->synchronize();
}

Status Session::checkProcess() const {
  if (process == ::getpid())
    return Status::ok();
  return Status::usage("the session belongs to process " + std::to_string(process) +
                       " and was used after a fork, "
                       "in process " +
                       std::to_string(::getpid()));
}

Status Session::bind(const std::vector<Shape> &inputs, const std::vector<Strides> &strides,
                     const std::vector<Elements> &elements) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  return bindNow(inputs, strides, elements);
}

Status Session::numberStrings(const std::string_view *texts, size_t count, int64_t *numbers) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  for (size_t i = 0; i < count; ++i)
    numbers[i] = strings.give(texts[i]);
  return Status::ok();
}

Status Session::readStrings(const int64_t *numbers, size_t count, std::string_view *texts) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  for (size_t i = 0; i < count; ++i) {
    const auto found = strings.find(numbers[i]);
    if (!found)
      return Status::usage("element " + std::to_string(i) + " is " + std::to_string(numbers[i]) +
                           ", which is the number of no string");
    texts[i] = *found;
  }
  return Status::ok();
}

Result<std::shared_ptr<const Session::Bound>> Session::boundFor(const std::vector<Shape> &inputs,
                                                                const std::vector<Strides> &strides,
                                                                const std::vector<Elements> &elements) {
  const auto known = std::find_if(recent.begin(), recent.end(), [&](const auto &bound) {
    return bound->inputs == inputs && bound->strides == strides && bound->elements == elements;
  });
  if (known != recent.end())
    return *known;
  CUPOLA_ASSIGN(BoundInterface interface,
                bindInterface(package(), shared->parsedInterface(), inputs, strides, elements));
  return std::make_shared<const Bound>(Bound{inputs, strides, elements, std::move(interface)});
}

Status Session::bindNow(const std::vector<Shape> &inputs, const std::vector<Strides> &strides,
                        const std::vector<Elements> &elements) {
  hasResults = false;
  if (current && current->inputs == inputs && current->strides == strides && current->elements == elements) {
    shapes = current->interface.outputShapes;
    return Status::ok();
  }
  CUPOLA_ASSIGN(const std::shared_ptr<const Bound> bound, boundFor(inputs, strides, elements));
  CUPOLA_ASSIGN(std::shared_ptr<Frame::Bound> plan, runner.program().find(bound->interface.values, &bound->interface));
  CUPOLA_ASSIGN(std::vector<int64_t> scalars, runner.program().scalarsAt(bound->interface.values));
  CUPOLA_TRY(makeRoom(plan->plan, bound->interface));
  recent.erase(std::remove(recent.begin(), recent.end(), bound), recent.end());
  recent.push_front(bound);
  if (recent.size() > kRecentShapes)
    recent.pop_back();
  runner.program().use(plan, std::move(scalars));
  current = bound;
  shapes = bound->interface.outputShapes;
  return Status::ok();
}

/// The arena only grows. Recordings hold its address, so they go when it moves;
/// where there is no memory for the larger one and the smaller is gone, the next
/// bind makes that anew.
Status Session::makeRoom(const BoundPlan &plan, const BoundInterface &interface) {
  DeviceMemory &arena = runner.arena();
  if (arena.address() != 0 && arena.bytes() >= plan.arenaBytes)
    return Status::ok();
  const DeviceAddress before = arena.address();
  const Status status = arena.growTo(device(), *stream, plan.arenaBytes, &options.memory);
  if (arena.address() != before) {
    current.reset();
    runner.program().dropRecordings();
  }
  return status.isOk() ? status : outOfMemory(plan, interface, status);
}

Status Session::outOfMemory(const BoundPlan &plan, const BoundInterface &interface, const Status &cause) const {
  uint64_t tensors = 0;
  for (uint64_t bytes : interface.inputBytes)
    tensors += bytes;
  for (uint64_t bytes : interface.outputBytes)
    tensors += bytes;
  const Result<uint64_t> free = device().freeBytes();
  return Status(cause.code(),
                "no memory for this run on " + device().properties().name + ": arena " +
                    std::to_string(plan.arenaBytes) + " bytes, inputs and outputs " + std::to_string(tensors) +
                    ", weights " + std::to_string(shared->residentBytes()) + " (resident), free " +
                    (free.isOk() ? std::to_string(*free) : std::string("unknown")) + ": " + cause.message());
}

} // namespace cupola::runtime
