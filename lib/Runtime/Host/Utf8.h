//===- lib/Runtime/Host/Utf8.h - code points of texts ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_HOST_UTF8_H
#define CUPOLA_LIB_RUNTIME_HOST_UTF8_H

#include <cstdint>
#include <string>
#include <string_view>

namespace cupola::runtime {

constexpr uint32_t kReplacement = 0xfffd;

/// The code point at `text[at]`, which moves `at` behind it. A byte that begins none is kReplacement, alone.
uint32_t nextCodePoint(std::string_view text, size_t &at);
void appendCodePoint(std::string &text, uint32_t point);
bool isUtf8(std::string_view text);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_UTF8_H
