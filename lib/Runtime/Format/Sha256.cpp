//===- lib/Runtime/Format/Sha256.cpp - SHA-256 of bytes in pieces ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Sha256.h"

// The functions that succeeded these fetch an implementation at the first call, and end
// the process with a signal where memory is out then.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace cupola::format {

Sha256::Sha256() {
  static_assert(sizeof(SHA256_CTX) <= sizeof(context) && alignof(SHA256_CTX) <= 8, "the context must fit");
  SHA256_Init(reinterpret_cast<SHA256_CTX *>(context));
}

void Sha256::update(std::string_view bytes) {
  SHA256_Update(reinterpret_cast<SHA256_CTX *>(context), bytes.data(), bytes.size());
}

Digest Sha256::finish() {
  Digest digest;
  SHA256_Final(digest.data(), reinterpret_cast<SHA256_CTX *>(context));
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string hex(const Digest &digest) {
  std::string text;
  for (uint8_t byte : digest) {
    text.push_back("0123456789abcdef"[byte >> 4]);
    text.push_back("0123456789abcdef"[byte & 15]);
  }
  return text;
}

} // namespace cupola::format
