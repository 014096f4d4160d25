//===- test/Runtime/CApiHeader.c - The public header is valid C ---===//
// SPDX-License-Identifier: Apache-2.0
#include "cupola/Runtime/Reports.h"
#include "cupola/Runtime/Runtime.h"

// The offsets of DLPack's DLTensor on 64-bit systems.
_Static_assert(offsetof(cupola_tensor, device) == 8, "DLTensor::device");
_Static_assert(offsetof(cupola_tensor, ndim) == 16, "DLTensor::ndim");
_Static_assert(offsetof(cupola_tensor, dtype) == 20, "DLTensor::dtype");
_Static_assert(offsetof(cupola_tensor, shape) == 24, "DLTensor::shape");
_Static_assert(offsetof(cupola_tensor, strides) == 32, "DLTensor::strides");
_Static_assert(offsetof(cupola_tensor, byte_offset) == 40, "DLTensor::byte_offset");
_Static_assert(sizeof(cupola_tensor) == 48, "DLTensor");

int cupolaHeaderIsC(void) { return cupola_version().size > 0; }
