//===- lib/Runtime/CUDA/TensorMap.h - what the tensor-copy instructions of a GPU read ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_TENSORMAP_H
#define CUPOLA_LIB_RUNTIME_CUDA_TENSORMAP_H

#include "lib/Runtime/CUDA/CudaContext.h"
#include "lib/Runtime/Device.h"

namespace cupola::runtime::cuda {

/// A CUtensorMap of `value`: boxes, or the places of its window; not interleaved, zeros for elements outside. Which of
/// the driver's rules the value breaks the error says; the driver would not.
Status encodeTensorMap(CudaContext &context, const TensorMapValue &value, TensorMapBytes &map);

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_TENSORMAP_H
