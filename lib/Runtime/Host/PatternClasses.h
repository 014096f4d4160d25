//===- lib/Runtime/Host/PatternClasses.h - sets of characters that have names ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_HOST_PATTERNCLASSES_H
#define CUPOLA_LIB_RUNTIME_HOST_PATTERNCLASSES_H

#include "lib/Runtime/Host/Pattern.h"

#include <optional>

namespace cupola::runtime {

/// All code points but those.
Pattern::Ranges withoutThose(Pattern::Ranges ranges);
/// \d, \D, \s, .. by their letter; none: it is another one.
std::optional<Pattern::Ranges> perlClass(uint32_t letter);
/// "alpha", "^alpha"; none: no such name.
std::optional<Pattern::Ranges> posixClass(std::string_view name);

/// "L", "Lu", "Any": Unicode's general categories, and those that begin with a letter; none: no such name.
std::optional<Pattern::Ranges> unicodeCategory(std::string_view name);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_PATTERNCLASSES_H
