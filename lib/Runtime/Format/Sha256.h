//===- lib/Runtime/Format/Sha256.h - SHA-256 of bytes in pieces ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_SHA256_H
#define CUPOLA_LIB_RUNTIME_FORMAT_SHA256_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cupola::format {

using Digest = std::array<uint8_t, 32>;

/// FIPS 180-4, by libcrypto's functions that allocate nothing, and so cannot fail.
class Sha256 {
public:
  Sha256();
  Sha256(const Sha256 &) = delete;
  Sha256 &operator=(const Sha256 &) = delete;

  void update(std::string_view bytes);
  /// Ends the sum; nothing may be added after it.
  Digest finish();

private:
  alignas(8) unsigned char context[112]; ///< SHA256_CTX
};

Digest sha256(std::string_view bytes);
/// 64 lower-case digits.
std::string hex(const Digest &digest);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_SHA256_H
