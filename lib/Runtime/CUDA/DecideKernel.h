//===- lib/Runtime/CUDA/DecideKernel.h - the kernel that decides about a conditional node ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_DECIDEKERNEL_H
#define CUPOLA_LIB_RUNTIME_CUDA_DECIDEKERNEL_H

namespace cupola::runtime::cuda {

inline constexpr char decideKernelName[] = "cupola_decide";

/// Bits of its last parameter: the flag is to be false; another iteration has ended.
inline constexpr unsigned decideNegated = 1, decideAgain = 2;

/// Sets a handle by a runtime::Condition, whose addresses may be 0. It is PTX because the driver resolves
/// cudaGraphSetConditional while it compiles PTX, which needs neither NVRTC nor a device runtime to link with.
inline constexpr char decideKernel[] = R"(.version 8.3
.target sm_75
.address_size 64

.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);

.visible .entry cupola_decide(.param .u64 handle, .param .u64 flag, .param .u64 trip, .param .u64 count,
                              .param .u64 raised, .param .s64 limit, .param .u32 bits)
{
  .reg .pred %skip, %other, %go;
  .reg .b32 %bits, %bit, %word, %value;
  .reg .b64 %at, %handle;
  .reg .s64 %done, %most;
  .param .b64 called_handle;
  .param .b32 called_value;

  ld.param.u32 %bits, [bits];

  // The iterations so far: counted in memory, or none.
  mov.s64 %done, 0;
  ld.param.u64 %at, [count];
  setp.eq.u64 %skip, %at, 0;
  @%skip bra counted;
  and.b32 %bit, %bits, 2;
  setp.eq.u32 %skip, %bit, 0;
  @%skip bra store;
  ld.global.s64 %done, [%at];
  add.s64 %done, %done, 1;
store:
  st.global.s64 [%at], %done;
counted:
  ld.param.s64 %most, [limit];
  setp.lt.s64 %go, %done, %most;

  ld.param.u64 %at, [trip];
  setp.eq.u64 %skip, %at, 0;
  @%skip bra flagged;
  ld.global.s64 %most, [%at];
  setp.lt.s64 %other, %done, %most;
  and.pred %go, %go, %other;

flagged:
  ld.param.u64 %at, [flag];
  setp.eq.u64 %skip, %at, 0;
  @%skip bra unraised;
  ld.global.u8 %word, [%at];
  min.u32 %word, %word, 1;
  and.b32 %bit, %bits, 1;
  setp.ne.u32 %other, %word, %bit;
  and.pred %go, %go, %other;

unraised:
  ld.param.u64 %at, [raised];
  setp.eq.u64 %skip, %at, 0;
  @%skip bra decided;
  ld.global.u32 %word, [%at];
  setp.eq.u32 %other, %word, 0;
  and.pred %go, %go, %other;

decided:
  selp.u32 %value, 1, 0, %go;
  ld.param.u64 %handle, [handle];
  st.param.b64 [called_handle], %handle;
  st.param.b32 [called_value], %value;
  call.uni cudaGraphSetConditional, (called_handle, called_value);
  ret;
}
)";

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_DECIDEKERNEL_H
