//===- lib/Runtime/Format/Plan.cpp - the version ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Plan.h"

namespace cupola::format {

std::string_view version() { return CUPOLA_VERSION; }

} // namespace cupola::format
