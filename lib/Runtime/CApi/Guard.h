//===- lib/Runtime/CApi/Guard.h - Between C and C++: errors, strings, structs ---===//
// SPDX-License-Identifier: Apache-2.0
//
// For the C functions of the runtime and those of the compiler.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_CAPI_GUARD_H
#define CUPOLA_LIB_RUNTIME_CAPI_GUARD_H

#include "cupola/Status.h"
#include "lib/Runtime/CurrentException.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace cupola::runtime::capi {

inline std::string_view view(cupola_string string) { return {string.data, string.data ? string.size : 0}; }
inline cupola_string string(std::string_view text) { return {text.data(), text.size()}; }

/// NULL for a success.
inline cupola_status *toC(const Status &status) noexcept {
  return cupola_status_create(static_cast<cupola_code>(status.code()), string(status.message()));
}

/// An error if a pointer that must not be NULL is.
inline Status present(std::initializer_list<const void *> pointers) {
  for (const void *pointer : pointers)
    if (!pointer)
      return Status::usage("a handle or result pointer is NULL");
  return Status::ok();
}

/// Runs `body`, which returns a Status, where the pointers are `present`, and lets no exception out.
template <typename Body> cupola_status *guarded(std::initializer_list<const void *> pointers, Body body) noexcept {
  try {
    const Status status = present(pointers);
    return toC(status.failed() ? status : body());
  } catch (...) {
    try {
      return toC(currentException());
    } catch (...) {
      return cupola_status_create(CUPOLA_ENVIRONMENT, string("out of memory"));
    }
  }
}

/// The caller's string as a path or name for the system, where it ends with the first zero byte.
inline Status toText(cupola_string given, std::string &text) {
  text = std::string(view(given));
  const size_t zero = text.find('\0');
  if (zero == std::string::npos)
    return Status::ok();
  return Status::usage("a string of " + std::to_string(text.size()) + " bytes has a zero byte at offset " +
                       std::to_string(zero) + ", expected none");
}

/// The caller's struct as this version knows it: fields that the caller's version
/// does not have are zero.
template <typename T> T versioned(const T *given) {
  T known{};
  if (given)
    std::memcpy(&known, given, std::min(given->struct_size, sizeof(T)));
  return known;
}

/// Fills the caller's struct as far as the caller's version has fields.
template <typename T> void giveVersioned(T known, T *target) {
  known.struct_size = target->struct_size;
  std::memcpy(target, &known, std::min(target->struct_size, sizeof(T)));
}

} // namespace cupola::runtime::capi

#endif // CUPOLA_LIB_RUNTIME_CAPI_GUARD_H
