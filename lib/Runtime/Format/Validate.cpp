//===- lib/Runtime/Format/Validate.cpp - The rules that every package keeps ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Validate.h"
#include "lib/Runtime/Format/Checked.h"

#include <algorithm>

namespace cupola::format {

namespace {

constexpr uint64_t kMaxKernelMemory = uint64_t(1) << 32;

Status bad(const std::string &what) { return Status::package("the manifest is inconsistent: " + what); }

std::string item(const char *kind, size_t index) { return std::string(kind) + " " + std::to_string(index); }

Status checkRange(const std::string &what, uint64_t offset, uint64_t bytes, uint64_t section) {
  if (fits(offset, bytes, section))
    return Status::ok();
  return bad(what + " lies at " + std::to_string(offset) + " with " + std::to_string(bytes) +
             " bytes, its section has " + std::to_string(section));
}

Status checkIndices(const std::string &what, const std::vector<uint32_t> &indices, size_t count) {
  for (uint32_t index : indices)
    if (index >= count)
      return bad(what + " refers to " + std::to_string(index) + " of " + std::to_string(count));
  return Status::ok();
}

Status checkWeight(const Weight &weight, const std::string &what, uint64_t section) {
  if (!isValid(weight.dtype))
    return bad(what + " has no known element type");
  Size bytes = byteSize(weight.dtype);
  for (int64_t dim : weight.dims) {
    if (dim < 0)
      return bad(what + " has a negative extent");
    bytes = bytes * Size(static_cast<uint64_t>(dim));
  }
  if (bytes.value() != weight.bytes)
    return bad(what + " has " + std::to_string(weight.bytes) + " bytes, which its shape does not give");
  if (weight.offset % kBufferAlignment != 0)
    return bad(what + " is not aligned");
  return checkRange(what, weight.offset, weight.bytes, section);
}

Status checkTensors(const std::vector<Tensor> &tensors, const char *kind) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!isValid(tensors[i].dtype))
      return bad(item(kind, i) + " has no known element type");
  return Status::ok();
}

/// Outputs in the memory of inputs, each of its own.
Status checkShared(const Package &package) {
  std::vector<bool> taken(package.inputs.size());
  for (size_t i = 0; i < package.outputs.size(); ++i) {
    const Tensor &output = package.outputs[i];
    const std::string what = item("output", i);
    if ((output.memoryOf == 0) != output.storage.empty())
      return bad(what + " has storage and no input that it shares it with, or the reverse");
    if (output.memoryOf == 0)
      continue;
    CUPOLA_TRY(checkIndices(what, {output.memoryOf - 1}, package.inputs.size()));
    const Tensor &input = package.inputs[output.memoryOf - 1];
    if (taken[output.memoryOf - 1] || input.storage != output.storage || input.dtype != output.dtype ||
        input.storage.size() != input.dims.size() || output.storage.size() != output.dims.size())
      return bad(what + " does not fit the memory of " + item("input", output.memoryOf - 1));
    taken[output.memoryOf - 1] = true;
  }
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i] && !package.inputs[i].storage.empty())
      return bad(item("input", i) + " has storage that no output shares");
  return Status::ok();
}

/// The rules of one variant's program.
class ProgramRules {
public:
  ProgramRules(const Package &package, const Variant &variant)
      : package(package), program(variant.program), variant(variant) {}

  Status check() const {
    for (size_t i = 0; i < program.buffers.size(); ++i)
      CUPOLA_TRY(checkBuffer(i));
    for (size_t i = 0; i < program.kernels.size(); ++i)
      CUPOLA_TRY(checkKernel(program.kernels[i], item("kernel", i)));
    for (size_t i = 0; i < program.init.size(); ++i)
      CUPOLA_TRY(checkStep(program.init[i], item("init step", i)));
    for (size_t i = 0; i < program.steps.size(); ++i)
      CUPOLA_TRY(checkStep(program.steps[i], item("step", i)));
    return Status::ok();
  }

private:
  Status checkBuffer(size_t index) const {
    const Buffer &buffer = program.buffers[index];
    const std::string what = item("buffer", index);
    switch (buffer.kind) {
    case BufferKind::Arena:
      if (buffer.first > buffer.last || buffer.last >= program.steps.size())
        return bad(what + " is alive in steps " + std::to_string(buffer.first) + " to " + std::to_string(buffer.last) +
                   " of " + std::to_string(program.steps.size()));
      return Status::ok();
    case BufferKind::Weight:
      return checkIndices(what, {buffer.index}, package.weights.size());
    case BufferKind::Input:
      return checkIndices(what, {buffer.index}, package.inputs.size());
    case BufferKind::Output:
      return checkIndices(what, {buffer.index}, package.outputs.size());
    case BufferKind::View: // of an earlier buffer, so that views have a root
      return checkIndices(what, {buffer.index}, index);
    case BufferKind::Init:
      return Status::ok();
    }
    return bad(what + " has no known kind");
  }

  Status checkKernel(const Kernel &kernel, const std::string &what) const {
    const std::string &name = kernel.name;
    const bool isHash = name.size() == 18 && name.compare(0, 2, "k_") == 0 &&
                        name.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
    if (!isHash)
      return bad(what + " has a name that is no structural hash");
    if (kernel.threads == 0 || kernel.threads > 1024 || kernel.grain == 0)
      return bad(what + " has " + std::to_string(kernel.threads) + " threads and grain " +
                 std::to_string(kernel.grain));
    if (kernel.sharedBytes > kMaxKernelMemory || kernel.scratchBytes > kMaxKernelMemory)
      return bad(what + " wants more than " + std::to_string(kMaxKernelMemory) + " bytes of its own");
    if (variant.target == "cuda" && kernel.source >= variant.sources.size())
      return bad(what + " names no source");
    for (const std::string &access : kernel.readWrite)
      if (access != "r" && access != "w" && access != "rw")
        return bad(what + " has an unknown kind of access");
    return Status::ok();
  }

  Status checkStep(const Step &step, const std::string &what) const {
    CUPOLA_TRY(checkIndices(what, step.nodes, package.nodes.size()));
    const size_t buffers = program.buffers.size();
    if (step.kind == Step::CopyStep)
      return checkIndices(what, {step.copy.source, step.copy.target}, buffers);
    if (step.kind != Step::LaunchStep)
      return bad(what + " has no known kind");
    const Launch &launch = step.launch;
    CUPOLA_TRY(checkIndices(what, {launch.kernel}, program.kernels.size()));
    CUPOLA_TRY(checkIndices(what, launch.buffers, buffers));
    CUPOLA_TRY(checkIndices(what, launch.scalars, program.scalars.size()));
    const size_t expected = program.kernels[launch.kernel].readWrite.size();
    if (launch.buffers.size() != expected)
      return bad(what + " passes " + std::to_string(launch.buffers.size()) + " buffers to a kernel of " +
                 std::to_string(expected));
    return launch.call ? checkCall(launch, what) : Status::ok();
  }

  /// A call reads a weight and what the kernel reads, and writes what the kernel writes.
  Status checkCall(const Launch &launch, const std::string &what) const {
    const LibraryCall &call = launch.call;
    if (variant.target != "cpu")
      return bad(what + " has a library call, which " + variant.target + " does not know");
    CUPOLA_TRY(checkLibraryCall(call).within(what));
    CUPOLA_TRY(checkIndices(what, call.buffers, program.buffers.size()));
    const Buffer &weights = program.buffers[call.buffers[1]];
    if (weights.kind != BufferKind::Weight || package.weights[weights.index].dtype != DType::F32 ||
        package.weights[weights.index].bytes != bufferBytes(call)[1])
      return bad(what + " calls a library with weights that are none of its shape");
    for (size_t i = 0; i < call.buffers.size(); ++i)
      if (i != 1 && !touches(launch, call.buffers[i], /*writes=*/i + 1 == call.buffers.size()))
        return bad(what + " calls a library with buffer " + std::to_string(call.buffers[i]) +
                   ", which its kernel does not use so");
    return Status::ok();
  }

  bool touches(const Launch &launch, uint32_t buffer, bool writes) const {
    const std::vector<std::string> &access = program.kernels[launch.kernel].readWrite;
    for (size_t i = 0; i < launch.buffers.size(); ++i)
      if (launch.buffers[i] == buffer && (access[i] == "w") == writes)
        return true;
    return false;
  }

  const Package &package;
  const Program &program;
  const Variant &variant;
};

Status checkVariant(const Package &package, const Variant &variant, const SectionSizes &sizes) {
  if (variant.target != "cuda" && variant.target != "cpu")
    return bad("no known target");
  for (size_t i = 0; i < variant.sources.size(); ++i)
    CUPOLA_TRY(checkRange(item("source", i), variant.sources[i].offset, variant.sources[i].bytes, sizes.sources));
  for (size_t i = 0; i < variant.binaries.size(); ++i) {
    const Binary &binary = variant.binaries[i];
    CUPOLA_TRY(checkRange(item("binary", i), binary.offset, binary.bytes, sizes.binaries));
    CUPOLA_TRY(checkIndices(item("binary", i), binary.kernels, variant.program.kernels.size()));
  }
  return ProgramRules(package, variant).check();
}

} // namespace

Status validatePackage(const Package &package, const SectionSizes &sizes) {
  CUPOLA_TRY(checkTensors(package.inputs, "input"));
  CUPOLA_TRY(checkTensors(package.outputs, "output"));
  CUPOLA_TRY(checkShared(package));
  for (size_t i = 0; i < package.weights.size(); ++i)
    CUPOLA_TRY(checkWeight(package.weights[i], item("weight", i), sizes.weights));
  for (size_t i = 0; i < package.headers.size(); ++i)
    CUPOLA_TRY(checkRange(item("header", i), package.headers[i].offset, package.headers[i].bytes, sizes.sources));
  for (const Variant &variant : package.variants)
    CUPOLA_TRY(checkVariant(package, variant, sizes).within("variant " + variant.target + " " + variant.arch));
  return Status::ok();
}

} // namespace cupola::format
