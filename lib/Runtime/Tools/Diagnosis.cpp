//===- lib/Runtime/Tools/Diagnosis.cpp - where an answer goes wrong first ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Diagnosis.h"
#include "lib/Runtime/Executable.h"
#include "lib/Runtime/Text.h"
#include "lib/Runtime/Tools/Explained.h"
#include "lib/Runtime/Tools/KernelResults.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace cupola::runtime {

using Json = nlohmann::ordered_json;

//===--- Between processes ---===//

Result<std::string> serialize(const Diagnosis &diagnosis) {
  std::vector<npz::Array> arrays = diagnosis.imported;
  arrays.insert(arrays.end(), diagnosis.fused.begin(), diagnosis.fused.end());
  Json names = Json::array();
  for (size_t i = 0; i < arrays.size(); ++i) {
    names.push_back(arrays[i].name);
    arrays[i].name = std::to_string(i);
  }
  CUPOLA_ASSIGN(std::string bytes, npz::serialize(arrays));
  const Json head{{"imported", diagnosis.imported.size()},
                  {"names", names},
                  {"pass", diagnosis.wrongPass},
                  {"node", diagnosis.wrongNode}};
  return head.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n" + bytes;
}

static Status noDiagnosis() { return Status::usage("these bytes are no diagnosis"); }

Result<Diagnosis> parseDiagnosis(std::string_view bytes) {
  const size_t line = std::min(bytes.find('\n'), bytes.size());
  const Json head = Json::parse(bytes.substr(0, line), nullptr, /*allow_exceptions=*/false);
  if (line == bytes.size() || !head.is_object() || !head.contains("names") || !head["names"].is_array())
    return noDiagnosis();
  CUPOLA_ASSIGN(std::vector<npz::Array> arrays, npz::parse(bytes.substr(line + 1)));
  const size_t imported = head.value("imported", size_t(0));
  if (arrays.size() != head["names"].size() || imported > arrays.size())
    return noDiagnosis();
  Diagnosis diagnosis;
  diagnosis.wrongPass = head.value("pass", "");
  diagnosis.wrongNode = head.value("node", "");
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].name != std::to_string(i) || !head["names"][i].is_string())
      return noDiagnosis();
    arrays[i].name = head["names"][i];
    (i < imported ? diagnosis.imported : diagnosis.fused).push_back(std::move(arrays[i]));
  }
  return diagnosis;
}

//===--- Kernel by kernel ---===//

namespace {

/// The output of the imported graph that is not the reference's; "" if they agree.
std::string wrongImport(const std::vector<npz::Array> &references, const Diagnosis &diagnosis, double tolerance) {
  for (const npz::Array &array : diagnosis.imported)
    for (const npz::Array &expected : references)
      if (array.name == expected.name && !compare(array, expected, tolerance).pass)
        return array.name;
  return "";
}

Json kernelJson(const format::Package &package, const KernelResult &result) {
  Json nodes = Json::array();
  for (uint32_t node : result.nodes)
    nodes.push_back(package.nodes[node].name);
  const Difference &d = result.difference;
  return {{"step", result.step}, {"kernel", result.kernel}, {"schedule", result.schedule},
          {"nodes", nodes},      {"max_abs", d.maxAbs},     {"max_rel", d.maxRel},
          {"index", d.index},    {"pass", d.pass},          {"problem", d.problem}};
}

std::string describe(const format::Package &package, const KernelResult &result) {
  return "step " + std::to_string(result.step) + " " + result.kernel + " " + result.schedule + " of " +
         nodeList(package, result.nodes);
}

/// What differs first.
struct First {
  Json json; ///< null: nothing does
  std::string text;

  void note(const char *stage, const std::string &name, Json nodes, const std::string &sentence) {
    if (!json.is_null())
      return;
    json = {{"stage", stage}, {"name", name}, {"nodes", std::move(nodes)}};
    text = sentence;
  }
};

} // namespace

Result<KernelComparison> compareKernels(const Executable &executable, const std::vector<npz::Array> &outputs,
                                        const std::vector<npz::Array> &references, const Diagnosis &diagnosis,
                                        double tolerance) {
  const format::Package &package = executable.package();
  if (diagnosis.fused.size() != outputs.size())
    return Status::environment("the model changed while it was verified");
  const std::vector<KernelResult> results =
      compareKernelResults(executable.program(), outputs, diagnosis.fused, tolerance);
  First first;
  if (const std::string output = wrongImport(references, diagnosis, tolerance); !output.empty())
    first.note("import", output, Json::array(),
               "the graph as imported gives another output " + quote(output) + " than the case");
  if (!diagnosis.wrongPass.empty())
    first.note("pass", diagnosis.wrongPass, {diagnosis.wrongNode},
               "pass " + diagnosis.wrongPass + " changed the answer, at node " + quote(diagnosis.wrongNode));
  KernelComparison comparison;
  std::string &text = comparison.report.text;
  Json kernels = Json::array();
  for (const KernelResult &result : results) {
    const std::string described = describe(package, result);
    text += differenceText(described, result.difference);
    kernels.push_back(kernelJson(package, result));
    if (!result.difference.pass)
      first.note("kernel", result.kernel, kernels.back()["nodes"], described);
  }
  comparison.pass = first.json.is_null();
  text += std::to_string(results.size()) + " kernel results compared; " +
          (comparison.pass ? "none differs" : "first difference: " + first.text) + "\n";
  const Json json{{"kernels", kernels}, {"first_difference", first.json}, {"explain", explainedVariant(executable)}};
  comparison.report.json = json.dump(2, ' ', false, Json::error_handler_t::replace);
  return comparison;
}

} // namespace cupola::runtime
