//===- lib/Runtime/Format/Sha256.cpp - SHA-256 of bytes in pieces ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Sha256.h"

#include <openssl/evp.h>

namespace cupola::format {

namespace {
EVP_MD_CTX *evp(void *context) { return static_cast<EVP_MD_CTX *>(context); }
} // namespace

Sha256::Sha256() : context(EVP_MD_CTX_new()) {
  if (context && EVP_DigestInit_ex(evp(context), EVP_sha256(), nullptr) != 1) {
    EVP_MD_CTX_free(evp(context));
    context = nullptr;
  }
}

Sha256::~Sha256() { EVP_MD_CTX_free(evp(context)); }

void Sha256::update(std::string_view bytes) {
  if (context && EVP_DigestUpdate(evp(context), bytes.data(), bytes.size()) != 1) {
    EVP_MD_CTX_free(evp(context));
    context = nullptr;
  }
}

Result<Digest> Sha256::finish() {
  Digest digest;
  unsigned length = 0;
  if (!context || EVP_DigestFinal_ex(evp(context), digest.data(), &length) != 1 || length != digest.size())
    return Status::environment("libcrypto cannot compute SHA-256");
  return digest;
}

Result<Digest> sha256(std::string_view bytes) {
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
