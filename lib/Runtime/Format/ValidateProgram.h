//===- lib/Runtime/Format/ValidateProgram.h - The rules of a variant's program ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_VALIDATEPROGRAM_H
#define CUPOLA_LIB_RUNTIME_FORMAT_VALIDATEPROGRAM_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include <string>
#include <vector>

namespace cupola::format {

inline Status bad(const std::string &what) { return Status::package("the manifest is inconsistent: " + what); }

inline std::string item(const char *kind, size_t index) { return std::string(kind) + " " + std::to_string(index); }

inline Status checkIndices(const std::string &what, const std::vector<uint32_t> &indices, size_t count) {
  for (uint32_t index : indices)
    if (index >= count)
      return bad(what + " refers to " + std::to_string(index) + " of " + std::to_string(count));
  return Status::ok();
}

/// How deep bodies may nest; entering one is a recursion of the runtime.
constexpr size_t kMaxDepth = 256;

/// The rules of a launch's grid and tensor maps, which need nothing else of the package.
Status checkGrid(const Variant &variant, const Launch &launch, const std::string &what);
Status checkMaps(const Variant &variant, const Launch &launch, const std::string &what);

/// The rules of one body. `parameters` says of each buffer that is handed over whether the
/// body may write it; null: `body` is the program itself.
Status checkBody(const Package &package, const Variant &variant, const Body &body, const std::vector<bool> *parameters);

/// Those of all bodies, of the kernels and of the init steps, and what bodies need of each other.
Status checkProgram(const Package &package, const Variant &variant);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_VALIDATEPROGRAM_H
