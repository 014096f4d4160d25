//===- lib/Runtime/Tools/Explained.cpp - What a package says about its own kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Explained.h"

namespace cupola::runtime {

using Json = nlohmann::ordered_json;

/// The definition, from the line of its head to the brace in the first column.
static std::string definitionOf(const std::string &kernel, std::string_view source) {
  const size_t name = source.find(" " + kernel + "(");
  if (name == std::string_view::npos)
    return {};
  const size_t line = source.rfind('\n', name) + 1; // of npos: 0
  const size_t end = std::min(source.find("\n}\n", name), source.size() - 3);
  return std::string(source.substr(line, end + 3 - line));
}

Json kernelTexts(const format::Variant &variant) {
  Json texts = Json::object();
  if (variant.sources.empty())
    return texts;
  for (const format::Kernel &kernel : variant.program.kernels)
    if (std::string text = definitionOf(kernel.name, variant.sources[kernel.source].text); !text.empty())
      texts[kernel.name] = std::move(text);
  return texts;
}

/// A report of several variants has a list of them.
static Json *variantIn(Json &explained, const format::Variant &wanted) {
  const auto isWanted = [&](const Json &variant) {
    return variant.is_object() && variant.value("target", "") == wanted.target &&
           variant.value("arch", "") == wanted.arch && variant.value("multiprocessors", 0u) == wanted.multiprocessors;
  };
  if (explained.contains("variants")) {
    for (Json &variant : explained["variants"])
      if (isWanted(variant))
        return &variant;
    return nullptr;
  }
  return explained.is_object() && isWanted(explained) ? &explained : nullptr;
}

Json explainedVariant(const Executable &executable) {
  for (const format::Report &report : executable.package().reports) {
    if (report.name != "explain")
      continue;
    Json explained = Json::parse(report.json, nullptr, /*allow_exceptions=*/false);
    Json *variant = variantIn(explained, executable.variant());
    if (!variant)
      return nullptr;
    (*variant)["schema"] = "cupola.explain/1";
    (*variant)["sources"] = kernelTexts(executable.variant());
    return *variant;
  }
  return nullptr;
}

} // namespace cupola::runtime
