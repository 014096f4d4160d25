//===- lib/Runtime/ProfilerRange.cpp - a range in the timeline of a profiler ---===//
// SPDX-License-Identifier: Apache-2.0
//
// NVTX 3 is headers alone, which load what the profiler names in the environment.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/ProfilerRange.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace cupola::runtime {

/// Null where no tool listens.
static nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t made = nvtxDomainCreateA("cupola");
  return made;
}

bool ProfilerRange::listens() { return domain() != nullptr; }

void ProfilerRange::push(const std::string &text) {
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = text.c_str();
  nvtxDomainRangePushEx(domain(), &event);
}

void ProfilerRange::pop() { nvtxDomainRangePop(domain()); }

} // namespace cupola::runtime

#else

namespace cupola::runtime {

bool ProfilerRange::listens() { return false; }
void ProfilerRange::push(const std::string &) {}
void ProfilerRange::pop() {}

} // namespace cupola::runtime

#endif
