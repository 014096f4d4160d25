//===- lib/Runtime/CPU/OneDnnApi.h - the oneDNN entry points that Cupola calls ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of oneDNN 2, as far as it is used, in our own words: no header of it is needed
// to build. Structs that the caller owns are opaque bytes here, with room to spare.
//
// Reference: https://oneapi-src.github.io/oneDNN/v2.6/
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_CPU_ONEDNNAPI_H
#define CUPOLA_LIB_RUNTIME_CPU_ONEDNNAPI_H

#include <cstddef>
#include <cstdint>

namespace cupola::runtime::onednn {

using ErrorCode = int; // an enum in C; 0 is success
using Engine = struct EngineTag *;
using Stream = struct StreamTag *;
using Memory = struct MemoryTag *;
using Primitive = struct PrimitiveTag *;
using PrimitiveDesc = struct PrimitiveDescTag *;
using Attributes = struct AttributesTag *;
using PostOps = struct PostOpsTag *;
using Dims = int64_t[12];

struct alignas(16) MemoryDesc {
  std::byte bytes[1024]; ///< 696 in 2.6
};
struct alignas(16) OpDesc {
  std::byte bytes[8192]; ///< 5976 for a convolution in 2.6
};

struct Version {
  int major, minor, patch;
  const char *hash;
  unsigned cpuRuntime, gpuRuntime;
};

/// An argument of a primitive.
struct Argument {
  int kind;
  Memory memory;
};

inline constexpr unsigned runtimeSequential = 1, runtimeOpenMp = 2;
inline constexpr int engineCpu = 1, streamInOrder = 1, dataF32 = 3, tagAny = 1;
inline constexpr int propForwardInference = 96, algConvolutionDirect = 1, scratchpadUser = 1;
inline constexpr int algRelu = 0x1f, algTanh = 0x2f, algGeluErf = 0x30, algHardSwish = 0x70, algLogistic = 0xaf,
                     algGeluTanh = 0xcf, algSwish = 0xdf, algClip = 0xff, algBinaryAdd = 0x1fff0;
inline constexpr int queryImplementation = 8, queryWeights = 131, queryScratchpad = 136;
inline constexpr int argSource = 1, argResult = 17, argWeights = 33, argBias = 41, argScratchpad = 80;
inline constexpr int argFrom = 1, argTo = 17;
/// The tensor of post-op `i`.
constexpr int argPostOp(int i) { return 16384 * (i + 1) | 2; }

/// The function table. Filled by OneDnn::load from one library.
struct Api {
  const Version *(*version)();
  ErrorCode (*createEngine)(Engine *, int kind, size_t index);
  ErrorCode (*destroyEngine)(Engine);
  ErrorCode (*createStream)(Stream *, Engine, unsigned flags);
  ErrorCode (*destroyStream)(Stream);
  ErrorCode (*initByStrides)(MemoryDesc *, int rank, const Dims, int type, const Dims strides);
  ErrorCode (*initByTag)(MemoryDesc *, int rank, const Dims, int type, int tag);
  size_t (*bytesOf)(const MemoryDesc *);
  ErrorCode (*createMemory)(Memory *, const MemoryDesc *, Engine, void *);
  ErrorCode (*setData)(Memory, void *);
  ErrorCode (*destroyMemory)(Memory);
  ErrorCode (*createAttributes)(Attributes *);
  ErrorCode (*setScratchpadMode)(Attributes, int);
  ErrorCode (*setPostOps)(Attributes, PostOps); ///< copies
  ErrorCode (*destroyAttributes)(Attributes);
  ErrorCode (*createPostOps)(PostOps *);
  ErrorCode (*appendEltwise)(PostOps, float scale, int algorithm, float alpha, float beta);
  ErrorCode (*appendBinary)(PostOps, int algorithm, const MemoryDesc *);
  ErrorCode (*destroyPostOps)(PostOps);
  ErrorCode (*initConvolution)(OpDesc *, int prop, int algorithm, const MemoryDesc *source, const MemoryDesc *weights,
                               const MemoryDesc *bias, const MemoryDesc *result, const Dims strides,
                               const Dims dilations, const Dims paddingBefore, const Dims paddingBehind);
  ErrorCode (*initProduct)(OpDesc *, const MemoryDesc *source, const MemoryDesc *weights, const MemoryDesc *bias,
                           const MemoryDesc *result);
  ErrorCode (*describePrimitive)(PrimitiveDesc *, const OpDesc *, Attributes, Engine, PrimitiveDesc hint);
  ErrorCode (*describeReorder)(PrimitiveDesc *, const MemoryDesc *from, Engine, const MemoryDesc *to, Engine,
                               Attributes);
  ErrorCode (*query)(PrimitiveDesc, int what, int index, void *);
  const MemoryDesc *(*queryMemory)(PrimitiveDesc, int what, int index);
  ErrorCode (*destroyDescription)(PrimitiveDesc);
  ErrorCode (*createPrimitive)(Primitive *, PrimitiveDesc);
  ErrorCode (*execute)(Primitive, Stream, int count, const Argument *);
  ErrorCode (*destroyPrimitive)(Primitive);
};

/// Name in the library -> slot of the table, in the order of the struct.
struct Symbol {
  const char *name;
  size_t offset;
};
inline constexpr Symbol symbols[] = {
    {"dnnl_version", offsetof(Api, version)},
    {"dnnl_engine_create", offsetof(Api, createEngine)},
    {"dnnl_engine_destroy", offsetof(Api, destroyEngine)},
    {"dnnl_stream_create", offsetof(Api, createStream)},
    {"dnnl_stream_destroy", offsetof(Api, destroyStream)},
    {"dnnl_memory_desc_init_by_strides", offsetof(Api, initByStrides)},
    {"dnnl_memory_desc_init_by_tag", offsetof(Api, initByTag)},
    {"dnnl_memory_desc_get_size", offsetof(Api, bytesOf)},
    {"dnnl_memory_create", offsetof(Api, createMemory)},
    {"dnnl_memory_set_data_handle", offsetof(Api, setData)},
    {"dnnl_memory_destroy", offsetof(Api, destroyMemory)},
    {"dnnl_primitive_attr_create", offsetof(Api, createAttributes)},
    {"dnnl_primitive_attr_set_scratchpad_mode", offsetof(Api, setScratchpadMode)},
    {"dnnl_primitive_attr_set_post_ops", offsetof(Api, setPostOps)},
    {"dnnl_primitive_attr_destroy", offsetof(Api, destroyAttributes)},
    {"dnnl_post_ops_create", offsetof(Api, createPostOps)},
    {"dnnl_post_ops_append_eltwise", offsetof(Api, appendEltwise)},
    {"dnnl_post_ops_append_binary", offsetof(Api, appendBinary)},
    {"dnnl_post_ops_destroy", offsetof(Api, destroyPostOps)},
    {"dnnl_dilated_convolution_forward_desc_init", offsetof(Api, initConvolution)},
    {"dnnl_matmul_desc_init", offsetof(Api, initProduct)},
    {"dnnl_primitive_desc_create", offsetof(Api, describePrimitive)},
    {"dnnl_reorder_primitive_desc_create", offsetof(Api, describeReorder)},
    {"dnnl_primitive_desc_query", offsetof(Api, query)},
    {"dnnl_primitive_desc_query_md", offsetof(Api, queryMemory)},
    {"dnnl_primitive_desc_destroy", offsetof(Api, destroyDescription)},
    {"dnnl_primitive_create", offsetof(Api, createPrimitive)},
    {"dnnl_primitive_execute", offsetof(Api, execute)},
    {"dnnl_primitive_destroy", offsetof(Api, destroyPrimitive)},
};
static_assert(sizeof(symbols) / sizeof(symbols[0]) == sizeof(Api) / sizeof(void *),
              "every slot of the table has a row");

} // namespace cupola::runtime::onednn

#endif // CUPOLA_LIB_RUNTIME_CPU_ONEDNNAPI_H
