//===- lib/Runtime/Format/Plan.cpp - Names and sizes of element types, the version ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Plan.h"

#include <iterator>

namespace cupola::format {

namespace {
struct DTypeRow {
  const char *name;
  uint32_t bytes;
  bool isFloat;
};

// In the order of DType, which starts at 1.
constexpr DTypeRow kDTypes[] = {
    {"f32", 4, true},  {"f16", 2, true},  {"bf16", 2, true},  {"f64", 8, true}, {"i8", 1, false},
    {"i16", 2, false}, {"i32", 4, false}, {"i64", 8, false},  {"u8", 1, false}, {"u16", 2, false},
    {"u32", 4, false}, {"u64", 8, false}, {"bool", 1, false},
};
static_assert(std::size(kDTypes) == static_cast<size_t>(DType::Bool));

const DTypeRow &row(DType dtype) { return kDTypes[static_cast<size_t>(dtype) - 1]; }
} // namespace

std::string_view version() { return CUPOLA_VERSION; }

bool isValid(DType dtype) { return dtype >= DType::F32 && dtype <= DType::Bool; }
uint32_t byteSize(DType dtype) { return row(dtype).bytes; }
const char *dtypeName(DType dtype) { return row(dtype).name; }
bool isFloat(DType dtype) { return row(dtype).isFloat; }

} // namespace cupola::format
