//===- lib/Runtime/Format/OutputFile.h - A file that appears whole or not at all ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_OUTPUTFILE_H
#define CUPOLA_LIB_RUNTIME_FORMAT_OUTPUTFILE_H

#include "lib/Runtime/Format/Descriptor.h"
#include "lib/Runtime/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cupola::format {

/// Collects writes in a file without a name (O_TMPFILE), which the system drops
/// if the process dies; where the file system has none, in a hidden file beside
/// the target. `commit` syncs and renames it over `path`. An existing target
/// must be a regular file; a symbolic link is replaced, not followed. Errors are
/// Code::IO and name `path`.
class OutputFile {
public:
  static Result<std::unique_ptr<OutputFile>> create(const std::string &path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  Status write(uint64_t offset, std::string_view bytes);
  Status commit();

private:
  OutputFile(std::string path, std::string folder);
  Status open();
  Status giveName();
  Status fail(const char *action) const;
  std::string candidateName() const;

  std::string path, folder;
  std::string temporary; ///< "" while the file has no name
  Descriptor descriptor;
};

/// Reads a regular file whole. Code::IO on failure, also for directories and
/// devices; Code::Limit beyond `limit` bytes.
Result<std::string> readFile(const std::string &path, uint64_t limit);
/// Writes a whole file as OutputFile does.
Status writeFile(const std::string &path, std::string_view bytes);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_OUTPUTFILE_H
