//===- lib/Runtime/Text.cpp - Model strings in messages ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Text.h"
#include "lib/Runtime/Format/Bodies.h"

#include <algorithm>

namespace cupola::runtime {

std::string printable(std::string_view name) {
  constexpr size_t kMost = 120;
  constexpr const char *kDigits = "0123456789abcdef";
  std::string text;
  for (char c : name.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\')
      text.push_back(c);
    else
      text += std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
  }
  return text + (name.size() > kMost ? "..." : "");
}

std::string quote(std::string_view name) { return "'" + printable(name) + "'"; }

std::string nodeList(const std::vector<format::Node> &all, const std::vector<uint32_t> &nodes) {
  constexpr size_t kMost = 4;
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (size_t i = 0; i < std::min(nodes.size(), kMost); ++i) {
    const format::Node &node = all[nodes[i]];
    text += (i ? ", " : "") + quote(node.name) + " (" + node.op + ")";
  }
  if (nodes.size() > kMost)
    text += " and " + std::to_string(nodes.size() - kMost) + " more";
  return text;
}

std::string stepText(const format::Package &package, const format::Step &step, size_t number) {
  return step.nodes.empty() ? "step " + std::to_string(number) : nodeList(package, step.nodes);
}

Status withKernelNodes(const Status &status, const std::vector<format::Node> &nodes, const format::Program &program) {
  std::string text;
  for (const format::Kernel &kernel : program.kernels) {
    if (status.isOk() || status.message().find(kernel.name) == std::string::npos)
      continue;
    const format::Step *first = nullptr;
    format::forEachStep(program, [&](const format::Body &, const format::Step &step, uint32_t) {
      if (!first && step.kind == format::Step::LaunchStep && program.kernels[step.launch.kernel].name == kernel.name)
        first = &step;
    });
    if (first)
      text += (text.empty() ? "" : "; ") + nodeList(nodes, first->nodes);
  }
  return text.empty() ? status : status.within(text);
}

} // namespace cupola::runtime
