//===- lib/Runtime/Format/LibraryCosts.cpp - Which library calls gain, and where ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Measured step by step on ResNet-50, MobileNetV3, ViT-B/16, BERT, MiniLM and U-Nets with oneDNN
// 2.6.3 on 2 threads: x86-64-v4 on a Zen 5, x86-64-v3 on a machine that has no more
// (docs/results/cpu.md). Where the library gains, it does by 3 to 40 %; with AVX2 that is on wide
// images of few channels alone, elsewhere the kernels are 5 to 50 % ahead. A call is cut along its rows, and each piece
// is a call of its own on one thread: so the class of a shape has the rows of a thread in it. Where weights are large
// and rows few the library loses, since every thread reads all weights. Its convolutions work on several places side by
// side in an image's row: on a signal, whose places lie one below the other, they are four times as slow as the
// kernels.

#include "lib/Runtime/Format/LibraryCosts.h"

#include <algorithm>

namespace cupola::format {

namespace {

struct Extents {
  int64_t rows = 1, places = 1, depth = 1, taps = 1, weightKiB = 0;
};

/// What a call has to have for the library to be the cheaper one. Any row will do.
struct GainRow {
  LibraryVersion version;
  std::string_view arch;
  LibraryCallKind kind;
  int64_t rowsPerThreadFrom, placesFrom, depthFrom, depthTo, tapsFrom, weightKiBTo;
};
constexpr int64_t any = INT64_MAX;
constexpr GainRow gains[] = {
    {{2, 6}, "x86-64-v4", LibraryCallKind::Convolution, 16, 7, 24, any, 1, 4096},
    {{2, 6}, "x86-64-v4", LibraryCallKind::MatrixProduct, 256, 1, 24, any, 1, any},
    {{2, 6}, "x86-64-v4", LibraryCallKind::MatrixProduct, 16, 1, 24, any, 1, 640}, // in the cache of every core
    {{2, 6}, "x86-64-v3", LibraryCallKind::Convolution, 16, 128, 24, 640, 2, 4096},
};

/// The code behind those figures. Not in it: `ref`, which loops over elements and takes a hundred
/// times as long, and the convolutions by gemm, which in 2.6.3 add a tensor of the result's shape
/// at the wrong places.
struct CodeRow {
  LibraryVersion version;
  LibraryCallKind kind;
  std::string_view name;
};
constexpr CodeRow codes[] = {
    {{2, 6}, LibraryCallKind::Convolution, "brgconv:avx512_core"},
    {{2, 6}, LibraryCallKind::Convolution, "brgconv_1x1:avx512_core"},
    {{2, 6}, LibraryCallKind::Convolution, "jit:avx2"},
    {{2, 6}, LibraryCallKind::Convolution, "jit_1x1:avx2"},
    {{2, 6}, LibraryCallKind::MatrixProduct, "brg:avx512_core"},
    {{2, 6}, LibraryCallKind::MatrixProduct, "gemm:jit"},
};

bool isOf(LibraryVersion row, LibraryVersion version) {
  return row.major == version.major && row.minor == version.minor;
}

Extents extentsOf(const LibraryCall &call) {
  Extents extents;
  for (size_t i = 0; i + 1 < call.result.size(); ++i)
    extents.rows *= call.result[i];
  for (size_t i = 0; i + 1 < call.weights.size(); ++i)
    extents.depth *= call.weights[i];
  if (call.kind == LibraryCallKind::Convolution) {
    extents.taps = call.weights[0] * call.weights[1];
    extents.places = call.result[2];
  }
  extents.weightKiB = extents.depth * call.weights.back() * static_cast<int64_t>(sizeof(float)) / 1024;
  return extents;
}

} // namespace

int64_t mostThreads(const LibraryCall &call, LibraryVersion version, std::string_view arch) {
  const Extents extents = extentsOf(call);
  int64_t most = 0;
  for (const GainRow &row : gains)
    if (isOf(row.version, version) && row.arch == arch && row.kind == call.kind && extents.places >= row.placesFrom &&
        extents.depth >= row.depthFrom && extents.depth <= row.depthTo && extents.taps >= row.tapsFrom &&
        extents.weightKiB <= row.weightKiBTo)
      most = std::max(most, extents.rows / row.rowsPerThreadFrom);
  return most;
}

std::string cheaperByKernel(const LibraryCall &call, LibraryVersion version, std::string_view arch, unsigned threads) {
  if (std::none_of(std::begin(gains), std::end(gains), [&](const GainRow &row) { return isOf(row.version, version); }))
    return "the cost table has no figures of version " + std::to_string(version.major) + "." +
           std::to_string(version.minor);
  if (threads <= mostThreads(call, version, arch))
    return "";
  const Extents extents = extentsOf(call);
  return "the kernel is the cheaper one on " + std::to_string(threads) + (threads == 1 ? " thread: " : " threads: ") +
         std::to_string(extents.rows) + " rows" +
         (call.kind == LibraryCallKind::Convolution ? " (" + std::to_string(extents.places) + " side by side)" : "") +
         ", depth " + std::to_string(extents.depth) + ", " + std::to_string(extents.weightKiB) + " KiB of weights";
}

bool isMeasured(LibraryVersion version, LibraryCallKind kind, std::string_view implementation) {
  return std::any_of(std::begin(codes), std::end(codes), [&](const CodeRow &row) {
    return isOf(row.version, version) && row.kind == kind && row.name == implementation;
  });
}

} // namespace cupola::format
