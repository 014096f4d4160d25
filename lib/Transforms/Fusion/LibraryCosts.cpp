//===- lib/Transforms/Fusion/LibraryCosts.cpp - which contractions gain by a library ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Measured step by step on ResNet-50, MobileNetV3, ViT-B/16, BERT and MiniLM with oneDNN 2.6.3
// on 2 threads of a Zen 5, for level 3 with ONEDNN_MAX_CPU_ISA=AVX2 (docs/results/cpu.md). Where
// the library gains, it does by 3 to 40 %; where weights are large and rows few it loses, since
// every thread reads all weights.

#include "lib/Transforms/Fusion/DescribeCall.h"

#include <cstdint>

namespace cupola::fusion {

namespace {

using format::LibraryCall;
using format::LibraryCallKind;

struct Extents {
  int64_t rows = 1, depth = 1, taps = 1, weightKiB = 0;
};

/// What a call has to have for the library to be the cheaper one. Any row will do.
struct GainRow {
  int level;
  LibraryCallKind kind;
  int64_t rowsFrom, depthFrom, tapsFrom, weightKiBTo;
};
constexpr int64_t any = INT64_MAX;
constexpr GainRow gains[] = {
    {4, LibraryCallKind::Convolution, 32, 24, 1, 4096},  {4, LibraryCallKind::MatrixProduct, 512, 24, 1, any},
    {4, LibraryCallKind::MatrixProduct, 32, 24, 1, 640}, // in the cache of every core
    {3, LibraryCallKind::Convolution, 32, 24, 2, 4096},  {3, LibraryCallKind::MatrixProduct, 2048, 64, 1, 640},
};

Extents extentsOf(const LibraryCall &call) {
  Extents extents;
  for (size_t i = 0; i + 1 < call.result.size(); ++i)
    extents.rows *= call.result[i];
  for (size_t i = 0; i + 1 < call.weights.size(); ++i)
    extents.depth *= call.weights[i];
  if (call.kind == LibraryCallKind::Convolution)
    extents.taps = call.weights[0] * call.weights[1];
  extents.weightKiB = extents.depth * call.weights.back() * static_cast<int64_t>(sizeof(float)) / 1024;
  return extents;
}

} // namespace

std::string cheaperByKernel(const LibraryCall &call, int level) {
  Extents extents = extentsOf(call);
  for (const GainRow &row : gains)
    if (row.level == level && row.kind == call.kind && extents.rows >= row.rowsFrom && extents.depth >= row.depthFrom &&
        extents.taps >= row.tapsFrom && extents.weightKiB <= row.weightKiBTo)
      return "";
  return "the kernel is the cheaper one: " + std::to_string(extents.rows) + " rows, depth " +
         std::to_string(extents.depth) + ", " + std::to_string(extents.weightKiB) + " KiB of weights";
}

} // namespace cupola::fusion
