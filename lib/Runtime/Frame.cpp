//===- lib/Runtime/Frame.cpp - What a session has per body ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Frame.h"
#include "lib/Runtime/TensorMaps.h"
#include "lib/Runtime/Text.h"

#include <algorithm>

namespace cupola::runtime {

using format::BufferKind;

/// How many sets of values and how many buckets of them a body remembers.
constexpr size_t kRecentPlans = 32, kRecentBuckets = 64;

template <class T> static void moveToFront(std::deque<T> &list, const T &item, size_t most) {
  list.erase(std::remove(list.begin(), list.end(), item), list.end());
  list.push_front(item);
  if (list.size() > most)
    list.pop_back();
}

Frame::Frame(const Executable &executable, size_t position, uint32_t first)
    : executable(executable), position(position), first(first), growing(body().buffers.size()) {
  const std::vector<format::Buffer> &buffers = body().buffers;
  std::vector<bool> isIo(buffers.size());
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    const BufferKind kind = buffers[i].kind;
    const bool isView = kind == BufferKind::View && isIo[buffers[i].index];
    isIo[i] = kind == BufferKind::Input || kind == BufferKind::Output || isView;
    if (isView)
      ioViews.push_back(i);
  }
}

Status Frame::allocate(Stream &stream, DeviceAddress flags, DeviceAddress of) {
  counters = of;
  const format::Package &package = executable.package();
  const size_t io = position == 0 ? package.inputs.size() + package.outputs.size() : 0;
  return bindings.allocate(executable.device(), stream, body().scalars.size() + io + ioViews.size(),
                           format::mapCount(body().steps), flags);
}

//===--- Plans ---===//

std::shared_ptr<Frame::BucketState> Frame::stateOf(const std::shared_ptr<const BucketPlan> &bucket) {
  for (const std::shared_ptr<BucketState> &state : buckets)
    if (state->plan == bucket)
      return state;
  auto state = std::make_shared<BucketState>();
  state->plan = bucket;
  ++planned;
  return state;
}

/// Whether `some` are what restricted() makes of all.
static bool isRestricted(const SymbolValues &some, const SymbolValues &all, const std::set<std::string> &symbols) {
  auto next = some.begin();
  for (const std::string &symbol : symbols)
    if (const auto at = all.find(symbol); at != all.end()) {
      if (next == some.end() || next->first != symbol || next->second != at->second)
        return false;
      ++next;
    }
  return next == some.end();
}

Result<std::shared_ptr<Frame::Bound>> Frame::find(const SymbolValues &all, const BoundInterface *interface) {
  // The program's plan was also held against its tensors, whose sizes may follow from symbols that it does not use.
  if (!interface && current && isRestricted(current->values, all, parsed().planSymbols)) // as in most iterations
    return current;
  SymbolValues wanted = interface ? all : restricted(all, parsed().planSymbols);
  const auto known =
      std::find_if(recent.begin(), recent.end(), [&](const auto &bound) { return bound->values == wanted; });
  if (known != recent.end())
    return *known;
  BucketPlans plans;
  for (const std::shared_ptr<BucketState> &state : buckets)
    plans.push_back(state->plan);
  CUPOLA_ASSIGN(BoundPlan plan, bindBody(bodyPlace(), interface, wanted, plans));
  auto bound = std::make_shared<Bound>();
  bound->values = std::move(wanted);
  bound->plan = std::move(plan);
  bound->bucket = stateOf(bound->plan.bucket);
  return bound;
}

void Frame::use(const std::shared_ptr<Bound> &bound, std::vector<int64_t> scalars) {
  if (current != bound)
    usePlan(bound);
  if (scalarValues == scalars)
    return;
  scalarValues = std::move(scalars);
  for (size_t i = 0; i < scalarValues.size(); ++i)
    bindings.set(i, static_cast<uint64_t>(scalarValues[i]));
  isUploaded = false;
}

void Frame::usePlan(const std::shared_ptr<Bound> &bound) {
  moveToFront(recent, bound, kRecentPlans);
  moveToFront(buckets, bound->bucket, kRecentBuckets);
  current.reset(); // what follows may run out of memory
  const BoundPlan &plan = bound->plan;
  steps.build(body().steps, first, plan.sizes, plan.bucket->sizes, executable.kernels(), &executable.calls(), bindings);
  isPlaced = isUploaded = false; // the steps hold addresses of the plan before
  current = bound;
}

void Frame::dropRecordings() {
  for (const std::shared_ptr<Bound> &bound : recent)
    bound->bucket->recording.reset();
  for (const std::shared_ptr<BucketState> &state : buckets)
    state->recording.reset();
}

//===--- Addresses ---===//

Status Frame::place(Places now) {
  const auto startsAt = [](DeviceAddress start, const HandedBuffer &parameter) { return start == parameter.start(); };
  const bool isSame = isPlaced && places.arena == now.arena && places.io == now.io &&
                      std::equal(starts.begin(), starts.end(), now.parameters.begin(), now.parameters.end(), startsAt);
  if (places.io != now.io)
    isUploaded = false;
  places = std::move(now);
  isPlaced = isSame;
  if (isSame)
    return Status::ok();
  starts.clear();
  for (const HandedBuffer &parameter : places.parameters)
    starts.push_back(parameter.start());
  values.resize(plan().buffers.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Placement &placement = plan().buffers[i];
    values[i].address = baseOf(placement) + placement.offset;
    values[i].bytes = placement.bytes;
    values[i].reference = values[i].address;
  }
  bindIo();
  steps.setBuffers(values);
  CUPOLA_TRY(bindMaps());
  isPlaced = true;
  return Status::ok();
}

/// Of what an open buffer stands for nothing is known here.
DeviceAddress Frame::baseOf(const Placement &placement) const {
  switch (placement.root) {
  case BufferKind::Weight:
    return executable.weightAddress(placement.index);
  case BufferKind::Init:
    return executable.initAddress() + executable.initOffset(placement.index);
  case BufferKind::Input:
    return places.io[placement.index];
  case BufferKind::Output:
    return places.io[executable.package().inputs.size() + placement.index];
  case BufferKind::Parameter:
    return places.parameters[placement.index].start();
  case BufferKind::Growing:
    return 0;
  case BufferKind::Counters:
    return counters;
  case BufferKind::Arena:
  case BufferKind::View: // a root is no view
    break;
  }
  return places.arena;
}

/// Kernels find the caller's tensors, and parts of them, through the bindings table.
void Frame::bindIo() {
  const size_t firstIo = scalarValues.size(), firstView = firstIo + places.io.size();
  const auto reference = [](size_t word) { return format::kReferenceBit | (word + 1); };
  for (size_t i = 0; i < places.io.size(); ++i)
    bindings.set(firstIo + i, places.io[i]);
  for (size_t i = 0; i < values.size(); ++i) {
    const Placement &placement = plan().buffers[i];
    const size_t inputs = placement.root == BufferKind::Output ? executable.package().inputs.size() : 0;
    if (placement.root == BufferKind::Input || placement.root == BufferKind::Output)
      values[i].reference = reference(firstIo + inputs + placement.index);
  }
  for (size_t i = 0; i < ioViews.size(); ++i) {
    values[ioViews[i]].reference = reference(firstView + i);
    bindings.set(firstView + i, values[ioViews[i]].address);
  }
}

/// They hold addresses, wherever those are from.
Status Frame::bindMaps() {
  if (plan().maps.empty())
    return Status::ok();
  isUploaded = false;
  return encodeMaps(executable.device(), plan().maps, values, bindings,
                    [&](uint32_t step) { return stepText(executable.package(), body().steps[step], first + step); });
}

Status Frame::upload(Stream &stream) {
  if (isUploaded)
    return Status::ok();
  CUPOLA_TRY(bindings.upload(stream));
  isUploaded = true;
  return Status::ok();
}

GrowingBuffer *Frame::memoryOf(uint32_t buffer) {
  const Placement &placement = plan().buffers[buffer];
  if (placement.root == BufferKind::Growing)
    return &growing[buffer];
  return placement.root == BufferKind::Output ? &(*places.outputs)[placement.index] : nullptr;
}

HandedBuffer Frame::handed(uint32_t buffer, bool written) {
  const Placement &placement = plan().buffers[buffer];
  HandedBuffer result;
  if (placement.isOpen && placement.root == BufferKind::Parameter)
    result = places.parameters[placement.index];
  else if (placement.isOpen)
    result.memory = memoryOf(buffer);
  else
    result.address = values[buffer].address, result.bytes = values[buffer].bytes;
  result.written = written;
  return result;
}

} // namespace cupola::runtime
