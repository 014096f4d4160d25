//===- lib/Target/Tuning.cpp - measured times of schedules ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/Tuning.h"

#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <charconv>
#include <cmath>
#include <set>
#include <tuple>

namespace cupola {

namespace {

constexpr std::string_view schema = "cupola.tuning/1";
constexpr std::string_view simulator = "sim";
constexpr uint64_t mostBytes = uint64_t(256) << 20;
constexpr size_t longestLine = 4096; ///< LLVM's parser goes as deep as brackets do

Status expected(const std::string &what) { return Status::usage("expected " + what); }

/// A member of a line, which has to be a text that `isRight` accepts.
Status takeText(const llvm::json::Object &object, llvm::StringRef key, const std::string &what,
                llvm::function_ref<bool(llvm::StringRef)> isRight, std::string &text) {
  const std::optional<llvm::StringRef> found = object.getString(key);
  if (!found || !isRight(*found))
    return expected("\"" + key.str() + "\": " + what);
  text = found->str();
  return {};
}

bool isKey(llvm::StringRef text) {
  return text.size() == 16 && llvm::all_of(text, [](char c) { return llvm::isHexDigit(c) && !llvm::isUpper(c); });
}

Result<llvm::json::Object> objectOf(std::string_view text, const std::set<llvm::StringRef> &keys) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse({text.data(), text.size()});
  if (!value) {
    llvm::consumeError(value.takeError());
    return expected("a JSON object");
  }
  llvm::json::Object *object = value->getAsObject();
  if (!object)
    return expected("a JSON object");
  std::string unknown; // the first by name: a table of hashes has no order
  for (const auto &[key, member] : *object)
    if (!keys.count(key) && (unknown.empty() || llvm::StringRef(key) < unknown))
      unknown = key.str();
  if (!unknown.empty())
    return expected("no key " + runtime::quote(unknown) + "; there are: " + llvm::join(keys, ", "));
  return std::move(*object);
}

Status checkHeader(std::string_view text) {
  auto header = objectOf(text, {"note", "schema"});
  if (header.failed() || header->getString("schema") != llvm::StringRef(schema))
    return expected("{\"schema\":\"" + std::string(schema) + "\"} as the first line");
  return {};
}

/// Nine digits: what is read is written as it was.
std::string numberText(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", number);
  return text;
}

} // namespace

std::string withoutSpaces(std::string_view text) {
  std::string result;
  for (char c : text)
    if (!llvm::isSpace(c))
      result += c;
  return result;
}

bool TuningTable::parseVersion(std::string_view text, Version &version) {
  version = {0, 0};
  if (text == simulator)
    return true;
  const char *end = text.data() + text.size();
  auto major = std::from_chars(text.data(), end, version.first);
  if (major.ec != std::errc() || version.first <= 0 || major.ptr == end || *major.ptr != '.')
    return false;
  auto minor = std::from_chars(major.ptr + 1, end, version.second);
  return minor.ec == std::errc() && version.second >= 0 && minor.ptr == end;
}

Status TuningTable::readLine(std::string_view text, TuningLine &line) {
  CUPOLA_ASSIGN(const llvm::json::Object object, objectOf(text, {"kernel", "nvrtc", "schedule", "target", "time"}));
  CUPOLA_TRY(takeText(object, "kernel", "16 hexadecimal digits", isKey, line.kernel));
  CUPOLA_TRY(takeText(
      object, "target", "one of " + architectureNames(kGpuArchitectures),
      [](llvm::StringRef name) { return findGpu(std::string_view(name)) != nullptr; }, line.target));
  Version version;
  CUPOLA_TRY(takeText(
      object, "nvrtc", "a version, as \"12.9\", or \"sim\"",
      [&](llvm::StringRef name) { return parseVersion(name, version); }, line.nvrtc));
  CUPOLA_TRY(takeText(
      object, "schedule", "an attribute, as \"#cuda.pointwise<threads 256, vector 4>\"",
      [](llvm::StringRef name) { return name.starts_with("#"); }, line.schedule));
  const std::optional<double> time = object.getNumber("time");
  if (!time || !std::isfinite(*time) || *time <= 0)
    return expected("\"time\": a number above 0");
  line.time = *time;
  return {};
}

Result<TuningTable> TuningTable::parse(std::string_view text, const std::string &name) {
  TuningTable table;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  bool isFirst = true;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (withoutSpaces(one).empty())
      continue;
    const std::string place = name + ": line " + std::to_string(number);
    if (one.size() > longestLine)
      return expected("at most " + std::to_string(longestLine) + " bytes in a line, not " + std::to_string(one.size()))
          .within(place);
    if (isFirst) {
      CUPOLA_TRY(checkHeader(one).within(place));
      isFirst = false;
      continue;
    }
    TuningLine line;
    CUPOLA_TRY(readLine(one, line).within(place));
    if (!seen.emplace(line.kernel, line.target, line.nvrtc, withoutSpaces(line.schedule)).second)
      return expected("each schedule of a kernel, target and NVRTC once").within(place);
    table.add(line);
  }
  if (isFirst)
    CUPOLA_TRY(checkHeader("").within(name + ": line 1"));
  return table;
}

Result<TuningTable> TuningTable::read(const std::string &path) {
  CUPOLA_ASSIGN(const std::string text, format::readFile(path, mostBytes));
  return parse(text, path);
}

void TuningTable::add(const TuningLine &line) {
  Version version;
  parseVersion(line.nvrtc, version);
  kernels[{line.kernel, line.target}][version][withoutSpaces(line.schedule)] = {line.schedule, line.time};
}

const TuningTable::Times *TuningTable::find(const std::string &kernel, const std::string &target) const {
  const auto found = kernels.find({kernel, target});
  return found == kernels.end() ? nullptr : &found->second.rbegin()->second;
}

std::string TuningTable::text() const {
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << "{\"schema\":\"" << schema << "\"}\n";
  for (const auto &[place, versions] : kernels)
    for (const auto &[version, times] : versions)
      for (const auto &[key, measured] : times) {
        const std::string nvrtc = version == Version{0, 0}
                                      ? std::string(simulator)
                                      : std::to_string(version.first) + "." + std::to_string(version.second);
        llvm::json::OStream json(stream);
        json.object([&, &place = place, &measured = measured] {
          json.attribute("kernel", place.first);
          json.attribute("target", place.second);
          json.attribute("nvrtc", nvrtc);
          json.attribute("schedule", measured.schedule);
          json.attributeBegin("time");
          json.rawValue(numberText(measured.time));
          json.attributeEnd();
        });
        stream << "\n";
      }
  return result;
}

} // namespace cupola
