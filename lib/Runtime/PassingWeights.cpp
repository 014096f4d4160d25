//===- lib/Runtime/PassingWeights.cpp - weights that a device has only while they are prepared ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/PassingWeights.h"
#include "lib/Runtime/Format/Bodies.h"
#include "lib/Runtime/Format/Checked.h"

#include <algorithm>

namespace cupola::runtime {

/// What a buffer lies in that is a view.
static const format::Buffer &rootOf(const std::vector<format::Buffer> &buffers, uint32_t buffer) {
  while (buffers[buffer].kind == format::BufferKind::View)
    buffer = buffers[buffer].index;
  return buffers[buffer];
}

template <class Visit>
static void forWeights(const format::Program &program, const std::vector<format::Buffer> &buffers,
                       const format::Step &step, Visit visit) {
  const auto take = [&](uint32_t buffer) {
    if (const format::Buffer &root = rootOf(buffers, buffer); root.kind == format::BufferKind::Weight)
      visit(root.index);
  };
  for (const format::Touched &touched : format::touchedBy(program, step))
    take(touched.buffer);
  if (step.kind == format::Step::LaunchStep)
    for (uint32_t buffer : step.launch.call.buffers)
      take(buffer);
}

PassingWeights::PassingWeights(const format::PackageFile &file, const format::Program &program, const Device &device)
    : file(file), program(program), passing(file.package().weights.size()) {
  if (device.properties().hostMemory || format::mapCount(program.init) != 0) // whose maps hold addresses
    return;
  for (const format::Step &step : program.init)
    forWeights(program, program.buffers, step, [&](uint32_t weight) { passing[weight] = true; });
  for (size_t position = 0; position < format::bodyCount(program); ++position) {
    const auto &body = format::bodyAt(program, position);
    for (const format::Step &step : body.steps)
      forWeights(program, body.buffers, step, [&](uint32_t weight) { passing[weight] = false; });
  }
}

std::map<uint32_t, uint64_t> PassingWeights::placesFor(const format::Step &step, uint64_t &end) const {
  std::map<uint32_t, uint64_t> places;
  format::Size used = 0;
  forWeights(program, program.buffers, step, [&](uint32_t weight) {
    if (!passing[weight] || places.count(weight))
      return;
    const format::Size start = used.alignedTo(format::kBufferAlignment);
    places[weight] = start.value().value_or(0); // a package's weights are in one file
    used = start + file.weight(weight).size();
  });
  end = used.value().value_or(0);
  return places;
}

Status PassingWeights::allocate(Device &device) {
  uint64_t most = 0;
  for (const format::Step &step : program.init) {
    uint64_t end = 0;
    placesFor(step, end);
    most = std::max(most, end);
  }
  return most == 0 ? Status::ok() : memory.allocate(device, most).within("weights that are prepared");
}

Status PassingWeights::bring(Stream &stream, const format::Step &step, const BoundPlan &plan,
                             std::vector<BufferValue> &values) const {
  uint64_t end = 0;
  const std::map<uint32_t, uint64_t> places = placesFor(step, end);
  for (const auto &[weight, place] : places)
    CUPOLA_TRY(stream.upload(memory.address() + place, file.weight(weight).data(), file.weight(weight).size()));
  for (size_t i = 0; i < values.size(); ++i)
    if (const Placement &placed = plan.buffers[i]; placed.root == format::BufferKind::Weight)
      if (const auto found = places.find(placed.index); found != places.end())
        values[i].address = values[i].reference = memory.address() + found->second + placed.offset;
  return Status::ok();
}

} // namespace cupola::runtime
