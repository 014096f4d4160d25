//===- test/Runtime/LibraryCostsTest.cpp - Which form of a step runs ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/CpuFeatures.h"
#include "lib/Runtime/CPU/OneDnnCall.h"
#include "lib/Runtime/Device.h"
#include "test/Runtime/ChosenOneDnn.h"

#include <gtest/gtest.h>

namespace cupola::runtime {

using format::LibraryCall;
using format::LibraryCallKind;

namespace {

/// 3x3, stride 2, from 26x26 to 13x13. On 2 threads the second half of its rows got the library's
/// reference code, which took a hundred times as long as the rest of the model.
LibraryCall halving(int64_t channels, int64_t results) {
  return {LibraryCallKind::Convolution,
          {1, 26, 26, channels},
          {3, 3, channels, results},
          {1, 13, 13, results},
          {2, 2},
          {1, 1},
          {1, 1},
          {{format::PostOpKind::AddChannel}, {format::PostOpKind::Silu}},
          {0, 1, 2, 3}};
}

LibraryCall product(int64_t rows, int64_t depth, int64_t columns) {
  return {LibraryCallKind::MatrixProduct, {rows, depth}, {depth, columns}, {rows, columns}, {}, {}, {}, {}, {0, 1, 2}};
}

/// By the library, or why not.
std::string formOf(const LibraryCall &call, unsigned threads, const std::string &arch) {
  DeviceOptions options;
  options.threads = threads;
  const auto device = createDevice("cpu", options);
  const std::vector<float> weights(format::bufferBytes(call)[1] / sizeof(float));
  auto made = (*device)->prepareCall(call, arch, weights.data());
  return made.failed() ? made.status().message() : (*made)->library();
}

} // namespace

TEST(LibraryCosts, NoPieceOfACallGetsCodeThatNobodyMeasured) {
  const onednn::Chosen chosen(CUPOLA_FAKE_ONEDNN);
  for (const LibraryCall &call : {halving(192, 384), halving(192, 192)}) {
    EXPECT_EQ(formOf(call, 1, "x86-64-v4"), "oneDNN 2.6.3 brgconv:avx512_core");
    EXPECT_EQ(formOf(call, 2, "x86-64-v4"), "oneDNN 2.6.3 ref:any is not used: the cost table does not know it");
    EXPECT_EQ(formOf(call, 4, "x86-64-v4"), "oneDNN 2.6.3 brgconv:avx512_core");
  }
}

/// Whatever library and processor are here.
TEST(LibraryCosts, TheInstalledLibraryRunsMeasuredCodeOrNone) {
  for (const LibraryCall &call : {halving(192, 384), halving(192, 192)})
    for (unsigned threads : {1u, 2u, 4u}) {
      const std::string form = formOf(call, threads, "x86-64-v" + std::to_string(hostLevel()));
      EXPECT_TRUE(form.find("ref") == std::string::npos || form.find("is not used") != std::string::npos) << form;
    }
}

TEST(LibraryCosts, TheChoiceFollowsShapeThreadsAndLevel) {
  const format::LibraryVersion version = format::measuredOneDnn;
  EXPECT_EQ(format::mostThreads(halving(192, 384), version, "x86-64-v4"), 10); // 169 rows, 16 to a thread
  EXPECT_EQ(format::mostThreads(halving(192, 384), version, "x86-64-v3"), 0);  // the image is small
  LibraryCall wide = halving(64, 64);
  wide.result = {1, 256, 256, 64};
  EXPECT_EQ(format::mostThreads(wide, version, "x86-64-v3"), 256 * 256 / 16);
  wide.weights = {3, 3, 128, 64};
  EXPECT_EQ(format::mostThreads(wide, version, "x86-64-v3"), 0); // too deep
  LibraryCall signal = halving(192, 384);
  for (auto *extents : {&signal.source, &signal.result, &signal.weights})
    (*extents)[extents == &signal.weights ? 1 : 2] = 1;
  EXPECT_EQ(format::cheaperByKernel(signal, version, "x86-64-v3", 1), // nothing lies side by side
            "the kernel is the cheaper one on 1 thread: 13 rows (1 side by side), depth 576, 864 KiB of weights");
  EXPECT_EQ(format::mostThreads(product(1024, 32, 16), version, "x86-64-v4"), 64);
  EXPECT_EQ(format::mostThreads(product(4096, 256, 64), version, "x86-64-v3"), 0);   // no product gains
  EXPECT_EQ(format::mostThreads(product(64, 1024, 1024), version, "x86-64-v4"), 0);  // large weights
  EXPECT_EQ(format::mostThreads(product(600, 1024, 1024), version, "x86-64-v4"), 2); // 256 rows to a thread
  EXPECT_EQ(format::cheaperByKernel(product(600, 1024, 1024), version, "x86-64-v4", 2), "");
  EXPECT_EQ(format::cheaperByKernel(product(600, 1024, 1024), version, "x86-64-v4", 3),
            "the kernel is the cheaper one on 3 threads: 600 rows, depth 1024, 4096 KiB of weights");
}

TEST(LibraryCosts, WhatTheTableDoesNotKnowIsNotUsed) {
  EXPECT_EQ(format::cheaperByKernel(halving(192, 384), {2, 7}, "x86-64-v4", 1),
            "the cost table has no figures of version 2.7");
  EXPECT_EQ(format::mostThreads(halving(192, 384), format::measuredOneDnn, "x86-64-v2"), 0);
  EXPECT_TRUE(format::isMeasured({2, 6}, LibraryCallKind::Convolution, "jit:avx2"));
  EXPECT_FALSE(format::isMeasured({2, 6}, LibraryCallKind::Convolution, "gemm:jit"));
  EXPECT_FALSE(format::isMeasured({2, 6}, LibraryCallKind::Convolution, "ref:any"));
  EXPECT_FALSE(format::isMeasured({2, 6}, LibraryCallKind::MatrixProduct, "jit:avx2"));
}

} // namespace cupola::runtime
