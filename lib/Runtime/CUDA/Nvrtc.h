//===- lib/Runtime/CUDA/Nvrtc.h - CUDA source to cubin, in memory, without a GPU ---===//
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC is opened by dlopen: Cupola builds without a CUDA toolkit and starts without one. Both sides use this class:
// the compiler for `--arch`, the runtime for the GPU it finds. Every include is passed in memory, so that no folder of
// the machine takes part in a compilation.
#ifndef CUPOLA_LIB_RUNTIME_CUDA_NVRTC_H
#define CUPOLA_LIB_RUNTIME_CUDA_NVRTC_H

#include "lib/Runtime/CUDA/NvrtcApi.h"
#include "lib/Runtime/CUDA/PtxasLog.h"
#include "lib/Runtime/Status.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::runtime::cuda {

/// A header as the source includes it.
struct NvrtcHeader {
  std::string name; ///< "device.cuh"
  std::string_view text;
};

/// What a caller may choose. There is no way to pass an option text: the texts come from one table.
struct NvrtcOptions {
  bool contract = true;  ///< let ptxas fuse a*b+c; off only for comparisons bit by bit
  bool lineInfo = false; ///< source lines for debuggers and profilers; the cubin grows fourfold
};

struct NvrtcRequest {
  std::string name = "kernels.cu"; ///< in messages only; never a string of a model
  std::string_view source;
  std::vector<NvrtcHeader> headers;
  std::string arch; ///< "sm_80", "sm_90a"
  NvrtcOptions options;
};

/// A compiled request.
struct CudaBinary {
  std::string cubin;
  std::vector<KernelResources> kernels; ///< sorted by name
};

/// The option texts of a request, in the order NVRTC gets them.
std::vector<std::string> nvrtcOptionTexts(const NvrtcRequest &request);

/// One loaded NVRTC. Thread-safe: NVRTC compiles different programs concurrently.
class Nvrtc {
public:
  /// Opens the first library found; `majors` in order of preference. Code::Environment with the paths tried if none is
  /// found or one lacks a function.
  static Result<std::shared_ptr<Nvrtc>> load(const std::vector<int> &majors = {13, 12});

  /// Over a given table (tests). `path` is for messages.
  static Result<std::shared_ptr<Nvrtc>> create(const NvrtcApi &api, std::string path);

  /// Compiles for one architecture. Code::Environment when this NVRTC does not know the architecture, Code::Internal
  /// with its diagnostics when it rejects the source.
  Result<CudaBinary> compile(const NvrtcRequest &request);

  /// "13.0"
  const std::string &version() const { return versionText; }
  int major() const { return majorVersion; }
  const std::string &path() const { return libraryPath; }
  /// Compute capabilities as numbers (75, 80, ...), ascending.
  const std::vector<int> &architectures() const { return archs; }
  /// How many programs were compiled since this object was made.
  uint64_t compileCount() const { return compiles.load(); }

  /// Code::Environment if it is too old for sources of this architecture.
  Status checkArch(const std::string &arch) const;

private:
  Nvrtc() = default;
  Status readVersion();
  Status fail(const NvrtcRequest &request, const char *call, NvrtcResult code) const;
  Result<std::string> readLog(const NvrtcRequest &request, NvrtcProgram program) const;
  Result<CudaBinary> compileProgram(const NvrtcRequest &request, NvrtcProgram program);

  NvrtcApi api = {};
  std::string libraryPath, versionText;
  int majorVersion = 0, minorVersion = 0;
  std::vector<int> archs;
  std::atomic<uint64_t> compiles{0};
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_NVRTC_H
