//===- Passes.td - passes that say with how many bits is computed and stored -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TRANSFORMS_PRECISION_PASSES_TD
#define CUPOLA_LIB_TRANSFORMS_PRECISION_PASSES_TD

include "mlir/Pass/PassBase.td"

def Precision : Pass<"graph-precision", "::mlir::func::FuncOp"> {
  let summary = "f32 values lie in memory with 16 bits";
  let description = [{
    Contractions read 16-bit operands and accumulate in f32; pointwise ops and norms load and store 16 bits and
    compute in f32, as kernels do with every 16-bit tensor. A value that one op alone reads, computed from f32, is
    handed on as it is. f32 stay: inputs and outputs (unless `interface`), what crosses the border of a body, results
    that may be far larger or smaller than what is read (exp, pow, sums, squares, ..), what angles and positions are
    computed from, what an interval analysis knows to pass a quarter of the type's largest number or to lie below
    its smallest normal one, nodes whose names match `keep`, constants along one dimension (biases), and pointwise results of nothing but such
    values. What one op alone reads gets the attribute `graph.stored`, if 16 bits hold it: the type that
    `graph-narrow-stored` gives it where its reader is in another kernel.
    `graph.precision` records it.

    ```mlir
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    %1 = graph.unary relu %0 : tensor<4x4xf32> -> tensor<4x4xf32>
    // becomes
    %0 = graph.cast %x : tensor<4x8xf32> -> tensor<4x8xf16>
    %1 = graph.cast %w : tensor<8x4xf32> -> tensor<8x4xf16>
    %2 = graph.matmul %0, %1 : tensor<4x8xf16>, tensor<8x4xf16> -> tensor<4x4xf16>
    %3 = graph.unary relu %2 : tensor<4x4xf16> -> tensor<4x4xf16>
    %4 = graph.cast %3 : tensor<4x4xf16> -> tensor<4x4xf32>
    ```
  }];
  let options = [
    Option<"element", "element", "std::string", /*default=*/"\"f16\"", "f16 or bf16">,
    ListOption<"keep", "keep", "std::string", "patterns of names of nodes that stay f32">,
    Option<"interface", "interface", "bool", "false", "inputs and outputs have 16 bits, too">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def AllowTf32 : Pass<"graph-allow-tf32", "::mlir::func::FuncOp"> {
  let summary = "contractions of f32 may be products of TF32";
  let description = [{
    Targets with matrix units for TF32 then compute them so: on both operands rounded to 11 bits, or, with `three`, as
    three such products that together see 22 bits. Exact stay those that positions and angles are computed from, nodes
    whose names match `keep`, and the products of attentions that become one kernel. `graph.precision` records it.

    ```mlir
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    // becomes
    %0 = graph.matmul %x, %w tf32 x1 : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    ```
  }];
  let options = [
    Option<"three", "three", "bool", "false", "three products for one">,
    ListOption<"keep", "keep", "std::string", "patterns of names of nodes that stay exact">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def NarrowStored : Pass<"graph-narrow-stored", "::mlir::func::FuncOp"> {
  let summary = "what one kernel hands to another lies in memory with the bits it may have";
  let description = [{
    The result of a fusion whose last op has `graph.stored`, and which fusions alone read, gets that type; a reader
    begins with a cast back. Two products that meet in a sum are two kernels, of which one reads what the other made.
    The attribute is gone afterwards.

    ```mlir
    %0 = graph.fusion conv(%x, %w) : (..) -> tensor<4x8xf32> {..
      %3 = graph.binary add %2, %b {graph.stored = f16} : ..
      graph.yield %3 : tensor<4x8xf32>
    // becomes
    %0 = graph.fusion conv(%x, %w) : (..) -> tensor<4x8xf16> {..
      %3 = graph.binary add %2, %b : ..
      %4 = graph.cast %3 : tensor<4x8xf32> -> tensor<4x8xf16>
      graph.yield %4 : tensor<4x8xf16>
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

#endif // CUPOLA_LIB_TRANSFORMS_PRECISION_PASSES_TD
