//===- lib/Runtime/TensorMapRules.h - What a GPU's tensor copies can copy from ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (CUDA Driver API, "Tensor Map Object Management") for
// maps that are not interleaved.
#ifndef CUPOLA_LIB_RUNTIME_TENSORMAPRULES_H
#define CUPOLA_LIB_RUNTIME_TENSORMAPRULES_H

#include "lib/Runtime/Device.h"

namespace cupola::runtime {

/// Says which rule `value` breaks: Code::Limit for extents and strides that are too large, else Code::Package.
Status checkTensorMap(const TensorMapValue &value);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TENSORMAPRULES_H
