//===- test/Sim/ConformanceCluster.cpp - Grids of three dimensions, clusters, grids that meet, mbarriers ---===//
// SPDX-License-Identifier: Apache-2.0
#include "test/Sim/Conformance.h"

namespace cupola::test {

namespace {

/// Each block writes where it is; in a cluster two along x.
ConformanceCase blocksCase() {
  ConformanceCase c;
  c.name = "cluster_blocks";
  c.minimumArch = 90;
  c.run.kernel = "k_blocks";
  c.run.grid = 4, c.run.gridY = 3, c.run.gridZ = 2;
  c.run.cluster = 2;
  c.run.text = kernelHead("k_blocks", 32, 1, 0) +
               "  const u32 block = (cu_block_z() * 3 + cu_block_y()) * 4 + cu_block();\n"
               "  if (cu_tid() == 0) cu_write<u32>(bindings, ref0)[block] = cu_blocks() * 100 + cluster_rank();\n}\n";
  c.run.buffers = {output<uint32_t>(24)};
  c.check = isEach<uint32_t>(24, [](uint32_t b) -> uint32_t { return 400 + b % 2; });
  return c;
}

/// Each thread writes; behind the cluster's barrier it reads what a thread of the other block wrote.
ConformanceCase clusterBarrierCase() {
  ConformanceCase c;
  c.name = "cluster_barrier";
  c.minimumArch = 90;
  c.run.kernel = "k_cluster_barrier";
  c.run.threads = 64;
  c.run.grid = 4;
  c.run.cluster = 2;
  c.run.text = kernelHead("k_cluster_barrier", 64, 2, 0) +
               "  u32 *const half = cu_write<u32>(bindings, ref0), *const out = cu_write<u32>(bindings, ref1);\n"
               "  const u32 i = cu_block() * 64 + cu_tid(), other = (cu_block() ^ 1) * 64 + 63 - cu_tid();\n"
               "  half[i] = i * i;\n  cluster_barrier();\n  out[i] = half[other];\n}\n";
  c.run.buffers = {output<uint32_t>(256), output<uint32_t>(256)};
  c.check = [](const std::vector<std::string> &found) {
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < 256; ++i) {
      const uint32_t other = (i / 64 ^ 1) * 64 + 63 - i % 64;
      expected.push_back(other * other);
    }
    return compareBytes(found[1], toBytes(expected));
  };
  return c;
}

/// The same of all blocks, twice; the counter is 0 again behind it.
ConformanceCase gridBarrierCase() {
  ConformanceCase c;
  c.name = "grid_barrier";
  c.run.kernel = "k_grid_barrier";
  c.run.threads = 64;
  c.run.grid = 4, c.run.gridY = 2;
  c.run.cooperative = true;
  c.run.text = kernelHead("k_grid_barrier", 64, 3, 0) +
               "  u32 *const first = cu_write<u32>(bindings, ref0), *const second = cu_write<u32>(bindings, ref1);\n"
               "  u32 *const counter = cu_write<u32>(bindings, ref2);\n"
               "  const u32 block = cu_block_y() * 4 + cu_block(), i = block * 64 + cu_tid();\n"
               "  first[i] = i * i;\n  cu_grid_barrier(counter, 8);\n  second[i] = first[511 - i] + 1;\n"
               "  cu_grid_barrier(counter, 16);\n  first[i] = second[(i + 64) % 512];\n"
               "  cu_grid_leave(counter, 24);\n}\n";
  c.run.buffers = {output<uint32_t>(512), output<uint32_t>(512), inPlace(std::vector<uint32_t>(1))};
  c.check = [](const std::vector<std::string> &found) {
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < 512; ++i) {
      const uint32_t source = 511 - (i + 64) % 512;
      expected.push_back(source * source + 1);
    }
    const std::string wrong = compareBytes(found[0], toBytes(expected));
    return wrong.empty() ? compareBytes(found[2], toBytes(std::vector<uint32_t>(1))) : wrong;
  };
  return c;
}

/// One warp writes numbers to two places in turn, another adds them up; each waits for the other.
ConformanceCase ringCase() {
  ConformanceCase c;
  c.name = "mbarrier_ring";
  c.minimumArch = 90;
  c.run.kernel = "k_ring";
  c.run.threads = 64;
  c.run.sharedBytes = 256 + 32;
  c.run.text =
      kernelHead("k_ring", 64, 1, 0) +
      "  u64 *const full = cu_shared<u64>(256), *const empty = full + 2;\n  u32 *const s = cu_shared<u32>(0);\n"
      "  const u32 lane = cu_lane();\n  if (cu_tid() == 0)\n    for (i32 i = 0; i < 4; ++i)\n"
      "      mbarrier_init(full + i, 32);\n  cu_barrier();\n  u32 sum = 0;\n"
      "  for (u32 i = 0; i < 7; ++i) {\n    const u32 at = i % 2;\n    if (cu_warp() == 0) {\n"
      "      mbarrier_wait(empty + at, (i / 2 + 1) % 2);\n      s[at * 32 + lane] = i * 32 + lane;\n"
      "      mbarrier_arrive(full + at);\n    } else {\n      mbarrier_wait(full + at, i / 2 % 2);\n"
      "      sum += s[at * 32 + 31 - lane];\n      mbarrier_arrive(empty + at);\n    }\n  }\n"
      "  if (cu_warp() == 1) cu_write<u32>(bindings, ref0)[lane] = sum;\n}\n";
  c.run.buffers = {output<uint32_t>(32)};
  c.check = isEach<uint32_t>(32, [](uint32_t lane) -> uint32_t { return 21 * 32 + 7 * (31 - lane); });
  return c;
}

/// Threads of all four blocks arrive at the barrier of one; it counts to all of them.
ConformanceCase remoteCase() {
  ConformanceCase c;
  c.name = "mbarrier_remote";
  c.minimumArch = 90;
  c.run.kernel = "k_remote";
  c.run.grid = 4;
  c.run.cluster = 4;
  c.run.sharedBytes = 8;
  c.run.text =
      kernelHead("k_remote", 32, 1, 0) +
      "  u64 *const bar = cu_shared<u64>(0);\n  if (cu_tid() == 0) {\n    mbarrier_init(bar, 4);\n"
      "    mbarrier_init_fence();\n  }\n  cluster_barrier();\n"
      "  if (cu_tid() < 4) mbarrier_arrive(bar, cu_tid());\n  mbarrier_wait(bar, 0);\n  cu_barrier();\n"
      "  if (cu_tid() == 7) mbarrier_expect(bar, 0);\n  else if (cu_tid() < 10 && cu_tid() > 6)\n"
      "    mbarrier_arrive(bar);\n  else if (cu_tid() == 10)\n    mbarrier_arrive(bar, cluster_rank());\n"
      "  mbarrier_wait(bar, 1);\n"
      "  cu_write<u32>(bindings, ref0)[cu_block() * 32 + cu_tid()] = cluster_rank();\n  cluster_barrier();\n}\n";
  c.run.buffers = {output<uint32_t>(128)};
  c.check = isEach<uint32_t>(128, [](uint32_t i) -> uint32_t { return i / 32; });
  return c;
}

/// Every block reads what each of the four wrote.
ConformanceCase clusterLoadCase() {
  ConformanceCase c;
  c.name = "cluster_load";
  c.minimumArch = 90;
  c.run.kernel = "k_cluster_load";
  c.run.grid = 8;
  c.run.cluster = 4;
  c.run.sharedBytes = 512;
  c.run.text = kernelHead("k_cluster_load", 32, 1, 0) +
               "  u32 *const s = cu_shared<u32>(0);\n"
               "  for (u32 i = cu_tid(); i < 128; i += 32) s[i] = 1000 * cu_block() + i;\n  cluster_barrier();\n"
               "  for (u32 r = 0; r < 4; ++r) {\n"
               "    const vec<u32, 4> four = ld_cluster_vec<u32, 4>(s + 4 * cu_tid(), r);\n"
               "    for (u32 e = 0; e < 4; ++e)\n"
               "      cu_write<u32>(bindings, ref0)[512 * cu_block() + 128 * r + 4 * cu_tid() + e] = four[e];\n  }\n"
               "  cluster_barrier();\n}\n";
  c.run.buffers = {output<uint32_t>(8 * 512)};
  c.check =
      isEach<uint32_t>(8 * 512, [](uint32_t i) -> uint32_t { return 1000 * (i / 2048 * 4 + i % 512 / 128) + i % 128; });
  return c;
}

/// Nothing but that they may be called so, and that work goes on behind them.
ConformanceCase registersCase() {
  ConformanceCase c;
  c.name = "registers_and_launches";
  c.minimumArch = 90;
  c.run.arch = "sm_90a";
  c.run.kernel = "k_registers";
  c.run.threads = 384;
  c.run.programmatic = true;
  c.run.text = kernelHead("k_registers", 384, 2, 0) +
               "  if (cu_tid() < 128)\n    give_registers<40>();\n  else\n    take_registers<232>();\n  grid_wait();\n"
               "  cu_write<u32>(bindings, ref1)[cu_tid()] = cu_read<u32>(bindings, ref0)[383 - cu_tid()];\n"
               "  grid_release();\n}\n";
  std::vector<uint32_t> in, expected;
  for (uint32_t i = 0; i < 384; ++i) {
    in.push_back(3 * i);
    expected.push_back(3 * (383 - i));
  }
  c.run.buffers = {input(in), output<uint32_t>(384)};
  c.check = [=](const std::vector<std::string> &found) { return compareBytes(found[0], toBytes(expected)); };
  return c;
}

} // namespace

std::vector<ConformanceCase> clusterCases() {
  return {blocksCase(), clusterBarrierCase(), gridBarrierCase(), ringCase(),
          remoteCase(), clusterLoadCase(),    registersCase()};
}

} // namespace cupola::test
