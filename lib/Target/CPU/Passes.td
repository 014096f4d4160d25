//===- lib/Target/CPU/Passes.td - library calls, kernels to loops, loops to llvm -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TARGET_CPU_PASSES_TD
#define CUPOLA_LIB_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseLibraries : Pass<"cpu-choose-libraries", "::mlir::func::FuncOp"> {
  let summary = "say which fusions a library may do instead of their kernels";
  let description = [{
    A fusion with a contraction is described in a library's words where its shapes are static,
    its weights constant, and its epilogue a chain of post-ops; else `refused` says why not.
    The fusion gets its kernel in any case: the runtime chooses between the two by library,
    level and threads (lib/Runtime/Format/LibraryCosts.h).

    ```mlir
    %1 = graph.fusion gemm(%a, %w) : (tensor<16x384xf32>, tensor<384x384xf32>) -> tensor<16x384xf32> {..}
    // becomes
    %1 = graph.fusion gemm(%a, %w)
        library <product source [16, 384] weights [384, 384] result [16, 384]> inputs [0, 1] : ..
    ```
  }];
}

def OrderDepth : Pass<"cpu-order-depth", "::cupola::kernel::FuncOp"> {
  let summary = "sorts the depth of contractions by the steps of the left operand in memory";
  let description = [{
    The order of a sum is free. A convolution's depth has the channels innermost; where the
    image has them outermost, neighbours along k lie far from each other.

    ```mlir
    kernel.dot [12544, 64, 147] lhs (%m, %k) {                                                    // before
      kernel.load %in0[224*floordiv(%k, 21) + 50176*mod(%k, 3) + ..]
    kernel.dot [12544, 64, 147] lhs (%m, %k) {                                                    // after
      kernel.load %in0[50176*floordiv(%k, 49) + 224*mod(floordiv(%k, 7), 7) + mod(%k, 7) + ..]
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def OrderLoops : Pass<"cpu-order-loops", "::cupola::kernel::FuncOp"> {
  let summary = "sorts the grid by the steps of what the kernel stores";
  let description = [{
    The order of the grid is free. A convolution of channels first is computed as one of channels last between transposes
    that became positions, and has the channels innermost, which lie farthest apart. Products keep their rows and columns.

    ```mlir
    kernel.func @k reduction grid (%row, %column, %channel) in [56, 56, 96] .. {     // before
      kernel.store %0, %out[56*%row + %column + 3136*%channel]
    kernel.func @k reduction grid (%channel, %row, %column) in [96, 56, 56] .. {     // after
      kernel.store %0, %out[56*%row + %column + 3136*%channel]
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def MergeLoops : Pass<"cpu-merge-loops", "::cupola::kernel::FuncOp"> {
  let summary = "merges variables of loops and reductions that every position uses as one";
  let description = [{
    Longer loops have fewer edges: planes of 7 by 7 are rows of 49. Products keep their rows and columns.

    ```mlir
    kernel.foreach (%d0, %d1, %d2) in [7, 7, 512] {        // before
      %0 = kernel.load %in0[7*%d0 + %d1 + 49*%d2] ..
    kernel.foreach (%d1, %d2) in [49, 512] {               // after
      %0 = kernel.load %in0[%d1 + 49*%d2] ..
    ```
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def SwapOperands : Pass<"cpu-swap-operands", "::cupola::kernel::FuncOp"> {
  let summary = "a product of few rows by columns becomes one of rows by few columns";
  let description = [{
    Where the right operand's neighbours along the depth are neighbours in memory, and vectors along the depth suit as many
    columns as there are rows.

    ```mlir
    %0 = kernel.dot [1, 4096, 64] lhs (%m, %k) {A} rhs (%k, %n) {B} : !kernel.tile<f32, "1", "4096">    // before
    kernel.foreach (%m, %n) in [1, 4096] { %1 = kernel.extract %0[%m, %n] .. }
    %0 = kernel.dot [4096, 1, 64] lhs (%n, %k) {B} rhs (%k, %m) {A} : !kernel.tile<f32, "4096", "1">    // after
    kernel.foreach (%n, %m) in [4096, 1] { %1 = kernel.extract %0[%n, %m] .. }
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"x86-64-v3\"", "level of the x86-64 psABI">];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
}

def ChooseSchedule : Pass<"cpu-choose-schedule", "::cupola::kernel::FuncOp"> {
  let summary = "decides how a kernel runs on a CPU: loops and vectors, or the blocks of a contraction";
  let description = [{
    By the kernel and the architecture alone. The form of an operand is part of it: those to be packed are so already.

    ```mlir
    kernel.func @k pointwise grid () in [] scalars [..] (..) {                                             // before
      kernel.foreach (%d0, %d1) in [n0, 384] {..}
    kernel.func @k pointwise grid () in [] scalars [..]                                                    // after
        schedule #cpu.nest<parallel 1, vector 1, vectors 1, chunk 0> (..) {
      kernel.foreach (%d0, %d1) in [n0, 384] {..}
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"x86-64-v3\"", "level of the x86-64 psABI">];
  let dependentDialects = ["::cupola::kernel::KernelDialect", "::cupola::cpu::CpuDialect"];
}

def KernelToLoops : Pass<"kernel-to-cpu-loops", "::mlir::ModuleOp"> {
  let summary = "lowers kernels to loops over vectors";
  let description = [{
    By their schedules; a kernel without one gets what `cpu-choose-schedule` chooses.

    ```mlir
    kernel.foreach (%d0) in [n0] { %x = kernel.load .. }                           // before
    scf.for %i = .. step 16 { llvm.load : vector<16xf32> .. }, scf.if { tail }     // after
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"x86-64-v3\"", "level of the x86-64 psABI">];
  let dependentDialects = ["::cupola::cpu::CpuDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"];
}

def LoopsToLlvm : Pass<"cpu-loops-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lowers the arith, math, vector and cf ops of one module to llvm ops";
  let description = [{
    ```mlir
    %1 = arith.addf %0, %x : vector<16xf32>                                        // before
    %1 = llvm.fadd %0, %x : vector<16xf32>                                         // after
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // CUPOLA_LIB_TARGET_CPU_PASSES_TD
