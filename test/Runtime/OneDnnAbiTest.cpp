//===- test/Runtime/OneDnnAbiTest.cpp - Our words for oneDNN's C interface beside its header ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/OneDnnApi.h"

#include <gtest/gtest.h>

#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#endif

namespace cupola::runtime::onednn {

#if defined(DNNL_VERSION_MAJOR) && DNNL_VERSION_MAJOR == 2

TEST(OneDnnAbi, StructsHaveRoomAndForm) {
  EXPECT_LE(sizeof(dnnl_memory_desc_t), sizeof(MemoryDesc));
  EXPECT_LE(sizeof(dnnl_convolution_desc_t), sizeof(OpDesc));
  EXPECT_LE(sizeof(dnnl_matmul_desc_t), sizeof(OpDesc));
  EXPECT_EQ(sizeof(dnnl_dims_t), sizeof(Dims));
  EXPECT_EQ(sizeof(dnnl_exec_arg_t), sizeof(Argument));
  EXPECT_EQ(offsetof(dnnl_exec_arg_t, memory), offsetof(Argument, memory));
  EXPECT_EQ(sizeof(dnnl_version_t), sizeof(Version));
  EXPECT_EQ(offsetof(dnnl_version_t, cpu_runtime), offsetof(Version, cpuRuntime));
}

TEST(OneDnnAbi, Numbers) {
  const int numbers[][2] = {
      {dnnl_cpu, engineCpu},
      {dnnl_stream_in_order, streamInOrder},
      {dnnl_f32, dataF32},
      {dnnl_format_tag_any, tagAny},
      {dnnl_forward_inference, propForwardInference},
      {dnnl_convolution_direct, algConvolutionDirect},
      {dnnl_scratchpad_mode_user, scratchpadUser},
      {dnnl_eltwise_relu, algRelu},
      {dnnl_eltwise_tanh, algTanh},
      {dnnl_eltwise_gelu_erf, algGeluErf},
      {dnnl_eltwise_gelu_tanh, algGeluTanh},
      {dnnl_eltwise_hardswish, algHardSwish},
      {dnnl_eltwise_logistic, algLogistic},
      {dnnl_eltwise_swish, algSwish},
      {dnnl_eltwise_clip, algClip},
      {dnnl_binary_add, algBinaryAdd},
      {dnnl_query_impl_info_str, queryImplementation},
      {dnnl_query_weights_md, queryWeights},
      {dnnl_query_scratchpad_md, queryScratchpad},
      {DNNL_ARG_SRC, argSource},
      {DNNL_ARG_DST, argResult},
      {DNNL_ARG_WEIGHTS, argWeights},
      {DNNL_ARG_BIAS, argBias},
      {DNNL_ARG_SCRATCHPAD, argScratchpad},
      {DNNL_ARG_FROM, argFrom},
      {DNNL_ARG_TO, argTo},
      {DNNL_ARG_ATTR_MULTIPLE_POST_OP(3) | DNNL_ARG_SRC_1, argPostOp(3)},
      {DNNL_RUNTIME_SEQ, runtimeSequential},
      {DNNL_RUNTIME_OMP, runtimeOpenMp},
  };
  for (const auto &[theirs, ours] : numbers)
    EXPECT_EQ(theirs, ours);
}

#else

TEST(OneDnnAbi, Header) { GTEST_SKIP() << "the header of oneDNN 2 (Debian's libdnnl-dev) is not here"; }

#endif

} // namespace cupola::runtime::onednn
