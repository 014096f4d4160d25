//===- lib/Compiler/ExplainText.cpp - what was decided and why, for people ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/ExplainText.h"
#include "lib/Runtime/Text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cupola::compiler {

namespace {

using Json = nlohmann::ordered_json;
using runtime::quote;

std::string textOf(const Json &value) { return value.get<std::string>(); }
/// Of a whole number.
std::string digits(const Json &value) { return std::to_string(value.get<uint64_t>()); }

std::string padded(std::string text, size_t width) {
  if (text.size() < width)
    text.resize(width, ' ');
  return text;
}

std::string join(const Json &names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i ? ", " : "") + quote(textOf(names[i]));
  return names.size() > most ? text + ", .. (" + std::to_string(names.size()) + ")" : text;
}

/// A line for each node and why.
std::string reasonsText(const Json &entries) {
  std::string text;
  for (const Json &entry : entries)
    text += "    " + quote(textOf(entry["node"])) + ": " + textOf(entry["reason"]) + "\n";
  return text;
}

/// Steps for which the package has a library's form besides the kernel, and on how many of them the runtime takes it
/// where figures decide.
std::string gainsText(const Json &variant) {
  std::string library;
  size_t described = 0;
  std::vector<int64_t> most;
  for (const Json &step : variant["steps"]) {
    if (!step.contains("library"))
      continue;
    library = textOf(step["library"]);
    ++described;
    if (step.contains("library_threads"))
      most.push_back(step["library_threads"].get<int64_t>());
  }
  if (described == 0)
    return "none may do a step";
  std::string text = library + " may do " + std::to_string(described) + " of the steps";
  if (most.empty())
    return text;
  for (int64_t threads : {1, 2, 4, 16})
    text += (threads == 1 ? "; it gains on " : ", ") +
            std::to_string(std::count_if(most.begin(), most.end(), [&](int64_t n) { return n >= threads; })) +
            " with " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  return text;
}

/// Contractions that a library may do, and why it does not do the others.
std::string librariesText(const Json &variant, bool reasons) {
  size_t described = 0;
  for (const Json &step : variant["steps"])
    described += step.contains("library");
  const Json &refused = variant["library_refused"];
  if (described + refused.size() == 0)
    return "";
  return "  libraries: " + gainsText(variant) + "; " + std::to_string(refused.size()) +
         " contractions have kernels alone\n" + (reasons ? reasonsText(refused) : "");
}

/// What --precision, or --tf32, left in f32.
std::string precisionText(const Json &precision) {
  if (precision.is_null())
    return "";
  const Json &kept = precision["kept"];
  const bool isTf32 = precision["element"] == "tf32";
  return "  precision: " + digits(precision["narrowed"]) + (isTf32 ? " products" : " results") + " in " +
         textOf(precision["element"]) + "; " + std::to_string(kept.size()) + " stay f32\n" + reasonsText(kept);
}

/// Packages of older compilers say nothing of it.
std::string int8RowsText(const Json &variant) {
  if (!variant.contains("int8_rows") || variant["int8_rows"] == 0)
    return "";
  return "  int8 rows: " + digits(variant["int8_rows"]) + " products\n";
}

/// "channels_first"
std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string candidateText(const Json &candidate) {
  return spaced(textOf(candidate["layout"])) + " " + digits(candidate["transposes"]) + " transposes of " +
         digits(candidate["bytes"]) + " bytes, cost " + digits(candidate["cost"]);
}

/// Chains of convolutions, and what else they might have been. Packages of older compilers say nothing of them.
std::string layoutsText(const Json &variant) {
  if (!variant.contains("layouts") || variant["layouts"].empty())
    return "";
  const Json &chains = variant["layouts"];
  std::string text = "  layouts: " + std::to_string(chains.size()) + (chains.size() == 1 ? " chain" : " chains") +
                     " of convolutions\n";
  for (const Json &chain : chains) {
    text += "    " + spaced(textOf(chain["layout"])) + ": " + join(chain["nodes"], 3) + " (";
    for (size_t i = 0; i < chain["candidates"].size(); ++i)
      text += (i ? "; " : "") + candidateText(chain["candidates"][i]);
    text += ")\n";
  }
  return text;
}

std::string kernelText(const Json &kernel) {
  std::string text = "  " + textOf(kernel["name"]) + " " + padded(textOf(kernel["schedule"]), 14) + " " +
                     join(kernel["nodes"], 6) + "\n";
  if (kernel.contains("launch"))
    for (const Json &form : kernel["launch"])
      text += "    launched with " + textOf(form) + "\n";
  for (const auto &[arch, r] : kernel["arch"].items())
    text += "    " + padded(arch, 7) + " " + digits(r["registers"]) + " registers, " + digits(r["spill_bytes"]) +
            " spill bytes, " + digits(r["static_shared"]) + " + " + digits(r["dynamic_shared"]) + " shared bytes\n";
  return text;
}

std::string edgesText(const Json &list, bool all) {
  size_t fused = 0;
  std::string lines;
  for (const Json &edge : list) {
    const bool isFused = edge["fused"].get<bool>();
    fused += isFused;
    if (all || !isFused)
      lines += std::string("    ") + (isFused ? "fused    " : "not fused") + " " + quote(textOf(edge["producer"])) +
               " -> " + quote(textOf(edge["consumer"])) + ": " + textOf(edge["reason"]) + " (" + textOf(edge["rule"]) +
               ")\n";
  }
  return "  edges: " + std::to_string(fused) + " fused, " + std::to_string(list.size() - fused) + " not\n" + lines;
}

std::string variantText(const Json &variant, bool allEdges) {
  const unsigned least = variant["multiprocessors"].get<unsigned>();
  const std::string from = least == 0 ? "" : " from " + std::to_string(least) + " multiprocessors on";
  std::string text = textOf(variant["target"]) + " " + textOf(variant["arch"]) + from + ": " +
                     digits(variant["launches"]) + " steps, " + std::to_string(variant["kernels"].size()) +
                     " distinct kernels\n";
  for (const Json &kernel : variant["kernels"])
    text += kernelText(kernel);
  text += precisionText(variant["precision"]) + int8RowsText(variant) + layoutsText(variant) +
          librariesText(variant, allEdges) + edgesText(variant["edges"], allEdges);
  const Json &memory = variant["memory"], &bound = memory["lower_bound_bytes"]; // none where there are bodies
  if (!memory["peak_bytes"].is_null())
    text += "  memory: arena " + digits(memory["peak_bytes"]) + " bytes" +
            (bound.is_null() ? "" : " (lower bound " + digits(bound) + ")") + ", weights " +
            digits(memory["weight_bytes"]) + " bytes\n";
  return text;
}

} // namespace

std::string explainText(const std::string &json, bool allEdges) {
  const Json report = Json::parse(json);
  if (!report.contains("variants"))
    return variantText(report, allEdges);
  std::string text;
  for (const Json &variant : report["variants"])
    text += variantText(variant, allEdges);
  return text;
}

} // namespace cupola::compiler
