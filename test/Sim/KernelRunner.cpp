//===- test/Sim/KernelRunner.cpp - Runs one kernel text on a device of the runtime ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/KernelRunner.h"

#include "lib/Runtime/CUDA/DeviceHeaders.h"

#include <algorithm>
#include <cstdlib>

namespace cupola::test {

using namespace cupola::runtime;

std::string kernelHead(const std::string &name, int threads, int references, int slots, int maps) {
  std::string text =
      "#include \"device.cuh\"\nCUPOLA_KERNEL(" + std::to_string(threads) + ", 1) " + name + "(const u64 *bindings";
  for (int i = 0; i < references; ++i)
    text += ", u64 ref" + std::to_string(i);
  for (int i = 0; i < slots; ++i)
    text += ", u32 slot" + std::to_string(i);
  for (int i = 0; i < maps; ++i)
    text += ", u32 map" + std::to_string(i);
  return text + ", u32 step) {\n";
}

std::shared_ptr<Device> makeSimulator(const std::string &arch, uint64_t seed) {
  DeviceOptions options;
  options.arch = arch;
  options.seed = seed;
  const char *cache = std::getenv("CUPOLA_TEST_CACHE");
  options.cacheDir = cache ? cache : "none";
  Result<std::shared_ptr<Device>> device = createDevice("sim", options);
  if (device.failed()) {
    std::fprintf(stderr, "%s\n", device.status().message().c_str());
    std::abort();
  }
  return *device;
}

std::vector<format::Source> headerSources() {
  std::vector<format::Source> headers;
  for (const cuda::EmbeddedHeader &h : cuda::deviceHeaders())
    headers.push_back({std::string(h.name), std::string(h.text), 0, 0});
  return headers;
}

namespace {

/// Device memory that is given back at the end of the run.
struct DeviceBuffer {
  Device &device;
  DeviceAddress address = 0;
  uint64_t bytes;
  bool isOwner = true;
  DeviceBuffer(Device &device, uint64_t bytes) : device(device), bytes(bytes) {
    Result<DeviceAddress> result = device.allocate(bytes);
    address = result.isOk() ? *result : 0;
  }
  DeviceBuffer(Device &device, const DeviceBuffer &parent, const KernelBuffer &view)
      : device(device), address(parent.address + view.offset), bytes(view.bytes), isOwner(false) {}
  DeviceBuffer(const DeviceBuffer &) = delete;
  ~DeviceBuffer() {
    if (isOwner)
      device.free(address);
  }
};

format::Kernel describeKernel(const KernelRun &run) {
  format::Kernel kernel;
  kernel.name = run.kernel;
  kernel.threads = run.threads;
  kernel.sharedBytes = run.sharedBytes;
  kernel.cluster = run.cluster;
  kernel.programmatic = run.programmatic;
  kernel.cooperative = run.cooperative;
  for (const KernelBuffer &b : run.buffers)
    kernel.readWrite.push_back(b.mode);
  return kernel;
}

constexpr uint64_t kMapWords = format::kTensorMapBytes / 8;

/// The word of the bindings table where the maps begin.
uint64_t firstMapWord(const KernelRun &run) { return (1 + run.scalars.size() + kMapWords - 1) / kMapWords * kMapWords; }

/// Word 0, the scalars and the tensor maps.
Status makeBindings(Device &device, const KernelRun &run, DeviceAddress flags,
                    const std::vector<std::unique_ptr<DeviceBuffer>> &buffers, std::vector<uint64_t> &words) {
  words = {flags};
  words.insert(words.end(), run.scalars.begin(), run.scalars.end());
  if (!run.maps.empty())
    words.resize(firstMapWord(run) + run.maps.size() * kMapWords);
  for (size_t i = 0; i < run.maps.size(); ++i) {
    const KernelMap &map = run.maps[i];
    TensorMapValue value;
    value.address = buffers[map.buffer]->address + map.offset;
    value.dtype = map.dtype;
    value.rank = map.extents.size();
    std::copy(map.extents.begin(), map.extents.end(), value.extents.begin());
    std::copy(map.strides.begin(), map.strides.end(), value.strides.begin());
    std::copy(map.box.begin(), map.box.end(), value.box.begin());
    value.swizzle = map.swizzle;
    value.window = map.window;
    TensorMapBytes bytes;
    CUPOLA_TRY(device.encodeTensorMap(value, bytes));
    std::memcpy(&words[firstMapWord(run) + i * kMapWords], bytes.data(), bytes.size());
  }
  return {};
}

Status launchOnce(Stream &stream, Function &function, const KernelRun &run, DeviceAddress bindings,
                  const std::vector<std::unique_ptr<DeviceBuffer>> &buffers) {
  LaunchArguments arguments;
  std::vector<uint64_t> addresses, bytes;
  std::vector<uint32_t> slots;
  for (const auto &b : buffers) {
    addresses.push_back(b->address);
    bytes.push_back(b->bytes);
  }
  for (size_t i = 0; i < run.scalars.size(); ++i)
    slots.push_back(static_cast<uint32_t>(i + 1));
  for (size_t i = 0; i < run.maps.size(); ++i)
    slots.push_back(static_cast<uint32_t>(firstMapWord(run) + i * kMapWords));
  arguments.function = &function;
  arguments.grid = {run.grid, run.gridY, run.gridZ};
  arguments.bindings = bindings;
  arguments.references = addresses.data();
  arguments.addresses = addresses.data();
  arguments.bytes = bytes.data();
  arguments.referenceCount = addresses.size();
  arguments.slots = slots.data();
  arguments.slotCount = slots.size();
  CUPOLA_TRY(stream.launch(arguments));
  return stream.synchronize();
}

Status runOn(Device &device, const KernelRun &run, KernelOutcome &outcome) {
  const std::vector<format::Source> headers = headerSources();
  const format::Kernel kernel = describeKernel(run);
  ModuleImage image;
  image.name = run.kernel;
  image.arch = run.arch.empty() ? device.properties().arch : run.arch;
  image.bytes = run.text;
  image.kernels = {&kernel};
  image.headers = &headers;
  CUPOLA_ASSIGN(std::unique_ptr<Module> module, device.loadModule(image));
  CUPOLA_ASSIGN(std::unique_ptr<Stream> stream, device.createStream(nullptr));

  DeviceBuffer flags(device, 64);
  CUPOLA_TRY(stream->fill(flags.address, 0, 64));
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  for (const KernelBuffer &b : run.buffers) {
    buffers.push_back(b.parent < 0
                          ? std::make_unique<DeviceBuffer>(device, b.bytes)
                          : std::make_unique<DeviceBuffer>(device, *buffers[static_cast<size_t>(b.parent)], b));
    if (!b.data.empty())
      CUPOLA_TRY(stream->upload(buffers.back()->address, b.data.data(), b.bytes));
  }
  std::vector<uint64_t> words;
  CUPOLA_TRY(makeBindings(device, run, flags.address, buffers, words));
  DeviceBuffer table(device, 8 * words.size());
  CUPOLA_TRY(stream->upload(table.address, words.data(), table.bytes));
  CUPOLA_TRY(launchOnce(*stream, module->function(0), run, table.address, buffers));
  CUPOLA_TRY(stream->download(&outcome.flag, flags.address, 4));
  for (size_t i = 0; i < buffers.size() && run.downloads; ++i) {
    if (run.buffers[i].mode == "r")
      continue;
    outcome.buffers.emplace_back(run.buffers[i].bytes, '\0');
    CUPOLA_TRY(stream->download(outcome.buffers.back().data(), buffers[i]->address, run.buffers[i].bytes));
  }
  return stream->synchronize();
}

} // namespace

KernelOutcome runKernel(Device &device, const KernelRun &run) {
  KernelOutcome outcome;
  outcome.status = runOn(device, run, outcome);
  return outcome;
}

} // namespace cupola::test
