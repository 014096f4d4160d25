//===- test/Runtime/CUDA/AbiTest.cpp - our words for NVIDIA's C ABI against its headers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiled only where a CUDA toolkit's headers are found.
#include "lib/Runtime/CUDA/DriverApi.h"
#include "lib/Runtime/CUDA/NvrtcApi.h"
#include "lib/Runtime/Format/Plan.h"
#include "test/Runtime/CUDA/SameFunction.h"

#include <cuda.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

namespace {

using namespace cupola::runtime::cuda;

SAME(DriverApi, init, cuInit);
SAME(DriverApi, driverGetVersion, cuDriverGetVersion);
SAME(DriverApi, getErrorName, cuGetErrorName);
SAME(DriverApi, getErrorString, cuGetErrorString);
SAME(DriverApi, deviceGetCount, cuDeviceGetCount);
SAME(DriverApi, deviceGet, cuDeviceGet);
SAME(DriverApi, deviceGetName, cuDeviceGetName);
SAME(DriverApi, deviceGetAttribute, cuDeviceGetAttribute);
SAME(DriverApi, deviceTotalMem, cuDeviceTotalMem);
SAME(DriverApi, devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain);
SAME(DriverApi, devicePrimaryCtxRelease, cuDevicePrimaryCtxRelease);
SAME(DriverApi, ctxPushCurrent, cuCtxPushCurrent);
SAME(DriverApi, ctxPopCurrent, cuCtxPopCurrent);
SAME(DriverApi, memGetInfo, cuMemGetInfo);
SAME(DriverApi, memAlloc, cuMemAlloc);
SAME(DriverApi, memFree, cuMemFree);
SAME(DriverApi, memHostAlloc, cuMemHostAlloc);
SAME(DriverApi, memFreeHost, cuMemFreeHost);
SAME(DriverApi, memcpyHtoDAsync, cuMemcpyHtoDAsync);
SAME(DriverApi, memcpyDtoHAsync, cuMemcpyDtoHAsync);
SAME(DriverApi, memcpyDtoDAsync, cuMemcpyDtoDAsync);
SAME(DriverApi, memsetD8Async, cuMemsetD8Async);
SAME(DriverApi, memGetAllocationGranularity, cuMemGetAllocationGranularity);
SAME(DriverApi, memAddressReserve, cuMemAddressReserve);
SAME(DriverApi, memAddressFree, cuMemAddressFree);
SAME(DriverApi, memCreate, cuMemCreate);
SAME(DriverApi, memRelease, cuMemRelease);
SAME(DriverApi, memMap, cuMemMap);
SAME(DriverApi, memUnmap, cuMemUnmap);
SAME(DriverApi, memSetAccess, cuMemSetAccess);
SAME(DriverApi, libraryLoadData, cuLibraryLoadData);
SAME(DriverApi, libraryUnload, cuLibraryUnload);
SAME(DriverApi, libraryGetKernel, cuLibraryGetKernel);
SAME(DriverApi, kernelGetFunction, cuKernelGetFunction);
SAME(DriverApi, kernelSetAttribute, cuKernelSetAttribute);
SAME(DriverApi, launchKernelEx, cuLaunchKernelEx);
SAME(DriverApi, tensorMapEncodeTiled, cuTensorMapEncodeTiled);
SAME(DriverApi, streamCreate, cuStreamCreate);
SAME(DriverApi, streamDestroy, cuStreamDestroy);
SAME(DriverApi, streamSynchronize, cuStreamSynchronize);
SAME(DriverApi, eventCreate, cuEventCreate);
SAME(DriverApi, eventDestroy, cuEventDestroy);
SAME(DriverApi, eventRecord, cuEventRecord);
SAME(DriverApi, eventSynchronize, cuEventSynchronize);
SAME(DriverApi, eventElapsedTime, cuEventElapsedTime);
SAME(DriverApi, streamBeginCapture, cuStreamBeginCapture);
SAME(DriverApi, streamEndCapture, cuStreamEndCapture);
SAME(DriverApi, graphInstantiateWithFlags, cuGraphInstantiateWithFlags);
SAME(DriverApi, graphLaunch, cuGraphLaunch);
SAME(DriverApi, graphExecDestroy, cuGraphExecDestroy);
SAME(DriverApi, graphDestroy, cuGraphDestroy);
SAME(DriverApi, streamBeginCaptureToGraph, cuStreamBeginCaptureToGraph);
SAME(DriverApi, graphConditionalHandleCreate, cuGraphConditionalHandleCreate);
#if CUDA_VERSION >= 13000 // the names stood for older functions before
SAME(DriverApi, streamGetCaptureInfo, cuStreamGetCaptureInfo);
SAME(DriverApi, streamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies);
SAME(DriverApi, graphAddNode, cuGraphAddNode);
#endif

SAME(NvrtcApi, getErrorString, nvrtcGetErrorString);
SAME(NvrtcApi, version, nvrtcVersion);
SAME(NvrtcApi, getNumSupportedArchs, nvrtcGetNumSupportedArchs);
SAME(NvrtcApi, getSupportedArchs, nvrtcGetSupportedArchs);
SAME(NvrtcApi, createProgram, nvrtcCreateProgram);
SAME(NvrtcApi, destroyProgram, nvrtcDestroyProgram);
SAME(NvrtcApi, compileProgram, nvrtcCompileProgram);
SAME(NvrtcApi, getCubinSize, nvrtcGetCUBINSize);
SAME(NvrtcApi, getCubin, nvrtcGetCUBIN);
SAME(NvrtcApi, getProgramLogSize, nvrtcGetProgramLogSize);
SAME(NvrtcApi, getProgramLog, nvrtcGetProgramLog);

#define FIELD(ours, theirs, a, b) static_assert(offsetof(ours, a) == offsetof(theirs, b), #theirs "::" #b)
static_assert(sizeof(CuLaunchConfig) == sizeof(CUlaunchConfig));
FIELD(CuLaunchConfig, CUlaunchConfig, gridX, gridDimX);
FIELD(CuLaunchConfig, CUlaunchConfig, blockX, blockDimX);
FIELD(CuLaunchConfig, CUlaunchConfig, sharedBytes, sharedMemBytes);
FIELD(CuLaunchConfig, CUlaunchConfig, stream, hStream);
FIELD(CuLaunchConfig, CUlaunchConfig, attributes, attrs);
FIELD(CuLaunchConfig, CUlaunchConfig, attributeCount, numAttrs);
static_assert(sizeof(CuLaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(alignof(CuLaunchAttribute) == alignof(CUlaunchAttribute));
FIELD(CuLaunchAttribute, CUlaunchAttribute, id, id);
FIELD(CuLaunchAttribute, CUlaunchAttribute, value.cluster.x, value.clusterDim.x);
FIELD(CuLaunchAttribute, CUlaunchAttribute, value.cluster.z, value.clusterDim.z);
FIELD(CuLaunchAttribute, CUlaunchAttribute, value.flag, value.programmaticStreamSerializationAllowed);
FIELD(CuLaunchAttribute, CUlaunchAttribute, value.flag, value.cooperative);
static_assert(sizeof(CuConditionalParams) == sizeof(CUgraphNodeParams));
FIELD(CuConditionalParams, CUgraphNodeParams, type, type);
FIELD(CuConditionalParams, CUgraphNodeParams, conditional.handle, conditional.handle);
FIELD(CuConditionalParams, CUgraphNodeParams, conditional.type, conditional.type);
FIELD(CuConditionalParams, CUgraphNodeParams, conditional.size, conditional.size);
FIELD(CuConditionalParams, CUgraphNodeParams, conditional.bodies, conditional.phGraph_out);
FIELD(CuConditionalParams, CUgraphNodeParams, conditional.context, conditional.ctx);
FIELD(CuConditionalParams, CUgraphNodeParams, reservedToo, reserved2);
static_assert(sizeof(CUtensorMap) == cupola::format::kTensorMapBytes);
static_assert(sizeof(CuMemoryProperties) == sizeof(CUmemAllocationProp));
FIELD(CuMemoryProperties, CUmemAllocationProp, type, type);
FIELD(CuMemoryProperties, CUmemAllocationProp, location, location);
FIELD(CuMemoryProperties, CUmemAllocationProp, flags, allocFlags);
static_assert(sizeof(CuMemoryAccess) == sizeof(CUmemAccessDesc));
FIELD(CuMemoryAccess, CUmemAccessDesc, flags, flags);

TEST(CudaAbi, Constants) {
  const std::pair<int, int> pairs[] = {
      {cuOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY},
      {cuStubLibrary, CUDA_ERROR_STUB_LIBRARY},
      {cuNoDevice, CUDA_ERROR_NO_DEVICE},
      {cuInvalidImage, CUDA_ERROR_INVALID_IMAGE},
      {cuNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU},
      {cuEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE},
      {cuUnsupportedPtx, CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
      {cuIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS},
      {cuLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT},
      {cuContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED},
      {cuAssert, CUDA_ERROR_ASSERT},
      {cuHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR},
      {cuIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION},
      {cuMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS},
      {cuInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE},
      {cuInvalidPc, CUDA_ERROR_INVALID_PC},
      {cuLaunchFailed, CUDA_ERROR_LAUNCH_FAILED},
      {cuCooperativeLaunchTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE},
      {cuSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},
      {cuCompatNotSupported, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE},
      {cuUnknown, CUDA_ERROR_UNKNOWN},
      {cuAttributeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {cuAttributeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {cuAttributeSharedPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {cuAttributeVirtualMemory, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED},
      {cuFunctionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
      {cuHostPortable, CU_MEMHOSTALLOC_PORTABLE},
      {cuHostDeviceMap, CU_MEMHOSTALLOC_DEVICEMAP},
      {cuStreamNonBlocking, CU_STREAM_NON_BLOCKING},
      {cuEventDisableTiming, CU_EVENT_DISABLE_TIMING},
      {cuMemoryPinned, CU_MEM_ALLOCATION_TYPE_PINNED},
      {cuLocationDevice, CU_MEM_LOCATION_TYPE_DEVICE},
      {cuGranularityMinimum, CU_MEM_ALLOC_GRANULARITY_MINIMUM},
      {cuAccessReadWrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
      {cuCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
      {cuCaptureActive, CU_STREAM_CAPTURE_STATUS_ACTIVE},
      {cuSetCaptureDependencies, CU_STREAM_SET_CAPTURE_DEPENDENCIES},
      {cuConditionAssignDefault, CU_GRAPH_COND_ASSIGN_DEFAULT},
      {cuNodeConditional, CU_GRAPH_NODE_TYPE_CONDITIONAL},
      {cuConditionalIf, CU_GRAPH_COND_TYPE_IF},
      {cuConditionalWhile, CU_GRAPH_COND_TYPE_WHILE},
      {cuLaunchCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE},
      {cuLaunchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION},
      {cuLaunchProgrammaticSerialization, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION},
      {cuTensorU8, CU_TENSOR_MAP_DATA_TYPE_UINT8},
      {cuTensorU16, CU_TENSOR_MAP_DATA_TYPE_UINT16},
      {cuTensorU32, CU_TENSOR_MAP_DATA_TYPE_UINT32},
      {cuTensorI32, CU_TENSOR_MAP_DATA_TYPE_INT32},
      {cuTensorU64, CU_TENSOR_MAP_DATA_TYPE_UINT64},
      {cuTensorI64, CU_TENSOR_MAP_DATA_TYPE_INT64},
      {cuTensorF16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
      {cuTensorF32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
      {cuTensorF64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
      {cuTensorBF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
      {cuSwizzleNone, CU_TENSOR_MAP_SWIZZLE_NONE},
      {cuSwizzle32, CU_TENSOR_MAP_SWIZZLE_32B},
      {cuSwizzle64, CU_TENSOR_MAP_SWIZZLE_64B},
      {cuSwizzle128, CU_TENSOR_MAP_SWIZZLE_128B},
      {cuTensorNoInterleave, CU_TENSOR_MAP_INTERLEAVE_NONE},
      {cuTensorPromote128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B},
      {cuTensorFillWithZeros, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE},
      {nvrtcInvalidOption, NVRTC_ERROR_INVALID_OPTION},
      {nvrtcCompilationFailed, NVRTC_ERROR_COMPILATION},
  };
  for (const auto &[ours, theirs] : pairs)
    EXPECT_EQ(ours, theirs);
}

} // namespace
