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
  if (descriptor >= 0)
    ::close(descriptor);
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
  descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor >= 0)
    return Status::ok();
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    return fail("write");
  for (int attempt = 0; attempt < 100 && descriptor < 0; ++attempt) {
    const std::string name = candidateName();
    descriptor = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0)
      temporary = name;
    else if (errno != EEXIST)
      break;
  }
  return descriptor >= 0 ? Status::ok() : fail("write");
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string &path) {
  std::unique_ptr<OutputFile> file(new OutputFile(path, folderOf(path)));
  CUPOLA_TRY(file->open());
  return file;
}

Status OutputFile::write(uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail("write");
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return Status::ok();
}

/// linkat cannot replace an existing file, so a name for a moment is needed.
Status OutputFile::giveName() {
  const std::string self = "/proc/self/fd/" + std::to_string(descriptor);
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
  if (::fsync(descriptor) != 0)
    return fail("sync");
  if (temporary.empty())
    CUPOLA_TRY(giveName());
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return fail("replace");
  temporary.clear();
  // The name is in place; a folder that cannot be synced does not undo that.
  const int directory = ::open(folder.c_str(), O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
  return Status::ok();
}

Result<std::string> readFile(const std::string &path, uint64_t limit) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return Status::io(path + ": cannot open: " + std::strerror(errno));
  struct stat info;
  std::string bytes;
  Status status;
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
    status = Status::io(path + ": is not a regular file");
  else if (static_cast<uint64_t>(info.st_size) > limit)
    status =
        Status::limit(path + ": has " + std::to_string(info.st_size) + " bytes, the limit is " + std::to_string(limit));
  else
    bytes.resize(static_cast<size_t>(info.st_size));
  for (size_t done = 0; status.isOk() && done < bytes.size();) {
    const ssize_t count = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      status = Status::io(path + ": cannot read: " + (count ? std::strerror(errno) : "the file shrank"));
    else
      done += static_cast<size_t>(count);
  }
  ::close(descriptor);
  if (status.failed())
    return status;
  return bytes;
}

Status writeFile(const std::string &path, std::string_view bytes) {
  CUPOLA_ASSIGN(std::unique_ptr<OutputFile> file, OutputFile::create(path));
  CUPOLA_TRY(file->write(0, bytes));
  return file->commit();
}

} // namespace cupola::format
