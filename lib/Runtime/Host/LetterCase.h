//===- lib/Runtime/Host/LetterCase.h - small and capital letters ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_HOST_LETTERCASE_H
#define CUPOLA_LIB_RUNTIME_HOST_LETTERCASE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace cupola::runtime {

/// Unicode's simple mappings, which make one code point of one: those that no language changes.
uint32_t lowerOf(uint32_t point);
uint32_t upperOf(uint32_t point);
/// Of every letter; bytes that are no UTF-8 stay.
std::string lowered(std::string_view text);
std::string uppered(std::string_view text);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_LETTERCASE_H
