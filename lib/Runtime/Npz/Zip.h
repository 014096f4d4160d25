//===- lib/Runtime/Npz/Zip.h - The zip container, as numpy uses it ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_NPZ_ZIP_H
#define CUPOLA_LIB_RUNTIME_NPZ_ZIP_H

#include "lib/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::npz {

struct ZipMember {
  std::string name;
  uint16_t method = 0; ///< 0 stored, 8 deflated
  uint32_t crc = 0;
  uint64_t bytes = 0; ///< as stored
  uint64_t expandedBytes = 0;
  uint64_t headerOffset = 0;
};

/// From the central directory.
Result<std::vector<ZipMember>> listZip(std::string_view archive);

/// The member's bytes, its CRC checked. The result has exactly `expandedBytes`:
/// data that expands further is an error, whatever its headers say.
Result<std::string> extract(std::string_view archive, const ZipMember &member);

/// Appends a stored member; `parts` are its bytes one after the other.
class ZipWriter {
public:
  void add(const std::string &name, const std::vector<std::string_view> &parts);
  std::string finish();

private:
  std::string out, directory;
  uint64_t members = 0;
};

} // namespace cupola::npz

#endif // CUPOLA_LIB_RUNTIME_NPZ_ZIP_H
