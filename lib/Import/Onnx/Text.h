//===- lib/Import/Onnx/Text.h - text that comes from a model ---------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_TEXT_H
#define CUPOLA_LIB_IMPORT_ONNX_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::onnx_import {

/// True for well-formed UTF-8 (no overlong forms, no surrogates) without a NUL.
bool isCleanText(std::string_view text);

/// `text` for one line of a message: control, formatting (bidi, zero-width) and
/// malformed characters as \n, \x1b or \u202e, cut after about `limit` bytes.
/// Quotes and backslashes are escaped unless `quotes` says that they may stay.
std::string printable(std::string_view text, size_t limit = 128, bool quotes = false);

/// printable(text) between single quotes.
std::string quoted(std::string_view text);

/// "[2, 3, 4]"
std::string listText(const std::vector<int64_t> &values);

/// A decimal integer without sign, blank or leading text; nullopt otherwise or
/// when it does not fit.
std::optional<int64_t> parseCount(std::string_view text);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_TEXT_H
