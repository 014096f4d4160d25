//===- lib/Runtime/Tools/RunReport.cpp - What the command line says about a run ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/RunReport.h"
#include "lib/Runtime/Format/NarrowFloats.h"
#include "lib/Runtime/Text.h"
#include "lib/Runtime/Tools/Explained.h"
#include "lib/Runtime/Tools/ProfileReport.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace cupola::runtime {

using format::DType;

namespace {

std::string realText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

template <typename T> std::string number(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  if constexpr (std::is_floating_point_v<T>) {
    return realText(static_cast<double>(value));
  } else {
    return std::to_string(value);
  }
}

/// Sixteen-bit floats widened to f32.
std::string narrow(const uint8_t *at, bool isBFloat) {
  uint16_t half;
  std::memcpy(&half, at, sizeof(half));
  const uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
  float value;
  uint32_t bits = uint32_t(half) << 16;
  if (!isBFloat)
    bits = exponent == 31 ? 0x7f800000 | fraction << 13 : (exponent + 112) << 23 | fraction << 13;
  std::memcpy(&value, &bits, sizeof(value));
  if (!isBFloat && exponent == 0) // a subnormal of half
    value = static_cast<float>(fraction) * 0x1p-24f;
  if (!isBFloat && sign)
    value = -value;
  return number<float>(reinterpret_cast<const uint8_t *>(&value));
}

/// Floats of up to 8 bits, and integers of fewer.
std::string belowByte(const format::ElementType &row, const uint8_t *at) {
  if (const format::NarrowFloat *type = format::narrowFloatOf(row.dtype))
    return realText(format::decoded(*type, *at));
  const int end = 1 << row.bits, value = *at & (end - 1);
  return std::to_string(row.number == format::NumberClass::Int && value >= end / 2 ? value - end : value);
}

std::string element(DType dtype, const uint8_t *at) {
  switch (dtype) {
  case DType::F32:
    return number<float>(at);
  case DType::F64:
    return number<double>(at);
  case DType::F16:
  case DType::BF16:
    return narrow(at, dtype == DType::BF16);
  case DType::I8:
    return number<int8_t>(at);
  case DType::I16:
    return number<int16_t>(at);
  case DType::I32:
    return number<int32_t>(at);
  case DType::I64:
    return number<int64_t>(at);
  case DType::U8:
    return number<uint8_t>(at);
  case DType::U16:
    return number<uint16_t>(at);
  case DType::U32:
    return number<uint32_t>(at);
  case DType::U64:
    return number<uint64_t>(at);
  case DType::Bool:
    return *at ? "true" : "false";
  case DType::String: // its number
    return number<int64_t>(at);
  default:
    return belowByte(format::rowOf(dtype), at);
  }
}

std::string firstValues(const HostTensor &tensor) {
  constexpr size_t kShown = 4;
  const size_t size = format::byteSize(tensor.dtype), count = tensor.bytes.size() / size;
  std::string text;
  for (size_t i = 0; i < std::min(count, kShown); ++i)
    text += (i ? ", " : "") + (tensor.dtype == DType::String ? quote(tensor.texts[i])
                                                             : element(tensor.dtype, tensor.bytes.data() + i * size));
  return text + (count > kShown ? ", ..." : "");
}

std::string milliseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f ms", value);
  return text;
}

std::string stepsText(const format::Program &program) {
  std::string text = std::to_string(format::stepCount(program)) + " steps";
  if (!program.bodies.empty())
    text += ", " + std::to_string(program.steps.size()) + " of them outside of branches and loops";
  return text;
}

/// Empty where the package describes no step to a library.
std::string librariesText(const LibraryCalls &calls) {
  if (calls.described() == 0)
    return "";
  std::string text = "libraries: " + std::to_string(calls.used()) + " of " + std::to_string(calls.described()) +
                     " steps that a library may do";
  const std::vector<std::string> reasons = calls.reasons();
  if (!reasons.empty())
    text += "; kernels do the others: " + reasons[0];
  if (reasons.size() > 1)
    text += " (--json has " + std::to_string(reasons.size() - 1) + " further reasons)";
  return text + "\n";
}

nlohmann::ordered_json librariesJson(const LibraryCalls &calls, size_t steps) {
  auto refused = nlohmann::ordered_json::array();
  for (size_t i = 0; i < steps; ++i)
    if (!calls.refusal(i).empty())
      refused.push_back({{"step", i}, {"reason", calls.refusal(i)}});
  const std::vector<std::string> reasons = calls.reasons();
  return {{"described", calls.described()},
          {"used", calls.used()},
          {"reason", reasons.empty() ? "" : reasons[0]},
          {"refused", refused}};
}

} // namespace

std::string reportText(const RunReport &report) {
  const Executable &executable = report.session->executable();
  const DeviceProperties &device = executable.device().properties();
  std::string text = "device: " + device.name + " " + device.arch + " (" + device.description + "), variant " +
                     executable.variant().target + " " + executable.variant().arch + ", " +
                     stepsText(executable.program()) + "\n" + librariesText(executable.calls());
  for (size_t i = 0; i < report.outputs->size(); ++i) {
    const HostTensor &output = (*report.outputs)[i];
    text += "output " + quote(executable.package().outputs[i].name) + ": " + format::dtypeName(output.dtype) + " " +
            shapeText(output.shape) + ": " + firstValues(output) + "\n";
  }
  text += "latency: min " + milliseconds(report.latency.min);
  if (report.iterations > 1)
    text += ", median " + milliseconds(report.latency.median) + ", p99 " + milliseconds(report.latency.p99) + ", of " +
            std::to_string(report.iterations) + " runs";
  if (report.queued > 0)
    text += "\nqueued:  " + milliseconds(report.queued) + " a run, one behind the other";
  return text + "\n" + (report.profile.steps.empty() ? "" : profileText(executable, report.profile));
}

std::string reportJson(const RunReport &report) {
  const Executable &executable = report.session->executable();
  const DeviceProperties &device = executable.device().properties();
  nlohmann::ordered_json json;
  json["schema"] = "cupola-run/1";
  json["device"] = {{"name", device.name}, {"arch", device.arch}, {"description", device.description}};
  json["variant"] = {{"target", executable.variant().target},
                     {"arch", executable.variant().arch},
                     {"multiprocessors", executable.variant().multiprocessors}};
  json["steps"] = format::stepCount(executable.program());
  json["bodies"] = executable.program().bodies.size();
  json["libraries"] = librariesJson(executable.calls(), format::stepCount(executable.program()));
  json["iterations"] = report.iterations;
  json["latency_ms"] = {{"min", report.latency.min}, {"median", report.latency.median}, {"p99", report.latency.p99}};
  if (report.queued > 0)
    json["queued_ms"] = report.queued;
  json["memory"] = {{"arena_bytes", report.session->arenaBytes()}, {"resident_bytes", executable.residentBytes()}};
  json["peak_rss_bytes"] = peakResidentBytes();
  json["outputs"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < report.outputs->size(); ++i)
    json["outputs"].push_back({{"name", executable.package().outputs[i].name},
                               {"dtype", format::dtypeName((*report.outputs)[i].dtype)},
                               {"shape", (*report.outputs)[i].shape}});
  json["kernels"] = nlohmann::ordered_json::array();
  for (const KernelStatistics &kernel : executable.device().statistics())
    json["kernels"].push_back({{"name", kernel.name},
                               {"launches", kernel.launches},
                               {"blocks", kernel.blocks},
                               {"bytes_read", kernel.bytesRead},
                               {"bytes_written", kernel.bytesWritten},
                               {"requests", kernel.requests},
                               {"sectors", kernel.sectors},
                               {"distinct_sectors", kernel.distinctSectors},
                               {"bank_conflicts", kernel.bankConflicts},
                               {"barriers", kernel.barriers}});
  if (!report.profile.steps.empty()) {
    json["ceilings"] = {{"gb_per_s", report.profile.ceilings.bytes / 1e6},
                        {"gflops", report.profile.ceilings.operations / 1e6}};
    json["profile"] = profileJson(executable, report.profile);
    json["arena"] = arenaJson(*report.session);
    json["explain"] = explainedVariant(executable);
  }
  // Names come from the model and may be no UTF-8.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace cupola::runtime
