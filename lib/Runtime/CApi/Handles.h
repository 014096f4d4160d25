//===- lib/Runtime/CApi/Handles.h - What the opaque handles hold ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CAPI_HANDLES_H
#define CUPOLA_LIB_RUNTIME_CAPI_HANDLES_H

#include "cupola/Runtime/Runtime.h"
#include "lib/Runtime/CurrentException.h"
#include "lib/Runtime/Session.h"

#include <cstring>

struct cupola_status {
  cupola::Status status;
};

struct cupola_package {
  std::shared_ptr<const cupola::format::PackageFile> file;
};

struct cupola_device {
  std::shared_ptr<cupola::runtime::Device> device;
  int32_t ordinal = 0;
};

struct cupola_executable {
  std::shared_ptr<const cupola::runtime::Executable> executable;
  int32_t ordinal = 0;
};

struct cupola_session {
  std::unique_ptr<cupola::runtime::Session> session;
  int32_t ordinal = 0;
};

namespace cupola::runtime::capi {

/// NULL for a success. Falls back to one static status where memory is out.
cupola_status *toC(const Status &status) noexcept;
cupola_status *outOfMemory() noexcept;

inline std::string_view view(cupola_string string) { return {string.data, string.data ? string.size : 0}; }
inline cupola_string string(std::string_view text) { return {text.data(), text.size()}; }

/// The caller's string as a path or name for the system, where it ends with the first zero byte.
inline Status toText(cupola_string given, std::string &text) {
  text = std::string(view(given));
  const size_t zero = text.find('\0');
  if (zero == std::string::npos)
    return Status::ok();
  return Status::usage("a string of " + std::to_string(text.size()) + " bytes has a zero byte at offset " +
                       std::to_string(zero) + ", expected none");
}

/// Runs `body`, which returns a Status, and lets no exception out.
template <typename Body> cupola_status *guarded(Body body) noexcept {
  try {
    return toC(body());
  } catch (...) {
    try {
      return toC(currentException());
    } catch (...) {
      return outOfMemory();
    }
  }
}

/// The caller's struct as this version knows it: fields that the caller's version
/// does not have are zero.
template <typename T> T versioned(const T *given) {
  T known{};
  if (given)
    std::memcpy(&known, given, given->struct_size < sizeof(T) ? given->struct_size : sizeof(T));
  return known;
}

/// An error if a pointer that must not be NULL is.
inline Status present(std::initializer_list<const void *> pointers) {
  for (const void *pointer : pointers)
    if (!pointer)
      return Status::usage("a handle or result pointer is NULL");
  return Status::ok();
}

cupola_type toC(format::DType dtype);
/// The caller's tensors as the session takes them; `ordinal` is the cuda device's. Only a tensor that `isShared` may
/// have other strides than dense ones.
Status fromC(const cupola_tensor &tensor, const Device &device, int32_t ordinal, bool isShared, TensorRef &result);

} // namespace cupola::runtime::capi

#endif // CUPOLA_LIB_RUNTIME_CAPI_HANDLES_H
