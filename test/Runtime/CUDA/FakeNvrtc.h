//===- test/Runtime/CUDA/FakeNvrtc.h - an NVRTC that compiles anything, and fails on demand ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_FAKENVRTC_H
#define CUPOLA_TEST_RUNTIME_CUDA_FAKENVRTC_H

#include "lib/Runtime/CUDA/NvrtcApi.h"

#include <algorithm>

namespace cupola::runtime::cuda {

/// Its cubin is the text "cube", which FakeDriver loads.
struct FakeNvrtc {
  static inline int call = 0, failAt = 0; ///< counted from 1; 0: none fails
  static inline int programs = 0;         ///< made and not destroyed
  static inline int major = 13, minor = 0;

  static NvrtcApi table() {
    NvrtcApi api = {};
    api.getErrorString = [](NvrtcResult) { return "NVRTC_ERROR_INTERNAL_ERROR"; };
    api.version = [](int *major, int *minor) { return *major = FakeNvrtc::major, *minor = FakeNvrtc::minor, next(); };
    api.getNumSupportedArchs = [](int *count) { return *count = 3, next(); };
    api.getSupportedArchs = [](int *archs) { return archs[0] = 86, archs[1] = 80, archs[2] = 90, next(); };
    api.createProgram = [](NvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *) {
      const NvrtcResult result = next();
      programs += result == nvrtcSuccess;
      return result;
    };
    api.destroyProgram = [](NvrtcProgram *) { return --programs, nvrtcSuccess; };
    api.compileProgram = [](NvrtcProgram, int, const char *const *) { return next(); };
    api.getCubinSize = [](NvrtcProgram, size_t *bytes) { return *bytes = 4, next(); };
    api.getCubin = [](NvrtcProgram, char *cubin) { return std::copy_n("cube", 4, cubin), next(); };
    api.getProgramLogSize = [](NvrtcProgram, size_t *bytes) { return *bytes = 1, next(); };
    api.getProgramLog = [](NvrtcProgram, char *log) { return *log = 0, next(); };
    return api;
  }

private:
  static NvrtcResult next() { return ++call == failAt ? 11 : nvrtcSuccess; }
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_FAKENVRTC_H
