//===- lib/Target/CUDA/device/device.cuh - the one header an emitted kernel includes ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Emitted kernels use only the names of these headers: no CUDA intrinsic, no inline assembly, no toolkit header.
// The same text runs on a GPU and in the simulator: `primitives*.cuh` exist twice, here with PTX, and in lib/Sim/device
// with calls into the simulator. Every other file is shared by both, so the simulator checks what the GPU runs.
#ifndef CUPOLA_DEVICE_DEVICE_CUH
#define CUPOLA_DEVICE_DEVICE_CUH

#include "types.cuh"

#include "async_copy.cuh"
#include "bindings.cuh"
#include "cast.cuh"
#include "codegen.cuh"
#include "functions.cuh"
#include "integer.cuh"
#include "math.cuh"
#include "mma.cuh"
#include "reduce.cuh"
#include "swizzle.cuh"
#include "sync.cuh"
#include "unpack.cuh"
#include "vector.cuh"

#if CUPOLA_ARCH >= 900
#include "cluster.cuh"
#include "tensor_copy.cuh"
#include "wgmma.cuh"
#endif

#endif
