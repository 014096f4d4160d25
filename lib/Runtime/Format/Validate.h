//===- lib/Runtime/Format/Validate.h - The rules that every package keeps ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_VALIDATE_H
#define CUPOLA_LIB_RUNTIME_FORMAT_VALIDATE_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

namespace cupola::format {

struct SectionSizes {
  uint64_t sources = 0, binaries = 0, weights = 0;
};

/// Every index is inside its list, every range inside its section, every buffer
/// reference backwards, every kernel call complete. The runtime relies on it
/// and looks at no index again. Writer and reader both ask. Expression texts
/// are not parsed here. Code::Package names the first mistake.
Status validatePackage(const Package &package, const SectionSizes &sizes);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_VALIDATE_H
