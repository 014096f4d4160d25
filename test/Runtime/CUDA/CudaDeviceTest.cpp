//===- test/Runtime/CUDA/CudaDeviceTest.cpp - the cuda device on a fake driver ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/CUDA/DeviceFixture.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

struct Answer {
  std::vector<float> direct = std::vector<float>(8), replayed = std::vector<float>(8);
  uint32_t flags[16] = {};
  CompileCounters before, loaded; ///< around the module
  uint64_t workCalls = 0;         ///< driver calls until the answer was there
};

/// Everything a program does to a device: memory, module, uploads, a direct run, a recording replayed twice, downloads.
/// 3 * in by launch, copied onto in; so the recording gives 9 * in, then 27 * in.
Status runProgram(const FakeDriver &fake, Answer &answer) {
  CUPOLA_ASSIGN(std::shared_ptr<Device> device, openDevice());
  Memory in, out, flags, bindings;
  CUPOLA_TRY(in.allocate(device, 32));
  CUPOLA_TRY(out.allocateGrowing(device, 32));
  CUPOLA_TRY(device->grow(out.address, 20000)); // while nothing uses it, so that its contents do not matter
  CUPOLA_TRY(flags.allocate(device, 64));
  CUPOLA_TRY(bindings.allocate(device, 32));
  CUPOLA_TRY(device->freeBytes().status());
  CUPOLA_ASSIGN(void *host, device->allocateHost(256));
  device->freeHost(host);

  const format::Kernel kernel = scaleRecord();
  answer.before = device->compileCounters();
  CUPOLA_ASSIGN(std::unique_ptr<Module> module, device->loadModule(imageOf(kernel)));
  answer.loaded = device->compileCounters();
  CUPOLA_ASSIGN(std::unique_ptr<Stream> created, device->createStream(nullptr));
  Stream &stream = *created;

  std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  CUPOLA_TRY(stream.upload(in.address, values.data(), 32));
  const uint64_t table[] = {flags.address, 3, in.address, out.address};
  CUPOLA_TRY(stream.upload(bindings.address, table, sizeof(table)));
  const uint64_t references[] = {in.address, format::kReferenceBit | 3};
  const uint32_t slot = 1;
  LaunchArguments arguments;
  arguments.function = &module->function(0);
  arguments.grid = {2};
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
  CUPOLA_TRY(recording.status());
  const auto queueReplays = [&]() -> Status {
    for (int i = 0; i < 2; ++i)
      CUPOLA_TRY(stream.replay(**recording));
    CUPOLA_TRY(stream.download(answer.replayed.data(), out.address, 32));
    return stream.download(answer.flags, flags.address, 64);
  };
  const Status replayed = queueReplays();
  CUPOLA_TRY(stream.synchronize()); // also behind an error: the recording goes now
  CUPOLA_TRY(replayed);
  answer.workCalls = fake.calls;
  return {};
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
  EXPECT_EQ(answer.before.compiles, 0u);
  EXPECT_EQ(answer.loaded.compiles, 1u);
  EXPECT_EQ(answer.loaded.cacheHits, 0u);
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
                         [](const testing::TestParamInfo<CuResult> &info) {
                           return "code" + std::to_string(info.param);
                         });

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

TEST(CudaDevice, MemoryGrowsInPlace) {
  auto fake = makeFake();
  fake->totalBytes = 64 * 1024;
  std::shared_ptr<Device> device = openDevice().take();
  Memory fixed, memory;
  ASSERT_TRUE(fixed.allocate(device, 100).isOk());
  EXPECT_EQ(device->grow(fixed.address, 200).code(), Code::Unsupported);
  ASSERT_TRUE(memory.allocateGrowing(device, 100).isOk());
  auto *bytes = reinterpret_cast<char *>(memory.address);
  bytes[99] = 'x';
  ASSERT_TRUE(device->grow(memory.address, 10000).isOk());
  bytes[9999] = 'y';
  expectError(device->grow(memory.address, 65000), Code::Environment, "wanted 65000 bytes");
  expectError(device->grow(memory.address, 1 << 20), Code::Environment, "out of device memory");
  EXPECT_TRUE(device->grow(memory.address, 50).isOk());
  EXPECT_EQ(bytes[99], 'x') << "growing lost what was there";
  EXPECT_EQ(bytes[9999], 'y');
  fake->virtualMemory = false;
  std::shared_ptr<Device> old = openDevice().take();
  Memory moving;
  ASSERT_TRUE(moving.allocateGrowing(old, 100).isOk());
  EXPECT_EQ(old->grow(moving.address, 200).code(), Code::Unsupported);
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
    const bool refused =
        device->allocate(64).status().message().find("cannot be used in its fork") != std::string::npos &&
        stream->synchronize().failed();
    stream.reset();
    device.reset();
    _exit(refused && fake->calls == before ? 0 : 1);
  }
  int state = -1;
  waitpid(child, &state, 0);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

} // namespace
