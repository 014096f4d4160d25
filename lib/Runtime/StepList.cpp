//===- lib/Runtime/StepList.cpp - Steps with their arguments, ready to queue ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/StepList.h"

#include <algorithm>

namespace cupola::runtime {

void StepList::build(const std::vector<format::Step> &steps, uint32_t firstNumber, const std::vector<Grid> &sizes,
                     const std::vector<Grid> &most, const LoadedKernels &kernels, const LibraryCalls *calls,
                     const Bindings &bindings) {
  first = firstNumber;
  list.clear();
  slots.clear();
  size_t buffers = 0, maps = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    Entry &entry = list.emplace_back();
    entry.step = &steps[i];
    entry.size = sizes[i];
    entry.most = most[i];
    if (!isLaunch(entry))
      continue;
    const format::Launch &launch = steps[i].launch;
    Function *call = calls ? calls->function(first + i) : nullptr;
    entry.function = call ? call : &kernels.function(launch.kernel);
    entry.buffers = call ? &launch.call.buffers : &launch.buffers;
    entry.firstReference = buffers;
    entry.firstSlot = slots.size();
    buffers += entry.buffers->size();
    for (uint32_t scalar : launch.scalars)
      slots.push_back(scalarSlot(scalar));
    for (size_t m = 0; m < launch.maps.size(); ++m)
      slots.push_back(bindings.mapSlot(maps++));
  }
  references.assign(buffers, 0);
  addresses.assign(buffers, 0);
  bytes.assign(buffers, 0);
}

void StepList::setBuffers(const std::vector<BufferValue> &values) {
  for (Entry &entry : list) {
    if (entry.step->kind == format::Step::CopyStep) {
      entry.source = values[entry.step->copy.source];
      entry.target = values[entry.step->copy.target];
      continue;
    }
    if (!isLaunch(entry))
      continue;
    size_t at = entry.firstReference;
    for (uint32_t buffer : *entry.buffers) {
      references[at] = values[buffer].reference;
      addresses[at] = values[buffer].address;
      bytes[at] = values[buffer].bytes;
      ++at;
    }
  }
}

bool StepList::runsAll() const {
  return std::all_of(list.begin(), list.end(),
                     [](const Entry &entry) { return !entry.size.isEmpty() || entry.most.isEmpty(); });
}

Status StepList::queue(Stream &stream, size_t step, DeviceAddress bindings, bool atMost) const {
  const Entry &entry = list[step];
  const Grid &size = atMost ? entry.most : entry.size;
  if (size.isEmpty())
    return Status::ok();
  if (entry.step->kind == format::Step::CopyStep)
    return stream.copy(entry.target.address, entry.source.address, size.x);
  LaunchArguments arguments;
  arguments.function = entry.function;
  arguments.grid = size;
  arguments.bindings = bindings;
  arguments.references = references.data() + entry.firstReference;
  arguments.addresses = addresses.data() + entry.firstReference;
  arguments.bytes = bytes.data() + entry.firstReference;
  arguments.referenceCount = entry.buffers->size();
  arguments.slots = slots.data() + entry.firstSlot;
  arguments.slotCount = entry.step->launch.scalars.size() + entry.step->launch.maps.size();
  arguments.step = first + static_cast<uint32_t>(step);
  return stream.launch(arguments);
}

} // namespace cupola::runtime
