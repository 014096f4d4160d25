//===- Passes.td - passes from graph to graph -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Every optional pass may be left out (--disable-pass=NAME) and the answer stays right.

#ifndef CUPOLA_LIB_TRANSFORMS_PASSES_TD
#define CUPOLA_LIB_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormFusions : Pass<"graph-form-fusions", "::mlir::func::FuncOp"> {
  let summary = "group ops into graph.fusion, one kernel each";
  let description = [{
    Heroes (contractions, softmax, layer norm, reductions) take the pointwise ops and
    bijective views that follow as an epilogue; the remaining pointwise ops and gathers
    are computed inside their one consumer where that does not repeat costly work, else
    form fusions of their own. Views never become kernels: every consumer gets its own
    copy, and they compose into addresses. Each edge between two ops gets a verdict
    {producer, consumer, fused, rule, reason} in the function's `graph.verdicts`.

    With `epilogues=false prologues=false` every op is a kernel.

    ```mlir
    %0 = graph.matmul %a, %w : tensor<16x384xf32>, tensor<384x384xf32> -> tensor<16x384xf32>
    %1 = graph.binary <add> %0, %r : ... -> tensor<16x384xf32>
    // becomes
    %1 = graph.fusion "gemm"(%a, %w, %r) : (...) -> tensor<16x384xf32> {
      ^bb0(%b0: ..., %b1: ..., %b2: ...):
        %2 = graph.matmul %b0, %b1 : ...
        %3 = graph.binary <add> %2, %b2 : ...
        graph.yield %3 : tensor<16x384xf32>
    }
    ```
  }];
  let options = [
    Option<"epilogues", "epilogues", "bool", "true", "fuse what follows a hero">,
    Option<"prologues", "prologues", "bool", "true", "compute producers inside their consumer">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

#endif // CUPOLA_LIB_TRANSFORMS_PASSES_TD
