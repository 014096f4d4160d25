//===- lib/Import/Onnx/Decisions.cpp - what a run's inputs decide ----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Decisions.h"

#include "lib/Import/Onnx/CompositeInputs.h"
#include "lib/Import/Onnx/ModelInputs.h"
#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

#include <algorithm>

namespace cupola::onnx_import {
namespace {

/// Of the dimensions of an input that the model leaves open.
void addExtents(const onnx::ValueInfoProto &input, const std::vector<int64_t> &shape,
                std::map<std::string, int64_t> &extents) {
  const auto &declared = input.type().tensor_type().shape();
  if (declared.dim_size() != static_cast<int>(shape.size()))
    return; // an error where shapes are bound
  for (int i = 0; i < declared.dim_size(); ++i)
    if (!extentOf(declared.dim(i)))
      extents.emplace(dimensionName(input, i), shape[static_cast<size_t>(i)]);
}

} // namespace

Decisions::Decisions(const onnx::GraphProto &graph, const ShapeOptions &options) : options(options) {
  if (!options.given)
    return;
  ShapeOptions unused = options;
  Diagnostics ignored; // whoever imports the model says them
  const CompositeInputs inputs(realInputs(graph), unused, ignored);
  std::map<std::string, const GivenInput *> given;
  for (const GivenInput &input : *options.given)
    given.emplace(input.name, &input);
  for (const onnx::ValueInfoProto *input : inputs.tensors())
    if (const auto found = given.find(input->name()); found != given.end())
      addExtents(*input, found->second->shape, extents);
}

/// The options with what is decided.
ShapeOptions Decisions::shapes() const {
  ShapeOptions shapes = options;
  for (const Decision &decision : decisions)
    if (decision.kind == Decision::Value)
      shapes.values[decision.name] = decision.value;
    else
      shapes.symbols[decision.name] = extents.at(decision.name);
  return shapes;
}

bool Decisions::isDecided(Decision::Kind kind, const std::string &name) const {
  if (kind == Decision::Value ? options.values.count(name) : options.symbols.count(name))
    return true;
  return std::any_of(decisions.begin(), decisions.end(),
                     [&](const Decision &decision) { return decision.kind == kind && decision.name == name; });
}

bool Decisions::addValue(const std::string &name, std::vector<Decision> &found) const {
  for (const GivenInput &input : *options.given)
    if (input.name == name && input.value) {
      found.push_back({Decision::Value, name, *input.value, ""});
      return true;
    }
  return false;
}

bool Decisions::addExtent(const std::string &name, std::vector<Decision> &found) const {
  const auto extent = extents.find(name);
  if (extent == extents.end())
    return false;
  if (const auto bounds = options.bounds.find(name); bounds != options.bounds.end()) {
    const auto [min, max] = bounds->second;
    if (extent->second < min || (max > 0 && extent->second > max))
      return false;
  }
  found.push_back({Decision::Extent, name, std::to_string(extent->second), ""});
  return true;
}

/// Decides what the first of the problems needs that inputs can decide. False: there is none.
bool Decisions::add(const Diagnostics &problems) {
  if (!options.given)
    return false;
  for (const Diagnostic &problem : problems.errors()) {
    std::vector<Decision> found;
    bool isEnough = true;
    for (const std::string &name : problem.decidedBy.inputs)
      isEnough &= isDecided(Decision::Value, name) || addValue(name, found);
    for (const std::string &name : problem.decidedBy.dimensions)
      isEnough &= isDecided(Decision::Extent, name) || addExtent(name, found);
    if (!isEnough || found.empty())
      continue;
    for (Decision &decision : found) {
      decision.node = problem.hasNode ? problem.node.text() : "";
      decisions.push_back(std::move(decision));
    }
    return true;
  }
  return false;
}

/// What the model can be imported without.
void Decisions::drop(const Attempt &attempt) {
  for (size_t i = 0; i < decisions.size();) {
    Decisions fewer = *this;
    fewer.decisions.erase(fewer.decisions.begin() + static_cast<std::ptrdiff_t>(i));
    Diagnostics problems;
    if (attempt(fewer.shapes(), problems))
      decisions = std::move(fewer.decisions);
    else
      ++i;
  }
}

void Decisions::search(const Attempt &attempt) {
  constexpr size_t mostDropped = 64; // each costs an attempt
  for (;;) {
    Diagnostics problems;
    if (attempt(shapes(), problems))
      break;
    if (!add(problems))
      return;
  }
  if (decisions.size() > 1 && decisions.size() <= mostDropped)
    drop(attempt);
}

/// Of decisions[first..], those of one line.
static size_t endOfLine(const std::vector<Decision> &decisions, size_t first) {
  size_t end = first + 1;
  if (decisions[first].kind == Decision::Extent)
    while (end < decisions.size() && decisions[end].kind == Decision::Extent &&
           decisions[end].node == decisions[first].node)
      ++end;
  return end;
}

std::vector<std::string> decisionTexts(const std::vector<Decision> &decisions) {
  std::vector<std::string> lines;
  for (size_t first = 0; first < decisions.size();) {
    const size_t end = endOfLine(decisions, first);
    const bool isValue = decisions[first].kind == Decision::Value;
    std::string names, values, flags;
    for (size_t i = first; i < end; ++i) {
      const std::string comma = i > first ? ", " : "", name = printable(decisions[i].name);
      names += comma + quoted(decisions[i].name);
      values += comma + name + " = " + decisions[i].value;
      flags += std::string(isValue ? " --set " : " --shape ") + name + "=" + decisions[i].value;
    }
    const std::string subject = isValue ? "input" : end - first == 1 ? "dimension" : "dimensions";
    const std::string node = decisions[first].node.empty() ? "" : ", for " + decisions[first].node;
    lines.push_back(subject + " " + names + (end - first == 1 ? " decides" : " decide") +
                    " the program: compiled for " + values + ", as by" + flags + node);
    first = end;
  }
  return lines;
}

} // namespace cupola::onnx_import
