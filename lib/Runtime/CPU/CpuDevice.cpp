//===- lib/Runtime/CPU/CpuDevice.cpp - The processor as a device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/CpuDevice.h"
#include "lib/Runtime/CPU/CpuFeatures.h"
#include "lib/Runtime/CPU/HostMemory.h"
#include "lib/Runtime/CPU/ObjectImage.h"
#include "lib/Runtime/CPU/OneDnnCall.h"
#include "lib/Runtime/CPU/ThreadPool.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/Format/LibraryCosts.h"
#include "lib/Runtime/Format/MachineMemory.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

namespace cupola::runtime {

namespace {

template <typename T> T *pointer(DeviceAddress address) { return reinterpret_cast<T *>(address); }

/// A launch with memory of its own for every thread: thread i has [scratch + i * stride, + stride).
struct CpuLaunch {
  const LaunchArguments &arguments;
  ThreadPool &pool;
  char *scratch;
  uint64_t stride;
};

class CpuFunction : public Function {
public:
  virtual Status run(const CpuLaunch &launch) = 0;
  std::string name;
  uint64_t scratchBytes = 0;
  KernelStatistics *counted = nullptr; ///< the device's of this name; null before the first launch
};

class KernelFunction : public CpuFunction {
public:
  Status run(const CpuLaunch &launch) override;
  CpuKernel entry = nullptr;
  uint32_t grain = 1;

private:
  std::vector<uint64_t> words; ///< of the launch, kept to allocate nothing
};

class CallFunction : public CpuFunction {
public:
  explicit CallFunction(std::unique_ptr<onednn::OneDnnCall> made) : call(std::move(made)) {
    name = call->name();
    scratchBytes = call->scratchBytes();
  }
  Status run(const CpuLaunch &launch) override {
    return call->run(launch.pool, launch.arguments.addresses, launch.scratch, launch.stride);
  }
  std::string library() const override { return name; }
  uint64_t residentBytes() const override { return call->weightBytes(); }

private:
  std::unique_ptr<onednn::OneDnnCall> call;
};

class CpuModule : public Module {
public:
  Function &function(size_t index) override { return functions[index]; }
  std::unique_ptr<ObjectImage> object;
  std::vector<KernelFunction> functions;
};

class CpuDevice : public Device {
public:
  explicit CpuDevice(const DeviceOptions &options, int level);

  const DeviceProperties &properties() const override { return facts; }
  int rank(std::string_view target, std::string_view arch) const override;
  bool accepts(ImageKind kind, std::string_view arch) const override;
  Result<DeviceAddress> allocate(uint64_t bytes) override;
  void free(DeviceAddress address) override { std::free(pointer<void>(address)); }
  Result<uint64_t> freeBytes() override { return format::availableMemory(); }
  Result<void *> allocateHost(uint64_t bytes) override;
  void freeHost(void *memory) override { std::free(memory); }
  Result<std::unique_ptr<Stream>> createStream(void *native) override;
  Result<std::unique_ptr<Module>> loadModule(const ModuleImage &image) override;
  Result<std::unique_ptr<Function>> prepareCall(const format::LibraryCall &call, std::string_view arch,
                                                const void *weights) override;
  std::vector<KernelStatistics> statistics() const override;
  void resetStatistics() override;

  Status launch(const LaunchArguments &arguments);
  void inParts(uint64_t count, uint64_t least, const std::function<void(uint64_t, uint64_t)> &body);

private:
  void *scratch(uint64_t bytes);
  void count(CpuFunction &function, uint64_t iterations);

  const int level;
  DeviceProperties facts;
  ThreadPool pool;
  std::mutex launching; ///< one at a time: launches share what follows
  std::unique_ptr<char, decltype(&std::free)> scratchMemory{nullptr, std::free};
  uint64_t scratchCapacity = 0;
  std::mutex opening;
  std::optional<Result<std::shared_ptr<const onednn::OneDnn>>> library; ///< none before the first call
  mutable std::mutex counting;
  std::map<std::string, KernelStatistics> counts;
};

class CpuStream : public Stream {
public:
  explicit CpuStream(CpuDevice &device) : device(device) {}

  Status upload(DeviceAddress target, const void *source, uint64_t bytes) override {
    if (bytes)
      std::memcpy(pointer<void>(target), source, bytes);
    return Status::ok();
  }
  Status download(void *target, DeviceAddress source, uint64_t bytes) override {
    if (bytes)
      std::memcpy(target, pointer<void>(source), bytes);
    return Status::ok();
  }
  Status copy(DeviceAddress target, DeviceAddress source, uint64_t bytes) override {
    if (bytes)
      std::memmove(pointer<void>(target), pointer<void>(source), bytes);
    return Status::ok();
  }
  Status fill(DeviceAddress target, uint8_t value, uint64_t bytes) override {
    if (bytes)
      std::memset(pointer<void>(target), value, bytes);
    return Status::ok();
  }
  Status launch(const LaunchArguments &arguments) override { return device.launch(arguments); }
  Status synchronize() override { return Status::ok(); }
  void inParts(uint64_t count, uint64_t least, const std::function<void(uint64_t, uint64_t)> &body) override {
    device.inParts(count, least, body);
  }

private:
  CpuDevice &device;
};

CpuDevice::CpuDevice(const DeviceOptions &options, int level) : level(level), pool(options.threads) {
  facts.name = "cpu";
  facts.arch = "x86-64-v" + std::to_string(level);
  facts.threads = pool.threads();
  facts.description = std::to_string(pool.threads()) + (pool.threads() == 1 ? " thread" : " threads");
  facts.totalBytes = format::totalMemory();
  facts.hostMemory = true;
  facts.tensorAlignment = 1; // vectors are read from anywhere
}

int CpuDevice::rank(std::string_view target, std::string_view arch) const {
  const int wanted = levelOf(arch);
  return target == "cpu" && wanted > 0 && wanted <= level ? wanted : -1;
}

bool CpuDevice::accepts(ImageKind kind, std::string_view arch) const {
  return kind == ImageKind::CpuObject && rank("cpu", arch) >= 0;
}

Result<DeviceAddress> CpuDevice::allocate(uint64_t bytes) {
  CUPOLA_TRY(format::checkMemory("out of memory: a buffer", bytes));
  CUPOLA_ASSIGN(void *memory, allocateHost(bytes));
  return reinterpret_cast<DeviceAddress>(memory);
}

Result<void *> CpuDevice::allocateHost(uint64_t bytes) {
  void *memory = allocateHostMemory(bytes);
  if (!memory)
    return Status::environment("out of memory: " + std::to_string(bytes) + " bytes wanted");
  return memory;
}

Result<std::unique_ptr<Stream>> CpuDevice::createStream(void *native) {
  if (native)
    return Status::usage("the cpu device has no streams of the caller");
  return std::unique_ptr<Stream>(std::make_unique<CpuStream>(*this));
}

Result<std::unique_ptr<Module>> CpuDevice::loadModule(const ModuleImage &image) {
  if (image.kind != ImageKind::CpuObject)
    return Status::usage("the cpu device runs object images only");
  auto module = std::make_unique<CpuModule>();
  CUPOLA_ASSIGN(module->object, ObjectImage::load(image.bytes, image.name));
  if (void *extensions = module->object->symbol(kCpuExtensionsSymbol))
    *static_cast<uint32_t *>(extensions) = hostExtensions();
  for (const format::Kernel *kernel : image.kernels) {
    KernelFunction &function = module->functions.emplace_back();
    function.name = kernel->name;
    function.scratchBytes = kernel->scratchBytes;
    function.grain = kernel->grain;
    function.entry = reinterpret_cast<CpuKernel>(module->object->symbol(kernel->name));
    if (!function.entry)
      return Status::package(image.name + " has no kernel " + kernel->name);
  }
  return std::unique_ptr<Module>(std::move(module));
}

Result<std::unique_ptr<Function>> CpuDevice::prepareCall(const format::LibraryCall &call, std::string_view arch,
                                                         const void *weights) {
  const std::lock_guard<std::mutex> lock(opening);
  if (!library)
    library = onednn::OneDnn::load();
  if (library->failed())
    return library->status();
  const std::string refusal = format::cheaperByKernel(call, (**library)->version(), arch, pool.threads());
  if (!refusal.empty())
    return Status::unsupported(refusal);
  CUPOLA_ASSIGN(std::unique_ptr<onednn::OneDnnCall> made,
                onednn::OneDnnCall::create(**library, call, weights, pool.threads()));
  return std::unique_ptr<Function>(std::make_unique<CallFunction>(std::move(made)));
}

/// Room for `bytes` per thread; null if there is no memory. `launching` is held.
void *CpuDevice::scratch(uint64_t bytes) {
  const format::Size needed = format::Size(bytes) * format::Size(pool.threads());
  if (!needed.value())
    return nullptr;
  if (*needed.value() > scratchCapacity) {
    scratchMemory.reset();
    scratchCapacity = 0;
    Result<void *> memory = allocateHost(*needed.value());
    if (memory.failed())
      return nullptr;
    scratchMemory.reset(static_cast<char *>(*memory));
    scratchCapacity = *needed.value();
  }
  return scratchMemory.get();
}

void CpuDevice::count(CpuFunction &function, uint64_t iterations) {
  const std::lock_guard<std::mutex> lock(counting);
  if (!function.counted) {
    function.counted = &counts[function.name];
    function.counted->name = function.name;
  }
  function.counted->launches += 1;
  function.counted->blocks += iterations;
}

void CpuDevice::inParts(uint64_t count, uint64_t least, const std::function<void(uint64_t, uint64_t)> &body) {
  struct Call {
    const std::function<void(uint64_t, uint64_t)> &body;
  } call{body};
  pool.parallelFor(
      static_cast<int64_t>(count), static_cast<int64_t>(least),
      [](void *context, int64_t begin, int64_t end, unsigned) {
        static_cast<const Call *>(context)->body(static_cast<uint64_t>(begin), static_cast<uint64_t>(end));
      },
      &call);
}

Status CpuDevice::launch(const LaunchArguments &arguments) {
  auto &function = static_cast<CpuFunction &>(*arguments.function);
  if (arguments.grid.isEmpty())
    return Status::ok();
  if (arguments.grid.x > static_cast<uint64_t>(INT64_MAX))
    return Status::limit("a grid of " + arguments.grid.text() + " iterations");
  const std::lock_guard<std::mutex> lock(launching);
  CpuLaunch launch{arguments, pool, nullptr, (function.scratchBytes + 63) / 64 * 64};
  if (launch.stride != 0) {
    launch.scratch = static_cast<char *>(scratch(launch.stride));
    if (!launch.scratch)
      return Status::environment("out of memory for scratch of " + function.name);
  }
  CUPOLA_TRY(function.run(launch));
  count(function, arguments.grid.x);
  return Status::ok();
}

Status KernelFunction::run(const CpuLaunch &launch) {
  const LaunchArguments &arguments = launch.arguments;
  words.assign(arguments.addresses, arguments.addresses + arguments.referenceCount);
  words.insert(words.end(), arguments.slots, arguments.slots + arguments.slotCount);
  words.push_back(arguments.step);
  struct Call {
    CpuKernel entry;
    const uint64_t *bindings, *words;
    const CpuLaunch &launch;
  } call{entry, pointer<const uint64_t>(arguments.bindings), words.data(), launch};
  launch.pool.parallelFor(
      static_cast<int64_t>(arguments.grid.x), grain,
      [](void *context, int64_t begin, int64_t end, unsigned worker) {
        const Call &call = *static_cast<const Call *>(context);
        call.entry(call.bindings, call.words, begin, end, call.launch.scratch + worker * call.launch.stride);
      },
      &call);
  return Status::ok();
}

std::vector<KernelStatistics> CpuDevice::statistics() const {
  const std::lock_guard<std::mutex> lock(counting);
  std::vector<KernelStatistics> list;
  list.reserve(counts.size());
  for (const auto &[name, entry] : counts)
    if (entry.launches > 0)
      list.push_back(entry);
  return list;
}

void CpuDevice::resetStatistics() {
  const std::lock_guard<std::mutex> lock(counting);
  for (auto &[name, entry] : counts) { // functions know theirs
    entry = KernelStatistics();
    entry.name = name;
  }
}

} // namespace

Result<std::shared_ptr<Device>> createCpuDevice(const DeviceOptions &options) {
  int level = hostLevel();
  if (!options.arch.empty()) {
    const int wanted = levelOf(options.arch);
    if (wanted == 0)
      return Status::usage("the cpu device has no architecture '" + options.arch + "'; it knows x86-64-v2, v3 and v4");
    if (wanted > level)
      return Status::environment(options.arch + " was asked for, this processor is x86-64-v" + std::to_string(level));
    level = wanted;
  }
  return std::shared_ptr<Device>(std::make_shared<CpuDevice>(options, level));
}

} // namespace cupola::runtime
