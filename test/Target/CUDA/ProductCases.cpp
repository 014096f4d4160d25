//===- test/Target/CUDA/ProductCases.cpp - the parameter space of the schedules of matrix products ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelTexts.h"

#include <tuple>

namespace cupola::test {

std::vector<KernelCase> halfGemmCases() {
  std::vector<KernelCase> cases;
  for (auto [m, n, k] : {std::tuple(64, 64, 64), std::tuple(33, 70, 19), std::tuple(130, 130, 72)})
    for (bool lhs : {false, true})
      for (bool rhs : {false, true}) {
        GemmOptions options;
        options.type = "f16";
        options.lhsTransposed = lhs;
        options.rhsTransposed = rhs;
        cases.push_back(gemmCase(m, n, k, options));
      }
  GemmOptions options;
  options.type = "f16";
  options.dynamic = true;
  options.batch = 2;
  cases.push_back(gemmCase(45, 64, 96, options));
  options.rhsPrologue = true;
  cases.push_back(gemmCase(45, 64, 96, options));
  options.rhsPrologue = false;
  options.prologue = true;
  cases.push_back(gemmCase(45, 64, 40, options));
  options = {};
  options.type = "f16";
  cases.push_back(gemmCase(20, 70, 301, options));
  return cases;
}

std::vector<KernelCase> wgmmaCases() {
  const char *wide = "gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 132>",
             *alone = "gemm_wgmma<tile 128x256, stages 4, cluster 1, blocks 4>",
             *narrow = "gemm_wgmma<tile 128x128, stages 6, cluster 1, blocks 132>",
             *small = "gemm_wgmma<tile 64x64, stages 2, cluster 1, blocks 132>",
             *several = "gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 2>",
             *turns = "gemm_wgmma<tile 64x64, stages 3, cluster 1, blocks 4>";
  std::vector<KernelCase> cases;
  auto add = [&](int64_t m, int64_t n, int64_t k, const GemmOptions &options) {
    cases.push_back(gemmCase(m, n, k, options));
  };
  // Whole tiles; more of them than stages; less than a tile of each; odd numbers of tiles of rows.
  // Blocks with several tiles of the result, whose tiles of k take turns in the stages.
  for (const char *shape : {wide, alone, narrow, small, several, turns})
    for (bool transposed : {false, true}) {
      GemmOptions options;
      options.type = shape == alone ? "bf16" : "f16";
      options.schedule = shape;
      options.rhsTransposed = transposed;
      for (auto [m, n, k] : {std::tuple(256, 256, 64), std::tuple(300, 264, 328), std::tuple(7, 24, 40)})
        add(m, n, k, options);
    }
  // Blocks of a cluster that share the depth: of rows and columns that no tile is full of, by fewer tiles of k than
  // stages.
  for (int64_t split : {2, 4})
    for (bool transposed : {false, true}) {
      GemmOptions options;
      options.type = split == 4 ? "bf16" : "f16";
      options.schedule = "gemm_wgmma<tile 64x64, stages 3, cluster 1, blocks 132, split " + std::to_string(split) + ">";
      options.rhsTransposed = transposed;
      for (auto [m, n, k] : {std::tuple(128, 128, 256), std::tuple(100, 72, 1016), std::tuple(7, 24, 512)})
        add(m, n, k, options);
    }
  GemmOptions options;
  options.type = "f16";
  options.schedule = wide;
  options.rhsTransposed = true;
  add(130, 33, 72, options); // columns that no vector has
  options.dynamic = true;
  options.batch = 2;
  add(140, 40, 72, options);
  options.schedule = narrow;
  options.rhsTransposed = false;
  add(45, 64, 96, options);
  options.rhsPitch = 72;
  options.dynamic = false;
  add(45, 64, 96, options);
  return cases;
}

/// Convolutions whose windows tensor copies bring: tiles that end within an image, a row, the last tap; steps, gaps and
/// padding; fewer places than a tile; a window along one axis alone; images that only the launch counts.
std::vector<KernelCase> wgmmaConvCases() {
  const char *wide = "gemm_wgmma<tile 128x256, stages 4, cluster 2, blocks 132>",
             *narrow = "gemm_wgmma<tile 128x128, stages 6, cluster 1, blocks 132>",
             *small = "gemm_wgmma<tile 64x64, stages 2, cluster 1, blocks 132>",
             *turns = "gemm_wgmma<tile 64x64, stages 3, cluster 1, blocks 4>";
  struct Row {
    const char *schedule, *type;
    int64_t images, height, width, channels, taps, stride, dilation, pad, columns;
    bool dynamic;
  };
  const Row rows[] = {
      {small, "f16", 1, 8, 8, 64, 3, 1, 1, 1, 64, false},     {small, "bf16", 2, 9, 7, 64, 3, 1, 1, 1, 40, false},
      {turns, "f16", 3, 7, 7, 128, 3, 1, 1, 1, 72, true},     {turns, "f16", 2, 9, 11, 64, 3, 2, 1, 1, 64, true},
      {small, "f16", 1, 12, 10, 64, 3, 1, 2, 2, 64, false},   {small, "f16", 2, 12, 11, 64, 3, 2, 2, 0, 64, true},
      {turns, "bf16", 2, 10, 9, 64, 5, 1, 1, 2, 64, false},   {small, "f16", 3, 9, 9, 128, 1, 2, 1, 0, 64, true},
      {small, "f16", 1, 3, 3, 64, 3, 1, 1, 1, 24, false},     {small, "f16", 2, 9, 9, 64, 3, 1, 1, 0, 64, false},
      {narrow, "f16", 2, 14, 14, 64, 3, 1, 1, 1, 136, true},  {wide, "f16", 2, 13, 14, 64, 3, 1, 1, 1, 264, true},
      {wide, "bf16", 1, 15, 15, 192, 3, 2, 1, 1, 256, false}, {small, "f16", 1, 9, 9, 64, 3, 3, 1, 2, 64, false}};
  std::vector<KernelCase> cases;
  for (const Row &row : rows) {
    ConvOptions options;
    options.schedule = row.schedule;
    options.type = row.type;
    options.images = row.images;
    options.height = row.height;
    options.width = row.width;
    options.channels = row.channels;
    options.taps = row.taps;
    options.stride = row.stride;
    options.dilation = row.dilation;
    options.pad = row.pad;
    options.dynamic = row.dynamic;
    cases.push_back(convCase(row.columns, options));
  }
  return cases;
}

namespace {

/// A whole tile or two; more tiles of k than stages, ragged everywhere; less than a tile of each.
void addMmaCases(const MmaTile &tile, GemmOptions options, std::vector<KernelCase> &cases) {
  for (auto [m, n, k] : {std::tuple(tile.m, tile.n, 2 * tile.k), std::tuple(tile.m + 20, tile.n + 24, 5 * tile.k - 8),
                         std::tuple(int64_t(7), int64_t(24), int64_t(24))}) {
    cases.push_back(gemmCase(m, n, k, options));
    options.rhsTransposed = !options.rhsTransposed;
  }
}

} // namespace

std::vector<KernelCase> asyncMmaCases(int64_t sharedBytes) {
  std::vector<KernelCase> cases;
  GemmOptions options;
  options.type = "bf16";
  for (const MmaTile &tile : {MmaTile{256, 128, 64, 4, 2, 1, 3},
                              {256, 128, 32, 4, 2, 1, 4},
                              {128, 256, 32, 2, 4, 1, 3},
                              {128, 128, 32, 2, 2, 1, 4},
                              {128, 128, 32, 2, 4, 1, 3},
                              {256, 64, 32, 4, 1, 1, 4},
                              {128, 64, 32, 2, 1, 1, 3},
                              {64, 128, 32, 1, 2, 1, 3},
                              {64, 64, 128, 2, 1, 4, 3},
                              {64, 64, 64, 2, 2, 1, 4},
                              {32, 64, 128, 1, 1, 4, 3},
                              {32, 32, 128, 1, 1, 4, 4},
                              {16, 64, 128, 1, 1, 4, 3},
                              {16, 32, 128, 1, 1, 4, 4},
                              {32, 16, 32, 1, 1, 1, 2}}) { // rows of 32 bytes
    if (tile.sharedBytes() > sharedBytes)
      continue;
    options.type = options.type == "f16" ? "bf16" : "f16";
    options.rhsTransposed = !options.rhsTransposed;
    options.schedule = tile.schedule(16, /*async=*/true);
    addMmaCases(tile, options, cases);
  }
  options.schedule = MmaTile{128, 128, 32, 2, 2, 1, 4}.schedule(16, /*async=*/true);
  options.dynamic = true;
  options.batch = 2;
  cases.push_back(gemmCase(150, 136, 96, options));
  options.dynamic = false; // tiles of many columns, by groups of four rows; of one row
  options.schedule = MmaTile{32, 16, 32, 1, 1, 1, 2}.schedule(16, /*async=*/true);
  for (int64_t m : {120, 136})
    cases.push_back(gemmCase(m, 264, 40, options));
  return cases;
}

/// One operand computed, both as they are, in turns.
std::vector<KernelCase> registerMmaCases(int64_t mmaK) {
  std::vector<KernelCase> cases;
  GemmOptions options;
  options.type = "f16";
  for (const MmaTile &tile : {MmaTile{128, 128, 32, 2, 4, 1, 2},
                              {128, 64, 32, 4, 2, 1, 2},
                              {64, 64, 32, 2, 2, 1, 2},
                              {32, 64, 64, 1, 2, 2, 2},
                              {32, 64, 32, 1, 2, 1, 2},
                              {32, 32, 128, 1, 1, 4, 2}}) {
    options.prologue = !options.prologue;
    options.schedule = tile.schedule(mmaK, /*async=*/false);
    addMmaCases(tile, options, cases);
  }
  return cases;
}

/// Blocks that share a depth: of one tile, of ragged ones with more k than whole tiles, of several products; with
/// slices, and through registers.
std::vector<KernelCase> splitMmaCases() {
  std::vector<KernelCase> cases;
  GemmOptions options;
  for (const MmaTile &tile : {MmaTile{64, 64, 64, 2, 2, 1, 4, 2},
                              {32, 32, 128, 1, 1, 4, 4, 3},
                              {32, 64, 128, 1, 1, 4, 3, 4},
                              {16, 64, 128, 1, 1, 4, 3, 2},
                              {64, 32, 64, 2, 1, 2, 2, 3}})
    for (const char *type : {"f16", "bf16"}) {
      options.type = type;
      options.rhsTransposed = !options.rhsTransposed;
      options.schedule = tile.schedule(16, /*async=*/tile.stages > 2);
      cases.push_back(gemmCase(tile.m, tile.n, 4 * tile.split * tile.k, options));
      cases.push_back(gemmCase(tile.m + 20, tile.n + 24, 4 * tile.split * tile.k - 24, options));
      cases.push_back(gemmCase(7, 24, 4 * tile.split * tile.k, options));
    }
  options.batch = 3;
  cases.push_back(gemmCase(40, 70, 520, options));
  return cases;
}

std::vector<KernelCase> tf32Cases(int64_t sharedBytes) {
  constexpr int64_t mmaK = 8; // of numbers of four bytes
  std::vector<KernelCase> cases;
  GemmOptions options;
  for (const MmaTile &tile : {MmaTile{256, 128, 16, 4, 2, 1, 4},
                              {128, 256, 16, 2, 4, 1, 4},
                              {128, 128, 16, 2, 2, 1, 4},
                              {128, 128, 16, 2, 4, 1, 4},
                              {256, 64, 16, 4, 1, 1, 4},
                              {64, 128, 16, 1, 2, 1, 4},
                              {64, 64, 64, 2, 1, 4, 3},
                              {64, 64, 32, 2, 2, 1, 4},
                              {32, 64, 64, 1, 1, 4, 3},
                              {32, 32, 64, 1, 1, 4, 4},
                              {64, 64, 32, 2, 2, 1, 2},
                              {32, 64, 32, 1, 2, 1, 2}}) {
    if (tile.sharedBytes(4) > sharedBytes)
      continue;
    options.tf32 = options.tf32 == "x1" ? "x3" : "x1";
    options.schedule = tile.schedule(mmaK, /*async=*/tile.stages > 2);
    for (bool transposed : {false, true}) {
      options.rhsTransposed = transposed;
      addMmaCases(tile, options, cases);
    }
  }
  for (const MmaTile &tile : {MmaTile{64, 64, 32, 2, 2, 1, 4, 2}, {32, 64, 64, 1, 1, 4, 3, 3}}) {
    options.tf32 = options.tf32 == "x1" ? "x3" : "x1";
    options.schedule = tile.schedule(mmaK, /*async=*/true);
    cases.push_back(gemmCase(tile.m + 20, tile.n + 24, 4 * tile.split * tile.k - 24, options));
  }
  for (const char *products : {"x1", "x3"}) {
    GemmOptions chosen; // rows that no copy of 16 bytes has, operands that are computed, no vectors at all
    chosen.tf32 = products;
    chosen.schedule = MmaTile{64, 64, 32, 2, 2, 1, 2}.schedule(mmaK, /*async=*/false);
    cases.push_back(gemmCase(33, 70, 19, chosen));
    chosen.lhsTransposed = true;
    cases.push_back(gemmCase(80, 72, 40, chosen));
    chosen.lhsTransposed = false;
    chosen.prologue = true;
    cases.push_back(gemmCase(45, 64, 40, chosen));
    chosen.prologue = false;
    chosen.dynamic = true;
    chosen.batch = 2;
    chosen.schedule = MmaTile{64, 64, 32, 2, 2, 1, 4}.schedule(mmaK, /*async=*/true);
    cases.push_back(gemmCase(70, 72, 96, chosen));
    ConvOptions conv;
    conv.tf32 = products;
    conv.channels = 16;
    conv.schedule = chosen.schedule;
    cases.push_back(convCase(64, conv));
    conv.images = 2;
    conv.height = 9;
    conv.width = 7;
    conv.stride = 2;
    cases.push_back(convCase(40, conv));
  }
  return cases;
}

std::vector<KernelCase> gemmCases() {
  std::vector<KernelCase> cases;
  for (auto [m, n, k] : {std::tuple(64, 64, 32), std::tuple(33, 70, 19), std::tuple(16, 130, 48)})
    for (bool lhs : {false, true})
      for (bool rhs : {false, true}) {
        GemmOptions options;
        options.lhsTransposed = lhs;
        options.rhsTransposed = rhs;
        cases.push_back(gemmCase(m, n, k, options));
      }
  GemmOptions options;
  options.dynamic = true;
  cases.push_back(gemmCase(45, 64, 32, options));
  cases.push_back(gemmCase(45, 3, 19, options));
  options.batch = 3;
  cases.push_back(gemmCase(20, 36, 24, options));
  options = {};
  options.prologue = true;
  cases.push_back(gemmCase(40, 64, 40, options));
  for (bool transposed : {false, true}) {
    options.rhsPrologue = true;
    options.rhsTransposed = transposed;
    cases.push_back(gemmCase(40, 64, 40, options));
  }
  options = {};
  options.rhsPitch = 72;
  cases.push_back(gemmCase(32, 64, 16, options));
  options = {};
  for (auto [m, n, k] : {std::tuple(49, 64, 512), std::tuple(20, 70, 301)}) // k is shared
    cases.push_back(gemmCase(m, n, k, options));
  for (const char *type : {"f32", "f16"})
    for (auto [m, n, k] : {std::tuple(1, 64, 40), std::tuple(3, 45, 7), std::tuple(8, 33, 100)}) {
      options = {};
      options.type = type;
      options.batch = m;
      cases.push_back(gemmCase(m, n, k, options));
    }
  options = {};
  options.rhsTransposed = true;
  cases.push_back(gemmCase(2, 40, 64, options));
  for (const char *type : {"f64", "bf16"}) {
    options = {};
    options.type = type;
    cases.push_back(gemmCase(24, 40, 16, options));
  }
  for (const KernelCase &test : halfGemmCases())
    cases.push_back(test);
  return cases;
}

} // namespace cupola::test
