//===- lib/Runtime/CPU/ObjectImage.cpp - A shared object loaded from memory ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/ObjectImage.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

namespace cupola::runtime {

ObjectImage::~ObjectImage() {
  if (handle)
    ::dlclose(handle);
}

Status ObjectImage::open(std::string_view image) {
  file = format::Descriptor(::memfd_create("cupola-kernels", MFD_CLOEXEC));
  if (!file)
    return Status::environment(std::string("memfd_create: ") + std::strerror(errno));
  if (!format::writeAll(file.get(), image))
    return Status::environment(std::string("no memory for an image of ") + std::to_string(image.size()) +
                               " bytes: " + std::strerror(errno));
  handle = ::dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
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
