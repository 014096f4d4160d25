//===- test/Runtime/CUDA/CudaDeviceTest.cpp - the cuda device on a fake driver: order, errors, every call failing ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/CudaDevice.h"
#include "lib/Runtime/CUDA/PinnedRing.h"
#include "test/Runtime/CUDA/FakeDriver.h"
#include "test/Runtime/CUDA/FakeNvrtc.h"
#include "test/Runtime/CUDA/Scratch.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

constexpr const char *kernelName = "k_0123456789abcdef";

/// (bindings, in, out, slot, step): out[i] = factor * in[i] for i < grid * threads, factor = bindings[slot].
/// A reference with bit 63 names a word of the bindings. Adds the step number to word 0 of the flags.
void scaleKernel(const CuLaunchConfig &config, void *const *parameters) {
  const auto *bindings = reinterpret_cast<const uint64_t *>(*static_cast<const uint64_t *>(parameters[0]));
  const auto resolve = [&](void *parameter) {
    const uint64_t reference = *static_cast<const uint64_t *>(parameter);
    const bool indirect = reference & format::kReferenceBit;
    return reinterpret_cast<float *>(indirect ? bindings[reference & 0xffffffff] : reference);
  };
  const float *in = resolve(parameters[1]);
  float *out = resolve(parameters[2]);
  const float factor = float(bindings[*static_cast<const uint32_t *>(parameters[3])]);
  for (unsigned i = 0; i < config.gridX * config.blockX; ++i)
    out[i] = factor * in[i];
  *reinterpret_cast<uint32_t *>(bindings[0]) += *static_cast<const uint32_t *>(parameters[4]);
}

format::Kernel scaleRecord() {
  format::Kernel kernel;
  kernel.name = kernelName;
  kernel.threads = 4;
  kernel.sharedBytes = 64 * 1024;
  return kernel;
}

std::unique_ptr<FakeDriver> makeFake() {
  auto fake = std::make_unique<FakeDriver>();
  fake->kernels[kernelName] = {scaleKernel, {8, 8, 8, 4, 4}};
  FakeNvrtc::call = FakeNvrtc::failAt = FakeNvrtc::programs = 0;
  return fake;
}

Result<std::shared_ptr<Device>> openDevice(DeviceOptions options = {}) {
  if (options.cacheDir.empty())
    options.cacheDir = "none";
  Result<std::shared_ptr<Driver>> driver = Driver::create(FakeDriver::table());
  if (driver.failed())
    return driver.status();
  Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::create(FakeNvrtc::table(), "fake");
  if (nvrtc.failed())
    return nvrtc.status();
  return CudaDevice::create(*driver, options, *nvrtc);
}

ModuleImage imageOf(const format::Kernel &kernel, ImageKind kind = ImageKind::CudaSource) {
  ModuleImage image;
  image.kind = kind;
  image.name = "m0.cu";
  image.arch = kind == ImageKind::CudaSource ? "sm_80" : "sm_86";
  image.bytes = kind == ImageKind::CudaSource ? "source" : "cube";
  image.kernels = {&kernel};
  return image;
}

/// Device memory that frees itself.
struct Memory {
  std::shared_ptr<Device> device;
  DeviceAddress address = 0;
  ~Memory() {
    if (device)
      device->free(address);
  }
  Status allocate(std::shared_ptr<Device> of, uint64_t bytes) {
    Result<DeviceAddress> result = of->allocate(bytes);
    if (result.failed())
      return result.status();
    device = of;
    address = *result;
    return {};
  }
};

struct Answer {
  std::vector<float> direct = std::vector<float>(8), replayed = std::vector<float>(8);
  uint32_t flags[16] = {};
  uint64_t workCalls = 0; ///< driver calls until the answer was there
};

/// Everything a program does to a device: memory, module, uploads, a direct run, a recording replayed twice, downloads.
/// 3 * in by launch, copied onto in; so the recording gives 9 * in, then 27 * in.
Status runProgram(const FakeDriver &fake, Answer &answer) {
  Result<std::shared_ptr<Device>> opened = openDevice();
  if (opened.failed())
    return opened.status();
  std::shared_ptr<Device> device = opened.take();
  Memory in, out, flags, bindings;
  for (Memory *memory : {&in, &out})
    CUPOLA_TRY(memory->allocate(device, 32));
  CUPOLA_TRY(flags.allocate(device, 64));
  CUPOLA_TRY(bindings.allocate(device, 32));
  Result<uint64_t> freeBytes = device->freeBytes();
  if (freeBytes.failed())
    return freeBytes.status();
  Result<void *> host = device->allocateHost(256);
  if (host.failed())
    return host.status();
  device->freeHost(*host);

  const format::Kernel kernel = scaleRecord();
  Result<std::unique_ptr<Module>> module = device->loadModule(imageOf(kernel));
  if (module.failed())
    return module.status();
  Result<std::unique_ptr<Stream>> created = device->createStream(nullptr);
  if (created.failed())
    return created.status();
  Stream &stream = **created;

  std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  CUPOLA_TRY(stream.upload(in.address, values.data(), 32));
  const uint64_t table[] = {flags.address, 3, in.address, out.address};
  CUPOLA_TRY(stream.upload(bindings.address, table, sizeof(table)));
  const uint64_t references[] = {in.address, format::kReferenceBit | 3};
  const uint32_t slot = 1;
  LaunchArguments arguments;
  arguments.function = &(*module)->function(0);
  arguments.grid = 2;
  arguments.bindings = bindings.address;
  arguments.references = references;
  arguments.referenceCount = 2;
  arguments.slots = &slot;
  arguments.slotCount = 1;
  arguments.step = 7;
  const auto queueSteps = [&]() -> Status {
    CUPOLA_TRY(stream.fill(flags.address, 0, 64));
    CUPOLA_TRY(stream.launch(arguments));
    return stream.copy(in.address, out.address, 32);
  };
  CUPOLA_TRY(queueSteps());
  CUPOLA_TRY(stream.download(answer.direct.data(), out.address, 32));
  CUPOLA_TRY(stream.synchronize());

  CUPOLA_TRY(stream.beginRecording());
  const Status recorded = queueSteps();
  Result<std::unique_ptr<Recording>> recording = stream.endRecording();
  CUPOLA_TRY(recorded);
  if (recording.failed())
    return recording.status();
  for (int i = 0; i < 2; ++i)
    CUPOLA_TRY(stream.replay(**recording));
  CUPOLA_TRY(stream.download(answer.replayed.data(), out.address, 32));
  CUPOLA_TRY(stream.download(answer.flags, flags.address, 64));
  CUPOLA_TRY(stream.synchronize());
  answer.workCalls = fake.calls;
  return {};
}

void expectClean(const FakeDriver &fake, const std::string &when) {
  EXPECT_EQ(fake.leaks(), "") << when;
  EXPECT_EQ(FakeNvrtc::programs, 0) << when;
  for (const std::string &violation : fake.violations)
    ADD_FAILURE() << when << ": " << violation;
}

void expectRight(const Answer &answer) {
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(answer.direct[size_t(i)], 3.0f * float(i + 1));
    EXPECT_EQ(answer.replayed[size_t(i)], 27.0f * float(i + 1));
  }
  EXPECT_EQ(answer.flags[0], 7u);
}

TEST(CudaDevice, RunsAProgram) {
  auto fake = makeFake();
  Answer answer;
  const Status status = runProgram(*fake, answer);
  ASSERT_TRUE(status.isOk()) << status.message();
  expectRight(answer);
  expectClean(*fake, "after the run");
}

TEST(CudaDevice, GivesBackInOrder) {
  auto fake = makeFake();
  Answer answer;
  ASSERT_TRUE(runProgram(*fake, answer).isOk());
  const auto last = [&](const char *call) {
    return std::find(fake->log.rbegin(), fake->log.rend(), call).base() - fake->log.begin();
  };
  EXPECT_EQ(fake->log.back(), "cuDevicePrimaryCtxRelease");
  EXPECT_LT(last("cuGraphExecDestroy"), last("cuStreamDestroy"));
  EXPECT_LT(last("cuStreamSynchronize"), last("cuStreamDestroy"));
  EXPECT_LT(last("cuStreamDestroy"), last("cuLibraryUnload"));
  EXPECT_LT(last("cuLibraryUnload"), last("cuMemFree"));
  EXPECT_LT(last("cuMemFree"), last("cuDevicePrimaryCtxRelease"));
  EXPECT_EQ(fake->count("cuMemAlloc"), fake->count("cuMemFree"));
  EXPECT_EQ(fake->count("cuCtxPushCurrent"), fake->count("cuCtxPopCurrent"));
}

/// Calls whose result nobody waits for: they give something back.
bool givesBack(const std::string &call) {
  for (const char *part : {"Free", "Destroy", "Unload", "Release", "PopCurrent"})
    if (call.find(part) != std::string::npos)
      return true;
  return false;
}

class EveryCallFails : public testing::TestWithParam<CuResult> {};

TEST_P(EveryCallFails, CleanlyAndTheNextAttemptWorks) {
  for (uint64_t failAt = 1;; ++failAt) {
    auto fake = makeFake();
    fake->failAt = failAt;
    fake->failCode = GetParam();
    Answer answer;
    const Status status = runProgram(*fake, answer);
    if (fake->calls < failAt) { // no call was left to fail
      EXPECT_TRUE(status.isOk()) << status.message();
      EXPECT_GT(failAt, 100u);
      return;
    }
    const std::string when = "call " + std::to_string(failAt) + ", " + fake->log[failAt - 1];
    SCOPED_TRACE(when);
    expectClean(*fake, when);
    if (status.failed()) {
      EXPECT_EQ(status.code(), Code::Environment);
      EXPECT_FALSE(status.message().empty());
    } else {
      // Nobody waits for the result of giving something back, nor of entering the context in order to.
      EXPECT_TRUE(failAt > answer.workCalls || givesBack(fake->log[failAt - 1]) || givesBack(fake->log[failAt]))
          << "the error went unseen";
      expectRight(answer);
    }
    fake->failAt = 0;
    fake->lost = cuSuccess;
    const Status again = runProgram(*fake, answer);
    EXPECT_TRUE(again.isOk()) << again.message();
    expectRight(answer);
    expectClean(*fake, when + ", then a second attempt");
  }
}

INSTANTIATE_TEST_SUITE_P(CudaDevice, EveryCallFails, testing::Values(1, cuOutOfMemory, cuIllegalAddress),
                         [](const testing::TestParamInfo<CuResult> &info) { return "code" + std::to_string(info.param); });

TEST(CudaDevice, EveryNvrtcCallFails) {
  for (int failAt = 1;; ++failAt) {
    auto fake = makeFake();
    FakeNvrtc::failAt = failAt;
    Answer answer;
    const Status status = runProgram(*fake, answer);
    expectClean(*fake, "NVRTC call " + std::to_string(failAt));
    if (FakeNvrtc::call < failAt) {
      EXPECT_TRUE(status.isOk());
      return;
    }
    EXPECT_EQ(status.code(), Code::Environment);
  }
}

//===--- Errors, each with its text ---===//

void expectError(const Status &status, Code code, const char *part) {
  EXPECT_EQ(status.code(), code);
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(CudaDevice, DriverTooOld) {
  auto fake = makeFake();
  fake->version = 11040;
  expectError(openDevice().status(), Code::Environment, "found CUDA 11.4, need CUDA 12.0 or newer");
  expectClean(*fake, "too old");
}

TEST(CudaDevice, DriverThatDoesNotStart) {
  const std::pair<CuResult, const char *> rows[] = {{cuStubLibrary, "stub"},
                                                    {cuNoDevice, "no CUDA device"},
                                                    {cuSystemDriverMismatch, "different versions"},
                                                    {cuUnknown, "does not start: CUDA_ERROR_FAKE"}};
  for (const auto &[code, text] : rows) {
    auto fake = makeFake();
    fake->failAt = 2; // cuInit
    fake->failCode = code;
    expectError(openDevice().status(), Code::Environment, text);
  }
}

TEST(CudaDevice, NoSuchDevice) {
  auto fake = makeFake();
  DeviceOptions options;
  options.ordinal = 2;
  expectError(openDevice(options).status(), Code::Usage, "no CUDA device 2: the driver finds 1");
  fake->devices = 0;
  expectError(openDevice().status(), Code::Environment, "finds 0 GPUs");
  expectClean(*fake, "no device");
}

TEST(CudaDevice, MissingDriverNamesThePath) {
  Result<std::shared_ptr<Driver>> driver = Driver::load();
  if (driver.isOk())
    GTEST_SKIP() << "this machine has a CUDA driver";
  expectError(driver.status(), Code::Environment, "libcuda.so.1");
}

TEST(CudaDevice, OutOfMemoryIsNotTheEnd) {
  auto fake = makeFake();
  fake->totalBytes = 4096;
  Result<std::shared_ptr<Device>> device = openDevice();
  ASSERT_TRUE(device.isOk());
  Result<DeviceAddress> first = (*device)->allocate(1024);
  ASSERT_TRUE(first.isOk());
  expectError((*device)->allocate(4000).status(), Code::Environment,
              "out of device memory: wanted 4000 bytes, free 3072 of 4096 bytes");
  expectError((*device)->allocateHost(4000).status(), Code::Environment, "page-locked host memory: wanted 4000 bytes");
  Result<DeviceAddress> second = (*device)->allocate(2048);
  EXPECT_TRUE(second.isOk());
  (*device)->free(*first);
  (*device)->free(*second);
  (*device)->free(0);
}

TEST(CudaDevice, ALostDeviceKeepsTheFirstCause) {
  auto fake = makeFake();
  {
    std::shared_ptr<Device> device = openDevice().take();
    std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
    fake->failAt = fake->calls + 2; // after the push
    fake->failCode = cuIllegalAddress;
    const Status first = stream->synchronize();
    expectError(first, Code::Environment, "waiting for the device failed: CUDA_ERROR_ILLEGAL_ADDRESS");
    const uint64_t callsBefore = fake->calls;
    for (const Status &later : {stream->synchronize(), stream->fill(0, 0, 16), device->allocate(64).status(),
                                device->createStream(nullptr).status(), device->freeBytes().status()})
      EXPECT_EQ(later.message(), first.message());
    EXPECT_EQ(fake->count("cuMemAlloc"), 0u) << "work was given to a lost device";
    EXPECT_LE(fake->calls - callsBefore, 2u * 5) << "more than entering and leaving";
  }
  expectClean(*fake, "after a lost device");
}

TEST(CudaDevice, AForkGetsAnErrorAndCallsNothing) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  const pid_t child = fork();
  if (child == 0) {
    const uint64_t before = fake->calls;
    const bool refused = device->allocate(64).status().message().find("cannot be used in its fork") != std::string::npos &&
                         stream->synchronize().failed();
    stream.reset();
    device.reset();
    _exit(refused && fake->calls == before ? 0 : 1);
  }
  int state = -1;
  waitpid(child, &state, 0);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

//===--- Modules ---===//

TEST(CudaDevice, RanksSourcesAndCubins) {
  auto fake = makeFake();
  fake->capability = 90;
  std::shared_ptr<Device> device = openDevice().take();
  EXPECT_EQ(device->properties().arch, "sm_90");
  EXPECT_GT(device->rank("cuda", "sm_90a"), device->rank("cuda", "sm_80"));
  EXPECT_GT(device->rank("cuda", "sm_80"), device->rank("cuda", "sm_75"));
  EXPECT_GE(device->rank("cuda", "sm_75"), 0);
  for (const char *arch : {"sm_100", "sm_80a", "x86-64-v3", ""})
    EXPECT_LT(device->rank("cuda", arch), 0) << arch;
  EXPECT_LT(device->rank("cpu", "sm_80"), 0);
  EXPECT_TRUE(device->accepts(ImageKind::Cubin, "sm_90a"));
  EXPECT_TRUE(device->accepts(ImageKind::Cubin, "sm_90"));
  EXPECT_FALSE(device->accepts(ImageKind::Cubin, "sm_80"));
  EXPECT_FALSE(device->accepts(ImageKind::CpuObject, "x86-64-v3"));
  EXPECT_TRUE(device->accepts(ImageKind::CudaSource, ""));
}

TEST(CudaDevice, CubinNeedsNoNvrtc) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  const int before = FakeNvrtc::call;
  const format::Kernel kernel = scaleRecord();
  EXPECT_TRUE(device->loadModule(imageOf(kernel, ImageKind::Cubin)).isOk());
  EXPECT_EQ(FakeNvrtc::call, before);
}

TEST(CudaDevice, CompiledOnceWithACache) {
  ScratchFolder folder;
  const format::Kernel kernel = scaleRecord();
  for (int run = 0; run < 2; ++run) {
    auto fake = makeFake();
    DeviceOptions options;
    options.cacheDir = folder.path();
    options.warn = failOnWarning;
    std::shared_ptr<Device> device = openDevice(options).take();
    const int before = FakeNvrtc::call;
    EXPECT_TRUE(device->loadModule(imageOf(kernel)).isOk());
    EXPECT_EQ(FakeNvrtc::call > before, run == 0);
  }
}

TEST(CudaDevice, RefusesWhatItCannotRun) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  const format::Kernel good = scaleRecord();
  format::Kernel kernel = good;
  kernel.sharedBytes = 101377;
  expectError(device->loadModule(imageOf(kernel)).status(), Code::Unsupported,
              "needs 101377 bytes of shared memory, this GPU has 101376");
  kernel = good;
  kernel.threads = 1025;
  expectError(device->loadModule(imageOf(kernel)).status(), Code::Package, "1025");
  kernel = good;
  kernel.name = "k_absent";
  expectError(device->loadModule(imageOf(kernel)).status(), Code::Environment, "finding kernel k_absent");
  ModuleImage image = imageOf(good, ImageKind::Cubin);
  image.arch = "sm_80";
  expectError(device->loadModule(image).status(), Code::Environment, "was built for sm_80, this GPU is sm_86");
  image = imageOf(good, ImageKind::Cubin);
  image.bytes = "no image";
  expectError(device->loadModule(image).status(), Code::Environment, "does not accept the image");
  device.reset();
  expectClean(*fake, "after refusals");
}

//===--- Streams ---===//

TEST(CudaStream, TheCallersMemoryIsFreeAfterASmallUpload) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  constexpr size_t count = 20; // more than the ring has slots
  Memory memory;
  ASSERT_TRUE(memory.allocate(device, count * 8).isOk());
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t value = 100 + i;
    ASSERT_TRUE(stream->upload(memory.address + 8 * i, &value, 8).isOk());
    value = 0;
  }
  EXPECT_EQ(fake->count("cuStreamSynchronize"), 0u);
  std::vector<uint64_t> back(count);
  ASSERT_TRUE(stream->download(back.data(), memory.address, count * 8).isOk());
  EXPECT_EQ(back[0], 0u) << "the fake runs work late";
  ASSERT_TRUE(stream->synchronize().isOk());
  for (uint64_t i = 0; i < count; ++i)
    EXPECT_EQ(back[i], 100 + i);
}

TEST(CudaStream, LargeUploadsGoStraight) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  const std::vector<char> bytes(PinnedRing::slotBytes + 1, 'x');
  Memory memory;
  ASSERT_TRUE(memory.allocate(device, bytes.size()).isOk());
  ASSERT_TRUE(stream->upload(memory.address, bytes.data(), bytes.size()).isOk());
  ASSERT_TRUE(stream->synchronize().isOk());
  EXPECT_EQ(fake->count("cuMemHostAlloc"), 0u);
  EXPECT_EQ(std::memcmp(reinterpret_cast<const char *>(memory.address), bytes.data(), bytes.size()), 0);
}

TEST(CudaStream, NothingIsNothing) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  const uint64_t before = fake->calls;
  LaunchArguments arguments;
  EXPECT_TRUE(stream->upload(0, nullptr, 0).isOk());
  EXPECT_TRUE(stream->download(nullptr, 0, 0).isOk());
  EXPECT_TRUE(stream->copy(0, 0, 0).isOk());
  EXPECT_TRUE(stream->fill(0, 1, 0).isOk());
  EXPECT_TRUE(stream->launch(arguments).isOk());
  EXPECT_EQ(*device->allocate(0), 0u);
  EXPECT_EQ(fake->calls, before);
}

TEST(CudaStream, RefusesAGridThatNoLaunchHas) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  const format::Kernel kernel = scaleRecord();
  std::unique_ptr<Module> module = device->loadModule(imageOf(kernel)).take();
  LaunchArguments arguments;
  arguments.function = &module->function(0);
  arguments.grid = uint64_t(1) << 31;
  expectError(stream->launch(arguments), Code::Limit, "wants 2147483648 blocks, a launch has at most 2147483647");
}

TEST(CudaStream, RecordingExcludesTransfers) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  auto memory = std::make_unique<Memory>();
  ASSERT_TRUE(memory->allocate(device, 64).isOk());
  EXPECT_TRUE(stream->canRecord());
  EXPECT_EQ(stream->endRecording().status().code(), Code::Usage);
  ASSERT_TRUE(stream->beginRecording().isOk());
  uint64_t word = 0;
  for (const Status &status : {stream->upload(memory->address, &word, 8), stream->download(&word, memory->address, 8),
                               stream->synchronize(), stream->beginRecording()})
    EXPECT_EQ(status.code(), Code::Usage);
  stream.reset(); // while it records
  memory.reset();
  device.reset();
  expectClean(*fake, "a stream destroyed while it records");
}

TEST(CudaStream, TheCallersStreamIsNotDestroyed) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  const DriverApi api = FakeDriver::table();
  CuContext popped = nullptr;
  CuContext current = reinterpret_cast<CuContext>(uintptr_t(0xC0));
  CuStream native = nullptr;
  ASSERT_EQ(api.ctxPushCurrent(current), cuSuccess);
  ASSERT_EQ(api.streamCreate(&native, 0), cuSuccess);
  device->createStream(native).take().reset();
  EXPECT_EQ(fake->count("cuStreamDestroy"), 0u);
  EXPECT_EQ(api.streamDestroy(native), cuSuccess);
  EXPECT_EQ(api.ctxPopCurrent(&popped), cuSuccess);
  device.reset();
  expectClean(*fake, "after the caller's stream");
}

TEST(CudaStream, CountsLaunchesAndReplays) {
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  const format::Kernel kernel = scaleRecord();
  std::unique_ptr<Module> module = device->loadModule(imageOf(kernel)).take();
  EXPECT_TRUE(device->statistics().empty());
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  Memory memory;
  ASSERT_TRUE(memory.allocate(device, 64).isOk());
  const uint64_t table[] = {memory.address, 1};
  ASSERT_TRUE(stream->upload(memory.address, table, sizeof(table)).isOk());
  const uint64_t references[] = {memory.address + 16, memory.address + 16};
  const uint32_t slot = 1;
  LaunchArguments arguments;
  arguments.function = &module->function(0);
  arguments.grid = 3;
  arguments.bindings = memory.address;
  arguments.references = references;
  arguments.referenceCount = 2;
  arguments.slots = &slot;
  arguments.slotCount = 1;
  ASSERT_TRUE(stream->launch(arguments).isOk());
  ASSERT_TRUE(stream->beginRecording().isOk());
  ASSERT_TRUE(stream->launch(arguments).isOk());
  std::unique_ptr<Recording> recording = stream->endRecording().take();
  EXPECT_EQ(device->statistics().at(0).launches, 1u) << "a recorded launch has not run";
  ASSERT_TRUE(stream->replay(*recording).isOk());
  EXPECT_EQ(device->statistics().at(0).launches, 2u);
  EXPECT_EQ(device->statistics().at(0).blocks, 6u);
  device->resetStatistics();
  EXPECT_TRUE(device->statistics().empty());
}

TEST(CudaStream, SyncModeNamesTheKernel) {
  const ScopedVariable sync("CUPOLA_SYNC", "1");
  auto fake = makeFake();
  std::shared_ptr<Device> device = openDevice().take();
  const format::Kernel kernel = scaleRecord();
  std::unique_ptr<Module> module = device->loadModule(imageOf(kernel)).take();
  std::unique_ptr<Stream> stream = device->createStream(nullptr).take();
  EXPECT_FALSE(stream->canRecord());
  Memory memory;
  ASSERT_TRUE(memory.allocate(device, 64).isOk());
  ASSERT_TRUE(stream->fill(memory.address, 0, 64).isOk());
  ASSERT_TRUE(stream->synchronize().isOk());
  const uint64_t table[] = {memory.address, 1};
  ASSERT_TRUE(stream->upload(memory.address, table, sizeof(table)).isOk());
  const uint64_t references[] = {memory.address, memory.address};
  const uint32_t slot = 1;
  LaunchArguments arguments;
  arguments.function = &module->function(0);
  arguments.grid = 1;
  arguments.bindings = memory.address;
  arguments.references = references;
  arguments.referenceCount = 2;
  arguments.slots = &slot;
  arguments.slotCount = 1;
  arguments.step = 12;
  fake->failAt = fake->calls + 3; // push, launch, synchronize
  fake->failCode = cuIllegalAddress;
  expectError(stream->launch(arguments), Code::Environment, "kernel k_0123456789abcdef at step 12 failed");
}

} // namespace
