//===- test/Sim/SimDeviceTest.cpp - The simulator as a device: what it refuses, and what it remembers ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/KernelRunner.h"

#include "lib/Sim/TensorMap.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

KernelRun copyRun() {
  KernelRun run;
  run.kernel = "k_copy";
  run.text = kernelHead("k_copy", 32, 2, 0) +
             "  cu_write<f32>(bindings, ref1)[cu_tid()] = cu_read<f32>(bindings, ref0)[cu_tid()];\n}\n";
  run.buffers = {input(std::vector<float>(32, 1.5f)), output<float>(32)};
  return run;
}

bool says(const Status &status, const std::string &part) {
  return status.failed() && status.message().find(part) != std::string::npos;
}

/// An environment variable for the life of the object.
struct ScopedVariable {
  std::string name;
  ScopedVariable(const char *name, const char *value) : name(name) { setenv(name, value, 1); }
  ~ScopedVariable() { unsetenv(name.c_str()); }
};

TEST(SimDevice, UnknownArchitectureListsTheKnown) {
  runtime::DeviceOptions options;
  options.arch = "sm_70";
  const auto device = runtime::createDevice("sim", options);
  ASSERT_TRUE(device.failed());
  EXPECT_EQ(device.status().code(), Code::Usage);
  EXPECT_TRUE(says(device.status(), "no architecture 'sm_70'; it has sm_75, sm_80")) << device.status().message();
}

TEST(SimDevice, RunsOwnAndOlderFamilies) {
  const auto device = makeSimulator("sm_86");
  EXPECT_GT(device->rank("cuda", "sm_80"), device->rank("cuda", "sm_75"));
  EXPECT_GE(device->rank("cuda", "sm_75"), 0);
  EXPECT_LT(device->rank("cuda", "sm_89"), 0);
  EXPECT_LT(device->rank("cuda", "sm_90a"), 0);
  EXPECT_LT(device->rank("cpu", "x86-64-v3"), 0);
  EXPECT_LT(makeSimulator("sm_100")->rank("cuda", "sm_90a"), 0) << "sm_90a code runs on sm_90a alone";
  EXPECT_GE(makeSimulator("sm_90a")->rank("cuda", "sm_90a"), 0);
}

TEST(SimDevice, TensorMapsAreRecordsOfTheirNumbers) {
  runtime::TensorMapValue value;
  value.address = 0x1230;
  value.dtype = format::DType::BF16;
  value.rank = 2;
  value.extents = {72, 5};
  value.strides = {144};
  value.box = {64, 8};
  value.swizzle = 128;
  runtime::TensorMapBytes bytes;
  EXPECT_TRUE(says(makeSimulator("sm_80")->encodeTensorMap(value, bytes), "sm_80 has no tensor maps"));
  const auto device = makeSimulator("sm_90a");
  ASSERT_TRUE(device->encodeTensorMap(value, bytes).isOk());
  sim::TensorMap map;
  std::memcpy(&map, bytes.data(), sizeof(map));
  EXPECT_EQ(map.magic, sim::kTensorMapMagic);
  EXPECT_EQ(map.address, 0x1230u);
  EXPECT_EQ(map.rank, 2u);
  EXPECT_EQ(map.elementBytes, 2u);
  EXPECT_EQ(map.extents[1], 5u);
  EXPECT_EQ(map.strides[0], 144u);
  EXPECT_EQ(map.box[0], 64u);
  EXPECT_EQ(map.swizzle, 128u);
  value.strides = {140};
  EXPECT_TRUE(says(device->encodeTensorMap(value, bytes), "a stride of 140 bytes, which is no multiple of 16"));
}

TEST(SimDevice, SharedMemoryLimitOfTheArchitecture) {
  KernelRun run = copyRun();
  run.sharedBytes = 64 * 1024;
  EXPECT_TRUE(runKernel(*makeSimulator("sm_75"), run).status.isOk());
  run.sharedBytes += 1024;
  EXPECT_TRUE(says(runKernel(*makeSimulator("sm_75"), run).status,
                   "kernel k_copy needs 66560 bytes of shared memory; sm_75 has 65536"));
  EXPECT_TRUE(runKernel(*makeSimulator("sm_80"), run).status.isOk());
}

TEST(SimDevice, InstructionsOfNewerArchitecturesAreErrors) {
  KernelRun run = copyRun();
  run.text = kernelHead("k_copy", 32, 2, 0) + "  cp_async_commit();\n}\n";
  EXPECT_TRUE(says(runKernel(*makeSimulator("sm_75"), run).status, "cp.async needs sm_80"));
  run.text =
      kernelHead("k_copy", 32, 2, 0) +
      "  f32 acc[1][2][4];\n  mma_zero(acc);\n  u32 a[1][4] = {}, b[2][2] = {};\n  warp_mma_tile_bf16(acc, a, b);\n}\n";
  EXPECT_TRUE(says(runKernel(*makeSimulator("sm_75"), run).status, "mma of bf16 needs sm_80"));
}

/// An address that is not read may lie anywhere, as those beyond the end of a small tensor do.
TEST(SimDevice, AnAsyncCopyReadsGlobalMemoryIfAnything) {
  const auto run = [](const std::string &valid) {
    KernelRun run = copyRun();
    run.sharedBytes = 256;
    run.text = kernelHead("k_copy", 32, 2, 0) +
               "  f32 *const s = cu_shared<f32>(0);\n  cp_async<4>(s + cu_tid(), s + 32 + cu_tid(), " + valid +
               ");\n  cp_async_commit();\n  cp_async_wait<0>();\n  cu_write<f32>(bindings, ref1)[cu_tid()] = "
               "s[cu_tid()];\n}\n";
    return runKernel(*makeSimulator("sm_80"), run).status;
  };
  const Status nothing = run("false"), shared = run("true");
  EXPECT_TRUE(nothing.isOk()) << nothing.message();
  EXPECT_TRUE(says(shared, "cp.async reads global memory only")) << shared.message();
}

TEST(SimDevice, WrongNumberOfArguments) {
  KernelRun run = copyRun();
  run.buffers.push_back(output<float>(1));
  const Status status = runKernel(*makeSimulator("sm_80"), run).status;
  EXPECT_EQ(status.code(), Code::Usage);
  EXPECT_TRUE(says(status, "kernel k_copy takes 4 arguments")) << status.message();
}

TEST(SimDevice, CompilerErrorsAreToldWithTheirLine) {
  KernelRun run = copyRun();
  run.text = kernelHead("k_copy", 32, 2, 0) + "  nothing_like_this();\n}\n";
  const Status status = runKernel(*makeSimulator("sm_80"), run).status;
  EXPECT_EQ(status.code(), Code::Internal);
  EXPECT_TRUE(says(status, "kernels.cu:3:3: error:")) << status.message();
}

TEST(SimDevice, MissingCompilerIsAnEnvironmentError) {
  ScopedVariable variable("CUPOLA_CLANG", "/nowhere/clang++");
  const Status status = runKernel(*makeSimulator("sm_80"), copyRun()).status;
  EXPECT_EQ(status.code(), Code::Environment);
  EXPECT_TRUE(says(status, "compiles kernels with /nowhere/clang++, which was not found")) << status.message();
}

TEST(SimDevice, MemoryHoldsNothingUntilWritten) {
  const auto device = makeSimulator("sm_80");
  const auto stream = device->createStream(nullptr);
  ASSERT_TRUE(stream.isOk());
  const auto a = device->allocate(1000), b = device->allocate(1000);
  ASSERT_TRUE(a.isOk() && b.isOk());
  std::vector<uint8_t> host(1000, 7);
  EXPECT_TRUE(says((**stream).download(host.data(), *a, 1000), "byte 0 was never written"));
  ASSERT_TRUE((**stream).upload(*a, host.data(), 500).isOk());
  EXPECT_TRUE(says((**stream).download(host.data(), *a + 3, 600), "byte 497 was never written"));
  ASSERT_TRUE((**stream).copy(*b + 8, *a, 600).isOk());
  EXPECT_TRUE((**stream).download(host.data(), *b + 8, 500).isOk());
  EXPECT_TRUE(says((**stream).download(host.data(), *b + 8, 501), "byte 500 was never written"));
  ASSERT_TRUE((**stream).fill(*b, 1, 1000).isOk());
  ASSERT_TRUE((**stream).discard(*b + 100, 50).isOk());
  EXPECT_TRUE(says((**stream).download(host.data(), *b, 1000), "byte 100 was never written"));
  EXPECT_TRUE(says((**stream).upload(*a + 900, host.data(), 200),
                   "upload of 200 bytes at offset 900 of an allocation of 1000"));
  device->free(*a);
  device->free(*b);
}

TEST(SimDevice, DiscardedInputIsUninitialised) {
  // The kernel's input is a buffer that nobody wrote.
  KernelRun run = copyRun();
  run.buffers[0].data.clear();
  EXPECT_TRUE(says(runKernel(*makeSimulator("sm_80"), run).status, "uninitialised read: read of 4 bytes at buffer 0"));
}

/// Buffer 0 is a parent of 64 floats to write, buffer 1 its upper half to read.
KernelRun viewRun(const std::string &body) {
  KernelRun run;
  run.kernel = "k_view";
  run.text =
      kernelHead("k_view", 32, 2, 0) +
      "  f32 *const parent = cu_write<f32>(bindings, ref0);\n  const f32 *const view = cu_read<f32>(bindings, ref1);\n"
      "  const u32 t = cu_tid();\n" +
      body + "\n}\n";
  run.buffers = {inPlace(std::vector<float>(64, 2.0f)), {"r", 128, "", 0, 128}};
  return run;
}

TEST(SimDevice, OverlappingBuffersAreOneRegion) {
  const auto run = [](const std::string &body) { return runKernel(*makeSimulator("sm_80"), viewRun(body)); };
  const KernelOutcome fine = run("  parent[t] = view[t] + 1.0f;\n  parent[t + 32] = view[t] + 2.0f;");
  ASSERT_TRUE(fine.status.isOk()) << fine.status.message();
  EXPECT_EQ(fromBytes<float>(fine.buffers[0])[31], 3.0f);
  EXPECT_EQ(fromBytes<float>(fine.buffers[0])[63], 4.0f);
  EXPECT_TRUE(says(run("  parent[t + 32] = view[31 - t];").status, "race: "));
  // Below the view but within the parent: the parent may be read there, too.
  EXPECT_TRUE(run("  parent[t] = *(view - 1 - t);").status.failed()) << "threads read what others write";
  EXPECT_TRUE(
      says(run("  parent[t + 33] = 0.0f;").status, "out of bounds: write of 4 bytes at buffer 0 (256 bytes) + 256"));
}

TEST(SimDevice, BeforeTheWaitAKernelReadsWhatNoLaunchWrites) {
  const auto device = makeSimulator("sm_90a");
  KernelRun run = copyRun();
  run.text = kernelHead("k_copy", 32, 2, 0) + "  const f32 v = cu_read<f32>(bindings, ref0)[cu_tid()];\n"
                                              "  cu_prefetch(cu_read<f32>(bindings, ref1));\n  grid_wait();\n"
                                              "  cu_write<f32>(bindings, ref1)[cu_tid()] = v;\n}\n";
  run.programmatic = true;
  const KernelOutcome fine = runKernel(*device, run);
  EXPECT_TRUE(fine.status.isOk()) << fine.status.message();
  KernelRun view = viewRun("  const f32 v = view[t];\n  grid_wait();\n  parent[t] = v;");
  view.programmatic = true;
  EXPECT_TRUE(says(runKernel(*device, view).status, "overlapping launch: read of 4 bytes at buffer"));
}

TEST(SimDevice, ManyKernelsOfOneText) {
  // Seven kernels are compiled in two parts.
  std::string text = "#include \"device.cuh\"\n";
  std::vector<format::Kernel> kernels(7);
  for (int i = 0; i < 7; ++i) {
    kernels[static_cast<size_t>(i)].name = "k_" + std::to_string(i);
    text += "CUPOLA_KERNEL(32, 1) k_" + std::to_string(i) + "(const u64 *bindings, u32 step) {}\n";
  }
  runtime::ModuleImage image;
  image.name = "m0.cu";
  image.bytes = text;
  const std::vector<format::Source> headers = headerSources();
  image.headers = &headers;
  for (const format::Kernel &k : kernels)
    image.kernels.push_back(&k);
  const auto device = makeSimulator("sm_80");
  const auto module = device->loadModule(image);
  EXPECT_TRUE(module.isOk()) << module.status().message();
}

} // namespace
