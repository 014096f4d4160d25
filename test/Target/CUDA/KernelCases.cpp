//===- test/Target/CUDA/KernelCases.cpp - the parameter space of every schedule ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelTexts.h"

#include <tuple>

namespace cupola::test {

std::vector<KernelCase> pointwiseCases() {
  std::vector<KernelCase> cases;
  for (const char *type :
       {"f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "i1"}) {
    cases.push_back(pointwiseCase(type, 3, 96, true));
    cases.push_back(pointwiseCase(type, 5, 7, false));
  }
  cases.push_back(pointwiseCase("f32", 1, 1, false));
  cases.push_back(pointwiseCase("f32", 300, 2, true));
  cases.push_back(pointwiseCase("f32", 2, 1024, true)); // whole blocks; a plan may launch more
  cases.push_back(pointwiseCase("f16", 9, 130, true));
  return cases;
}

std::vector<KernelCase> transposeCases() {
  std::vector<KernelCase> cases;
  for (std::vector<int> order : {std::vector<int>{0, 2, 1}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}})
    for (auto [a, b, c] : {std::tuple(2, 64, 32), std::tuple(3, 37, 41)})
      cases.push_back(transposeCase("f32", a, b, c, order));
  cases.push_back(transposeCase("f32", 40, 3, 33, {2, 1, 0}));
  cases.push_back(transposeCase("f32", 40, 3, 33, {1, 2, 0}));
  for (const char *type : {"f16", "f64", "i8", "i32"})
    cases.push_back(transposeCase(type, 1, 33, 70, {0, 2, 1}));
  return cases;
}

std::vector<KernelCase> gatherCases() {
  return {gatherCase("f32", 5, 384, false), gatherCase("f32", 9, 3, false), gatherCase("f16", 4, 40, false),
          gatherCase("i32", 4, 6, true)};
}

std::vector<KernelCase> rowCases() {
  std::vector<KernelCase> cases;
  for (int64_t columns : {1, 5, 32, 100, 384, 1024, 1025, 3000})
    cases.push_back(softmaxCase("f32", 5, columns, false));
  for (int64_t columns : {1, 16, 37, 700})
    cases.push_back(softmaxCase("f32", 3, columns, true));
  cases.push_back(softmaxCase("f32", 2, 20000, false));
  for (const char *type : {"f16", "bf16", "f64"})
    cases.push_back(softmaxCase(type, 4, 72, false));
  for (int64_t columns : {7, 384, 1536})
    cases.push_back(layerNormCase("f32", 6, columns));
  cases.push_back(layerNormCase("f16", 3, 768));
  return cases;
}

std::vector<KernelCase> reductionCases() {
  std::vector<KernelCase> cases;
  for (const char *kind : {"sum", "max", "min", "prod"}) {
    cases.push_back(reductionCase("f32", kind, 6, 50, 1));
    cases.push_back(reductionCase("i32", kind, 3, 9, 700));
  }
  for (const char *type : {"f16", "bf16", "f64", "i8", "i16", "i64", "ui8", "ui16", "ui32", "ui64"})
    cases.push_back(reductionCase(type, "max", 4, 33, 1));
  cases.push_back(reductionCase("f32", "sum", 2, 2500, 1));
  cases.push_back(reductionCase("f32", "sum", 2, 100, 8));
  for (const char *type : {"f32", "f16", "i8", "f64"})
    cases.push_back(reductionCase(type, "max", 3, 49, 70));
  cases.push_back(reductionCase("f32", "prod", 1, 40, 33));
  cases.push_back(reductionCase("f32", "sum", 1, 1300, 40));
  cases.push_back(argReductionCase("f32", false, 5, 30));
  cases.push_back(argReductionCase("i32", true, 5, 30));
  return cases;
}

/// Whole vectors and ragged ones, a warp or a block per part, single channels.
std::vector<KernelCase> normCases() {
  std::vector<KernelCase> cases;
  for (NormShape shape :
       {NormShape{4, 64, 2, 8}, {3, 37, 5, 3}, {2, 1100, 3, 2}, {5, 130, 1, 10}, {7, 33, 40, 1}, {2, 1030, 3, 1}}) {
    for (const char *type : {"f32", "f16"}) {
      cases.push_back(momentsCase(type, shape));
      cases.push_back(normalizeCase(type, shape));
    }
  }
  for (const char *type : {"bf16", "f64"}) {
    cases.push_back(momentsCase(type, {4, 50, 3, 6}));
    cases.push_back(normalizeCase(type, {4, 50, 3, 6}));
  }
  return cases;
}

std::vector<KernelCase> windowCases() {
  std::vector<KernelCase> cases;
  ConvOptions options;
  for (const char *type : {"f32", "f16", "bf16"})
    for (int64_t channels : {3, 8, 34}) {
      options.type = type;
      options.channels = channels;
      options.schedule = channels == 34 ? "window" : "reduction"; // The others have too few points.
      cases.push_back(windowCase("sum", options));
    }
  options.type = "f32";
  options.schedule = "reduction";
  options.images = 2;
  options.stride = 2;
  options.width = 5;
  options.channels = 12;
  for (const char *kind : {"sum", "max"})
    cases.push_back(windowCase(kind, options));
  // Rows and columns that end within a thread's, and taps with gaps between them.
  for (const char *schedule : {"window<rows 4, columns 2, vector 4>", "window<rows 3, columns 2, vector 2>",
                               "window<rows 1, columns 1, vector 1>", "reduction<threads 128, vector 4>"})
    for (auto [type, stride, taps] : {std::tuple("f32", 1, 3), std::tuple("f16", 2, 3), std::tuple("f16", 1, 5),
                                      std::tuple("f32", 3, 3), std::tuple("bf16", 1, 2)}) {
      ConvOptions o;
      o.type = type;
      o.images = 2;
      o.height = 9;
      o.width = 7;
      o.channels = 8;
      o.stride = stride;
      o.taps = taps;
      o.schedule = schedule;
      if (taps < 5 || std::string(schedule).find("vector 4") == std::string::npos) // Its weights would not fit.
        cases.push_back(windowCase(taps == 2 ? "max" : "sum", o));
    }
  for (const char *type : {"f32", "f16"})
    for (int64_t stride : {1, 2}) {
      ConvOptions o;
      o.type = type;
      o.height = 11;
      o.width = 13;
      o.stride = stride;
      o.channelsFirst = true;
      o.schedule = "window<rows 8, columns 1, vector 1>";
      cases.push_back(windowCase("sum", o));
    }
  options.dilation = 2;
  options.taps = 2;
  options.pad = 0;
  cases.push_back(windowCase("min", options));
  return cases;
}

/// Aligned and ragged rows, columns and depths of every kind of window.
static std::vector<KernelCase> convCasesOf(const std::string &type) {
  std::vector<KernelCase> cases;
  auto add = [&](int64_t columns, ConvOptions options) {
    options.type = type;
    cases.push_back(convCase(columns, options));
  };
  ConvOptions o;
  for (int64_t channels : {3, 4, 16, 24})
    for (int64_t columns : {64, 38}) {
      o.channels = channels;
      add(columns, o);
    }
  o.channels = 8;
  o.images = 2;
  o.height = 9;
  o.width = 7;
  o.stride = 2;
  add(40, o);
  o.stride = 1;
  o.dilation = 2;
  o.pad = 2;
  add(40, o);
  o.dilation = 1;
  o.pad = 0;
  add(40, o);
  o.groups = 3;
  o.pad = 1;
  add(16, o);
  o.groups = 1;
  o.dynamic = true;
  add(64, o);
  o.taps = 1;
  o.pad = 0;
  o.channels = 32;
  add(72, o);
  o.dynamic = false;
  o.stride = 2;
  add(72, o);
  o = {};
  o.channels = 64; // a long depth and a small result: k is shared
  o.height = o.width = 5;
  add(64, o);
  add(42, o);
  return cases;
}

std::vector<KernelCase> convCases() {
  std::vector<KernelCase> cases = convCasesOf("f32");
  for (const KernelCase &test : halfConvCases())
    cases.push_back(test);
  ConvOptions o;
  o.type = "bf16";
  cases.push_back(convCase(64, o));
  return cases;
}

/// Few channels: windows that overlap, and with gaps between them; ragged rows and columns, either layout.
std::vector<KernelCase> patchCases() {
  std::vector<KernelCase> cases;
  auto add = [&](int64_t columns, ConvOptions o) {
    for (bool channelsFirst : {false, true}) {
      o.channelsFirst = channelsFirst;
      o.type = o.type == "f16" ? "bf16" : "f16";
      cases.push_back(convCase(columns, o));
    }
  };
  ConvOptions o;
  o.schedule = "conv_patch";
  o.channels = 3;
  o.stride = 2;
  o.taps = 7;
  o.pad = 3;
  o.height = 20;
  o.width = 36;
  add(64, o);
  o.width = 64; // whole tiles
  o.height = 32;
  add(64, o);
  o.pad = 0; // nothing is masked
  o.height = 23;
  o.width = 38;
  add(40, o);
  o.taps = 3;
  o.pad = 1;
  o.images = 3;
  add(32, o);
  o.dynamic = true;
  add(24, o);
  o.dynamic = false;
  add(98, o); // several tiles of columns, vectors of two
  o.stride = 4;
  o.schedule = "conv_patch<rows 8, columns 64, tiles 4>";
  o.height = o.width = 42;
  add(70, o);
  o.schedule = "conv_patch<rows 4, columns 32, tiles 3>";
  o.channels = 1;
  o.taps = 5;
  o.pad = 2;
  o.stride = 2;
  add(48, o);
  o.channels = 5;
  add(32, o);
  return cases;
}

std::vector<KernelCase> halfConvCases() { return convCasesOf("f16"); }

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

namespace {

struct MmaTile {
  int64_t m, n, k, warpsM, warpsN, slices, stages, split = 1;

  std::string schedule(int64_t mmaK, bool async) const {
    auto text = [](int64_t n) { return std::to_string(n); };
    return "gemm_mma<tile " + text(m) + "x" + text(n) + "x" + text(k) + ", warps " + text(warpsM) + "x" + text(warpsN) +
           ", slices " + text(slices) + ", stages " + text(stages) + ", mma_k " + text(mmaK) + ", async " +
           (async ? "true" : "false") + (split > 1 ? ", split " + text(split) : "") + ">";
  }
  /// Rows of [k][n] operands of four bytes are padded.
  int64_t sharedBytes(int64_t element = 2) const {
    return stages * ((m + n) * k + (element == 4 ? 8 * k : 0)) * element + (slices - 1) * m * n * 4;
  }
};

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
                              {128, 128, 32, 2, 2, 1, 3},
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
