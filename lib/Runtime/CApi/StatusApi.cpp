//===- lib/Runtime/CApi/StatusApi.cpp - The C functions of errors ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CApi/Guard.h"

using namespace cupola;
using namespace cupola::runtime::capi;

struct cupola_status {
  Status status;
};

namespace {
/// Not on the heap: it is for when that is full. Never released.
struct StaticStatus {
  cupola_status value{Status::environment("out of memory")};
};
cupola_status *staticStatus() noexcept {
  static StaticStatus status;
  return &status.value;
}
} // namespace

extern "C" {

cupola_code cupola_status_code(const cupola_status *status) {
  return status ? static_cast<cupola_code>(status->status.code()) : CUPOLA_OK;
}

cupola_string cupola_status_message(const cupola_status *status) {
  return status ? string(status->status.message()) : string("");
}

void cupola_status_release(cupola_status *status) {
  if (status != staticStatus())
    delete status;
}

cupola_status *cupola_status_create(cupola_code code, cupola_string message) {
  if (code == CUPOLA_OK)
    return nullptr;
  try {
    return new cupola_status{Status(static_cast<Code>(code), std::string(view(message)))};
  } catch (...) {
    return staticStatus();
  }
}

} // extern "C"
