//===- test/Sim/KernelRunner.h - Runs one kernel text on a device of the runtime ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Works on every device that takes CUDA source, so that a test can run on `sim` and on `cuda` alike.
#ifndef CUPOLA_TEST_SIM_KERNELRUNNER_H
#define CUPOLA_TEST_SIM_KERNELRUNNER_H

#include "lib/Runtime/Device.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace cupola::test {

/// A buffer argument. `bytes` is its size; `data` (of that size, or empty: not initialised) its contents before. It may
/// be bytes [offset, offset + bytes) of an earlier buffer, `parent`.
struct KernelBuffer {
  std::string mode; ///< "r", "w" or "rw"
  uint64_t bytes = 0;
  std::string data;
  int parent = -1;
  uint64_t offset = 0;
};

template <class T> std::string toBytes(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}
template <class T> std::vector<T> fromBytes(const std::string &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}
template <class T> KernelBuffer input(const std::vector<T> &values) {
  return {"r", values.size() * sizeof(T), toBytes(values), -1, 0};
}
template <class T> KernelBuffer output(size_t count) { return {"w", count * sizeof(T), "", -1, 0}; }
template <class T> KernelBuffer inPlace(const std::vector<T> &values) {
  return {"rw", values.size() * sizeof(T), toBytes(values), -1, 0};
}

/// A tensor in a buffer, as tensor copies take boxes of it; dimensions from the innermost on.
struct KernelMap {
  size_t buffer = 0;
  format::DType dtype = format::DType::F16;
  std::vector<uint64_t> extents; ///< elements
  std::vector<uint64_t> strides; ///< bytes, of all dimensions but the innermost
  std::vector<uint32_t> box;     ///< elements
  uint32_t swizzle = 0;          ///< bytes
  uint64_t offset = 0;           ///< bytes, from the buffer's start
  format::TensorWindow window = {};
};

struct KernelRun {
  std::string text;   ///< a whole source file
  std::string kernel; ///< its kernel
  std::string arch;   ///< what alone it is for, "sm_90a"; empty: the device's own
  uint32_t threads = 32;
  uint64_t sharedBytes = 0;
  uint64_t grid = 1, gridY = 1, gridZ = 1;
  uint32_t cluster = 0;
  bool programmatic = false;
  bool cooperative = false;
  std::vector<KernelBuffer> buffers;
  std::vector<int64_t> scalars; ///< bound to slots 1, 2, ...
  std::vector<KernelMap> maps;  ///< slots behind those
  bool downloads = true;        ///< fetch what was written
};

struct KernelOutcome {
  Status status;
  std::vector<std::string> buffers; ///< contents of the buffers that are not "r"
  uint32_t flag = 0;                ///< word 0 of the flag block
};

/// Compiles and runs the kernel once.
KernelOutcome runKernel(runtime::Device &device, const KernelRun &run);

/// The simulator for an architecture. Compiled kernels are kept in the build folder's cache.
std::shared_ptr<runtime::Device> makeSimulator(const std::string &arch, uint64_t seed = 0);

/// The device headers, as a package carries them.
std::vector<format::Source> headerSources();

/// Head of a test kernel with `references` buffers, `slots` scalars and `maps` tensor maps: the text up to the opening
/// brace.
std::string kernelHead(const std::string &name, int threads, int references, int slots, int maps = 0);

} // namespace cupola::test

#endif
