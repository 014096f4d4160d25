//===- lib/Runtime/CPU/ObjectImage.cpp - A shared object loaded from memory ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/ObjectImage.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cupola::runtime {

ObjectImage::~ObjectImage() {
  if (handle)
    ::dlclose(handle);
  // The loader knows objects by their path, here /proc/self/fd/N. Closing after
  // dlclose keeps N from being another image's while this one is loaded.
  if (descriptor >= 0)
    ::close(descriptor);
}

Status ObjectImage::open(std::string_view image) {
  descriptor = ::memfd_create("cupola-kernels", MFD_CLOEXEC);
  if (descriptor < 0)
    return Status::environment(std::string("memfd_create: ") + std::strerror(errno));
  while (!image.empty()) {
    const ssize_t count = ::write(descriptor, image.data(), image.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return Status::environment(std::string("no memory for an image of ") + std::to_string(image.size()) +
                                 " bytes: " + std::strerror(errno));
    image.remove_prefix(static_cast<size_t>(count));
  }
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::environment(std::string("dlopen: ") + ::dlerror());
  return Status::ok();
}

Result<std::unique_ptr<ObjectImage>> ObjectImage::load(std::string_view image, const std::string &name) {
  std::unique_ptr<ObjectImage> object(new ObjectImage);
  CUPOLA_TRY(object->open(image).within("cannot load " + name));
  return object;
}

void *ObjectImage::symbol(const std::string &name) const { return ::dlsym(handle, name.c_str()); }

} // namespace cupola::runtime
