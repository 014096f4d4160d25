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
  cases.push_back(pointwiseCase("f16", 517, 1536, false)); // several rows for a thread, not as many for all
  cases.push_back(pointwiseCase("f32", 391, 1028, false));
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
  for (const char *type : {"f16", "bf16", "i8", "f32"}) { // vectors; tiles that end within the tensor's sides
    cases.push_back(transposeCase(type, 2, 72, 136, {0, 2, 1}));
    cases.push_back(transposeCase(type, 20, 3, 100, {2, 1, 0}));
    cases.push_back(transposeCase(type, 1, 130, 38, {0, 2, 1}));
  }
  for (auto [type, to] : {std::pair("f32", "f16"), {"bf16", "f32"}})
    cases.push_back(transposeCase(type, 2, 72, 136, {2, 0, 1}, to));
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
  for (int64_t columns : {1027, 509, 2051, 40001}) // rows that begin anywhere, in registers and not
    cases.push_back(softmaxCase("f16", 3, columns, columns == 509));
  for (const char *type : {"f16", "bf16", "f64"})
    cases.push_back(softmaxCase(type, 4, 72, false));
  for (int64_t columns : {7, 384, 1536})
    cases.push_back(layerNormCase("f32", 6, columns));
  cases.push_back(layerNormCase("f16", 3, 768));
  cases.push_back(layerNormCase("f32", 2, 32000));
  // So many rows that a block has several, and what they share in shared memory.
  cases.push_back(layerNormCase("f16", 1061, 2048));
  cases.push_back(layerNormCase("f32", 1063, 1536));
  cases.push_back(layerNormCase("f32", 1059, 1283));
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
  for (const char *type : {"f32", "f16"})
    cases.push_back(softmaxColumnsCase(type, 3, 40, 70));
  cases.push_back(softmaxColumnsCase("f32", 2, 300, 33)); // more than registers keep
  cases.push_back(softmaxColumnsCase("bf16", 1, 1500, 40));
  cases.push_back(reductionCase("f32", "prod", 1, 40, 33));
  cases.push_back(reductionCase("f32", "sum", 1, 1300, 40));
  cases.push_back(reductionCase("f32", "min", 1, 70000, 1)); // shared by blocks
  // Blocks that have parts of rows, the last ones nothing of them.
  const std::string shared = "row_reduction<threads 64, row 64, vector 1, split ";
  for (const char *type : {"f32", "f16", "f64", "i8", "ui8", "i64"})
    for (const char *kind : {"sum", "max"})
      cases.push_back(reductionCase(type, kind, 3, 333, 1, shared + "5>"));
  cases.push_back(reductionCase("bf16", "min", 3, 72, 1, shared + "3>"));
  cases.push_back(reductionCase("f32", "sum", 2, 4096, 1, "row_reduction<threads 128, row 128, vector 4, split 4>"));
  for (bool last : {false, true}) {
    cases.push_back(argReductionCase("f32", "max", last, 3, 333, 1, shared + "5>"));
    cases.push_back(argReductionCase("i32", "min", last, 3, 72, 1, shared + "3>"));
    cases.push_back(
        argReductionCase("ui8", "max", last, 2, 4096, 1, "row_reduction<threads 64, row 64, vector 16, split 3>"));
  }
  // Parts of rows that begin anywhere, some shorter than a vector.
  for (const char *row : {"row 64, vector 8 peeled true, split 3>", "row 32, vector 4 peeled true>"})
    for (int64_t columns : {3001, 67, 5}) {
      const std::string peeled = std::string("row_reduction<threads 64, ") + row;
      cases.push_back(reductionCase("f16", "sum", 5, columns, 1, peeled));
      cases.push_back(argReductionCase("f16", "max", /*last=*/false, 5, columns, 1, peeled));
      cases.push_back(argReductionCase("i8", "min", /*last=*/true, 5, columns, 1, peeled));
      cases.push_back(placedSumCase("f16", 5, columns, peeled)); // its steps are not those of the vectors
    }
  // Two results of a loop.
  cases.push_back(jointCase("f32", 3, 1030, 1, "row_reduction"));
  cases.push_back(jointCase("f16", 5, 301, 1, "row_reduction"));
  cases.push_back(jointCase("f32", 1, 70000, 1, "row_reduction"));
  cases.push_back(jointCase("f16", 3, 333, 1, "row_reduction<threads 64, row 64, vector 8 peeled true, split 3>"));
  cases.push_back(jointCase("f16", 3, 49, 70, "column_reduction"));
  cases.push_back(jointCase("f32", 40, 6, 300, "reduction"));
  for (bool last : {false, true}) { // many ties, warps and blocks, lanes and warps without elements
    cases.push_back(argReductionCase("f32", "max", last, 5, 30, 1, "row_reduction"));
    cases.push_back(argReductionCase("f16", "min", last, 3, 3000, 1, "row_reduction"));
    cases.push_back(argReductionCase("i8", "max", last, 2, 1056, 1, "row_reduction"));
    cases.push_back(argReductionCase("f64", "max", last, 2, 300, 33, "column_reduction"));
    cases.push_back(argReductionCase("i32", "min", last, 2, 40, 70, "column_reduction"));
    cases.push_back(argReductionCase("i32", "max", last, 40, 6, 300, "reduction"));
  }
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
  for (const char *type : {"f32", "f16"}) { // as many taps as registers have room for
    ConvOptions o;
    o.type = type;
    o.height = 13;
    o.width = 11;
    o.channels = 34;
    o.taps = 7;
    o.pad = 3;
    o.schedule = "window<rows 8, columns 4, vector 1>";
    cases.push_back(windowCase("sum", o));
  }
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

} // namespace cupola::test
