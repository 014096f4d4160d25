//===- lib/Runtime/Tools/Verification.cpp - A run, held against references ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Verification.h"
#include "lib/Runtime/Format/NarrowFloats.h"
#include "lib/Runtime/Text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace cupola::runtime {

double usualTolerance(const format::Package &package) {
  constexpr double f32 = 5e-5, f16 = 5e-3, bf16 = 4e-2;
  constexpr double int8 = 5e-2;
  double tolerance = package.int8Rows ? int8 : package.tf32 ? f16 : f32; // TF32 has the bits of f16
  const auto take = [&](format::DType dtype) {
    tolerance = std::max(tolerance, dtype == format::DType::BF16 ? bf16 : dtype == format::DType::F16 ? f16 : f32);
  };
  for (const auto *tensors : {&package.inputs, &package.outputs})
    for (const format::Tensor &tensor : *tensors)
      take(tensor.dtype);
  for (const format::Weight &weight : package.weights)
    take(weight.dtype);
  for (const format::Tensor &output : package.outputs) // a unit in the last place, where it is rounded the other way
    if (const format::NarrowFloat *type = format::narrowFloatOf(output.dtype))
      tolerance = std::max(tolerance, std::ldexp(1, -1 - type->fraction));
  return tolerance;
}

std::vector<npz::Array> named(const std::vector<format::Tensor> &interface, const std::vector<HostTensor> &tensors) {
  std::vector<npz::Array> arrays;
  for (size_t i = 0; i < tensors.size(); ++i)
    arrays.push_back({interface[i].name, tensors[i].dtype, tensors[i].shape, tensors[i].bytes, tensors[i].texts});
  return arrays;
}

static Result<std::vector<npz::Array>> outputsOf(const std::shared_ptr<const Executable> &executable,
                                                 const SessionOptions &options, std::vector<HostTensor> &inputs,
                                                 int runs) {
  const format::Package &package = executable->package();
  CUPOLA_ASSIGN(auto session, Session::create(executable, options));
  CUPOLA_TRY(bindTo(*session, inputs));
  CUPOLA_ASSIGN(auto outputs, makeOutputs(*session));
  for (int i = 0; i < runs; ++i)
    CUPOLA_TRY(session->run(inputRefs(package, inputs, outputs), refsOf(outputs)));
  CUPOLA_TRY(fetchOutputs(*session, outputs));
  std::vector<npz::Array> arrays = named(package.outputs, outputs);
  addEmptySequences(package, arrays);
  return arrays;
}

Result<std::vector<npz::Array>> runPoisoned(const std::shared_ptr<const Executable> &executable,
                                            std::vector<HostTensor> &inputs) {
  SessionOptions options;
  options.poison = true;
  return outputsOf(executable, options, inputs, /*runs=*/1);
}

Result<std::vector<npz::Array>> runRecorded(const std::shared_ptr<const Executable> &executable,
                                            std::vector<HostTensor> &inputs) {
  return outputsOf(executable, {}, inputs, /*runs=*/3);
}

Result<Comparison> compareOutputs(const std::vector<npz::Array> &outputs, const std::vector<npz::Array> &references,
                                  double tolerance, const std::string &source) {
  const auto isCalled = [](const std::string &name) {
    return [&name](const npz::Array &array) { return array.name == name; };
  };
  for (const npz::Array &reference : references)
    if (std::none_of(outputs.begin(), outputs.end(), isCalled(reference.name)))
      return Status::usage(source + ": the model has no output '" + reference.name + "'");
  Comparison comparison;
  comparison.tolerance = tolerance;
  for (const npz::Array &output : outputs) {
    const auto reference = std::find_if(references.begin(), references.end(), isCalled(output.name));
    if (reference == references.end())
      continue;
    npz::Array expected = *reference;
    npz::takeBits(expected, output.dtype);
    const Difference &difference = comparison.outputs.emplace_back(compare(output, expected, tolerance));
    comparison.elements += difference.elements;
    comparison.pass &= difference.pass;
  }
  if (comparison.outputs.empty())
    return Status::usage(source + ": nothing was compared: there is no reference of an output");
  return comparison;
}

Report Comparison::report() const {
  Report told;
  auto list = nlohmann::ordered_json::array();
  for (const Difference &d : outputs) {
    told.text += differenceText(quote(d.name), d);
    list.push_back({{"name", d.name},
                    {"max_abs", d.maxAbs},
                    {"max_rel", d.maxRel},
                    {"index", d.index},
                    {"pass", d.pass},
                    {"problem", d.problem}});
  }
  told.text += "compared " + std::to_string(outputs.size()) + " outputs, " + std::to_string(elements) + " elements\n";
  const nlohmann::ordered_json json{{"schema", "cupola.verify/1"}, {"outputs", list}, {"tolerance", tolerance}};
  told.json = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return told;
}

} // namespace cupola::runtime
