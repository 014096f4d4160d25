//===- test/Runtime/TestPackage.cpp - A small package made by hand ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Runtime/TestPackage.h"
#include "lib/Runtime/CUDA/DeviceHeaders.h"
#include "lib/Runtime/Format/OutputFile.h"

#include <cstdlib>
#include <cstring>

namespace cupola::test {

using namespace format;

namespace {

constexpr const char *kCudaSource = R"(#include "device.cuh"
CUPOLA_KERNEL(128, 1) k_0000000000000001(const u64 *bindings, u64 ref0, u64 ref1, u32 slot0, u32 slot1, u32 step) {
  const f32 *const in0 = cu_read<f32>(bindings, ref0);
  f32 *const out0 = cu_write<f32>(bindings, ref1);
  const i32 count = cu_scalar<i32>(bindings, slot0);
  const i32 factor = cu_scalar<i32>(bindings, slot1);
  const i32 i = static_cast<i32>(cu_block() * 128u + cu_tid());
  if (i < count)
    out0[i] = in0[i] * static_cast<f32>(factor);
}
CUPOLA_KERNEL(128, 1) k_0000000000000002(const u64 *bindings, u64 ref0, u64 ref1, u64 ref2, u64 ref3, u32 slot0,
                                         u32 slot1, u32 step) {
  const f32 *const x = cu_read<f32>(bindings, ref0);
  const f32 *const table = cu_read<f32>(bindings, ref1);
  const i64 *const ids = cu_read<i64>(bindings, ref2);
  f32 *const out0 = cu_write<f32>(bindings, ref3);
  const i32 count = cu_scalar<i32>(bindings, slot0);
  const i32 rows = cu_scalar<i32>(bindings, slot1);
  const i32 i = static_cast<i32>(cu_block() * 128u + cu_tid());
  if (i < count) {
    const i64 id = cu_checked_index<i64>(bindings, step, ids[i / 4], rows);
    out0[i] = x[i] + table[id * 4 + i % 4];
  }
}
)";

constexpr const char *kControlSource = R"(
CUPOLA_KERNEL(128, 1) k_0000000000000003(const u64 *bindings, u64 ref0, u64 ref1, u32 slot0, u32 step) {
  if (cu_tid() == 0)
    *cu_write<u8>(bindings, ref1) = *cu_read<f32>(bindings, ref0) < static_cast<f32>(cu_scalar<i32>(bindings, slot0));
}
CUPOLA_KERNEL(128, 1) k_0000000000000004(const u64 *bindings, u64 ref0, u64 ref1, u32 slot0, u32 slot1, u32 step) {
  const f32 *const in0 = cu_read<f32>(bindings, ref0);
  f32 *const out0 = cu_write<f32>(bindings, ref1);
  const i32 i = static_cast<i32>(cu_block() * 128u + cu_tid());
  if (i < cu_scalar<i32>(bindings, slot0))
    out0[i] = i < cu_scalar<i32>(bindings, slot1) ? in0[i] : static_cast<f32>(i);
}
)";

Step launch(uint32_t kernel, const std::string &grid, std::vector<uint32_t> buffers, std::vector<uint32_t> scalars,
            std::vector<uint32_t> nodes) {
  Step step;
  step.launch = {kernel, {grid}, std::move(buffers), std::move(scalars)};
  step.nodes = std::move(nodes);
  return step;
}

Buffer buffer(BufferKind kind, uint32_t index, const std::string &bytes) {
  Buffer made;
  made.kind = kind;
  made.index = index;
  made.bytes = bytes;
  return made;
}

Program makeProgram(bool cuda) {
  const auto grid = [&](const std::string &count) { return cuda ? "ceildiv(" + count + ", 128)" : count; };
  Program program;
  program.scalars = {"4*s0", "2", "3", "12"};
  program.buffers = {buffer(BufferKind::Weight, 0, "48"),   buffer(BufferKind::Init, 0, "48"),
                     buffer(BufferKind::Input, 0, "16*s0"), buffer(BufferKind::Input, 1, "8*s0"),
                     buffer(BufferKind::Arena, 0, "16*s0"), buffer(BufferKind::Output, 0, "16*s0")};
  program.buffers[4].last = 1;
  program.init = {launch(0, grid("12"), {0, 1}, {3, 2}, {0})};
  program.steps = {launch(1, grid("4*s0"), {2, 1, 3, 4}, {0, 2}, {0, 1}), launch(0, grid("4*s0"), {4, 5}, {0, 1}, {2})};
  Kernel scale;
  scale.name = "k_0000000000000001";
  scale.schedule = "pointwise";
  scale.threads = cuda ? 128 : 1;
  scale.scratchBytes = cuda ? 0 : 4;
  scale.grain = 8;
  scale.readWrite = {"r", "w"};
  Kernel gather = scale;
  gather.name = "k_0000000000000002";
  gather.schedule = "gather";
  gather.scratchBytes = 0;
  gather.readWrite = {"r", "r", "r", "w"};
  program.kernels = {scale, gather};
  return program;
}

} // namespace

std::string cpuImage() {
  const char *moved = std::getenv("CUPOLA_TEST_IMAGE"); // a build that was carried to another machine
  return need(readFile(moved ? moved : CUPOLA_TEST_KERNELS, 1 << 20));
}

std::string cudaSource() { return std::string(kCudaSource) + kControlSource; }

std::vector<Source> runnableHeaders() {
  std::vector<Source> headers;
  for (const runtime::cuda::EmbeddedHeader &header : runtime::cuda::deviceHeaders())
    headers.push_back({std::string(header.name), std::string(header.text)});
  return headers;
}

Package makePackage() {
  Package package;
  package.producer = "cupola test";
  package.tools = {"hand 1.0"};
  package.inputs = {{"x", DType::F32, {"s0", "4"}}, {"ids", DType::I64, {"s0"}, 3}};
  package.outputs = {{"y", DType::F32, {"s0", "4"}}};
  package.symbols = {{"s0", "batch", 1, 1000, 1}};
  package.nodes = {{"embed/Gather", "Gather"}, {"add", "Add"}, {"double", "Mul"}};
  package.weights = {{"w", DType::F32, {3, 4}, 0, 48}};
  package.headers = {{"device.cuh", "// a header\n"}};
  package.reports = {{"explain", "{}"}};
  Variant cpu;
  cpu.target = "cpu";
  cpu.arch = "x86-64-v2";
  cpu.program = makeProgram(/*cuda=*/false);
  cpu.binaries = {{"x86-64-v2", {0, 1}, cpuImage()}};
  package.variants.push_back(cpu);
  for (const char *arch : {"sm_75", "sm_80"}) {
    Variant cuda;
    cuda.target = "cuda";
    cuda.arch = arch;
    cuda.program = makeProgram(/*cuda=*/true);
    cuda.sources = {{"m0.cu", kCudaSource}};
    package.variants.push_back(cuda);
  }
  return package;
}

Package makeRunnablePackage() {
  Package package = makePackage();
  package.headers = runnableHeaders();
  return package;
}

WeightSource packageWeights() {
  return [](uint32_t, uint64_t offset, char *target, uint64_t size) {
    float values[12];
    for (int i = 0; i < 12; ++i)
      values[i] = static_cast<float>(i);
    std::memcpy(target, reinterpret_cast<const char *>(values) + offset, size);
    return Status::ok();
  };
}

std::string packageBytes(const Package &package) { return need(writePackageToMemory(package, packageWeights())); }

std::shared_ptr<const PackageFile> loadPackage(const Package &package) {
  return need(PackageFile::fromMemory(packageBytes(package)));
}

} // namespace cupola::test
