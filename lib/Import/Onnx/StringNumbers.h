//===- lib/Import/Onnx/StringNumbers.h - the strings of a model ------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_STRINGNUMBERS_H
#define CUPOLA_LIB_IMPORT_ONNX_STRINGNUMBERS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cupola::onnx_import {

/// Numbers texts from 0 on, in the order in which they are first asked for.
class StringNumbers {
public:
  int64_t of(const std::string &text) {
    const auto [known, isNew] = numbers.emplace(text, static_cast<int64_t>(texts.size()));
    if (isNew)
      texts.push_back(text);
    return known->second;
  }
  const std::vector<std::string> &all() const { return texts; }

private:
  std::map<std::string, int64_t> numbers;
  std::vector<std::string> texts;
};

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_STRINGNUMBERS_H
