//===- lib/Runtime/Format/NarrowFloats.h - floats of up to 8 bits, in one table ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What the bits of an element mean: importers make ops of it, tools read and print outputs with it.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_NARROWFLOATS_H
#define CUPOLA_LIB_RUNTIME_FORMAT_NARROWFLOATS_H

#include "lib/Runtime/Format/ElementTypes.h"

namespace cupola::format {

/// Codes are the bits below the sign: an exponent above a fraction, so that greater codes are greater numbers. Without
/// a sign a code is an exponent alone, and there is no zero.
struct NarrowFloat {
  DType dtype;
  int fraction;      ///< bits
  int bias;          ///< of the exponent
  unsigned largest;  ///< the code of the largest number
  unsigned infinity; ///< its code; 0: there is none
  unsigned nan;      ///< a code of it; 0: there is none, or it is where -0 would be
  bool isSigned;
  bool hasNegativeZero;
};

inline constexpr NarrowFloat kNarrowFloats[] = {
    {DType::F4E2M1, 1, 1, 0x7, 0, 0, true, true},        {DType::F8E4M3FN, 3, 7, 0x7e, 0, 0x7f, true, true},
    {DType::F8E4M3FNUZ, 3, 8, 0x7f, 0, 0, true, false},  {DType::F8E5M2, 2, 15, 0x7b, 0x7c, 0x7e, true, true},
    {DType::F8E5M2FNUZ, 2, 16, 0x7f, 0, 0, true, false}, {DType::F8E8M0, 0, 127, 0xfe, 0, 0xff, false, false},
};

/// Null for all other types.
constexpr const NarrowFloat *narrowFloatOf(DType dtype) {
  for (const NarrowFloat &row : kNarrowFloats)
    if (row.dtype == dtype)
      return &row;
  return nullptr;
}

/// The bit of the sign; 0: there is none.
constexpr unsigned signBit(const NarrowFloat &type) { return type.isSigned ? 1U << (rowOf(type.dtype).bits - 1) : 0; }

/// The number of these bits, of which those above the type's are 0.
double decoded(const NarrowFloat &type, unsigned bits);
/// The bits of the nearest number, of two the even one; what is too large becomes the largest. `value` is finite.
unsigned encoded(const NarrowFloat &type, double value);

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_NARROWFLOATS_H
