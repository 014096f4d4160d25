//===- lib/Import/Onnx/ModelFile.cpp - from a path to a parsed ModelProto --===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ModelFile.h"

#include "lib/Import/Onnx/WireScan.h"
#include "lib/Runtime/Format/MachineMemory.h"

#include "onnx/onnx_pb.h"

#include <google/protobuf/io/coded_stream.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>

namespace cupola::onnx_import {

FileBytes::FileBytes(size_t size) : count(size) {
  constexpr size_t page = size_t(2) << 20;
  const size_t whole = (size + page - 1) / page * page;
  memory.reset(static_cast<char *>(std::aligned_alloc(page, whole)));
  if (!memory)
    throw std::bad_alloc();
  ::madvise(memory.get(), whole, MADV_HUGEPAGE); // small pages do as well
}

std::string fileTypeProblem(unsigned mode) {
  switch (mode & S_IFMT) {
  case S_IFREG:
    return "";
  case S_IFDIR:
    return "is a directory";
  case S_IFIFO:
    return "is a FIFO";
  case S_IFCHR:
  case S_IFBLK:
    return "is a device";
  case S_IFSOCK:
    return "is a socket";
  default:
    return "is not a regular file";
  }
}

namespace {

/// What a file that is no model probably is; empty when nothing is known of it.
std::string guessKind(std::string_view bytes) {
  static constexpr std::pair<std::string_view, const char *> magics[] = {
      {"\x1f\x8b", "gzip data"},
      {"PK\x03\x04", "a zip archive"},
      {"\x89PNG", "a PNG image"},
      {"\x7f"
       "ELF",
       "an ELF file"},
      {"version https://git-lfs", "a Git LFS pointer: the model itself was not fetched"},
      {"\xfd"
       "7zXZ",
       "xz data"},
      {"\x28\xb5\x2f\xfd", "zstd data"},
      {"\x89"
       "CUP",
       "a compiled package"},
      {"\x93NUMPY", "a NumPy array"},
  };
  for (const auto &[magic, kind] : magics)
    if (bytes.substr(0, magic.size()) == magic)
      return kind;
  const std::string_view head = bytes.substr(0, 256);
  for (char c : head)
    if (c != '\n' && c != '\r' && c != '\t' && (c < 0x20 || c == 0x7f))
      return "";
  return "text";
}

void rejectAsModel(std::string_view bytes, Diagnostics &diagnostics) {
  const std::string kind = guessKind(bytes);
  diagnostics.error(ErrorKind::BadModel, "the file is not an ONNX model" +
                                             (kind.empty() ? std::string() : " but looks like " + kind) +
                                             ", expected a Protobuf-encoded ModelProto");
}

} // namespace

bool checkModelSize(int64_t bytes, const Limits &limits, Diagnostics &diagnostics) {
  if (bytes == 0)
    diagnostics.error(ErrorKind::BadModel, "the file is empty, expected an ONNX model");
  else if (bytes > limits.fileBytes)
    diagnostics.error(ErrorKind::Limit,
                      exceeds(limits, &Limits::fileBytes, "a file of " + std::to_string(bytes) + " bytes"));
  return bytes > 0 && bytes <= limits.fileBytes;
}

std::optional<FileBytes> readModelFile(const std::string &path, const Limits &limits, Diagnostics &diagnostics) {
  const auto fail = [&](ErrorKind kind, const std::string &what) {
    diagnostics.error(kind, what);
    return std::nullopt;
  };
  const auto cannotRead = [&] {
    return fail(ErrorKind::InputOutput, errno ? std::string("the file cannot be read: ") + std::strerror(errno)
                                              : "the file became shorter while it was read");
  };
  // Without O_NONBLOCK, opening a FIFO waits for a writer.
  format::Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0)
    return cannotRead();
  const std::string problem = fileTypeProblem(status.st_mode);
  if (!problem.empty())
    return fail(ErrorKind::InputOutput, "the path " + problem + ", expected a regular file");
  if (!checkModelSize(status.st_size, limits, diagnostics))
    return std::nullopt;
  if (const Status memory = format::checkMemory("reading the file", static_cast<uint64_t>(status.st_size));
      memory.failed())
    return fail(ErrorKind::Environment, "out of memory: " + memory.message());
  const auto size = static_cast<size_t>(status.st_size);
  FileBytes bytes(size);
  if (format::readAt(file.get(), bytes.data(), size, 0) < size)
    return cannotRead();
  return bytes;
}

bool parseModel(std::string_view bytes, const Limits &limits, onnx::ModelProto &model, Diagnostics &diagnostics) {
  if (!scanModelBytes(bytes, limits, diagnostics)) {
    if (!guessKind(bytes).empty())
      rejectAsModel(bytes, diagnostics);
    return false;
  }
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t *>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  if (!model.ParseFromCodedStream(&input) || !input.ConsumedEntireMessage() || !model.has_graph()) {
    if (model.has_graph() || !guessKind(bytes).empty())
      rejectAsModel(bytes, diagnostics);
    else
      diagnostics.error(ErrorKind::BadModel, "the model has no graph, expected one");
    return false;
  }
  return true;
}

} // namespace cupola::onnx_import
