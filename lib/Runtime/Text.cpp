//===- lib/Runtime/Text.cpp - Model strings in messages ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Text.h"

#include <algorithm>

namespace cupola::runtime {

std::string quote(std::string_view name) {
  constexpr size_t kMost = 120;
  constexpr const char *kDigits = "0123456789abcdef";
  std::string text = "'";
  for (char c : name.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\')
      text.push_back(c);
    else
      text += std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
  }
  return text + (name.size() > kMost ? "...'" : "'");
}

std::string nodeList(const format::Package &package, const std::vector<uint32_t> &nodes) {
  constexpr size_t kMost = 4;
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (size_t i = 0; i < std::min(nodes.size(), kMost); ++i) {
    const format::Node &node = package.nodes[nodes[i]];
    text += (i ? ", " : "") + quote(node.name) + " (" + node.op + ")";
  }
  if (nodes.size() > kMost)
    text += " and " + std::to_string(nodes.size() - kMost) + " more";
  return text;
}

} // namespace cupola::runtime
