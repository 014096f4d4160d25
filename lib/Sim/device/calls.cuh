//===- lib/Sim/device/calls.cuh - what an instrumented kernel calls in the simulator ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Included by the simulator's half of the device headers and by the simulator itself, so plain types only. Every
// function acts for the thread (fiber) that calls it. `attribute((const))`: the value does not change while a kernel
// runs.
#ifndef CUPOLA_SIM_DEVICE_CALLS_CUH
#define CUPOLA_SIM_DEVICE_CALLS_CUH

struct CupolaSimWords {
  unsigned long long low, high;
};

#ifdef __clang__
#define CUPOLA_SIM_NOMERGE __attribute__((nomerge))
#else
#define CUPOLA_SIM_NOMERGE
#endif

extern "C" {
unsigned cupola_sim_thread(void) __attribute__((const));
unsigned cupola_sim_block(void) __attribute__((const));
unsigned cupola_sim_block_y(void) __attribute__((const));
unsigned cupola_sim_block_z(void) __attribute__((const));
unsigned cupola_sim_cluster_rank(void) __attribute__((const));
unsigned cupola_sim_threads(void) __attribute__((const));
unsigned cupola_sim_blocks(void) __attribute__((const));
unsigned char *cupola_sim_shared(void) __attribute__((const));

/// Who meets must come to one `place`: the optimiser may copy or merge calls, but each thread makes the same calls with
/// the same operands, in order. That they are not merged only keeps the source lines of reports exact.
void cupola_sim_barrier(unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_cluster_barrier(unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_syncwarp(unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_fence(void);
/// Thread 0 waits for those of the other blocks, each of which has added 1 to *counter.
void cupola_sim_grid_meet(unsigned *counter, unsigned arrivals, unsigned long long place) CUPOLA_SIM_NOMERGE;

/// Shuffles of all 32 lanes; `mode` is a CupolaSimShuffle.
unsigned cupola_sim_shuffle(unsigned value, int mode, unsigned argument, unsigned long long place) CUPOLA_SIM_NOMERGE;
unsigned cupola_sim_ballot(int predicate, unsigned long long place) CUPOLA_SIM_NOMERGE;

/// One checked access of 1, 2, 4, 8 or 16 bytes, which must be aligned to its size.
struct CupolaSimWords cupola_sim_load(const void *p, int bytes);
void cupola_sim_store(void *p, int bytes, struct CupolaSimWords value);

/// 16 bytes at the same place in the shared memory of block `rank` of the cluster.
struct CupolaSimWords cupola_sim_load_cluster(const void *p, unsigned rank);

/// Atomic on 4 or 8 bytes: `operation` is a CupolaSimAtomic. Values travel as bits; returns the value before.
unsigned long long cupola_sim_atomic(void *p, int operation, unsigned long long value, unsigned long long expected);

void cupola_sim_async_copy(void *shared, const void *global, int bytes, unsigned sourceBytes);
void cupola_sim_async_commit(void);
void cupola_sim_async_wait(int pending);

/// `count` times ldmatrix.x4: fragments[4 * i + j] of this lane, rows[i] its row pointer.
void cupola_sim_load_matrices(unsigned *fragments, const void *const *rows, int count, int transposed,
                              unsigned long long place) CUPOLA_SIM_NOMERGE;
/// acc[mi][ni][4] += a * b for the warp's tile; `shape` is a CupolaSimMma. Sums are f32, of bytes i32.
void cupola_sim_mma(void *acc, const unsigned *a, const unsigned *b, int mi, int ni, int shape,
                    unsigned long long place) CUPOLA_SIM_NOMERGE;

/// `barrier` is shared memory of the block.
void cupola_sim_mbarrier_init(unsigned long long *barrier, unsigned arrivals) CUPOLA_SIM_NOMERGE;
void cupola_sim_mbarrier_init_fence(void) CUPOLA_SIM_NOMERGE;
void cupola_sim_mbarrier_expect(unsigned long long *barrier, unsigned bytes) CUPOLA_SIM_NOMERGE;
void cupola_sim_mbarrier_arrive(unsigned long long *barrier) CUPOLA_SIM_NOMERGE;
void cupola_sim_mbarrier_arrive_remote(unsigned long long *barrier, unsigned rank) CUPOLA_SIM_NOMERGE;
void cupola_sim_mbarrier_wait(unsigned long long *barrier, unsigned parity) CUPOLA_SIM_NOMERGE;

void cupola_sim_tensor_map_acquire(const void *map) CUPOLA_SIM_NOMERGE;
/// The box at `rank` coordinates, innermost first, to the caller's block, or to every block of the cluster whose bit of
/// `blocks` is set.
void cupola_sim_tensor_copy(void *shared, const void *map, const int *at, int rank,
                            unsigned long long *barrier) CUPOLA_SIM_NOMERGE;
void cupola_sim_tensor_copy_multicast(void *shared, const void *map, const int *at, int rank,
                                      unsigned long long *barrier, unsigned blocks) CUPOLA_SIM_NOMERGE;
/// The places of a window from the one at `rank` coordinates on, `taps` behind their begins, of which there are rank
/// - 2.
void cupola_sim_tensor_copy_window(void *shared, const void *map, const int *at, int rank, const unsigned *taps,
                                   unsigned long long *barrier) CUPOLA_SIM_NOMERGE;

/// acc[tiles][4] is the lane's part of 64 x 8*tiles accumulators; `kind` is a sum of CupolaSimWgmma.
/// a[steps][4] is its part of 64 x 16*steps left operands; null: none.
void cupola_sim_wgmma_fence(float *acc, int tiles, const unsigned *a, int steps,
                            unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_wgmma(float *acc, int tiles, unsigned long long a, unsigned long long b, int kind,
                      unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_wgmma_fragments(float *acc, int tiles, const unsigned *a, unsigned long long b, int kind,
                                unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_wgmma_commit(unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_wgmma_wait(int pending, unsigned long long place) CUPOLA_SIM_NOMERGE;

void cupola_sim_give_registers(int count, unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_take_registers(int count, unsigned long long place) CUPOLA_SIM_NOMERGE;
void cupola_sim_grid_wait(void);
}

enum CupolaSimShuffle { CupolaSimXor, CupolaSimIndex, CupolaSimUp, CupolaSimDown };
/// The address of a block's shared memory, as on GPUs from sm_90 on.
enum { CupolaSimSharedStart = 1024 };

/// Of bytes with what is signed added, of float8 with what is e5m2.
enum CupolaSimMma {
  CupolaSimHalfK8,
  CupolaSimHalfK16,
  CupolaSimBf16K16,
  CupolaSimTf32K8,
  CupolaSimBytesK32 = 8,
  CupolaSimSignedA = 1,
  CupolaSimSignedB = 2,
  CupolaSimFloat8K32 = 12,
  CupolaSimE5m2A = 1,
  CupolaSimE5m2B = 2
};
enum CupolaSimWgmma {
  CupolaSimWgmmaBf16 = 1,
  CupolaSimWgmmaTransposedB = 2,
  CupolaSimWgmmaSets = 4,     ///< acc = a * b
  CupolaSimWgmmaFragments = 8 ///< a is in registers
};
enum CupolaSimAtomic {
  CupolaSimAddI32,
  CupolaSimAddU64,
  CupolaSimAddF32,
  CupolaSimAddF64,
  CupolaSimMaxI32,
  CupolaSimMaxU32,
  CupolaSimMinI32,
  CupolaSimMinU32,
  CupolaSimCasU32
};

#endif
