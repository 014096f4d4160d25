//===- lib/Compiler/ExplainPlan.cpp - the parts of a report that are about the plan ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/ExplainPlan.h"

#include "dialects/Graph/Graph.h"
#include "lib/Runtime/Format/Bodies.h"
#include "lib/Runtime/Format/Libraries.h"
#include "lib/Runtime/Format/LibraryCosts.h"

using namespace mlir;

namespace cupola::compiler {

namespace {

/// The buffers that a step reads or writes, by their place among those of all bodies. Those of a view are its parent's.
Json placesOf(const std::vector<format::Touched> &touched, bool written, const format::Body &body, size_t first) {
  Json places = Json::array();
  for (auto [buffer, isWritten] : touched) {
    if (isWritten != written)
      continue;
    while (body.buffers[buffer].kind == format::BufferKind::View)
      buffer = body.buffers[buffer].index;
    places.push_back(first + buffer);
  }
  return places;
}

const char *nameOf(format::BufferKind kind) {
  switch (kind) {
  case format::BufferKind::Arena:
    return "arena";
  case format::BufferKind::Weight:
    return "weight";
  case format::BufferKind::Input:
    return "input";
  case format::BufferKind::Output:
    return "output";
  case format::BufferKind::View:
    return "view";
  case format::BufferKind::Init:
    return "init";
  case format::BufferKind::Parameter:
    return "parameter";
  case format::BufferKind::Growing:
    return "growing";
  case format::BufferKind::Counters:
    return "counters";
  }
  return "";
}

} // namespace

Json stepsOf(const format::Variant &variant, const std::vector<format::Node> &nodes) {
  const format::Program &program = variant.program;
  Json steps = Json::array();
  size_t first = 0;
  for (size_t position = 0; position < format::bodyCount(program); ++position) {
    const format::Body &body = format::bodyAt(program, position);
    for (const format::Step &step : body.steps) {
      Json names = Json::array();
      for (uint32_t node : step.nodes)
        names.push_back(nodes[node].name);
      const std::vector<format::Touched> touched = format::touchedBy(program, step);
      const bool isLaunch = step.kind == format::Step::LaunchStep;
      steps.push_back(objectOf(Member("kernel", isLaunch ? Json(program.kernels[step.launch.kernel].name) : Json()),
                               Member("nodes", std::move(names)),
                               Member("reads", placesOf(touched, /*written=*/false, body, first)),
                               Member("writes", placesOf(touched, /*written=*/true, body, first))));
      if (isLaunch && step.launch.call) {
        const format::Library &library = format::libraryOf(step.launch.call.kind);
        steps.back()["library"] = library.title;
        if (library.isMeasured)
          steps.back()["library_threads"] = format::mostThreads(step.launch.call, format::measuredOneDnn, variant.arch);
      }
      if (format::transferOf(step))
        steps.back()["transfer"] = format::stepKindName(step.kind);
      if (step.kind == format::Step::HostStep)
        steps.back()["host"] = step.host.op;
      if (format::isControl(step.kind)) {
        steps.back()["control"] = format::stepKindName(step.kind);
        steps.back()["enters"] = format::bodiesOf(step);
      }
      if (position != 0)
        steps.back()["body"] = position - 1;
    }
    first += body.buffers.size();
  }
  return steps;
}

/// Of an arena's buffer also the steps of its body in which it is alive, and its place if that follows from no shape;
/// of an input or output the model's name for it.
static Json bufferOf(const format::Buffer &buffer, func::FuncOp main) {
  Json json = objectOf(Member("kind", nameOf(buffer.kind)), Member("bytes", buffer.bytes));
  if (buffer.kind == format::BufferKind::Input)
    json["name"] = main.getArgAttrOfType<StringAttr>(buffer.index, "graph.name").str();
  if (buffer.kind == format::BufferKind::Output)
    json["name"] = main.getResultAttrOfType<StringAttr>(buffer.index, "graph.name").str();
  if (buffer.kind != format::BufferKind::Arena)
    return json;
  json["first"] = buffer.first;
  json["last"] = buffer.last;
  if (buffer.planned >= 0)
    json["offset"] = buffer.planned;
  return json;
}

Json buffersOf(const format::Program &program, func::FuncOp main) {
  Json buffers = Json::array();
  for (size_t position = 0; position < format::bodyCount(program); ++position)
    for (const format::Buffer &buffer : format::bodyAt(program, position).buffers) {
      buffers.push_back(bufferOf(buffer, main));
      if (position != 0)
        buffers.back()["body"] = position - 1;
    }
  return buffers;
}

/// What the arenas of a body, and of those that its steps enter, take at most; nullopt: it depends on shapes.
static std::optional<int64_t> peakOf(const format::Program &program, const format::Body &body) {
  int64_t within = 0;
  for (const format::Step &step : body.steps)
    for (uint32_t index : format::bodiesOf(step)) {
      const std::optional<int64_t> peak = peakOf(program, program.bodies[index]);
      if (!peak)
        return std::nullopt;
      within = std::max(within, *peak);
    }
  return body.arenaBytes < 0 ? std::nullopt : std::optional(body.arenaBytes + within);
}

/// The most bytes that are alive at one step of the program itself.
static int64_t mostAlive(const format::Program &program) {
  std::vector<int64_t> live(program.steps.size() + 1, 0);
  for (const format::Buffer &buffer : program.buffers)
    if (buffer.kind == format::BufferKind::Arena)
      for (uint32_t step = buffer.first; step <= buffer.last; ++step)
        live[step] += (std::stoll(buffer.bytes) + 255) / 256 * 256;
  return *std::max_element(live.begin(), live.end());
}

Json memoryOf(const format::Program &program, const WeightTable &weights) {
  uint64_t weightBytes = 0;
  for (const WeightTable::Entry &entry : weights.entries()) {
    auto type = cast<RankedTensorType>(entry.value.getShapedType());
    weightBytes += type.getNumElements() * graph::byteSize(type.getElementType());
  }
  Json memory = Json::object();
  const std::optional<int64_t> peak = peakOf(program, program);
  memory["peak_bytes"] = peak ? Json(*peak) : Json();
  memory["lower_bound_bytes"] = peak && program.bodies.empty() ? Json(mostAlive(program)) : Json();
  memory["weight_bytes"] = weightBytes;
  return memory;
}

} // namespace cupola::compiler
