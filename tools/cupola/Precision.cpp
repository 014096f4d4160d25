//===- tools/cupola/Precision.cpp - what 16 bits cost, printed ---===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/cupola/Precision.h"

#include "lib/Runtime/Text.h"

#include <cmath>
#include <cstdio>

namespace cupola::tool {

Result<std::vector<npz::Array>> sampleInputs(const compiler::Compilation &compilation, const std::string &path,
                                             const runtime::PinnedInputs &pinned) {
  const format::Package package = compilation.interface();
  CUPOLA_ASSIGN(const runtime::ParsedInterface parsed, runtime::parseInterface(package));
  runtime::InputOptions options;
  options.npz = path;
  options.pinned = pinned;
  Result<std::vector<runtime::HostTensor>> tensors = runtime::makeInputs(package, parsed, options);
  if (tensors.failed() && path.empty())
    return Status(tensors.status().code(),
                  "random inputs cannot be made, give some by --calibrate FILE.npz: " + tensors.status().message());
  CUPOLA_TRY(tensors.status());
  std::vector<npz::Array> arrays;
  for (size_t i = 0; i < tensors->size(); ++i)
    arrays.push_back(
        {package.inputs[i].name, (*tensors)[i].dtype, (*tensors)[i].shape, std::move((*tensors)[i].bytes)});
  return arrays;
}

void printErrors(const std::vector<compiler::NodeError> &errors, size_t most) {
  if (!errors.empty())
    std::printf("  %-9s %-11s %-9s node\n", "local", "accumulated", "overflow");
  for (size_t i = 0; i < std::min(errors.size(), most); ++i)
    std::printf("  %-9.2e %-11.2e %-9s %s (%s)\n", errors[i].local, errors[i].accumulated,
                errors[i].overflow ? "yes" : "no", runtime::quote(errors[i].node).c_str(), errors[i].op.c_str());
  if (errors.size() > most)
    std::printf("  .. (%zu)\n", errors.size());
}

Json jsonOf(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json jsonOf(const std::vector<compiler::NodeError> &errors) {
  Json list = Json::array();
  for (const compiler::NodeError &error : errors)
    list.push_back({{"node", error.node},
                    {"op", error.op},
                    {"local", error.local},
                    {"accumulated", error.accumulated},
                    {"overflow", error.overflow}});
  return list;
}

std::vector<compiler::NodeError> errorsOf(const Json &list) {
  std::vector<compiler::NodeError> errors;
  for (const Json &entry : list)
    errors.push_back({entry["node"], entry["op"], entry["local"], entry["accumulated"], entry["overflow"], {}});
  return errors;
}

} // namespace cupola::tool
