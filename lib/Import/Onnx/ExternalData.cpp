//===- lib/Import/Onnx/ExternalData.cpp - tensor data in files of its own --===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ExternalData.h"

#include "lib/Import/Onnx/BeneathFolder.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Runtime/Format/MachineMemory.h"

#include "onnx/onnx_pb.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sys/stat.h>

namespace cupola::onnx_import {
namespace {

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The path behind all links; as given where there is none.
std::string resolved(const std::string &path) {
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : path;
}

/// Why a location is no relative path beneath a folder; empty when it is one.
std::string locationProblem(const std::string &location) {
  if (location.empty())
    return "is empty";
  if (location.find('\0') != std::string::npos)
    return "contains a NUL character";
  if (location[0] == '/')
    return "is an absolute path";
  if (location.find('\\') != std::string::npos || (location.size() > 1 && location[1] == ':'))
    return "is a Windows path";
  for (size_t begin = 0; begin <= location.size();) {
    size_t end = location.find('/', begin);
    end = end == std::string::npos ? location.size() : end;
    if (location.compare(begin, end - begin, "..") == 0)
      return "contains '..'";
    begin = end + 1;
  }
  return "";
}

} // namespace

std::optional<ExternalReference> parseExternalReference(const onnx::TensorProto &tensor, std::string &problem) {
  std::optional<std::string> location, checksum;
  std::optional<int64_t> offset, length;
  const auto count = [&](const std::string &key, const std::string &value, std::optional<int64_t> &target) {
    const bool again = target.has_value();
    target = parseCount(value);
    if (again)
      problem = "has two external data entries " + quoted(key) + ", expected one";
    else if (!target)
      problem = "has the external data " + key + " " + quoted(value) + ", expected a whole number from 0 to 2^63-1";
  };
  for (const auto &entry : tensor.external_data()) {
    std::optional<std::string> *text = entry.key() == "location"   ? &location
                                       : entry.key() == "checksum" ? &checksum
                                                                   : nullptr;
    if (text && *text)
      problem = "has two external data entries " + quoted(entry.key()) + ", expected one";
    else if (text)
      *text = entry.value();
    else if (entry.key() == "offset")
      count("offset", entry.value(), offset);
    else if (entry.key() == "length")
      count("length", entry.value(), length);
    else
      problem =
          "has the external data entry " + quoted(entry.key()) + ", expected location, offset, length or checksum";
    if (!problem.empty())
      return std::nullopt;
  }
  if (!location) {
    problem = "is stored externally without a location";
    return std::nullopt;
  }
  const std::string wrong = locationProblem(*location);
  if (!wrong.empty()) {
    problem = "has the external data location " + quoted(*location) + ", which " + wrong +
              ", expected a relative path beneath the model's folder";
    return std::nullopt;
  }
  return ExternalReference{*location, offset.value_or(0), length};
}

ExternalData ExternalData::besideModel(const std::string &modelPath, bool allowHardLinks) {
  ExternalData data;
  data.namedFolder = folderOf(modelPath);
  data.resolvedFolder = folderOf(resolved(modelPath));
  data.allowHardLinks = allowHardLinks;
  return data;
}

ExternalData ExternalData::beneath(const std::string &folder, bool allowHardLinks) {
  ExternalData data;
  data.namedFolder = folder;
  data.resolvedFolder = resolved(folder);
  data.allowHardLinks = allowHardLinks;
  return data;
}

bool ExternalData::open(const std::string &location, ErrorKind &kind, std::string &problem) {
  if (file && location == openLocation)
    return true;
  const std::string name = "external data file " + quoted(location);
  file = openBeneath(namedFolder, resolvedFolder, location);
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) {
    const bool outside = errno == EXDEV;
    kind = outside ? ErrorKind::BadModel : ErrorKind::InputOutput;
    problem = outside ? name + " is a link to a place outside of the model's folder"
                      : name + " cannot be opened: " + std::strerror(errno);
    return false;
  }
  problem = fileTypeProblem(status.st_mode);
  if (!problem.empty())
    problem = name + " " + problem + ", expected a regular file";
  else if (status.st_nlink > 1 && !allowHardLinks)
    problem = name + " has " + std::to_string(status.st_nlink) +
              " hard links, expected 1 (if that is intended, pass --allow-hard-links)";
  if (!problem.empty()) {
    kind = ErrorKind::BadModel;
    file = format::Descriptor();
    return false;
  }
  openLocation = location;
  fileSize = status.st_size;
  return true;
}

bool ExternalData::readFile(const ExternalReference &reference, char *target, int64_t size, ErrorKind &kind,
                            std::string &problem) {
  const auto bytes = static_cast<size_t>(size);
  if (format::readAt(file.get(), target, bytes, static_cast<uint64_t>(reference.offset)) == bytes)
    return true;
  kind = ErrorKind::InputOutput;
  problem = "cannot be read from " + quoted(reference.location) + ": " +
            (errno ? std::strerror(errno) : "the file became shorter");
  return false;
}

bool ExternalData::askReader(const ExternalReference &reference, char *target, int64_t size, ErrorKind &kind,
                             std::string &problem) {
  const Result<std::string_view> bytes = reader(reference.location, reference.offset, size);
  kind = ErrorKind::InputOutput;
  if (bytes.failed())
    problem = "cannot be had from " + quoted(reference.location) + ": " + bytes.status().message();
  else if (bytes->size() != static_cast<size_t>(size))
    problem = "needs " + std::to_string(size) + " bytes at offset " + std::to_string(reference.offset) + " of " +
              quoted(reference.location) + ", the caller gave " + std::to_string(bytes->size());
  else
    std::copy(bytes->begin(), bytes->end(), target);
  return problem.empty();
}

/// That there are `size` bytes, as far as can be known before they are read.
bool ExternalData::find(const ExternalReference &reference, int64_t size, ErrorKind &kind, std::string &problem) {
  kind = ErrorKind::BadModel;
  problem.clear();
  if (!reader && namedFolder.empty())
    problem = "refers to the external file " + quoted(reference.location) +
              ", but the model was given as bytes and has no folder";
  else if (reference.length && *reference.length != size)
    problem = "has the external data length " + std::to_string(*reference.length) + ", expected " +
              std::to_string(size) + " for its type and dimensions";
  else if (reader && reference.offset > std::numeric_limits<int64_t>::max() - size)
    problem = "has the external data offset " + std::to_string(reference.offset) + ", which with its " +
              std::to_string(size) + " bytes does not fit 63 bits";
  else if (!reader && !open(reference.location, kind, problem))
    problem = "cannot be loaded: " + problem;
  else if (!reader && (size > fileSize || reference.offset > fileSize - size))
    problem = "needs " + std::to_string(size) + " bytes at offset " + std::to_string(reference.offset) + " of " +
              quoted(reference.location) + ", which has " + std::to_string(fileSize) + " bytes";
  return problem.empty();
}

std::optional<Blob> ExternalData::load(const ExternalReference &reference, int64_t size, ErrorKind &kind,
                                       std::string &problem) {
  if (!find(reference, size, kind, problem))
    return std::nullopt;
  if (const Status enough = format::checkMemory("it", static_cast<uint64_t>(size)); enough.failed()) {
    kind = ErrorKind::Environment;
    problem = "does not fit into memory: " + enough.message();
    return std::nullopt;
  }
  const size_t rounded = (static_cast<size_t>(size) + 63) / 64 * 64;
  std::shared_ptr<char> memory(static_cast<char *>(std::aligned_alloc(64, rounded ? rounded : 64)), &std::free);
  if (!memory) {
    kind = ErrorKind::Environment;
    problem = "does not fit into memory (" + std::to_string(size) + " bytes)";
    return std::nullopt;
  }
  const bool isRead = reader ? size == 0 || askReader(reference, memory.get(), size, kind, problem)
                             : readFile(reference, memory.get(), size, kind, problem);
  if (!isRead)
    return std::nullopt;
  const std::string_view bytes(memory.get(), static_cast<size_t>(size));
  if (digestOf)
    loaded.push_back({reference.location, reference.offset, size, digestOf(bytes)});
  return Blob{0, {}, bytes, memory};
}

} // namespace cupola::onnx_import
