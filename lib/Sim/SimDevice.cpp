//===- lib/Sim/SimDevice.cpp - The simulator as a device of the runtime ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Device memory is host memory and streams do their work at once. All checks are always on: what one kernel is seen to
// write decides what the next may read, so that they cannot be left out for some.
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Format/GpuArch.h"
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Runtime/TensorMapRules.h"
#include "lib/Sim/Compile.h"
#include "lib/Sim/Launch.h"
#include "lib/Sim/TensorMap.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace cupola::sim {

namespace {

using namespace cupola::runtime;

constexpr int kFirstWithTensorMaps = 90;

/// What all streams and modules of a device share.
struct SimState {
  explicit SimState(const DeviceOptions &options)
      : options(options), cache(options.cacheDir, options.warn), compiler(cache) {}
  DeviceOptions options;
  GpuArchitecture architecture;
  ByteCache cache;
  KernelCompiler compiler;
  Memory memory;
  std::map<std::string, TrafficCounts> counts; ///< by kernel
  std::mutex mutex;                            ///< of memory, counts and compiler
};

class SimFunction : public Function {
public:
  KernelEntry entry;
  uint32_t threads = 0;
  uint64_t sharedBytes = 0;
  uint32_t cluster = 0;
  bool programmatic = false;
  bool cooperative = false;
  std::vector<bool> writable; ///< per buffer parameter
};

class SimModule : public Module {
public:
  Function &function(size_t index) override { return functions[index]; }
  std::unique_ptr<LoadedModule> code;
  std::vector<SimFunction> functions;
};

/// The arguments as the kernel takes them: an array of pointers to them.
struct ArgumentList {
  explicit ArgumentList(const LaunchArguments &a)
      : bindings(a.bindings), references(a.references, a.references + a.referenceCount),
        slots(a.slots, a.slots + a.slotCount), step(a.step) {
    pointers.push_back(&bindings);
    for (uint64_t &r : references)
      pointers.push_back(&r);
    for (uint32_t &s : slots)
      pointers.push_back(&s);
    pointers.push_back(&step);
  }
  ArgumentList(const ArgumentList &) = delete;
  uint64_t bindings;
  std::vector<uint64_t> references;
  std::vector<uint32_t> slots;
  uint32_t step;
  std::vector<void *> pointers;
};

class SimStream : public Stream {
public:
  explicit SimStream(SimState &state) : state(state) {}

  Status upload(DeviceAddress target, const void *source, uint64_t bytes) override {
    std::lock_guard<std::mutex> lock(state.mutex);
    CUPOLA_TRY(checkRange("upload", target, bytes));
    std::memcpy(reinterpret_cast<void *>(target), source, bytes);
    state.memory.markWritten(target, bytes);
    return {};
  }

  Status download(void *target, DeviceAddress source, uint64_t bytes) override {
    std::lock_guard<std::mutex> lock(state.mutex);
    CUPOLA_TRY(checkRange("download", source, bytes));
    const int64_t hole = state.memory.firstUnwritten(source, bytes);
    if (hole >= 0)
      return Status::finding("simulator: download of " + std::to_string(bytes) + " bytes: byte " +
                             std::to_string(hole) + " was never written");
    std::memcpy(target, reinterpret_cast<const void *>(source), bytes);
    return {};
  }

  Status copy(DeviceAddress target, DeviceAddress source, uint64_t bytes) override {
    std::lock_guard<std::mutex> lock(state.mutex);
    CUPOLA_TRY(checkRange("copy", source, bytes));
    CUPOLA_TRY(checkRange("copy", target, bytes));
    state.memory.copy(target, source, bytes);
    return {};
  }

  Status fill(DeviceAddress target, uint8_t value, uint64_t bytes) override {
    std::lock_guard<std::mutex> lock(state.mutex);
    CUPOLA_TRY(checkRange("fill", target, bytes));
    std::memset(reinterpret_cast<void *>(target), value, bytes);
    state.memory.markWritten(target, bytes);
    return {};
  }

  Status discard(DeviceAddress address, uint64_t bytes) override {
    std::lock_guard<std::mutex> lock(state.mutex);
    CUPOLA_TRY(checkRange("discard", address, bytes));
    state.memory.markDead(address, bytes);
    return {};
  }

  Status launch(const LaunchArguments &arguments) override;
  Status synchronize() override {
    std::lock_guard<std::mutex> lock(state.mutex);
    state.memory.settle();
    return {};
  }

private:
  Status checkRange(const char *what, uint64_t address, uint64_t bytes) {
    const Allocation *a = bytes ? state.memory.find(address) : nullptr;
    if (!a || bytes <= a->bytes - (address - a->base))
      return {};
    return Status::finding(std::string("simulator: ") + what + " of " + std::to_string(bytes) + " bytes at offset " +
                           std::to_string(address - a->base) + " of an allocation of " + std::to_string(a->bytes));
  }

  SimState &state;
};

Status SimStream::launch(const LaunchArguments &arguments) {
  std::lock_guard<std::mutex> lock(state.mutex);
  const auto &function = static_cast<const SimFunction &>(*arguments.function);
  const Grid &grid = arguments.grid;
  if (grid.isEmpty())
    return {};
  if (grid.x > 0x7fffffff || grid.y > 0xffff || grid.z > 0xffff)
    return Status::limit("a grid of " + grid.text() + " blocks; at most 2147483647 * 65535 * 65535 are possible");
  const size_t passed = 2 + arguments.referenceCount + arguments.slotCount;
  if (passed != static_cast<size_t>(function.entry.parameters) || arguments.referenceCount != function.writable.size())
    return Status::usage("kernel " + function.entry.name + " takes " + std::to_string(function.entry.parameters) +
                         " arguments, " + std::to_string(function.writable.size()) + " of them buffers, and is given " +
                         std::to_string(passed) + " with " + std::to_string(arguments.referenceCount) + " buffers");
  ArgumentList list(arguments);
  LaunchRequest request;
  request.kernel = &function.entry;
  request.grid = static_cast<uint32_t>(grid.x);
  request.gridY = static_cast<uint32_t>(grid.y);
  request.gridZ = static_cast<uint32_t>(grid.z);
  request.cluster = function.cluster;
  request.programmatic = function.programmatic;
  request.cooperative = function.cooperative;
  request.threads = function.threads;
  request.sharedBytes = function.sharedBytes;
  request.arguments = list.pointers;
  for (size_t i = 0; i < arguments.referenceCount; ++i)
    request.buffers.push_back({arguments.addresses[i], arguments.bytes[i], function.writable[i],
                               (arguments.references[i] & format::kReferenceBit) == 0});
  request.bindings = arguments.bindings;
  if (const Allocation *a = state.memory.find(arguments.bindings))
    request.bindingsBytes = a->bytes - (arguments.bindings - a->base);
  request.seed = state.options.seed;
  return runLaunch(request, state.memory, state.counts[function.entry.name]);
}

class SimDevice : public Device {
public:
  SimDevice(const DeviceOptions &options, const GpuArchitecture &architecture) : state(options) {
    state.architecture = architecture;
    deviceProperties.name = "sim";
    deviceProperties.arch = architecture.name;
    deviceProperties.description = "simulated " + std::string(architecture.name);
    deviceProperties.totalBytes = format::totalMemory();
    deviceProperties.sharedBytes = architecture.sharedBytes;
    deviceProperties.multiprocessors = static_cast<uint32_t>(architecture.multiprocessors);
    deviceProperties.hostMemory = true;
    deviceProperties.tracksContents = true;
  }

  const DeviceProperties &properties() const override { return deviceProperties; }

  int rank(std::string_view target, std::string_view arch) const override {
    const std::optional<GpuArch> source = GpuArch::parse(arch);
    return target == "cuda" && source ? rankSource(*source, *GpuArch::parse(state.architecture.name)) : -1;
  }

  bool accepts(ImageKind kind, std::string_view) const override { return kind == ImageKind::CudaSource; }

  Result<DeviceAddress> allocate(uint64_t bytes) override {
    std::lock_guard<std::mutex> lock(state.mutex);
    CUPOLA_TRY(format::checkMemory("out of memory: a buffer", bytes));
    if (const uintptr_t address = state.memory.allocate(bytes))
      return DeviceAddress(address);
    return Status::environment("out of memory: " + std::to_string(bytes) + " bytes wanted");
  }
  void free(DeviceAddress address) override {
    std::lock_guard<std::mutex> lock(state.mutex);
    state.memory.free(address);
  }
  Result<uint64_t> freeBytes() override { return format::availableMemory(); }

  Result<void *> allocateHost(uint64_t bytes) override {
    if (void *memory = std::malloc(bytes ? bytes : 1))
      return memory;
    return Status::environment("out of memory: " + std::to_string(bytes) + " bytes wanted");
  }
  void freeHost(void *memory) override { std::free(memory); }

  Result<std::unique_ptr<Stream>> createStream(void *native) override {
    if (native)
      return Status::usage("the simulator has no streams of others");
    return std::unique_ptr<Stream>(std::make_unique<SimStream>(state));
  }

  Result<std::unique_ptr<Module>> loadModule(const ModuleImage &image) override;
  Result<std::string> sourceCompiler() override { return std::string("sim"); }

  Status encodeTensorMap(const TensorMapValue &value, TensorMapBytes &map) override;

  std::vector<KernelStatistics> statistics() const override;
  void resetStatistics() override {
    std::lock_guard<std::mutex> lock(state.mutex);
    state.counts.clear();
  }
  /// Every source that the cache does not have is compiled.
  CompileCounters compileCounters() const override { return {state.cache.misses(), state.cache.hits()}; }

private:
  mutable SimState state;
  DeviceProperties deviceProperties;
};

Result<std::unique_ptr<Module>> SimDevice::loadModule(const ModuleImage &image) {
  std::lock_guard<std::mutex> lock(state.mutex);
  if (image.kind != ImageKind::CudaSource || !image.headers)
    return Status::usage("the simulator runs CUDA source together with its headers");
  KernelText source;
  source.text = image.bytes;
  source.arch = state.architecture.number;
  for (const format::Source &header : *image.headers)
    source.headers.emplace_back(header.name, header.text);
  for (const format::Kernel *kernel : image.kernels) {
    if (kernel->sharedBytes > static_cast<uint64_t>(state.architecture.sharedBytes))
      return Status::environment("kernel " + kernel->name + " needs " + std::to_string(kernel->sharedBytes) +
                                 " bytes of shared memory; " + deviceProperties.arch + " has " +
                                 std::to_string(state.architecture.sharedBytes));
    source.kernels.push_back(kernel->name);
  }
  Result<std::string> code = state.compiler.compile(source);
  if (code.failed())
    return code.status().within(image.name);
  CUPOLA_ASSIGN(std::unique_ptr<LoadedModule> loaded, LoadedModule::load(*code));
  auto module = std::make_unique<SimModule>();
  module->code = std::move(loaded);
  for (const format::Kernel *kernel : image.kernels) {
    CUPOLA_ASSIGN(KernelEntry entry, module->code->find(kernel->name));
    SimFunction function;
    function.entry = entry;
    function.threads = kernel->threads;
    function.sharedBytes = kernel->sharedBytes;
    function.cluster = kernel->cluster;
    function.programmatic = kernel->programmatic;
    function.cooperative = kernel->cooperative;
    for (const std::string &mode : kernel->readWrite)
      function.writable.push_back(mode != "r");
    module->functions.push_back(std::move(function));
  }
  return std::unique_ptr<Module>(std::move(module));
}

Status SimDevice::encodeTensorMap(const TensorMapValue &value, TensorMapBytes &map) {
  if (state.architecture.number < kFirstWithTensorMaps)
    return Status::unsupported(deviceProperties.arch + " has no tensor maps, GPUs have them from sm_90 on");
  CUPOLA_TRY(checkTensorMap(value));
  TensorMap made = {};
  made.address = value.address;
  made.elementBytes = format::byteSize(value.dtype);
  made.rank = static_cast<uint32_t>(value.rank);
  made.swizzle = value.swizzle;
  made.magic = kTensorMapMagic;
  for (size_t d = 0; d < value.rank; ++d) {
    if (value.extents[d] > UINT32_MAX)
      return Status::limit("a tensor map has an extent of " + std::to_string(value.extents[d]));
    made.extents[d] = static_cast<uint32_t>(value.extents[d]);
    made.box[d] = value.box[d];
    if (d > 0)
      made.strides[d - 1] = value.strides[d - 1];
  }
  for (size_t d = 0; d < value.window.steps.size(); ++d) {
    made.lower[d] = static_cast<int32_t>(value.window.lower[d]);
    made.upper[d] = static_cast<int32_t>(value.window.upper[d]);
    made.steps[d] = static_cast<uint8_t>(value.window.steps[d]);
  }
  std::memcpy(map.data(), &made, sizeof(made));
  return {};
}

std::vector<KernelStatistics> SimDevice::statistics() const {
  std::lock_guard<std::mutex> lock(state.mutex);
  std::vector<KernelStatistics> all;
  for (const auto &[name, c] : state.counts) {
    KernelStatistics s;
    s.name = name;
    s.launches = c.launches;
    s.blocks = c.blocks;
    s.bytesRead = c.bytesRead;
    s.bytesWritten = c.bytesWritten;
    s.requests = c.requests;
    s.sectors = c.sectors;
    s.distinctSectors = c.distinctSectors;
    s.sharedRequests = c.sharedRequests;
    s.bankConflicts = c.bankConflicts;
    s.barriers = c.barriers;
    all.push_back(std::move(s));
  }
  return all;
}

Status createSimDevice(const DeviceOptions &options, std::unique_ptr<Device> &device) {
  const std::string wanted = options.arch.empty() ? "sm_80" : options.arch;
  const GpuArchitecture *architecture = findGpu(wanted);
  if (!architecture)
    return Status::usage("the simulator has no architecture '" + wanted + "'; it has " +
                         architectureNames(kGpuArchitectures));
  device = std::make_unique<SimDevice>(options, *architecture);
  return {};
}

const DevicePlugin plugin = {kPluginAbi, "sim", createSimDevice};

} // namespace
} // namespace cupola::sim

extern "C" const cupola::runtime::DevicePlugin *cupola_device_plugin() { return &cupola::sim::plugin; }
