//===- lib/Import/Onnx/ModelFile.h - from a path to a parsed ModelProto ----===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_MODELFILE_H
#define CUPOLA_LIB_IMPORT_ONNX_MODELFILE_H

#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/Limits.h"
#include "lib/Runtime/Format/Descriptor.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

/// "is a directory", "is a FIFO"... of st_mode; empty for a regular file.
std::string fileTypeProblem(unsigned mode);

/// That there is a byte, and no more than the limit.
bool checkModelSize(int64_t bytes, const Limits &limits, Diagnostics &diagnostics);

/// Memory of some size, not initialised; of large pages where the system has them, since
/// handing out small ones takes longer than reading a file into them.
class FileBytes {
public:
  /// std::bad_alloc where there is no memory.
  explicit FileBytes(size_t size);
  char *data() { return memory.get(); }
  operator std::string_view() const { return {memory.get(), count}; }

private:
  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory;
  size_t count;
};

/// The whole file, by read() into memory: a mapped file that somebody cuts short
/// would kill the process. Only regular files; never blocks.
std::optional<FileBytes> readModelFile(const std::string &path, const Limits &limits, Diagnostics &diagnostics);

/// Scans (WireScan.h), then parses. The caller drops `bytes` afterwards.
bool parseModel(std::string_view bytes, const Limits &limits, onnx::ModelProto &model, Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_MODELFILE_H
