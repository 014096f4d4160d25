//===- lib/Runtime/CUDA/NvrtcApi.h - the NVRTC entry points that Cupola calls ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of NVIDIA's runtime compiler, as far as it is used, in our own words: no CUDA toolkit is needed to build.
// test/Runtime/CUDA/AbiTest.cpp compares every line with nvrtc.h where a toolkit is installed.
#ifndef CUPOLA_LIB_RUNTIME_CUDA_NVRTCAPI_H
#define CUPOLA_LIB_RUNTIME_CUDA_NVRTCAPI_H

#include <cstddef>

namespace cupola::runtime::cuda {

using NvrtcResult = int; // an enum in C; 0 is success
using NvrtcProgram = struct NvrtcProgramTag *;

inline constexpr NvrtcResult nvrtcSuccess = 0;
inline constexpr NvrtcResult nvrtcInvalidOption = 5;
inline constexpr NvrtcResult nvrtcCompilationFailed = 6;

/// The function table. Filled by Nvrtc::load from one library; tests fill it by hand.
struct NvrtcApi {
  const char *(*getErrorString)(NvrtcResult);
  NvrtcResult (*version)(int *major, int *minor);
  NvrtcResult (*getNumSupportedArchs)(int *count);
  NvrtcResult (*getSupportedArchs)(int *archs);
  NvrtcResult (*createProgram)(NvrtcProgram *, const char *source, const char *name, int headerCount,
                               const char *const *headers, const char *const *headerNames);
  NvrtcResult (*destroyProgram)(NvrtcProgram *);
  NvrtcResult (*compileProgram)(NvrtcProgram, int optionCount, const char *const *options);
  NvrtcResult (*getCubinSize)(NvrtcProgram, size_t *bytes);
  NvrtcResult (*getCubin)(NvrtcProgram, char *cubin);
  NvrtcResult (*getProgramLogSize)(NvrtcProgram, size_t *bytes); // counts the final NUL
  NvrtcResult (*getProgramLog)(NvrtcProgram, char *log);
};

/// Name in the library -> slot of the table, in the order of the struct.
struct NvrtcSymbol {
  const char *name;
  size_t offset;
};
inline constexpr NvrtcSymbol nvrtcSymbols[] = {
    {"nvrtcGetErrorString", offsetof(NvrtcApi, getErrorString)},
    {"nvrtcVersion", offsetof(NvrtcApi, version)},
    {"nvrtcGetNumSupportedArchs", offsetof(NvrtcApi, getNumSupportedArchs)},
    {"nvrtcGetSupportedArchs", offsetof(NvrtcApi, getSupportedArchs)},
    {"nvrtcCreateProgram", offsetof(NvrtcApi, createProgram)},
    {"nvrtcDestroyProgram", offsetof(NvrtcApi, destroyProgram)},
    {"nvrtcCompileProgram", offsetof(NvrtcApi, compileProgram)},
    {"nvrtcGetCUBINSize", offsetof(NvrtcApi, getCubinSize)},
    {"nvrtcGetCUBIN", offsetof(NvrtcApi, getCubin)},
    {"nvrtcGetProgramLogSize", offsetof(NvrtcApi, getProgramLogSize)},
    {"nvrtcGetProgramLog", offsetof(NvrtcApi, getProgramLog)},
};
static_assert(sizeof(nvrtcSymbols) / sizeof(nvrtcSymbols[0]) == sizeof(NvrtcApi) / sizeof(void *),
              "every slot of the table has a row");

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_NVRTCAPI_H
