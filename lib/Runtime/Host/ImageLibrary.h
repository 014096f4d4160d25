//===- lib/Runtime/Host/ImageLibrary.h - a decoder of this machine ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_HOST_IMAGELIBRARY_H
#define CUPOLA_LIB_RUNTIME_HOST_IMAGELIBRARY_H

#include "lib/Runtime/DynamicLibrary.h"
#include "lib/Runtime/Status.h"

namespace cupola::runtime {

/// Opens the library and fills the pointers to functions. Code::Environment says what is missing, and in which package
/// of Debian it is.
class ImageLibrary {
public:
  Status open(const std::string &name, const char *package) {
    std::string tried;
    if (library.openFirst({name}, tried))
      return Status::ok();
    return Status::environment("pictures are decoded by " + name + ", which is not here (Debian's " + package + "):\n" +
                               tried);
  }
  template <class F> Status find(const char *symbol, F *&function) {
    function = reinterpret_cast<F *>(library.symbol(symbol));
    return function ? Status::ok() : Status::environment(library.path() + " has no " + symbol);
  }

private:
  DynamicLibrary library;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_IMAGELIBRARY_H
