//===- lib/Sim/Compile.h - Kernel text to a loadable, instrumented module ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_COMPILE_H
#define CUPOLA_LIB_SIM_COMPILE_H

#include "lib/Runtime/CUDA/ByteCache.h"
#include "lib/Runtime/Status.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cupola::sim {

/// A text of CUDA kernels, as the package holds it.
struct KernelText {
  std::string_view text;
  std::vector<std::pair<std::string, std::string_view>> headers; ///< name, text; the GPU's primitives are replaced
  std::vector<std::string> kernels;                              ///< those to compile, by name
  int arch = 0;                                                  ///< 75, 80, ...
};

/// Compiles kernels with clang++ (environment CUPOLA_CLANG, else clang++-22, clang++ in PATH) and lld. The text is
/// compiled as it is; it is compiled in several parts at once where it has many kernels.
class KernelCompiler {
public:
  explicit KernelCompiler(runtime::ByteCache &cache) : cache(cache) {}

  /// The shared library's bytes, from the cache if they are there. Environment errors carry the compiler's messages.
  Result<std::string> compile(const KernelText &source);

private:
  Status findCompiler();
  Result<std::string> build(const KernelText &source);

  runtime::ByteCache &cache;
  std::string compiler, compilerIdentity;
};

} // namespace cupola::sim

#endif
