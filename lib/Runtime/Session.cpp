//===- lib/Runtime/Session.cpp - A session's shapes and memory ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Session.h"
#include "lib/Runtime/SessionTurn.h"

#include <algorithm>
#include <unistd.h>

namespace cupola::runtime {

/// How many shapes and how many buckets of them a session remembers.
constexpr size_t kRecentPlans = 32, kRecentBuckets = 64;

template <class T> static void moveToFront(std::deque<T> &list, const T &item, size_t most) {
  list.erase(std::remove(list.begin(), list.end(), item), list.end());
  list.push_front(item);
  if (list.size() > most)
    list.pop_back();
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
    if (kind == format::BufferKind::View && isIo[i])
      ioViews.push_back(i);
  }
  for (const format::Step &step : program().steps)
    copiesIo |= step.kind == format::Step::CopyStep && (isIo[step.copy.source] || isIo[step.copy.target]);
  Result<std::unique_ptr<Stream>> made = device().createStream(options.stream);
  if (made.failed())
    return made.status();
  stream = made.take();
  return bindings.allocate(device(), program().scalars.size() + package().inputs.size() + package().outputs.size() +
                                         ioViews.size());
}

Status Session::checkProcess() const {
  if (process == ::getpid())
    return Status::ok();
  return Status::usage("the session belongs to process " + std::to_string(process) +
                       " and was used after a fork, "
                       "in process " +
                       std::to_string(::getpid()));
}

Status Session::bind(const std::vector<Shape> &inputs, const std::vector<Strides> &strides) {
  CUPOLA_TRY(checkProcess());
  Turn turn(busy);
  CUPOLA_TRY(turn.status());
  return bindNow(inputs, strides);
}

Result<std::shared_ptr<Session::Bound>> Session::planFor(const std::vector<Shape> &inputs,
                                                         const std::vector<Strides> &strides) {
  const auto known = std::find_if(recent.begin(), recent.end(), [&](const auto &bound) {
    return bound->inputs == inputs && bound->strides == strides;
  });
  if (known != recent.end())
    return *known;
  BucketPlans plans;
  for (const std::shared_ptr<BucketState> &state : buckets)
    plans.push_back(state->plan);
  Result<BoundPlan> plan =
      bindPlan(package(), program(), shared->parsedInterface(), shared->parsedProgram(), inputs, plans, strides);
  if (plan.failed())
    return plan.status();
  auto bound = std::make_shared<Bound>();
  bound->inputs = inputs;
  bound->strides = strides;
  bound->plan = plan.take();
  bound->bucket = stateOf(bound->plan.bucket);
  return bound;
}

std::shared_ptr<Session::BucketState> Session::stateOf(const std::shared_ptr<const BucketPlan> &bucket) {
  for (const std::shared_ptr<BucketState> &state : buckets)
    if (state->plan == bucket)
      return state;
  auto state = std::make_shared<BucketState>();
  state->plan = bucket;
  ++planned;
  return state;
}

Status Session::bindNow(const std::vector<Shape> &inputs, const std::vector<Strides> &strides) {
  if (current && current->inputs == inputs && current->strides == strides)
    return Status::ok();
  Result<std::shared_ptr<Bound>> found = planFor(inputs, strides);
  if (found.failed())
    return found.status();
  const std::shared_ptr<Bound> bound = found.take();
  CUPOLA_TRY(makeRoom(bound->plan));
  moveToFront(recent, bound, kRecentPlans);
  moveToFront(buckets, bound->bucket, kRecentBuckets);
  current = bound;
  steps.build(program().steps, bound->plan.sizes, bound->plan.bucket->sizes, shared->kernels(), &shared->calls());
  for (size_t i = 0; i < bound->plan.scalars.size(); ++i)
    bindings.set(i, static_cast<uint64_t>(bound->plan.scalars[i]));
  preparedIo.clear(); // the steps hold addresses of the plan before
  return Status::ok();
}

/// The arena only grows. Recordings hold its address, so they go when it moves;
/// where there is no memory for the larger one and the smaller is gone, the next
/// bind makes that anew.
Status Session::makeRoom(const BoundPlan &plan) {
  if (arena.address() != 0 && arena.bytes() >= plan.arenaBytes)
    return Status::ok();
  const DeviceAddress before = arena.address();
  const Status status = arena.growTo(device(), plan.arenaBytes, &options.memory);
  if (arena.address() != before) {
    current.reset();
    for (const std::shared_ptr<Bound> &bound : recent)
      bound->bucket->recording.reset();
    for (const std::shared_ptr<BucketState> &state : buckets)
      state->recording.reset();
  }
  return status.isOk() ? status : outOfMemory(plan, status);
}

Status Session::outOfMemory(const BoundPlan &plan, const Status &cause) const {
  uint64_t tensors = 0;
  for (uint64_t bytes : plan.inputBytes)
    tensors += bytes;
  for (uint64_t bytes : plan.outputBytes)
    tensors += bytes;
  const Result<uint64_t> free = device().freeBytes();
  return Status(cause.code(),
                "no memory for this run on " + device().properties().name + ": arena " +
                    std::to_string(plan.arenaBytes) + " bytes, inputs and outputs " + std::to_string(tensors) +
                    ", weights " + std::to_string(shared->residentBytes()) + " (resident), free " +
                    (free.isOk() ? std::to_string(*free) : std::string("unknown")) + ": " + cause.message());
}

} // namespace cupola::runtime
