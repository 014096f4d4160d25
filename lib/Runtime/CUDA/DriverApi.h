//===- lib/Runtime/CUDA/DriverApi.h - the CUDA driver entry points that Cupola calls ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of libcuda.so.1 as of CUDA 12.0, as far as it is used, in our own words: no CUDA toolkit is needed to
// build. test/Runtime/CUDA/AbiTest.cpp compares every line with cuda.h where a toolkit is installed.
#ifndef CUPOLA_LIB_RUNTIME_CUDA_DRIVERAPI_H
#define CUPOLA_LIB_RUNTIME_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace cupola::runtime::cuda {

using CuResult = int; // enums in C
using CuDevice = int;
using CuPointer = unsigned long long; // an address on the device
using CuContext = struct CuContextTag *;
using CuStream = struct CuStreamTag *;
using CuEvent = struct CuEventTag *;
using CuLibrary = struct CuLibraryTag *;
using CuKernel = struct CuKernelTag *;
using CuFunction = struct CuFunctionTag *;
using CuGraph = struct CuGraphTag *;
using CuGraphExec = struct CuGraphExecTag *;
using CuGraphNode = struct CuGraphNodeTag *;
using CuGraphEdge = struct CuGraphEdgeTag; // handed on alone
using CuConditionalHandle = unsigned long long;
using CuMemoryHandle = unsigned long long;

/// Results that get a text or a treatment of their own.
enum : CuResult {
  cuSuccess = 0,
  cuOutOfMemory = 2,
  cuStubLibrary = 34,
  cuNeedsNewerDriver = 36,
  cuNoDevice = 100,
  cuInvalidDevice = 101,
  cuInvalidImage = 200,
  cuNoBinaryForGpu = 209,
  cuEccUncorrectable = 214,
  cuUnsupportedPtx = 222,
  cuIllegalAddress = 700,
  cuLaunchOutOfResources = 701,
  cuLaunchTimeout = 702,
  cuContextIsDestroyed = 709,
  cuAssert = 710,
  cuHardwareStackError = 714,
  cuIllegalInstruction = 715,
  cuMisalignedAddress = 716,
  cuInvalidAddressSpace = 717,
  cuInvalidPc = 718,
  cuLaunchFailed = 719,
  cuCooperativeLaunchTooLarge = 720,
  cuSystemDriverMismatch = 803,
  cuCompatNotSupported = 804,
  cuUnknown = 999,
};

enum CuDeviceAttribute : int {
  cuAttributeMultiprocessors = 16,
  cuAttributeCapabilityMajor = 75,
  cuAttributeCapabilityMinor = 76,
  cuAttributeSharedPerBlockOptin = 97,
  cuAttributeVirtualMemory = 102,
};

enum CuFunctionAttribute : int { cuFunctionMaxDynamicShared = 8 };

enum : unsigned {
  cuHostPortable = 1,       // cuMemHostAlloc: pinned for every context
  cuHostDeviceMap = 2,      // and addressable by the device
  cuStreamNonBlocking = 1,  // cuStreamCreate: no implicit order with stream 0
  cuEventDisableTiming = 2, // cuEventCreate
};

enum : int {
  cuMemoryPinned = 1, // CuMemoryProperties::type
  cuLocationDevice = 1,
  cuGranularityMinimum = 0,
  cuAccessReadWrite = 3,
};

enum CuCaptureMode : int { cuCaptureThreadLocal = 1 };
enum CuCaptureStatus : int { cuCaptureActive = 1 };

enum : unsigned {
  cuSetCaptureDependencies = 1, // cuStreamUpdateCaptureDependencies: these instead of those that there are
  cuConditionAssignDefault = 1, // cuGraphConditionalHandleCreate: whenever the graph is launched
};
enum : int { cuNodeConditional = 13, cuConditionalIf = 0, cuConditionalWhile = 1 };

/// CUgraphNodeParams of a conditional node; what is not named is 0.
struct CuConditionalParams {
  int type; // cuNodeConditional
  int reserved[3];
  union {
    long long room[29];
    struct {
      CuConditionalHandle handle;
      int type;
      unsigned size;   // bodies
      CuGraph *bodies; // the driver's, filled in
      CuContext context;
    } conditional;
  };
  long long reservedToo;
};

enum CuLaunchAttributeId : int {
  cuLaunchCooperative = 2, // all blocks at the same time, or cuCooperativeLaunchTooLarge
  cuLaunchClusterDimension = 4,
  cuLaunchProgrammaticSerialization = 6, // the kernel itself waits for what the stream has before it
};

struct CuLaunchAttribute {
  CuLaunchAttributeId id;
  char padding[4];
  union alignas(8) {
    char room[64];
    struct {
      unsigned x, y, z;
    } cluster; // blocks
    int flag;
  } value;
};

struct CuLaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  CuStream stream;
  const CuLaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUtensorMapDataType
enum CuTensorType : int {
  cuTensorU8 = 0,
  cuTensorU16,
  cuTensorU32,
  cuTensorI32,
  cuTensorU64,
  cuTensorI64,
  cuTensorF16,
  cuTensorF32,
  cuTensorF64,
  cuTensorBF16,
};

enum CuTensorSwizzle : int { cuSwizzleNone = 0, cuSwizzle32, cuSwizzle64, cuSwizzle128 };

enum : int {
  cuTensorNoInterleave = 0,
  cuTensorPromote128 = 2,    // into L2, at least so many bytes
  cuTensorFillWithZeros = 0, // what lies outside
};

struct CuMemoryLocation {
  int type;
  int id;
};

struct CuMemoryProperties {
  int type;
  int handleTypes; // 0: not shared with other processes
  CuMemoryLocation location;
  void *windowsMetaData;
  struct {
    unsigned char compression, rdmaCapable;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};

struct CuMemoryAccess {
  CuMemoryLocation location;
  int flags;
};

/// The function table. Filled by Driver::load from one library; tests fill it by hand.
struct DriverApi {
  CuResult (*init)(unsigned flags);
  CuResult (*driverGetVersion)(int *version); // 12040 is 12.4
  CuResult (*getErrorName)(CuResult, const char **);
  CuResult (*getErrorString)(CuResult, const char **);
  CuResult (*deviceGetCount)(int *);
  CuResult (*deviceGet)(CuDevice *, int ordinal);
  CuResult (*deviceGetName)(char *name, int bytes, CuDevice);
  CuResult (*deviceGetAttribute)(int *value, CuDeviceAttribute, CuDevice);
  CuResult (*deviceTotalMem)(size_t *bytes, CuDevice);
  CuResult (*devicePrimaryCtxRetain)(CuContext *, CuDevice);
  CuResult (*devicePrimaryCtxRelease)(CuDevice);
  CuResult (*ctxPushCurrent)(CuContext);
  CuResult (*ctxPopCurrent)(CuContext *);

  CuResult (*memGetInfo)(size_t *free, size_t *total);
  CuResult (*memAlloc)(CuPointer *, size_t bytes);
  CuResult (*memFree)(CuPointer);
  CuResult (*memHostAlloc)(void **, size_t bytes, unsigned flags);
  CuResult (*memFreeHost)(void *);
  CuResult (*memcpyHtoDAsync)(CuPointer, const void *, size_t bytes, CuStream);
  CuResult (*memcpyDtoHAsync)(void *, CuPointer, size_t bytes, CuStream);
  CuResult (*memcpyDtoDAsync)(CuPointer target, CuPointer source, size_t bytes, CuStream);
  CuResult (*memsetD8Async)(CuPointer, unsigned char value, size_t bytes, CuStream);

  CuResult (*memGetAllocationGranularity)(size_t *bytes, const CuMemoryProperties *, int option);
  CuResult (*memAddressReserve)(CuPointer *, size_t bytes, size_t alignment, CuPointer wanted,
                                unsigned long long flags);
  CuResult (*memAddressFree)(CuPointer, size_t bytes);
  CuResult (*memCreate)(CuMemoryHandle *, size_t bytes, const CuMemoryProperties *, unsigned long long flags);
  CuResult (*memRelease)(CuMemoryHandle);
  CuResult (*memMap)(CuPointer, size_t bytes, size_t offset, CuMemoryHandle, unsigned long long flags);
  CuResult (*memUnmap)(CuPointer, size_t bytes);
  CuResult (*memSetAccess)(CuPointer, size_t bytes, const CuMemoryAccess *, size_t count);

  CuResult (*libraryLoadData)(CuLibrary *, const void *image, void *, void *, unsigned, void *, void *, unsigned);
  CuResult (*libraryUnload)(CuLibrary);
  CuResult (*libraryGetKernel)(CuKernel *, CuLibrary, const char *name);
  CuResult (*kernelGetFunction)(CuFunction *, CuKernel);
  CuResult (*kernelSetAttribute)(CuFunctionAttribute, int value, CuKernel, CuDevice);
  CuResult (*launchKernelEx)(const CuLaunchConfig *, CuFunction, void **parameters, void **extra);

  /// `map`: 128 bytes at a multiple of 64.
  CuResult (*tensorMapEncodeTiled)(void *map, CuTensorType, unsigned rank, void *address,
                                   const unsigned long long *extents, const unsigned long long *strides,
                                   const unsigned *box, const unsigned *elementStrides, int interleave, CuTensorSwizzle,
                                   int promotion, int fill);
  CuResult (*tensorMapEncodeIm2col)(void *map, CuTensorType, unsigned rank, void *address,
                                    const unsigned long long *extents, const unsigned long long *strides,
                                    const int *lowerCorner, const int *upperCorner, unsigned channels, unsigned places,
                                    const unsigned *elementStrides, int interleave, CuTensorSwizzle, int promotion,
                                    int fill);

  CuResult (*streamCreate)(CuStream *, unsigned flags);
  CuResult (*streamDestroy)(CuStream);
  CuResult (*streamSynchronize)(CuStream);
  CuResult (*eventCreate)(CuEvent *, unsigned flags);
  CuResult (*eventDestroy)(CuEvent);
  CuResult (*eventRecord)(CuEvent, CuStream);
  CuResult (*eventSynchronize)(CuEvent);
  CuResult (*eventElapsedTime)(float *milliseconds, CuEvent from, CuEvent to);

  CuResult (*streamBeginCapture)(CuStream, CuCaptureMode);
  CuResult (*streamEndCapture)(CuStream, CuGraph *);
  CuResult (*graphInstantiateWithFlags)(CuGraphExec *, CuGraph, unsigned long long flags);
  CuResult (*graphLaunch)(CuGraphExec, CuStream);
  CuResult (*graphExecDestroy)(CuGraphExec);
  CuResult (*graphDestroy)(CuGraph);

  /// Conditional nodes; null in a driver before 12.4.
  CuResult (*streamGetCaptureInfo)(CuStream, CuCaptureStatus *, unsigned long long *id, CuGraph *,
                                   const CuGraphNode **dependencies, const CuGraphEdge **, size_t *count);
  CuResult (*streamUpdateCaptureDependencies)(CuStream, CuGraphNode *, const CuGraphEdge *, size_t count,
                                              unsigned flags);
  CuResult (*streamBeginCaptureToGraph)(CuStream, CuGraph, const CuGraphNode *dependencies, const CuGraphEdge *,
                                        size_t count, CuCaptureMode);
  CuResult (*graphConditionalHandleCreate)(CuConditionalHandle *, CuGraph, CuContext, unsigned value, unsigned flags);
  CuResult (*graphAddNode)(CuGraphNode *, CuGraph, const CuGraphNode *dependencies, const CuGraphEdge *, size_t count,
                           CuConditionalParams *);
};

/// The oldest driver that will do, as cuDriverGetVersion counts, and the first whose graphs may branch and loop.
constexpr int minimumDriverVersion = 12000, conditionalDriverVersion = 12040;

/// Name and version for cuGetProcAddress -> slot of the table, in the order of the struct. What is newer than
/// `minimumDriverVersion` may be missing.
struct DriverSymbol {
  const char *name;
  size_t offset;
  int version = minimumDriverVersion;
};
inline constexpr DriverSymbol driverSymbols[] = {
    {"cuInit", offsetof(DriverApi, init)},
    {"cuDriverGetVersion", offsetof(DriverApi, driverGetVersion)},
    {"cuGetErrorName", offsetof(DriverApi, getErrorName)},
    {"cuGetErrorString", offsetof(DriverApi, getErrorString)},
    {"cuDeviceGetCount", offsetof(DriverApi, deviceGetCount)},
    {"cuDeviceGet", offsetof(DriverApi, deviceGet)},
    {"cuDeviceGetName", offsetof(DriverApi, deviceGetName)},
    {"cuDeviceGetAttribute", offsetof(DriverApi, deviceGetAttribute)},
    {"cuDeviceTotalMem", offsetof(DriverApi, deviceTotalMem)},
    {"cuDevicePrimaryCtxRetain", offsetof(DriverApi, devicePrimaryCtxRetain)},
    {"cuDevicePrimaryCtxRelease", offsetof(DriverApi, devicePrimaryCtxRelease)},
    {"cuCtxPushCurrent", offsetof(DriverApi, ctxPushCurrent)},
    {"cuCtxPopCurrent", offsetof(DriverApi, ctxPopCurrent)},
    {"cuMemGetInfo", offsetof(DriverApi, memGetInfo)},
    {"cuMemAlloc", offsetof(DriverApi, memAlloc)},
    {"cuMemFree", offsetof(DriverApi, memFree)},
    {"cuMemHostAlloc", offsetof(DriverApi, memHostAlloc)},
    {"cuMemFreeHost", offsetof(DriverApi, memFreeHost)},
    {"cuMemcpyHtoDAsync", offsetof(DriverApi, memcpyHtoDAsync)},
    {"cuMemcpyDtoHAsync", offsetof(DriverApi, memcpyDtoHAsync)},
    {"cuMemcpyDtoDAsync", offsetof(DriverApi, memcpyDtoDAsync)},
    {"cuMemsetD8Async", offsetof(DriverApi, memsetD8Async)},
    {"cuMemGetAllocationGranularity", offsetof(DriverApi, memGetAllocationGranularity)},
    {"cuMemAddressReserve", offsetof(DriverApi, memAddressReserve)},
    {"cuMemAddressFree", offsetof(DriverApi, memAddressFree)},
    {"cuMemCreate", offsetof(DriverApi, memCreate)},
    {"cuMemRelease", offsetof(DriverApi, memRelease)},
    {"cuMemMap", offsetof(DriverApi, memMap)},
    {"cuMemUnmap", offsetof(DriverApi, memUnmap)},
    {"cuMemSetAccess", offsetof(DriverApi, memSetAccess)},
    {"cuLibraryLoadData", offsetof(DriverApi, libraryLoadData)},
    {"cuLibraryUnload", offsetof(DriverApi, libraryUnload)},
    {"cuLibraryGetKernel", offsetof(DriverApi, libraryGetKernel)},
    {"cuKernelGetFunction", offsetof(DriverApi, kernelGetFunction)},
    {"cuKernelSetAttribute", offsetof(DriverApi, kernelSetAttribute)},
    {"cuLaunchKernelEx", offsetof(DriverApi, launchKernelEx)},
    {"cuTensorMapEncodeTiled", offsetof(DriverApi, tensorMapEncodeTiled)},
    {"cuTensorMapEncodeIm2col", offsetof(DriverApi, tensorMapEncodeIm2col)},
    {"cuStreamCreate", offsetof(DriverApi, streamCreate)},
    {"cuStreamDestroy", offsetof(DriverApi, streamDestroy)},
    {"cuStreamSynchronize", offsetof(DriverApi, streamSynchronize)},
    {"cuEventCreate", offsetof(DriverApi, eventCreate)},
    {"cuEventDestroy", offsetof(DriverApi, eventDestroy)},
    {"cuEventRecord", offsetof(DriverApi, eventRecord)},
    {"cuEventSynchronize", offsetof(DriverApi, eventSynchronize)},
    {"cuEventElapsedTime", offsetof(DriverApi, eventElapsedTime)},
    {"cuStreamBeginCapture", offsetof(DriverApi, streamBeginCapture)},
    {"cuStreamEndCapture", offsetof(DriverApi, streamEndCapture)},
    {"cuGraphInstantiateWithFlags", offsetof(DriverApi, graphInstantiateWithFlags)},
    {"cuGraphLaunch", offsetof(DriverApi, graphLaunch)},
    {"cuGraphExecDestroy", offsetof(DriverApi, graphExecDestroy)},
    {"cuGraphDestroy", offsetof(DriverApi, graphDestroy)},
    {"cuStreamGetCaptureInfo", offsetof(DriverApi, streamGetCaptureInfo), conditionalDriverVersion},
    {"cuStreamUpdateCaptureDependencies", offsetof(DriverApi, streamUpdateCaptureDependencies),
     conditionalDriverVersion},
    {"cuStreamBeginCaptureToGraph", offsetof(DriverApi, streamBeginCaptureToGraph), conditionalDriverVersion},
    {"cuGraphConditionalHandleCreate", offsetof(DriverApi, graphConditionalHandleCreate), conditionalDriverVersion},
    {"cuGraphAddNode", offsetof(DriverApi, graphAddNode), conditionalDriverVersion},
};
static_assert(sizeof(driverSymbols) / sizeof(driverSymbols[0]) == sizeof(DriverApi) / sizeof(void *),
              "every slot of the table has a row");

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_DRIVERAPI_H
