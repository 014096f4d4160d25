//===- lib/Runtime/Host/VisitNumber.h - code for each type of numbers ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_HOST_VISITNUMBER_H
#define CUPOLA_LIB_RUNTIME_HOST_VISITNUMBER_H

#include "lib/Runtime/Format/ElementTypes.h"
#include "lib/Runtime/Status.h"

namespace cupola::runtime {

/// Calls visit(T()) for integers of the type. Code::Package for others.
template <class Visit> Status visitInteger(format::DType type, Visit visit) {
  using format::DType;
  switch (type) {
  case DType::I8:
    return visit(int8_t());
  case DType::U8:
    return visit(uint8_t());
  case DType::I16:
    return visit(int16_t());
  case DType::U16:
    return visit(uint16_t());
  case DType::I32:
    return visit(int32_t());
  case DType::U32:
    return visit(uint32_t());
  case DType::I64:
    return visit(int64_t());
  case DType::U64:
    return visit(uint64_t());
  default:
    return Status::package(std::string("the manifest is inconsistent: the host computes nothing of ") +
                           format::dtypeName(type));
  }
}

/// The same, and of the floats that C++ has.
template <class Visit> Status visitNumber(format::DType type, Visit visit) {
  if (type == format::DType::F32)
    return visit(float());
  if (type == format::DType::F64)
    return visit(double());
  return visitInteger(type, visit);
}

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_VISITNUMBER_H
