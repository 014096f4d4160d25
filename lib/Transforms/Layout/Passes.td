//===- Passes.td - the pass that chooses layouts -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TRANSFORMS_LAYOUT_PASSES_TD
#define CUPOLA_LIB_TRANSFORMS_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseLayouts : Pass<"graph-choose-layouts", "::mlir::func::FuncOp"> {
  let summary = "chains of convolutions are channels last where that costs less";
  let description = [{
    A chain is what would be channels last together: convolutions whose results meet, or reach the next one through ops
    that do not care. Those are pointwise ops, reductions, norms, windows, pads, slices, concats, gathers along one axis,
    reshapes that split dimensions or merge such that are neighbours either way, and transposes that put parts of the
    channels between the places (a shuffle of pixels). One filter per channel, as a window times weights, is a
    convolution, too. Each chain gets the cheaper of two layouts: as it is written, or channels last, where values are
    transposed as they enter and leave (lib/Transforms/Layout/Cost.h says what counts). `graph.layouts` records both.
    The weights of convolutions that are channels last are [window.., C, O]. Transposes of the model from channels last
    move along with chains and meet their inverse.

    ```mlir
    %0 = graph.conv %x, %w layout channels_first .. : tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32> -> tensor<1x16x8x8xf32>
    %1 = graph.unary relu %0 : ...
    // becomes
    %0 = graph.transpose %x [0, 2, 3, 1] : tensor<1x16x8x8xf32> -> tensor<1x8x8x16xf32>
    %1 = graph.transpose %w [2, 3, 1, 0] : tensor<16x16x1x1xf32> -> tensor<1x1x16x16xf32>
    %2 = graph.conv %0, %1 .. : tensor<1x8x8x16xf32>, tensor<1x1x16x16xf32> -> tensor<1x8x8x16xf32>
    %3 = graph.unary relu %2 : ...
    %4 = graph.transpose %3 [0, 3, 1, 2] : tensor<1x8x8x16xf32> -> tensor<1x16x8x8xf32>
    ```
  }];
  let options = [
    ListOption<"targets", "targets", "std::string", "whose costs count; none: all">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

#endif // CUPOLA_LIB_TRANSFORMS_LAYOUT_PASSES_TD
