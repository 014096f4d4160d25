//===- lib/Runtime/Format/MachineMemory.h - How much memory there is ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_MACHINEMEMORY_H
#define CUPOLA_LIB_RUNTIME_FORMAT_MACHINEMEMORY_H

#include "lib/Runtime/Status.h"

#include <cstdint>

namespace cupola::format {

/// Bytes of main memory, as far as the control group of this process may use it.
uint64_t totalMemory();
/// What of it can be had now without pushing out others.
uint64_t availableMemory();

/// Code::Environment, "<what> takes 8 bytes, 4 are available", where there is less than
/// wanted: the system would promise the memory and end the process when it is touched.
/// Below 64 MiB that is left to the system.
Status checkMemory(const std::string &what, uint64_t bytes);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_MACHINEMEMORY_H
