//===- lib/Import/Onnx/BeneathFolder.cpp - open a file only in a folder ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/BeneathFolder.h"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cupola::onnx_import {
namespace {

/// O_NONBLOCK: a FIFO in place of the file must not make the compiler wait.
constexpr int fileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

/// Kernels before 5.6 and some sandboxes lack openat2: walk down one component at
/// a time. Without "..", a walk that follows no link cannot leave the folder.
format::Descriptor walkDown(int folder, const std::string &location) {
  format::Descriptor current(::openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  size_t begin = 0;
  while (current) {
    const size_t slash = location.find('/', begin);
    const std::string part = location.substr(begin, slash - begin);
    if (slash == std::string::npos)
      return format::Descriptor(::openat(current.get(), part.c_str(), fileFlags | O_NOFOLLOW));
    if (!part.empty() && part != ".")
      current =
          format::Descriptor(::openat(current.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    begin = slash + 1;
  }
  return current;
}

/// Opens without following any link. errno is ELOOP or ENOTDIR where one is met.
format::Descriptor openPlain(int folder, const std::string &location) {
  open_how how{};
  how.flags = fileFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  format::Descriptor file(static_cast<int>(::syscall(SYS_openat2, folder, location.c_str(), &how, sizeof(how))));
  if (!file && (errno == ENOSYS || errno == EPERM))
    return walkDown(folder, location);
  return file;
}

/// The path of an open file as the kernel knows it; empty on failure.
std::string pathOf(int descriptor) {
  char buffer[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), buffer, sizeof(buffer));
  return length > 0 && length < PATH_MAX ? std::string(buffer, static_cast<size_t>(length)) : std::string();
}

/// `path` relative to `folder` when it lies beneath it, else empty.
std::string relativeTo(const std::string &folder, const std::string &path) {
  const std::string prefix = folder == "/" ? folder : folder + "/";
  return !folder.empty() && path.compare(0, prefix.size(), prefix) == 0 ? path.substr(prefix.size()) : std::string();
}

/// Follows links: finds where they lead with a descriptor that cannot read, then
/// opens that place without following any, beneath one of the two folders.
format::Descriptor openLinked(int folder, const std::string &resolvedFolder, const std::string &location) {
  format::Descriptor target(::openat(folder, location.c_str(), O_PATH | O_CLOEXEC));
  if (!target)
    return target;
  const std::string path = pathOf(target.get());
  format::Descriptor resolved(::open(resolvedFolder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int base : {folder, resolved.get()}) {
    const std::string relative = base < 0 ? "" : relativeTo(pathOf(base), path);
    if (relative.empty())
      continue;
    format::Descriptor file = openPlain(base, relative);
    struct stat found, opened;
    if (file && ::fstat(target.get(), &found) == 0 && ::fstat(file.get(), &opened) == 0 &&
        found.st_dev == opened.st_dev && found.st_ino == opened.st_ino)
      return file;
  }
  errno = EXDEV;
  return format::Descriptor();
}

} // namespace

format::Descriptor openBeneath(const std::string &namedFolder, const std::string &resolvedFolder,
                               const std::string &location) {
  format::Descriptor folder(::open(namedFolder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder)
    return folder;
  format::Descriptor file = openPlain(folder.get(), location);
  if (file || (errno != ELOOP && errno != ENOTDIR && errno != EXDEV))
    return file;
  return openLinked(folder.get(), resolvedFolder, location);
}

} // namespace cupola::onnx_import
