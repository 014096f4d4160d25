//===- lib/Sim/device/primitives_matrix.cuh - the simulator's half: ldmatrix and mma.sync ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Target/CUDA/device/primitives_matrix.cuh. One call is one meeting of the warp's lanes.
#ifndef CUPOLA_DEVICE_PRIMITIVES_MATRIX_CUH
#define CUPOLA_DEVICE_PRIMITIVES_MATRIX_CUH

#include "primitives_memory.cuh"

namespace cupola_device {

template <bool Transposed> CUPOLA_DEVICE void loadMatrix4(unsigned (&r)[4], const void *row, Place at) {
  cupola_sim_load_matrices(r, &row, 1, Transposed, at.id);
}
template <bool Transposed, int N>
CUPOLA_DEVICE void loadMatrices(unsigned (&r)[N][4], const void *const (&rows)[N], Place at) {
  cupola_sim_load_matrices(&r[0][0], rows, N, Transposed, at.id);
}
template <int MI, int NI>
CUPOLA_DEVICE void mmaTileHalfK8(float (&acc)[MI][NI][4], const unsigned (&a)[MI][2], const unsigned (&b)[NI][1],
                                 Place at) {
  cupola_sim_mma(&acc[0][0][0], &a[0][0], &b[0][0], MI, NI, CupolaSimHalfK8, at.id);
}
template <bool Bf16, int MI, int NI>
CUPOLA_DEVICE void mmaTileK16(float (&acc)[MI][NI][4], const unsigned (&a)[MI][4], const unsigned (&b)[NI][2],
                              Place at) {
  cupola_sim_mma(&acc[0][0][0], &a[0][0], &b[0][0], MI, NI, Bf16 ? CupolaSimBf16K16 : CupolaSimHalfK16, at.id);
}

template <int NI>
CUPOLA_DEVICE void mmaRowTf32(float (&acc)[NI][4], const unsigned (&a)[4], const unsigned (&b)[NI][2], Place at) {
  cupola_sim_mma(&acc[0][0], a, &b[0][0], 1, NI, CupolaSimTf32K8, at.id);
}

template <bool SignedA, bool SignedB, int MI, int NI>
CUPOLA_DEVICE void mmaTileBytes(int (&acc)[MI][NI][4], const unsigned (&a)[MI][4], const unsigned (&b)[NI][2],
                                Place at) {
  cupola_sim_mma(&acc[0][0][0], &a[0][0], &b[0][0], MI, NI,
                 CupolaSimBytesK32 + (SignedA ? CupolaSimSignedA : 0) + (SignedB ? CupolaSimSignedB : 0), at.id);
}

template <bool E5m2A, bool E5m2B, int MI, int NI>
CUPOLA_DEVICE void mmaTileFloat8(float (&acc)[MI][NI][4], const unsigned (&a)[MI][4], const unsigned (&b)[NI][2],
                                 Place at) {
  cupola_sim_mma(&acc[0][0][0], &a[0][0], &b[0][0], MI, NI,
                 CupolaSimFloat8K32 + (E5m2A ? CupolaSimE5m2A : 0) + (E5m2B ? CupolaSimE5m2B : 0), at.id);
}

template <bool Bf16, int MI, int NI, int N>
CUPOLA_DEVICE void mmaColumnsK16(float (&acc)[MI][NI][4], const unsigned (&a)[MI][4], const unsigned (&b)[N][2],
                                 unsigned first, Place at) {
  for (int i = 0; i < MI; ++i)
    cupola_sim_mma(&acc[i][first][0], &a[i][0], &b[0][0], 1, N, Bf16 ? CupolaSimBf16K16 : CupolaSimHalfK16, at.id);
}

} // namespace cupola_device

#endif
