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
  buffers.clear();
  slots.clear();
  size_t maps = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    Entry &entry = list.emplace_back();
    entry.step = &steps[i];
    entry.size = sizes[i];
    entry.most = most[i];
    entry.firstBuffer = buffers.size();
    entry.firstSlot = slots.size();
    if (const std::optional<format::Transfer> transfer = format::transferOf(steps[i]))
      for (const format::Touched &touched : transfer->buffers)
        buffers.push_back(touched.buffer);
    if (steps[i].kind == format::Step::LaunchStep) {
      addLaunch(entry, kernels, calls ? calls->function(first + i) : nullptr);
      for (size_t m = 0; m < steps[i].launch.maps.size(); ++m)
        slots.push_back(bindings.mapSlot(maps++));
    }
    entry.bufferCount = buffers.size() - entry.firstBuffer;
  }
  references.assign(buffers.size(), 0);
  addresses.assign(buffers.size(), 0);
  bytes.assign(buffers.size(), 0);
}

/// `call`: of the library that does it; null: its kernel does.
void StepList::addLaunch(Entry &entry, const LoadedKernels &kernels, Function *call) {
  const format::Launch &launch = entry.step->launch;
  entry.function = call ? call : &kernels.function(launch.kernel);
  const std::vector<uint32_t> &used = call ? launch.call.buffers : launch.buffers;
  buffers.insert(buffers.end(), used.begin(), used.end());
  for (uint32_t scalar : launch.scalars)
    slots.push_back(scalarSlot(scalar));
}

void StepList::setBuffers(const std::vector<BufferValue> &values) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferValue &value = values[buffers[i]];
    references[i] = value.reference;
    addresses[i] = value.address;
    bytes[i] = value.bytes;
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
  const DeviceAddress *at = addresses.data() + entry.firstBuffer;
  if (entry.step->kind == format::Step::CopyStep)
    return stream.copy(at[1], at[0], size.x);
  LaunchArguments arguments;
  arguments.function = entry.function;
  arguments.grid = size;
  arguments.bindings = bindings;
  arguments.references = references.data() + entry.firstBuffer;
  arguments.addresses = at;
  arguments.bytes = bytes.data() + entry.firstBuffer;
  arguments.referenceCount = entry.bufferCount;
  arguments.slots = slots.data() + entry.firstSlot;
  arguments.slotCount = entry.step->launch.scalars.size() + entry.step->launch.maps.size();
  arguments.step = first + static_cast<uint32_t>(step);
  return stream.launch(arguments);
}

} // namespace cupola::runtime
