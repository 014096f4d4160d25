//===- lib/Runtime/CUDA/CublasLtApi.h - the cuBLASLt entry points that Cupola calls ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of cuBLASLt 12 and 13, as far as it is used, in our own words: no CUDA toolkit is needed to build.
// test/Runtime/CUDA/CublasLtAbiTest.cpp compares every line with cublasLt.h where it is installed.
//
// Reference: https://docs.nvidia.com/cuda/cublas/
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CUBLASLTAPI_H
#define CUPOLA_LIB_RUNTIME_CUDA_CUBLASLTAPI_H

#include "lib/Runtime/CUDA/DriverApi.h"

namespace cupola::runtime::cuda {

using BlasStatus = int; // enums in C; 0 is success
using BlasHandle = struct BlasHandleTag *;
using BlasProduct = struct BlasProductTag *;       // cublasLtMatmulDesc_t
using BlasLayout = struct BlasLayoutTag *;         // cublasLtMatrixLayout_t
using BlasPreference = struct BlasPreferenceTag *; // cublasLtMatmulPreference_t

inline constexpr BlasStatus blasSuccess = 0, blasInvalidValue = 7, blasExecutionFailed = 13, blasNotSupported = 15;

enum : int { blasF32 = 0, blasF16 = 2, blasBF16 = 14 }; // cudaDataType_t
enum : int { blasCompute32 = 68 };                      // cublasComputeType_t: f32, never TF32
enum : int32_t { blasNormal = 0, blasTransposed = 1 };  // cublasOperation_t

enum BlasProductAttribute : int {
  blasTransposeA = 3,
  blasTransposeB = 4,
  blasEpilogue = 7,
  blasBiasPointer = 8,
};

/// Bits of cublasLtEpilogue_t. The bias has an element per row of the result, and is added before the function.
enum : uint32_t { blasPlain = 1, blasRelu = 2, blasBias = 4, blasGelu = 32 };

enum BlasLayoutAttribute : int { blasBatchCount = 5, blasBatchStride = 6 };

enum BlasPreferenceAttribute : int {
  blasMaxWorkspace = 1,
  blasReductions = 3,
  blasAlignmentA = 5,
  blasAlignmentB = 6,
  blasAlignmentC = 7,
  blasAlignmentD = 8,
  blasImplementations = 12,
};

/// cublasLtReductionScheme_t: parts of a sum are stored in the type that sums are computed in. Others round them to
/// the result's type.
inline constexpr uint32_t blasReduceInComputeType = 2;

/// cublasLtNumericalImplFlags_t
inline constexpr uint64_t blasTensorOps = 0xfe, blasAccumulates16 = 0x100, blasReadsTf32 = 0x40000;

enum BlasAlgorithmAttribute : int { blasAlgorithmId = 0 };

/// How a product is computed: valid for the library's version that gave it.
struct BlasAlgorithm {
  uint64_t data[8];
};

/// An answer of the heuristic.
struct BlasChoice {
  BlasAlgorithm algorithm;
  size_t workspace; ///< bytes that it needs
  BlasStatus state;
  float waves;
  int reserved[4];
};

/// The function table. Filled by CublasLt::load from one library; tests fill it by hand.
struct CublasLtApi {
  size_t (*getVersion)(); // 120804 is 12.8.4
  const char *(*getStatusName)(BlasStatus);
  BlasStatus (*create)(BlasHandle *);
  BlasStatus (*destroy)(BlasHandle);
  BlasStatus (*createProduct)(BlasProduct *, int computeType, int scaleType);
  BlasStatus (*destroyProduct)(BlasProduct);
  BlasStatus (*setProduct)(BlasProduct, BlasProductAttribute, const void *value, size_t bytes);
  /// Columns lie one after the other, `step` elements apart.
  BlasStatus (*createLayout)(BlasLayout *, int type, uint64_t rows, uint64_t columns, int64_t step);
  BlasStatus (*destroyLayout)(BlasLayout);
  BlasStatus (*setLayout)(BlasLayout, BlasLayoutAttribute, const void *value, size_t bytes);
  BlasStatus (*createPreference)(BlasPreference *);
  BlasStatus (*destroyPreference)(BlasPreference);
  BlasStatus (*setPreference)(BlasPreference, BlasPreferenceAttribute, const void *value, size_t bytes);
  BlasStatus (*getHeuristic)(BlasHandle, BlasProduct, BlasLayout a, BlasLayout b, BlasLayout c, BlasLayout d,
                             BlasPreference, int wanted, BlasChoice *, int *found);
  BlasStatus (*checkAlgorithm)(BlasHandle, BlasProduct, BlasLayout a, BlasLayout b, BlasLayout c, BlasLayout d,
                               const BlasAlgorithm *, BlasChoice *);
  BlasStatus (*getAlgorithm)(const BlasAlgorithm *, BlasAlgorithmAttribute, void *value, size_t bytes, size_t *written);
  /// d = epilogue(alpha * a * b + beta * c)
  BlasStatus (*multiply)(BlasHandle, BlasProduct, const void *alpha, const void *a, BlasLayout, const void *b,
                         BlasLayout, const void *beta, const void *c, BlasLayout, void *d, BlasLayout,
                         const BlasAlgorithm *, void *workspace, size_t workspaceBytes, CuStream);
};

/// Name in the library -> slot of the table, in the order of the struct.
struct CublasLtSymbol {
  const char *name;
  size_t offset;
};
inline constexpr CublasLtSymbol cublasLtSymbols[] = {
    {"cublasLtGetVersion", offsetof(CublasLtApi, getVersion)},
    {"cublasLtGetStatusName", offsetof(CublasLtApi, getStatusName)},
    {"cublasLtCreate", offsetof(CublasLtApi, create)},
    {"cublasLtDestroy", offsetof(CublasLtApi, destroy)},
    {"cublasLtMatmulDescCreate", offsetof(CublasLtApi, createProduct)},
    {"cublasLtMatmulDescDestroy", offsetof(CublasLtApi, destroyProduct)},
    {"cublasLtMatmulDescSetAttribute", offsetof(CublasLtApi, setProduct)},
    {"cublasLtMatrixLayoutCreate", offsetof(CublasLtApi, createLayout)},
    {"cublasLtMatrixLayoutDestroy", offsetof(CublasLtApi, destroyLayout)},
    {"cublasLtMatrixLayoutSetAttribute", offsetof(CublasLtApi, setLayout)},
    {"cublasLtMatmulPreferenceCreate", offsetof(CublasLtApi, createPreference)},
    {"cublasLtMatmulPreferenceDestroy", offsetof(CublasLtApi, destroyPreference)},
    {"cublasLtMatmulPreferenceSetAttribute", offsetof(CublasLtApi, setPreference)},
    {"cublasLtMatmulAlgoGetHeuristic", offsetof(CublasLtApi, getHeuristic)},
    {"cublasLtMatmulAlgoCheck", offsetof(CublasLtApi, checkAlgorithm)},
    {"cublasLtMatmulAlgoConfigGetAttribute", offsetof(CublasLtApi, getAlgorithm)},
    {"cublasLtMatmul", offsetof(CublasLtApi, multiply)},
};
static_assert(sizeof(cublasLtSymbols) / sizeof(cublasLtSymbols[0]) == sizeof(CublasLtApi) / sizeof(void *),
              "every slot of the table has a row");

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_CUBLASLTAPI_H
