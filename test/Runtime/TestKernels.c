//===- test/Runtime/TestKernels.c - The test package's kernels for the cpu device ---===//
// SPDX-License-Identifier: Apache-2.0
//
// By hand what the compiler would make: see lib/Runtime/CPU/CpuDevice.h for the
// ABI, TestPackage.cpp for the program and the same kernels in CUDA.
//===----------------------------------------------------------------------===//
#include <stdint.h>

#define KERNEL(NAME)                                                                                                   \
  void NAME(const uint64_t *bindings, const uint64_t *args, int64_t begin, int64_t end, void *scratch)

// in, out; elements, factor
KERNEL(k_0000000000000001) {
  const float *in = (const float *)args[0];
  float *out = (float *)args[1];
  const int64_t factor = (int64_t)bindings[args[3]];
  float *row = (float *)scratch;
  for (int64_t i = begin; i < end; ++i) {
    row[0] = in[i] * (float)factor;
    out[i] = row[0];
  }
}

// x, table, ids, out; elements, rows of the table
KERNEL(k_0000000000000002) {
  const float *x = (const float *)args[0], *table = (const float *)args[1];
  const int64_t *ids = (const int64_t *)args[2];
  float *out = (float *)args[3];
  const int64_t rows = (int64_t)bindings[args[5]];
  for (int64_t i = begin; i < end; ++i) {
    int64_t id = ids[i / 4];
    if (id < 0 || id >= rows) {
      const uint32_t raised = (uint32_t)args[6] + 1;
      uint32_t *flag = (uint32_t *)bindings[0];
      uint32_t seen = __atomic_load_n(flag, __ATOMIC_RELAXED);
      while (seen < raised &&
             !__atomic_compare_exchange_n(flag, &seen, raised, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      }
      id = id < 0 ? 0 : rows - 1;
    }
    out[i] = x[i] + table[id * 4 + i % 4];
  }
}

// in, out; bound: whether the first element is below it
KERNEL(k_0000000000000003) {
  (void)begin, (void)end, (void)scratch;
  *(uint8_t *)args[1] = *(const float *)args[0] < (float)(int64_t)bindings[args[2]];
}

// in, out; elements, those that in has: what is missing is the element's number
KERNEL(k_0000000000000004) {
  (void)scratch;
  const float *in = (const float *)args[0];
  float *out = (float *)args[1];
  for (int64_t i = begin; i < end; ++i)
    out[i] = i < (int64_t)bindings[args[3]] ? in[i] : (float)i;
}
