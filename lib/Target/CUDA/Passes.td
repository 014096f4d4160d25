//===- lib/Target/CUDA/Passes.td - kernel level 1 to level 2 -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TARGET_CUDA_PASSES_TD
#define CUPOLA_LIB_TARGET_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

class KernelPass<string name> : Pass<name, "::cupola::kernel::FuncOp"> {
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def DecomposeDot : KernelPass<"kernel-decompose-dot"> {
  let summary = "turns products that no gemm schedule takes into sums";
  let description = [{
    Those that accumulate in another type than f32, whose tile is read elsewhere than in a
    loop over it, or with many rows of few columns, as the last convolution of a network
    that labels pixels.

    ```mlir
    %0 = kernel.dot ["d0", "d1", "d2"] ["n0", "8", "64"] lhs {L} rhs {R} ..         // before
    kernel.foreach ["d3", "d4"] ["n0", "8"] { %1 = kernel.extract %0 ["d3", "d4"] .. }
    kernel.foreach ["d3", "d4"] ["n0", "8"] {                                       // after
      %1 = kernel.reduce [sum] ["d2"] ["64"] { kernel.yield L(d3, d2) * R(d2, d4) } : f64
    ```
  }];
}

def FoldGrid : KernelPass<"kernel-fold-grid"> {
  let summary = "makes the grid part of the loops where grid points only run loops";
  let description = [{
    ```mlir
    kernel.func @k "pointwise" grid ["12"] .. { kernel.foreach ["d0"] ["64"] {B} }        // before
    kernel.func @k "pointwise" grid [] .. { kernel.foreach ["g0", "d0"] ["12", "64"] {B} } // after
    ```
  }];
}

def CollapseLoops : KernelPass<"kernel-collapse-loops"> {
  let summary = "merges loop variables that every position uses as one";
  let description = [{
    Fewer variables mean fewer divisions, and longer runs for vectors.

    ```mlir
    kernel.foreach ["d0", "d1"] ["n0", "384"] {            // before
      %0 = kernel.load %in0["384*d0 + d1"] ..
    kernel.foreach ["d1"] ["384*n0"] {                     // after
      %0 = kernel.load %in0["d1"] ..
    ```
  }];
}

def ChooseSchedule : KernelPass<"kernel-choose-schedule"> {
  let summary = "decides how a kernel runs on a GPU: schedule, threads, vector width, tile";
  let description = [{
    Decides from the kernel and the target description alone; the choices are `params`.

    ```mlir
    kernel.func @k "fused" grid [] scalars [] {} (..)                                // before
    kernel.func @k "pointwise" grid [] scalars [] {threads = 256, vector = 4} (..)   // after
    ```
  }];
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
    kernel.func @k0 .. { kernel.dot [..] ["3136", "64", "256"] lhs { kernel.load %arg0["256*d0 + d2"] ..   // before
    kernel.func @k1 .. { kernel.dot [..] ["784", "128", "512"] lhs { kernel.load %arg0["512*d0 + d2"] ..
    kernel.func @k0 .. scalars [#kernel.scalar<1, 4, 1>, #kernel.scalar<1, 2, 1>] ..                       // after
      { kernel.dot [..] ["784*n0", "64*n1", "256*n1"] lhs { kernel.load %arg0["256*d0*n1 + d2"] ..
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def DistributePointwise : KernelPass<"kernel-distribute-pointwise"> {
  let summary = "schedule pointwise: one thread per vector of a foreach";
  let description = [{
    ```mlir
    kernel.foreach ["d0"] ["1024"] {                       // before, vector = 4
      %0 = kernel.load %in0["d0"] ..
      kernel.store %0, %out0["d0"] ..
    kernel.let "d0v" = "4*t + 1024*b" below "1024"         // after
    %0 = kernel.registers : !kernel.registers<f32, vector 4>
    kernel.load_vector %in0["d0v"] to %0 [] ..
    kernel.for "e" = "0" to "4" step "1" unroll { .. }
    kernel.store_vector %1 [], %out0["d0v"] ..
    ```
  }];
}

def DistributeTranspose : KernelPass<"kernel-distribute-transpose"> {
  let summary = "schedule transpose: loads and stores along different axes, tiles in shared memory";
  let description = [{
    ```mlir
    kernel.foreach ["d0", "d1"] ["64", "96"] {                        // before
      %0 = kernel.load %in0["d0 + 64*d1"] ..
      kernel.store %0, %out0["96*d0 + d1"] ..
    kernel.for "i" = "0" to "4" step "1" unroll {                     // after
      kernel.let "d0" = "32*d0t + mod(t, 32)" below "64"
      kernel.store_shared %0, %smem["33*floordiv(t, 32) + 264*i + mod(t, 32)"] ..
    }
    kernel.barrier
    kernel.for "i" = "0" to "4" step "1" unroll {
      kernel.let "d1" = "32*d1t + mod(t, 32)" below "96"
      %0 = kernel.load_shared %smem[..] ..
    ```
  }];
}

def DistributeRows : KernelPass<"kernel-distribute-rows"> {
  let summary = "schedule row_reduction: a warp or a block per grid point";
  let description = [{
    The threads of a row share its loops; what a map makes stays in registers of the
    thread that made it; a reduction ends in a warp or block reduction.

    ```mlir
    %1 = kernel.reduce [sum] ["d0"] ["384"] { .. kernel.yield %0 : f32 } : f32      // before
    %a = kernel.registers init %zero : f32 : !kernel.registers<f32>                 // after
    kernel.for "i" = "0" to "12" step "1" unroll {
      kernel.let "d0" = "32*i + lane" below "384"
      ..
      kernel.accumulate sum %0, %a [] ..
    }
    %1 = kernel.warp_reduce sum %a0 : f32 -> f32
    ```
  }];
}

def DistributeColumns : KernelPass<"kernel-distribute-columns"> {
  let summary = "schedule column_reduction: a lane per grid point, the warps share its loops";
  let description = [{
    For few grid points with long loops where neighbouring points are neighbours in
    memory, as a mean over all places of channels-last images.

    ```mlir
    %0 = kernel.reduce [sum] ["d0"] ["196"] {                  // before
      %1 = kernel.load %in0["480*d0 + g0"] ..
    kernel.for "i" = "warp" to "196" step "8" {                // after
      %1 = kernel.load %in0["480*i + g0"] ..
      kernel.accumulate sum %1, %a [] ..
    }
    kernel.store_shared .. kernel.barrier .. kernel.load_shared ..
    ```
  }];
}

def DistributePoints : KernelPass<"kernel-distribute-points"> {
  let summary = "schedule reduction: one thread per vector of grid points, which runs its loops alone";
  let description = [{
    For reductions over axes that are not contiguous, and windows: neighbouring threads
    read neighbouring elements or vectors.

    ```mlir
    kernel.func @k "reduction" grid ["64"] .. {            // before
      %0 = kernel.reduce [sum] ["d0"] ["100"] {
        %1 = kernel.load %in0["64*d0 + g0"] ..
    kernel.let "g0" = "t + 128*b" below "64"               // after
    kernel.for "d0" = "0" to "100" step "1" {
      %1 = kernel.load %in0["64*d0 + g0"] ..
    ```
  }];
}

def LowerGemm : KernelPass<"kernel-lower-gemm"> {
  let summary = "schedule gemm: tiles of a product through shared memory, f32 arithmetic";
  let description = [{
    A block computes a tile of m by n; its threads bring tiles of both operands to shared
    memory, multiply fragments of them in registers, and run the epilogue on their own
    accumulators.

    ```mlir
    %0 = kernel.dot ["d0", "d1", "d2"] ["128", "384", "384"] lhs {..} rhs {..} ..   // before
    kernel.foreach ["d3", "d4"] ["128", "384"] { %1 = kernel.extract %0 ["d3", "d4"] .. }
    kernel.tile_loop "kt" to "24" stage "s" of 2           // after
    fetch { .. } store { .. } compute { kernel.fma_tile %acc, %a, %b .. }
    kernel.for "i" .. { %1 = kernel.get %acc ["i", "4*j + e"] .. }
    ```
  }];
}

def LowerMma : KernelPass<"kernel-lower-mma"> {
  let summary = "schedule gemm_mma: f16 products by mma.sync, m16n8k8 or m16n8k16";
  let description = [{
    Where the architecture has cp.async and both operands are plain, tiles are copied
    asynchronously, three under way; else they go through registers.

    ```mlir
    %0 = kernel.dot ["d0", "d1", "d2"] ["128", "384", "384"] lhs {..} rhs {..} ..   // before
    kernel.tile_loop "kt" to "12" stage "s" of 3 async                              // after
    fetch { kernel.async_copy %in0[..] to %smem[..] bytes 16 .. } store {}
    compute { kernel.mma_load a ..  kernel.mma_load b ..  kernel.mma %acc, %a, %b .. }
    ```
  }];
}

def LowerMatvec : KernelPass<"kernel-lower-matvec"> {
  let summary = "schedule matvec: products with at most eight rows stream the weights once";
  let description = [{
    ```mlir
    %0 = kernel.dot ["d0", "d1", "d2"] ["2", "384", "1536"] lhs {L} rhs {R} ..       // before
    kernel.for "d2" = "warp" to "1536" step "8" {                                  // after
      R  kernel.for "d0" = "0" to "2" step "1" unroll {L}
      kernel.fma_tile %acc, %vector, %weight ..
    }
    kernel.store_shared .. kernel.barrier .. kernel.load_shared ..
    ```
  }];
}

def PipelineCopies : KernelPass<"kernel-pipeline-copies"> {
  let summary = "makes a loop of a tile_loop whose transfers overlap with arithmetic";
  let description = [{
    Through registers, the next tile is fetched before the current one is used; with
    cp.async, `stages - 1` tiles are under way.

    ```mlir
    kernel.tile_loop "kt" to "24" stage "s" of 2 fetch {F} store {S} compute {C}    // before
    F(kt = 0)                                                                       // after
    kernel.for "kt" = "0" to "24" step "1" {
      kernel.let "s" = "mod(kt, 2)" below "2"
      S
      kernel.barrier
      kernel.guard ["22 - kt"] { F(kt + 1) }
      C
    }
    ```
  }];
}

def DropUnused : KernelPass<"kernel-drop-unused"> {
  let summary = "removes names and values that nothing uses";
  let description = [{
    ```mlir
    kernel.let "d0" = "32*i + lane" below "384"            // before
    %0 = kernel.get %r0["i"] : f32 from !kernel.registers<12xf32>
    %0 = kernel.get %r0["i"] : f32 from !kernel.registers<12xf32>    // after
    ```
  }];
}

def PlaceShared : KernelPass<"kernel-place-shared"> {
  let summary = "gives every kernel.smem its offset in the block's shared memory";
  let description = [{
    ```mlir
    %0 = kernel.smem : !kernel.smem<4096xf32>              // before
    %0 = kernel.smem at 0 : !kernel.smem<4096xf32>         // after
    ```
  }];
}

#endif // CUPOLA_LIB_TARGET_CUDA_PASSES_TD
