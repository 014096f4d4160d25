//===- lib/Target/CUDA/Passes.td - kernel to simt -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TARGET_CUDA_PASSES_TD
#define CUPOLA_LIB_TARGET_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

class KernelPass<string name> : Pass<name, "::cupola::kernel::FuncOp"> {
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def ChooseLibraries : Pass<"cuda-choose-libraries", "::mlir::func::FuncOp"> {
  let summary = "say which products cuBLASLt may do instead of their kernels";
  let description = [{
    A fusion with a product is described in cuBLASLt's words where its shapes are static, its
    operands strided views of inputs, and its epilogue at most sums and one function that means the
    same there; else `refused` says why not. The fusion gets its kernel in any case: the runtime
    takes it where there is no such library.

    ```mlir
    %1 = graph.fusion gemm(%a, %w) : (tensor<16x384xf16>, tensor<384x384xf16>) -> tensor<16x384xf16> {..}
    // becomes
    %1 = graph.fusion gemm(%a, %w)
        library <strided_product source [1, 16, 384] weights [1, 384, 384] result [1, 16, 384]
                 of f16 steps [0, 384, 1] and [0, 384, 1] workspace 4194304> inputs [0, 1] : ..
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture family">];
}

def KeepRecurrences : Pass<"cuda-keep-recurrences", "::mlir::func::FuncOp"> {
  let summary = "make all iterations of a loop over states one kernel";
  let description = [{
    As those of LSTM, GRU and RNN: an element of what an iteration makes depends on the same elements of what is carried
    alone, but for products with weights that are the same in all iterations, and blocks that run at once have room for
    these in their registers. The fusions of its body become ops again.

    ```mlir
    %r:2 = graph.loop limit "40" carried(%h) captures(%x) index @s0 .. {          // before
      %g = graph.fusion gemm(%x, %h, %w) .. {
        .. graph.matmul %h, %w ..
      }
      graph.yield %g, %g
    }
    %r = graph.fusion recurrence(%h, %x, %w) .. {                                 // after
      %l:2 = graph.loop limit "40" carried(%h) captures(%x, %w) index @s0 .. {
        .. graph.matmul %h, %w ..
      }
      graph.yield %l#1
    }
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture family">];
}

def DecomposeDot : KernelPass<"kernel-decompose-dot"> {
  let summary = "turns products that no gemm schedule takes into sums";
  let description = [{
    Those that accumulate in another type than f32, but for bytes that the matrix units take, whose tile is read elsewhere
    than in a loop over it, or with many rows of few columns, as the last convolution of a network that labels pixels.

    ```mlir
    %0 = kernel.dot [n0, 8, 64] lhs (%m, %k) {L} rhs (%k, %n) {R} ..                // before
    kernel.foreach (%d0, %d1) in [n0, 8] { %1 = kernel.extract %0 [%d0, %d1] .. }
    kernel.foreach (%d0, %d1) in [n0, 8] {                                          // after
      %1 = kernel.reduce [sum] (%k) in [64] { kernel.yield L(d0, k) * R(k, d1) } : f64
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture family">];
}

def FoldGrid : KernelPass<"kernel-fold-grid"> {
  let summary = "makes the grid part of the loops where grid points only run loops";
  let description = [{
    ```mlir
    kernel.func @k pointwise grid (%g0) in [12] .. { kernel.foreach (%d0) in [64] {B} }          // before
    kernel.func @k pointwise grid () in [] .. { kernel.foreach (%g0, %d0) in [12, 64] {B} }      // after
    ```
  }];
}

def CollapseLoops : KernelPass<"kernel-collapse-loops"> {
  let summary = "merges loop variables that every position uses as one";
  let description = [{
    Fewer variables mean fewer divisions, and longer runs for vectors.

    ```mlir
    kernel.foreach (%d0, %d1) in [n0, 384] {               // before
      %0 = kernel.load %in0[384*%d0 + %d1] ..
    kernel.foreach (%d1) in [384*n0] {                     // after
      %0 = kernel.load %in0[%d1] ..
    ```
  }];
}

def FoldBorders : KernelPass<"kernel-fold-borders"> {
  let summary = "a constant in the place of what a mask leaves out is part of the load";
  let description = [{
    As a border of zero points around an image of bytes.

    ```mlir
    %1 = kernel.load %in0[..] mask [M] else %zero ..                                  // before
    %2 = kernel.in_range [M]
    %3 = kernel.select %2, %1, %border
    %3 = kernel.load %in0[..] mask [M] else %border ..                                // after
    ```
  }];
}

def PadDepth : KernelPass<"kernel-pad-depth"> {
  let summary = "pads runs of an odd length in the depth of products for the matrix units";
  let description = [{
    As the channels of an image: threads then bring whole groups of a run, with one position and
    one mask each.

    ```mlir
    kernel.dot [m, n, 147] lhs (%m, %k) {                                     // before
      kernel.load %in0[6*%m + 672*floordiv(%k, 21) + mod(%k, 21)] mask [..floordiv(%k, 3)..] ..
    kernel.dot [m, n, 196] lhs (%m, %k) {                                     // after
      kernel.load %in0[.. + 3*mod(floordiv(%k, 4), 7) + mod(%k, 4)] mask [.., -mod(%k, 4) + 2] ..
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture family">];
}

def ChooseSchedule : KernelPass<"kernel-choose-schedule"> {
  let summary = "decides how a kernel runs on a GPU: schedule, threads, vector width, tile";
  let description = [{
    Every schedule that can run the kernel names its candidates; the cheapest is taken, by the
    kernel and the target description alone. Where a database has measured times of some of them
    (docs/tuning.md), the fastest of those is. A kernel that has a schedule keeps it.

    ```mlir
    kernel.func @k pointwise grid () in [] scalars [] (..)                                                    // before
    kernel.func @k pointwise grid () in [] scalars [] schedule #cuda.pointwise<threads 256, vector 4> (..)    // after
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect", "::cupola::cuda::CudaDialect"];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture family">];
}

def ShareKernels : Pass<"kernel-share", "::mlir::ModuleOp"> {
  let summary = "makes one kernel of products that differ in numbers only";
  let description = [{
    The layers of a network repeat one structure with other extents. Numbers that differ
    become scalar parameters, as multiples of their common divisor, so that what divides
    what, and with it the vectors, stay. Kernels with different schedules or tiles stay
    apart, and so do those that divide the depth by different numbers.

    ```mlir
    kernel.func @k0 .. { kernel.dot [3136, 64, 256] lhs (%m, %k) { kernel.load %arg0[256*%m + %k] ..          // before
    kernel.func @k1 .. { kernel.dot [784, 128, 512] lhs (%m, %k) { kernel.load %arg0[512*%m + %k] ..
    kernel.func @k0 .. scalars [#kernel.scalar<1, 4, 1>, #kernel.scalar<1, 2, 1>] ..                       // after
      { kernel.dot [784*n0, 64*n1, 256*n1] lhs (%m, %k) { kernel.load %arg0[256*n1*%m + %k] ..
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def SplitTokens : Pass<"kernel-split-tokens", "::mlir::ModuleOp"> {
  let summary = "has kernels of their own for one token, beside those for open numbers of tokens";
  let description = [{
    Of attention whose rows are multiples of an open extent and whose keys are those of earlier runs, too, and of
    products whose rows are these tokens, or, where attention has few rows, of one or several sequences. One of both has no
    blocks.

    ```mlir
    graph.fusion attention(..) kernel @k0 ["s1", "s0 + s1"]
    kernel.func @k0 attention .. { kernel.dot [4*n0, 64, 128] ..                                       // before
    kernel.func @k0 attention .. { kernel.dot [4*n0, 64, 128] ..                                       // after
    kernel.func @k0_token attention .. { kernel.dot [4, 64, 128] ..
    cuda.twin @k0_token of @k0 share <"-min(max(-n0, n0 - 2), 0)">
    ```
  }];
  let dependentDialects = ["::cupola::cuda::CudaDialect"];
}

def TurnWeights : Pass<"kernel-turn-weights", "::mlir::ModuleOp"> {
  let summary = "has weights of products lie along the depth where that is read faster";
  let description = [{
    One row, or two, wait for memory alone, which is read fastest where the weights of a column are neighbours. With more rows, tiles of
    weights of 16 bits are copied by vectors, which rows of an odd number of columns do not have, and the depth may. They are copied
    once, as the executable is loaded, by a kernel of their own. Left alone are weights that something else in the kernel reads,
    that are computed, or, of few rows, that are short.

    ```mlir
    kernel.func @k0 .. (.., %w: !kernel.view<f16, read>, ..) { kernel.dot [1, 2048, 8192] .. rhs (%k, %n) {
        kernel.load %w[2048*%k + %n] ..                                                                // before
    kernel.func @k0 .. packed [#kernel.packed<1 bytes <"33554432"> by @turn0>] .. { ..
        kernel.load %w[8192*%n + %k] ..                                                                // after
    kernel.func @turn0 pack (%in: !kernel.view<f16, read>, %out: !kernel.view<f16, write>) ..
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def MarkConstants : Pass<"kernel-mark-constants", "::mlir::ModuleOp"> {
  let summary = "says which parameters of kernels are weights";
  let description = [{
    Those that every fusion with the kernel gives a constant.

    ```mlir
    %1 = graph.fusion gemm(%0, %w) kernel @k0 [] ..
    kernel.func @k0 gemm ..                                            // before
    kernel.func @k0 gemm .. attributes {cuda.constants = array<i64: 1>} // after
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect", "::cupola::cuda::CudaDialect"];
}

def FuseHorizontal : Pass<"kernel-fuse-horizontal", "::mlir::ModuleOp"> {
  let summary = "launches small kernels that do not depend on each other as one";
  let description = [{
    A fusion moves up to an earlier one if all that it reads is there by then, blocks of both have as many threads, and both
    together take two waves of blocks at most, and no more than one after the other. Left alone are calls of libraries, kernels with
    clusters, tensor copies, packed weights or roles of warpgroups, and grids that depend on symbols.

    ```mlir
    %1 = graph.fusion conv(%0, %w0) kernel @k0 [] .. {A}                                        // before
    %2 = graph.fusion conv(%1, %w1) kernel @k1 [] .. {B}
    %3 = graph.fusion conv(%0, %w2) kernel @k2 [] .. {C}
    %1 = graph.fusion conv(%0, %w0) kernel @k0 [] .. {A}                                        // after
    %2:2 = graph.fusion conv(%1, %w1, %0, %w2) kernel @k1_k2 [] .. {B, C}
    cuda.horizontal @k1_k2 [@k1, @k2] inputs [2, 2]
    ```
  }];
  let dependentDialects = ["::cupola::simt::SimtDialect", "::cupola::cuda::CudaDialect"];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture family">];
}

def KernelToSimt : Pass<"kernel-to-simt", "::mlir::ModuleOp"> {
  let summary = "the program of one thread of every kernel, by its schedule";
  let description = [{
    Every schedule has a file of its own in Schedules/; what they share is Lowering.h.

    ```mlir
    kernel.func @k row_reduction grid (%g0) in [64] scalars [] schedule .. (%in0: .., %out0: ..) {   // before
      %1 = kernel.reduce [sum] (%d0) in [384] { .. kernel.yield %0 : f32 } : f32
    simt.func @k block %b of 16 thread %t of 128 scalars [] (%in0: .., %out0: ..) {           // after
      %a = simt.registers init %zero : f32 : !simt.registers<f32>
      simt.for %i = 0 to 12 step 1 unroll {
        %d0 = kernel.apply 32*%i + %lane below 384
        ..
        simt.accumulate sum %0, %a [] ..
      }
      %1 = simt.warp_reduce sum %a0 : f32 -> f32
    ```
  }];
  let dependentDialects = ["::cupola::simt::SimtDialect"];
}

class SimtPass<string name> : Pass<name, "::cupola::simt::FuncOp">;

def PipelineCopies : SimtPass<"simt-pipeline-copies"> {
  let summary = "makes a loop of a tile_loop whose transfers overlap with arithmetic";
  let description = [{
    Through registers, the next tile is fetched before the current one is used; with
    cp.async, `stages - 1` tiles are under way. Where steps load fragments, those of the next
    step are on their way while one multiplies, also from one tile to the next.

    ```mlir
    simt.tile_loop to 24 stages 2 fetch {F} store {S} load {} compute {C}               // before
    F(0, 0)                                                                             // after
    simt.for %kt = 0 to 24 step 1 {
      %s = kernel.apply mod(%kt, 2) below 2
      S(kt, s)
      simt.barrier
      simt.guard [-%kt + 22] { F(kt + 1, 0) }
      C(kt, s, 0)
    }

    simt.tile_loop to 24 stages 3 steps 2 async fetch {F} store {} load {L} compute {C} // before
    F(0, 0)  F(1, 1)  wait  L(0, 0, 0)                                                  // after
    simt.for %kt = 0 to 24 step 1 ring 3 (%s = 0, %next = 1, %filled = 2) {
      L(kt, s, 1)  F(kt + 2, filled)  C(kt, s, 0)
      wait  L(kt + 1, next, 0)  C(kt, s, 1)
    }
    ```
  }];
}

def HoistPositions : SimtPass<"simt-hoist-positions"> {
  let summary = "moves what positions and conditions have in common in all iterations before the loop";
  let description = [{
    First what is the same in a loop that stays one, then what is the same in copies that follow each other, whose
    distances become constants:

    ```mlir
    simt.for %j = 0 to n1 step 1 {                                                        // before
      simt.for %i = 0 to 32 step 1 unroll {
        %n = kernel.apply 2*%i + floordiv(%t, 16) below 64
        simt.async_copy %in to %s[8*%t + 8192*%j + 256*%i] to [..] mask [n0 - 64*%j - %n] ..

    %0 = simt.advance %in[8*%t]                                                           // after
    simt.for %j = 0 to n1 step 1 {
      %1 = simt.advance %0[8192*%j]
      %room = kernel.apply max(min(n0 - 64*%j - floordiv(%t, 16), 62), -1) + 1 below 64
      simt.for %i = 0 to 32 step 1 unroll {
        simt.async_copy %1 to %s[256*%i] to [..] mask [%room - 2*%i - 1] ..
    ```
    Conditions change only where they may need 64 bits, so do those of kernel.in_range.
  }];
  let dependentDialects = ["::cupola::simt::SimtDialect"];
}

def PrefetchWeights : SimtPass<"simt-prefetch-weights"> {
  let summary = "asks for weights that are loaded later where the kernel begins";
  let description = [{
    simt-overlap-launches moves that before the wait, so that they come from memory while the kernel before still runs: the first
    iterations of a thread's loop over weights, as products of few rows have them, and what is loaded behind the loops, as biases and
    the scales of norms. Tiles in shared memory come by copies, which move themselves.

    ```mlir
    simt.for %k = 8*%warp to 2048 step 128 {                           // before
      simt.load_vector %in1 to %r [2048*%k] ..
    }
    simt.for %i = 0 to 3 step 1 unroll {
      simt.load_vector %in2 to %g [8*%lane + 256*%i] ..

    simt.for %p = 8*%warp to min(2048, 8*%warp + 512) step 128 {       // after
      simt.prefetch %in1[2048*%p]
    }
    simt.for %q = 0 to 3 step 1 unroll {
      simt.prefetch %in2[8*%lane + 256*%q]
    }
    simt.for %k = 8*%warp to 2048 step 128 {
    ```
  }];
  let dependentDialects = ["::cupola::simt::SimtDialect"];
}

def OverlapLaunches : SimtPass<"simt-overlap-launches"> {
  let summary = "lets a kernel begin while the one before it ends";
  let description = [{
    It waits for what was queued before it where it has done all that touches no memory, and lets the kernel behind it begin then. For
    architectures with programmatic launches. A schedule that waits itself is left alone. Copies that bring the first tiles of
    weights to shared memory begin before the wait.

    ```mlir
    %t = simt.thread ..                                // before
    simt.guard [-%t + 99] { .. }

    %t = simt.thread ..                                // after
    simt.grid_wait
    simt.grid_release
    simt.guard [-%t + 99] { .. }
    ```
  }];
  let dependentDialects = ["::cupola::simt::SimtDialect"];
}

def PlaceShared : SimtPass<"simt-place-shared"> {
  let summary = "gives every simt.smem its offset in the block's shared memory";
  let description = [{
    ```mlir
    %0 = simt.smem : !simt.smem<4096xf32>              // before
    %0 = simt.smem at 0 : !simt.smem<4096xf32>         // after
    ```
  }];
}

def MergeHorizontal : Pass<"simt-merge-horizontal", "::mlir::ModuleOp"> {
  let summary = "makes one program of the kernels of a launch";
  let description = [{
    The first blocks run the first kernel, those behind them the next one. Their shared memory is one, and so are their counters, of
    which each has its own. Kernels that are launched alone, too, are in a module of their own then.

    ```mlir
    simt.func @k1 block %b of 98 thread %t of 128 .. {A}                                        // before
    simt.func @k2 block %b of 49 thread %t of 128 .. {B}
    cuda.horizontal @k1_k2 [@k1, @k2] inputs [2, 2]
    simt.func @k1_k2 block %b of 147 thread %t of 128 .. {                                      // after
      simt.guard [-%b + 97] { A }
      simt.guard [%b - 98] { %c = kernel.apply %b - 98 below 49  B }
    ```
  }];
  let dependentDialects = ["::cupola::simt::SimtDialect"];
}

#endif // CUPOLA_LIB_TARGET_CUDA_PASSES_TD
