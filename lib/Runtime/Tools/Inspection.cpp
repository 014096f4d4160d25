//===- lib/Runtime/Tools/Inspection.cpp - What a package holds ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Inspection.h"
#include "lib/Runtime/Format/Bodies.h"
#include "lib/Runtime/Format/Libraries.h"
#include "lib/Runtime/Format/LibraryCosts.h"
#include "lib/Runtime/Text.h"

#include <map>
#include <nlohmann/json.hpp>

namespace cupola::runtime {

namespace {

using Json = nlohmann::ordered_json;

/// What the text and the JSON say of a variant's program.
struct Facts {
  const format::Library *library = nullptr; ///< whose form some steps have, too
  size_t described = 0, gaining = 0;        ///< how many of them, and how many gain by it
  std::map<std::string, size_t> launches;   ///< by what they have besides blocks along x
  std::vector<std::string> enteredBy;       ///< the step of each body
};

Facts factsOf(const format::Variant &variant) {
  Facts facts;
  const format::Program &program = variant.program;
  facts.enteredBy.resize(program.bodies.size());
  format::forEachStep(program, [&](const format::Body &, const format::Step &step, uint32_t number) {
    for (uint32_t body : format::bodiesOf(step))
      facts.enteredBy[body] = std::string(format::stepKindName(step.kind)) + " of step " + std::to_string(number);
    if (step.kind == format::Step::LaunchStep)
      ++facts.launches[format::launchText(program.kernels[step.launch.kernel], step.launch, step.launch.grid)];
    if (!step.launch.call)
      return;
    ++facts.described;
    facts.library = &format::libraryOf(step.launch.call.kind);
    facts.gaining +=
        facts.library->isMeasured && format::mostThreads(step.launch.call, format::measuredOneDnn, variant.arch) > 0;
  });
  facts.launches.erase("");
  return facts;
}

//===--- For people ---===//

/// The name, blanks up to `width` columns, and what follows.
std::string padded(std::string text, size_t width) {
  if (text.size() < width)
    text.resize(width, ' ');
  return text;
}

std::string typeText(const format::Tensor &tensor) {
  std::string text = std::string(format::dtypeName(tensor.dtype)) + "[";
  for (size_t i = 0; i < tensor.dims.size(); ++i)
    text += (i ? ", " : "") + tensor.dims[i];
  return text + "]";
}

std::string kindName(format::Composite::Kind kind) {
  return kind == format::Composite::Sequence   ? "sequence"
         : kind == format::Composite::Optional ? "optional"
                                               : "optional sequence";
}

std::string interfaceText(const format::Package &package) {
  constexpr size_t kNameWidth = 24;
  std::string text;
  for (const format::Tensor &tensor : package.inputs)
    text += "  input  " + padded(quote(tensor.name), kNameWidth) + " " + typeText(tensor) + "\n";
  for (const format::Tensor &tensor : package.outputs) {
    text += "  output " + padded(quote(tensor.name), kNameWidth) + " " + typeText(tensor);
    if (tensor.memoryOf != 0)
      text += " in the memory of " + quote(package.inputs[tensor.memoryOf - 1].name);
    text += "\n";
  }
  for (const format::Composite &composite : package.composites)
    text += std::string("  ") + (composite.output ? "output " : "input  ") + padded(quote(composite.name), kNameWidth) +
            " " + kindName(composite.kind) +
            (composite.absent ? ", absent\n" : " of " + std::to_string(composite.count) + "\n");
  for (const format::Symbol &symbol : package.symbols)
    text += "  symbol " + symbol.id + " " + quote(symbol.name) + " from " + std::to_string(symbol.min) + " to " +
            (symbol.max ? std::to_string(symbol.max) : "any size") + (symbol.run ? ", found in a run" : "") + "\n";
  return text;
}

/// A line for each body, with the step that enters it. Steps are numbered through.
std::string bodiesText(const format::Program &program, const Facts &facts) {
  std::string text;
  size_t number = program.steps.size();
  for (size_t i = 0; i < program.bodies.size(); ++i) {
    const size_t count = program.bodies[i].steps.size();
    text += "    body " + std::to_string(i) + ": " + std::to_string(count) + " steps from step " +
            std::to_string(number) + " on, " + facts.enteredBy[i] + "\n";
    number += count;
  }
  return text;
}

std::string variantText(const format::Variant &variant) {
  const Facts facts = factsOf(variant);
  std::string text = "  variant " + nameOf(variant) + ": " + std::to_string(format::stepCount(variant.program)) +
                     " steps, " + std::to_string(variant.program.kernels.size()) + " kernels, " +
                     std::to_string(variant.sources.size()) + " sources";
  for (const format::Binary &binary : variant.binaries)
    text += ", " + binary.arch + " (" + std::to_string(binary.image.size()) + " bytes)";
  if (facts.library) {
    text += ", " + std::string(facts.library->title) + "'s form of " + std::to_string(facts.described) + " steps";
    if (facts.library->isMeasured)
      text += " (" + std::to_string(facts.gaining) + " gain by it)";
  }
  for (const auto &[form, count] : facts.launches)
    text += "\n    " + std::to_string(count) + " launches with " + form;
  return text + "\n" + bodiesText(variant.program, facts);
}

//===--- For programs ---===//

Json tensorsJson(const std::vector<format::Tensor> &tensors, const std::vector<format::Tensor> &inputs) {
  Json list = Json::array();
  for (const format::Tensor &tensor : tensors)
    list.push_back({{"name", tensor.name},
                    {"dtype", format::dtypeName(tensor.dtype)},
                    {"shape", tensor.dims},
                    {"memory_of", tensor.memoryOf ? Json(inputs[tensor.memoryOf - 1].name) : Json()},
                    {"elements", tensor.elements}});
  return list;
}

Json compositesJson(const format::Package &package) {
  Json list = Json::array();
  for (const format::Composite &composite : package.composites) {
    const std::vector<format::Tensor> &all = composite.output ? package.outputs : package.inputs;
    Json tensors = Json::array();
    for (uint32_t i = 0; i < composite.count; ++i)
      tensors.push_back(all[composite.first + i].name);
    list.push_back({{"name", composite.name},
                    {"kind", kindName(composite.kind)},
                    {"output", composite.output},
                    {"absent", composite.absent},
                    {"tensors", tensors}});
  }
  return list;
}

Json symbolsJson(const std::vector<format::Symbol> &symbols) {
  Json list = Json::array();
  for (const format::Symbol &symbol : symbols)
    list.push_back({{"id", symbol.id},
                    {"name", symbol.name},
                    {"min", symbol.min != format::kAnyNumber ? Json(symbol.min) : Json()},
                    {"max", symbol.max ? Json(symbol.max) : Json()},
                    {"found", symbol.run},
                    {"definition", symbol.definition.empty() ? Json() : Json(symbol.definition)}});
  return list;
}

Json metadataJson(const format::Metadata &metadata) {
  Json properties = Json::array();
  for (const format::Property &property : metadata.properties)
    properties.push_back({{"key", property.key}, {"value", property.value}});
  return {{"producer_name", metadata.producerName},
          {"producer_version", metadata.producerVersion},
          {"graph_name", metadata.graphName},
          {"graph_description", metadata.graphDescription},
          {"domain", metadata.domain},
          {"description", metadata.description},
          {"version", metadata.version},
          {"properties", properties}};
}

Json variantJson(const format::Variant &variant) {
  const Facts facts = factsOf(variant);
  Json binaries = Json::array(), launches = Json::array(), bodies = Json::array();
  for (const format::Binary &binary : variant.binaries)
    binaries.push_back({{"arch", binary.arch}, {"bytes", binary.image.size()}});
  for (const auto &[form, count] : facts.launches)
    launches.push_back({{"form", form}, {"count", count}});
  for (size_t i = 0; i < variant.program.bodies.size(); ++i)
    bodies.push_back({{"steps", variant.program.bodies[i].steps.size()}, {"entered_by", facts.enteredBy[i]}});
  Json json{{"target", variant.target},
            {"arch", variant.arch},
            {"multiprocessors", variant.multiprocessors},
            {"steps", format::stepCount(variant.program)},
            {"kernels", variant.program.kernels.size()},
            {"sources", variant.sources.size()},
            {"binaries", binaries},
            {"launches", launches},
            {"bodies", bodies},
            {"library", nullptr}};
  if (facts.library)
    json["library"] = {{"name", facts.library->title}, {"described", facts.described}, {"gaining", facts.gaining}};
  return json;
}

std::string inspectionJson(const format::Package &package, uint64_t bytes) {
  uint64_t weightBytes = 0;
  for (const format::Weight &weight : package.weights)
    weightBytes += weight.bytes;
  Json variants = Json::array(), explained;
  for (const format::Variant &variant : package.variants)
    variants.push_back(variantJson(variant));
  for (const format::Report &report : package.reports)
    if (report.name == "explain")
      explained = Json::parse(report.json, nullptr, /*allow_exceptions=*/false);
  const Json json{{"schema", "cupola.inspect/1"},
                  {"format", package.format},
                  {"producer", package.producer},
                  {"tools", package.tools},
                  {"bytes", bytes},
                  {"metadata", metadataJson(package.metadata)},
                  {"inputs", tensorsJson(package.inputs, package.inputs)},
                  {"outputs", tensorsJson(package.outputs, package.inputs)},
                  {"composites", compositesJson(package)},
                  {"symbols", symbolsJson(package.symbols)},
                  {"weights", package.weights.size()},
                  {"weight_bytes", weightBytes},
                  {"variants", variants},
                  {"explain", explained.is_discarded() ? Json() : explained}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

Report inspectPackage(const format::PackageFile &file, const std::string &name) {
  const format::Package &package = file.package();
  std::string text = name + ": package format " + std::to_string(package.format) + " by " + package.producer + ", " +
                     std::to_string(file.bytes()) + " bytes, " + std::to_string(package.weights.size()) + " weights\n" +
                     interfaceText(package);
  for (const format::Variant &variant : package.variants)
    text += variantText(variant);
  return {text, inspectionJson(package, file.bytes())};
}

} // namespace cupola::runtime
