//===- lib/Runtime/Executable.cpp - A package loaded onto a device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Executable.h"
#include "lib/Runtime/Bindings.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/PassingWeights.h"
#include "lib/Runtime/StepList.h"
#include "lib/Runtime/TensorMaps.h"
#include "lib/Runtime/Text.h"

namespace cupola::runtime {

Result<std::shared_ptr<const Executable>> Executable::create(std::shared_ptr<const format::PackageFile> file,
                                                             std::shared_ptr<Device> device) {
  std::shared_ptr<Executable> executable(new Executable(std::move(file), std::move(device)));
  CUPOLA_TRY(executable->choose());
  CUPOLA_TRY(executable->load());
  return std::shared_ptr<const Executable>(std::move(executable));
}

/// The one that runs best of those that the device has the code of or can make it; null: none runs there.
static const format::Variant *bestVariant(const format::Package &package, Device &device, bool compiled) {
  const format::Variant *chosen = nullptr;
  int best = -1;
  for (const format::Variant &variant : package.variants) {
    const int rank = device.rank(variant.target, variant.arch);
    if (rank > best && variant.multiprocessors <= device.properties().multiprocessors &&
        (!compiled || LoadedKernels::hasBinaries(device, variant) || device.compiles(variant.arch))) {
      best = rank;
      chosen = &variant;
    }
  }
  return chosen;
}

Status Executable::choose() {
  chosen = bestVariant(package(), *target, /*compiled=*/true);
  if (!chosen) // loading says what is missing
    chosen = bestVariant(package(), *target, /*compiled=*/false);
  if (chosen)
    return Status::ok();
  std::string built;
  for (const format::Variant &variant : package().variants)
    built += (built.empty() ? "" : ", ") + nameOf(variant);
  return Status::environment(
      "the package was built for " + (built.empty() ? "nothing" : built) + ", which " + target->properties().name +
      " " + target->properties().arch +
      (target->properties().multiprocessors == 0
           ? ""
           : " with " + std::to_string(target->properties().multiprocessors) + " multiprocessors") +
      " does not run");
}

Status Executable::load() {
  CUPOLA_ASSIGN(interface, parseInterface(package()));
  CUPOLA_ASSIGN(parsed, parseProgram(package(), program()));
  CUPOLA_TRY(loaded.load(*target, package(), *chosen));
  PassingWeights passing(*file, program(), *target); // outlives the stream, which waits for copies under way
  CUPOLA_ASSIGN(std::unique_ptr<Stream> stream, target->createStream(nullptr));
  CUPOLA_TRY(uploadWeights(*stream, passing));
  libraryCalls.prepare(*target, *chosen, weights);
  CUPOLA_ASSIGN(initPlan, bindInitPlan(package(), program(), parsed, libraryCalls.initNeeds(program())));
  return runInit(*stream, passing);
}

/// One blob. A device that reads host memory takes the weights where they lie.
Status Executable::uploadWeights(Stream &stream, const PassingWeights &passing) {
  weights.assign(package().weights.size(), 0);
  std::vector<bool> used(weights.size());
  for (size_t position = 0; position < format::bodyCount(program()); ++position)
    for (const format::Buffer &buffer : format::bodyAt(program(), position).buffers)
      if (buffer.kind == format::BufferKind::Weight)
        used[buffer.index] = !passing.has(buffer.index);
  format::Size end = 0;
  for (uint32_t i = 0; i < weights.size(); ++i) {
    if (!used[i])
      continue;
    const std::string_view value = file->weight(i);
    if (target->properties().hostMemory) {
      weights[i] = reinterpret_cast<DeviceAddress>(value.data());
      continue;
    }
    const format::Size start = end.alignedTo(format::kBufferAlignment);
    weights[i] = start.value().value_or(0);
    end = start + value.size();
  }
  if (target->properties().hostMemory)
    return Status::ok();
  resident = end.value().value_or(0);
  CUPOLA_TRY(weightMemory.allocate(*target, resident).within("weights"));
  for (uint32_t i = 0; i < weights.size(); ++i) {
    if (!used[i])
      continue;
    weights[i] += weightMemory.address();
    CUPOLA_TRY(stream.upload(weights[i], file->weight(i).data(), file->weight(i).size()));
  }
  return stream.synchronize();
}

Status Executable::runInit(Stream &stream, PassingWeights &passing) {
  CUPOLA_TRY(initMemory.allocate(*target, initPlan.arenaBytes).within("prepared weights"));
  resident += initPlan.arenaBytes + libraryCalls.residentBytes();
  if (program().init.empty())
    return Status::ok();
  FlagBlock flags;
  CUPOLA_TRY(flags.allocate(*target));
  Readback found;
  CUPOLA_TRY(found.allocate(*target));
  Bindings bindings;
  CUPOLA_TRY(
      bindings.allocate(*target, stream, initPlan.scalars.size(), format::mapCount(program().init), flags.address()));
  for (size_t i = 0; i < initPlan.scalars.size(); ++i)
    bindings.set(i, static_cast<uint64_t>(initPlan.scalars[i]));
  CUPOLA_TRY(passing.allocate(*target));
  const Status queued = queueInit(stream, passing, bindings, flags, found);
  CUPOLA_TRY(stream.synchronize()); // also behind an error: the memory of the above goes now
  CUPOLA_TRY(queued);
  if (const auto step = found.raisedBy())
    return flagError(package(), *step < program().init.size() ? &program().init[*step] : nullptr, *step);
  return Status::ok();
}

Status Executable::queueInit(Stream &stream, const PassingWeights &passing, Bindings &bindings, FlagBlock &flags,
                             Readback &found) const {
  std::vector<BufferValue> values(initPlan.buffers.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Placement &place = initPlan.buffers[i];
    const DeviceAddress base = place.root == format::BufferKind::Weight ? weights[place.index] : initAddress();
    values[i].address = base + place.offset;
    values[i].reference = values[i].address;
    values[i].bytes = place.bytes;
  }
  CUPOLA_TRY(encodeMaps(*target, initPlan.maps, values, bindings,
                        [&](uint32_t step) { return stepText(package(), program().init[step], step); }));
  CUPOLA_TRY(bindings.upload(stream));
  CUPOLA_TRY(flags.clear(stream));
  StepList steps;
  steps.build(program().init, 0, initPlan.sizes, initPlan.sizes, loaded, nullptr, bindings);
  for (size_t i = 0; i < steps.count(); ++i) {
    CUPOLA_TRY(passing.bring(stream, program().init[i], initPlan, values));
    steps.setBuffers(values);
    CUPOLA_TRY(steps.queue(stream, i, bindings.address()));
  }
  return found.fetch(stream, flags);
}

} // namespace cupola::runtime
