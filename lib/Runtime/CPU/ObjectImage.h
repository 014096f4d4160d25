//===- lib/Runtime/CPU/ObjectImage.h - A shared object loaded from memory ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CPU_OBJECTIMAGE_H
#define CUPOLA_LIB_RUNTIME_CPU_OBJECTIMAGE_H

#include "lib/Runtime/Format/Descriptor.h"
#include "lib/Runtime/Status.h"

#include <memory>
#include <string>
#include <string_view>

namespace cupola::runtime {

/// The image lives in an anonymous file (memfd), never on a disk.
class ObjectImage {
public:
  /// `name` is for messages. Code::Environment if the system refuses.
  static Result<std::unique_ptr<ObjectImage>> load(std::string_view image, const std::string &name);
  ~ObjectImage();
  ObjectImage(const ObjectImage &) = delete;
  ObjectImage &operator=(const ObjectImage &) = delete;

  /// Null if there is none.
  void *symbol(const std::string &name) const;

private:
  ObjectImage() = default;
  Status open(std::string_view image);

  /// The loader knows objects by their path, here /proc/self/fd/N. Closed after dlclose, N is no other image's while
  /// this one is loaded.
  format::Descriptor file;
  void *handle = nullptr;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CPU_OBJECTIMAGE_H
