//===- test/Runtime/CUDA/CublasLtAbiTest.cpp - our words for cuBLASLt's C ABI against its header ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Says something only where cublasLt.h is found beside the toolkit's other headers.
#include "lib/Runtime/CUDA/CublasLtApi.h"
#include "test/Runtime/CUDA/SameFunction.h"

#include <gtest/gtest.h>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

namespace {

using namespace cupola::runtime::cuda;

SAME(CublasLtApi, getVersion, cublasLtGetVersion);
SAME(CublasLtApi, getStatusName, cublasLtGetStatusName);
SAME(CublasLtApi, create, cublasLtCreate);
SAME(CublasLtApi, destroy, cublasLtDestroy);
SAME(CublasLtApi, createProduct, cublasLtMatmulDescCreate);
SAME(CublasLtApi, destroyProduct, cublasLtMatmulDescDestroy);
SAME(CublasLtApi, setProduct, cublasLtMatmulDescSetAttribute);
SAME(CublasLtApi, createLayout, cublasLtMatrixLayoutCreate);
SAME(CublasLtApi, destroyLayout, cublasLtMatrixLayoutDestroy);
SAME(CublasLtApi, setLayout, cublasLtMatrixLayoutSetAttribute);
SAME(CublasLtApi, createPreference, cublasLtMatmulPreferenceCreate);
SAME(CublasLtApi, destroyPreference, cublasLtMatmulPreferenceDestroy);
SAME(CublasLtApi, setPreference, cublasLtMatmulPreferenceSetAttribute);
SAME(CublasLtApi, getHeuristic, cublasLtMatmulAlgoGetHeuristic);
SAME(CublasLtApi, checkAlgorithm, cublasLtMatmulAlgoCheck);
SAME(CublasLtApi, getAlgorithm, cublasLtMatmulAlgoConfigGetAttribute);
SAME(CublasLtApi, multiply, cublasLtMatmul);

static_assert(sizeof(BlasAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(BlasChoice) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(BlasChoice, workspace) == offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(BlasChoice, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(BlasChoice, waves) == offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

TEST(CublasLtAbi, Numbers) {
  const uint64_t numbers[][2] = {
      {CUBLAS_STATUS_SUCCESS, blasSuccess},
      {CUBLAS_STATUS_INVALID_VALUE, blasInvalidValue},
      {CUBLAS_STATUS_EXECUTION_FAILED, blasExecutionFailed},
      {CUBLAS_STATUS_NOT_SUPPORTED, blasNotSupported},
      {CUDA_R_32F, blasF32},
      {CUDA_R_16F, blasF16},
      {CUDA_R_16BF, blasBF16},
      {CUBLAS_COMPUTE_32F, blasCompute32},
      {CUBLAS_OP_N, blasNormal},
      {CUBLAS_OP_T, blasTransposed},
      {CUBLASLT_MATMUL_DESC_TRANSA, blasTransposeA},
      {CUBLASLT_MATMUL_DESC_TRANSB, blasTransposeB},
      {CUBLASLT_MATMUL_DESC_EPILOGUE, blasEpilogue},
      {CUBLASLT_MATMUL_DESC_BIAS_POINTER, blasBiasPointer},
      {CUBLASLT_EPILOGUE_DEFAULT, blasPlain},
      {CUBLASLT_EPILOGUE_RELU, blasRelu},
      {CUBLASLT_EPILOGUE_BIAS, blasBias},
      {CUBLASLT_EPILOGUE_GELU, blasGelu},
      {CUBLASLT_EPILOGUE_RELU_BIAS, blasRelu | blasBias},
      {CUBLASLT_EPILOGUE_GELU_BIAS, blasGelu | blasBias},
      {CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, blasBatchCount},
      {CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, blasBatchStride},
      {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, blasMaxWorkspace},
      {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, blasReductions},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, blasAlignmentA},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, blasAlignmentB},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, blasAlignmentC},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, blasAlignmentD},
      {CUBLASLT_MATMUL_PREF_IMPL_MASK, blasImplementations},
      {CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, blasReduceInComputeType},
      {CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK, blasTensorOps},
      {CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F, blasAccumulates16},
      {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32, blasReadsTf32},
      {CUBLASLT_ALGO_CONFIG_ID, blasAlgorithmId},
  };
  for (const auto &[theirs, ours] : numbers)
    EXPECT_EQ(theirs, ours);
}

} // namespace

#endif
