//===- tools/cupola/VerifyKernels.cpp - where an answer goes wrong first ---===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/cupola/VerifyKernels.h"

#include "lib/Runtime/Text.h"
#include "lib/Runtime/Tools/KernelResults.h"

#include <cstdio>

namespace cupola::tool {

using runtime::KernelResult;
using runtime::quote;

namespace {

/// A line of JSON, then the arrays under their numbers: names of a model may be anything.
Result<std::string> pack(const compiler::Diagnosis &diagnosis) {
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

Result<compiler::Diagnosis> unpack(const std::string &bytes) {
  const size_t line = bytes.find('\n');
  const Json head = Json::parse(bytes.substr(0, line));
  CUPOLA_ASSIGN(std::vector<npz::Array> arrays, npz::parse(bytes.substr(line + 1)));
  compiler::Diagnosis diagnosis;
  diagnosis.wrongPass = head["pass"];
  diagnosis.wrongNode = head["node"];
  std::vector<npz::Array> sorted(arrays.size());
  for (npz::Array &array : arrays) {
    const size_t i = std::stoul(array.name);
    array.name = head["names"][i];
    sorted[i] = std::move(array);
  }
  const auto middle = sorted.begin() + head["imported"].get<ptrdiff_t>();
  diagnosis.imported.assign(sorted.begin(), middle);
  diagnosis.fused.assign(middle, sorted.end());
  return diagnosis;
}

/// Reads the model, so in a worker.
Result<compiler::Diagnosis> diagnose(const KernelRun &run) {
  CUPOLA_ASSIGN(compiler::Options options, run.flags.options());
  const format::Variant &variant = run.executable.variant();
  options.targets = {variant.target};
  std::string bytes;
  const int code = collectFromWorker(run.flags, bytes, [&](std::string &out) -> Status {
    CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(run.flags.model, options));
    CUPOLA_ASSIGN(auto diagnosis, compilation->diagnose(run.inputs, variant.target, variant.arch, run.tolerance));
    CUPOLA_ASSIGN(out, pack(diagnosis));
    return {};
  });
  if (code != 0)
    return Status(static_cast<Code>(code), "");
  return unpack(bytes);
}

/// The output of the imported graph that is not the case's; "" if they agree.
std::string wrongImport(const KernelRun &run, const compiler::Diagnosis &diagnosis) {
  for (const npz::Array &array : diagnosis.imported)
    for (const npz::Array &expected : run.expected)
      if (array.name == expected.name && !runtime::compare(array, expected, run.tolerance).pass)
        return array.name;
  return "";
}

Json kernelJson(const format::Package &package, const KernelResult &result) {
  Json nodes = Json::array();
  for (uint32_t node : result.nodes)
    nodes.push_back(package.nodes[node].name);
  const runtime::Difference &d = result.difference;
  return {{"step", result.step}, {"kernel", result.kernel}, {"schedule", result.schedule},
          {"nodes", nodes},      {"max_abs", d.maxAbs},     {"max_rel", d.maxRel},
          {"index", d.index},    {"pass", d.pass},          {"problem", d.problem}};
}

std::string describe(const format::Package &package, const KernelResult &result) {
  return "step " + std::to_string(result.step) + " " + result.kernel + " " + result.schedule + " of " +
         runtime::nodeList(package, result.nodes);
}

void printLine(const format::Package &package, const KernelResult &result) {
  const runtime::Difference &d = result.difference;
  runtime::clearProgress();
  std::printf("%s %s: max abs %.3g, max rel %.3g, worst at %llu%s%s\n", d.pass ? "pass" : "FAIL",
              describe(package, result).c_str(), d.maxAbs, d.maxRel, static_cast<unsigned long long>(d.index),
              d.problem.empty() ? "" : ": ", d.problem.c_str());
}

} // namespace

Result<bool> verifyKernels(const KernelRun &run, Json &report) {
  CUPOLA_ASSIGN(compiler::Diagnosis diagnosis, diagnose(run));
  const format::Package &package = run.executable.package();
  if (diagnosis.fused.size() != run.outputs.size())
    return Status::environment("the model changed while it was verified");
  const std::vector<KernelResult> results =
      runtime::compareKernelResults(run.executable.program(), run.outputs, diagnosis.fused, run.tolerance);
  Json kernels = Json::array(), first;
  std::string text;
  auto note = [&](const char *stage, const std::string &name, Json nodes, const std::string &sentence) {
    if (text.empty()) {
      first = {{"stage", stage}, {"name", name}, {"nodes", std::move(nodes)}};
      text = sentence;
    }
  };
  if (std::string output = wrongImport(run, diagnosis); !output.empty())
    note("import", output, Json::array(),
         "the graph as imported gives another output " + quote(output) + " than the case");
  if (!diagnosis.wrongPass.empty())
    note("pass", diagnosis.wrongPass, {diagnosis.wrongNode},
         "pass " + diagnosis.wrongPass + " changed the answer, at node " + quote(diagnosis.wrongNode));
  for (const KernelResult &result : results) {
    printLine(package, result);
    kernels.push_back(kernelJson(package, result));
    if (!result.difference.pass)
      note("kernel", result.kernel, kernels.back()["nodes"], describe(package, result));
  }
  std::printf("%zu kernel results compared; %s%s\n", results.size(),
              text.empty() ? "none differs" : "first difference: ", text.c_str());
  report["kernels"] = kernels;
  report["first_difference"] = first;
  return text.empty();
}

} // namespace cupola::tool
