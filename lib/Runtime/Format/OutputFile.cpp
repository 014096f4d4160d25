//===- lib/Runtime/Format/OutputFile.cpp - A file that appears whole or not at all ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/OutputFile.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cupola::format {

namespace {
std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}
} // namespace

OutputFile::OutputFile(std::string path, std::string folder) : path(std::move(path)), folder(std::move(folder)) {}

OutputFile::~OutputFile() {
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

Status OutputFile::fail(const char *action) const {
  return Status::io(path + ": cannot " + action + ": " + std::strerror(errno));
}

/// Unlike any other name that this process or a concurrent one uses.
std::string OutputFile::candidateName() const {
  static std::atomic<unsigned> counter{0};
  return folder + "/.cupola-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
}

Status OutputFile::open() {
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
    return Status::io(path + ": is not a regular file");
  descriptor = Descriptor(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (descriptor)
    return Status::ok();
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    return fail("write");
  for (int attempt = 0; attempt < 100 && !descriptor; ++attempt) {
    const std::string name = candidateName();
    descriptor = Descriptor(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
    if (descriptor)
      temporary = name;
    else if (errno != EEXIST)
      break;
  }
  return descriptor ? Status::ok() : fail("write");
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string &path) {
  std::unique_ptr<OutputFile> file(new OutputFile(path, folderOf(path)));
  CUPOLA_TRY(file->open());
  return file;
}

Status OutputFile::write(uint64_t offset, std::string_view bytes) {
  return writeAt(descriptor.get(), bytes, offset) ? Status::ok() : fail("write");
}

/// linkat cannot replace an existing file, so a name for a moment is needed.
Status OutputFile::giveName() {
  const std::string self = descriptor.path();
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = candidateName();
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary = name;
      return Status::ok();
    }
    if (errno != EEXIST)
      break;
  }
  return fail("name");
}

Status OutputFile::commit() {
  if (::fsync(descriptor.get()) != 0)
    return fail("sync");
  if (temporary.empty())
    CUPOLA_TRY(giveName());
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return fail("replace");
  temporary.clear();
  // The name is in place; a folder that cannot be synced does not undo that.
  if (const Descriptor directory(::open(folder.c_str(), O_DIRECTORY | O_CLOEXEC)); directory)
    ::fsync(directory.get());
  return Status::ok();
}

Result<std::string> readFile(const std::string &path, uint64_t limit) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor)
    return Status::io(path + ": cannot open: " + std::strerror(errno));
  struct stat info;
  if (::fstat(descriptor.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return Status::io(path + ": is not a regular file");
  if (static_cast<uint64_t>(info.st_size) > limit)
    return Status::limit(path + ": has " + std::to_string(info.st_size) + " bytes, the limit is " +
                         std::to_string(limit));
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  if (readAt(descriptor.get(), bytes.data(), bytes.size(), 0) < bytes.size())
    return Status::io(path + ": cannot read: " + (errno ? std::strerror(errno) : "the file shrank"));
  return bytes;
}

Status writeFile(const std::string &path, std::string_view bytes) {
  CUPOLA_ASSIGN(std::unique_ptr<OutputFile> file, OutputFile::create(path));
  CUPOLA_TRY(file->write(0, bytes));
  return file->commit();
}

} // namespace cupola::format
