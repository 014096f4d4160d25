//===- lib/Runtime/Tools/Ceilings.cpp - What a device can do at best ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Ceilings.h"
#include "lib/Runtime/CPU/CpuFeatures.h"
#include "lib/Runtime/DeviceMemory.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cupola::runtime {

namespace {

constexpr size_t kCopied = size_t(64) << 20; // more than a core's share of any cache
constexpr int kTrials = 4;                   // the first one touches the memory

double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The least milliseconds of `work` on all `threads` at once.
double bestTime(unsigned threads, const std::function<void(unsigned)> &work) {
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const double begin = now();
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back(work, i);
    work(0);
    for (std::thread &thread : others)
      thread.join();
    const double time = now() - begin;
    best = trial == 0 ? time : std::min(best, time);
  }
  return best;
}

/// Eight sums, since an addition has to wait some cycles for the one before it.
constexpr int kSums = 8;
constexpr int64_t kRounds = int64_t(1) << 21;
/// Results of the loops below, so that they are not left out; of each thread.
thread_local volatile float sink;

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void multiplyAdd512() {
  __m512 a = _mm512_set1_ps(0), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  const __m512 x = _mm512_set1_ps(0.5f);
  for (int64_t i = 0; i < kRounds; ++i) {
    a = _mm512_fmadd_ps(a, x, x), b = _mm512_fmadd_ps(b, x, x), c = _mm512_fmadd_ps(c, x, x);
    d = _mm512_fmadd_ps(d, x, x), e = _mm512_fmadd_ps(e, x, x), f = _mm512_fmadd_ps(f, x, x);
    g = _mm512_fmadd_ps(g, x, x), h = _mm512_fmadd_ps(h, x, x);
  }
  for (const __m512 &sum : {a, b, c, d, e, f, g, h})
    sink = _mm512_cvtss_f32(sum);
}

__attribute__((target("avx2,fma"))) void multiplyAdd256() {
  __m256 a = _mm256_set1_ps(0), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  const __m256 x = _mm256_set1_ps(0.5f);
  for (int64_t i = 0; i < kRounds; ++i) {
    a = _mm256_fmadd_ps(a, x, x), b = _mm256_fmadd_ps(b, x, x), c = _mm256_fmadd_ps(c, x, x);
    d = _mm256_fmadd_ps(d, x, x), e = _mm256_fmadd_ps(e, x, x), f = _mm256_fmadd_ps(f, x, x);
    g = _mm256_fmadd_ps(g, x, x), h = _mm256_fmadd_ps(h, x, x);
  }
  for (const __m256 &sum : {a, b, c, d, e, f, g, h})
    sink = _mm256_cvtss_f32(sum);
}
#endif

struct Loop {
  int level, lanes;
  void (*run)();
};

double operationsOf(unsigned threads, int level) {
#if defined(__x86_64__)
  constexpr Loop loops[] = {{4, 16, multiplyAdd512}, {3, 8, multiplyAdd256}};
  for (const Loop &loop : loops)
    if (level >= loop.level)
      return 2.0 * kSums * loop.lanes * kRounds * threads / bestTime(threads, [&](unsigned) { loop.run(); });
#endif
  return 0;
}

double bytesOf(unsigned threads) {
  std::vector<std::unique_ptr<char[]>> from(threads), to(threads);
  const double time = bestTime(threads, [&](unsigned i) {
    if (!from[i]) // each thread's own, near to it
      from[i].reset(new char[kCopied]()), to[i].reset(new char[kCopied]);
    std::memcpy(to[i].get(), from[i].get(), kCopied);
  });
  return 2.0 * kCopied * threads / time;
}

Result<Ceilings> ofStream(Device &device) {
  DeviceMemory from, to;
  CUPOLA_TRY(from.allocate(device, kCopied));
  CUPOLA_TRY(to.allocate(device, kCopied));
  CUPOLA_ASSIGN(std::unique_ptr<Stream> stream, device.createStream(nullptr));
  Status failed;
  const double time = bestTime(1, [&](unsigned) {
    Status status = stream->copy(to.address(), from.address(), kCopied);
    if (status.isOk())
      status = stream->synchronize();
    if (!status.isOk())
      failed = status;
  });
  CUPOLA_TRY(failed);
  return Ceilings{2.0 * kCopied / time, 0};
}

} // namespace

Result<Ceilings> measureCeilings(Device &device) {
  const DeviceProperties &facts = device.properties();
  if (facts.name == "cuda")
    return ofStream(device);
  if (facts.name != "cpu")
    return Ceilings{};
  return Ceilings{bytesOf(facts.threads), operationsOf(facts.threads, levelOf(facts.arch))};
}

double rooflineShare(const Ceilings &ceilings, const StepWork &work, double milliseconds) {
  double least = 0;
  if (ceilings.bytes > 0)
    least = static_cast<double>(work.bytes) / ceilings.bytes;
  if (ceilings.operations > 0)
    least = std::max(least, static_cast<double>(work.operations) / ceilings.operations);
  return milliseconds > 0 ? least / milliseconds : 0;
}

} // namespace cupola::runtime
