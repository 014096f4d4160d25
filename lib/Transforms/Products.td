//===- Products.td - passes on matrix products -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TRANSFORMS_PRODUCTS_TD
#define CUPOLA_LIB_TRANSFORMS_PRODUCTS_TD

include "mlir/Pass/PassBase.td"

def FlattenMatMul : Pass<"graph-flatten-matmul", "::mlir::func::FuncOp"> {
  let summary = "a matrix that all batches share is contracted once";
  let description = [{
    Where the right operand repeats one matrix over all batch dimensions, batch and rows
    of the left operand become the rows of one contraction.

    ```mlir
    %1 = graph.broadcast %w : tensor<1x384x64xf32> -> tensor<8x384x64xf32>
    %2 = graph.matmul %x, %1 : tensor<8x16x384xf32>, .. -> tensor<8x16x64xf32>
    // becomes
    %1 = graph.reshape %x : tensor<8x16x384xf32> -> tensor<128x384xf32>
    %2 = graph.reshape %w : tensor<1x384x64xf32> -> tensor<384x64xf32>
    %3 = graph.matmul %1, %2 : .. -> tensor<128x64xf32>
    %4 = graph.reshape %3 : tensor<128x64xf32> -> tensor<8x16x64xf32>
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def TurnColumns : Pass<"graph-turn-columns", "::mlir::func::FuncOp"> {
  let summary = "a product with one column becomes one with one row";
  let description = [{
    What multiplies a vector is read once, by kernels that share its rows: those of few rows. Tiles of a product with
    one column would compute as many columns as they have for it. The left operand lies in memory: what computes it
    otherwise is part of the product.

    ```mlir
    %1 = graph.matmul %w, %x : tensor<8x512x64xf32>, tensor<8x64x1xf32> -> tensor<8x512x1xf32>
    // becomes
    %1 = graph.reshape %x : tensor<8x64x1xf32> -> tensor<8x1x64xf32>
    %2 = graph.transpose %w [0, 2, 1] : tensor<8x512x64xf32> -> tensor<8x64x512xf32>
    %3 = graph.matmul %1, %2 : .. -> tensor<8x1x512xf32>
    %4 = graph.reshape %3 : tensor<8x1x512xf32> -> tensor<8x512x1xf32>
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def MergeMatMuls : Pass<"graph-merge-matmuls", "::mlir::func::FuncOp"> {
  let summary = "contractions of one matrix with several weights become one";
  let description = [{
    Weights of contractions that share their left operand, and biases added to them, lie
    side by side; the results are slices. Only where the results go into views (Q, K and
    V of attention): arithmetic on one result is better off in its own epilogue, and so
    is a result of the function.

    Q or K may be multiplied by a number first. In f32 `simplify` has moved that behind the
    next contraction; in half precision, where this would round other values, it stays and
    becomes a number per column of the joint contraction, 1 for the others. An epilogue
    computes in f32 and rounds what it stores, so every element is what it was, bit by bit.

    ```mlir
    %q = graph.matmul %x, %wq : tensor<16x64xf32>, tensor<64x64xf32> -> tensor<16x64xf32>
    %k = graph.matmul %x, %wk : tensor<16x64xf32>, tensor<64x64xf32> -> tensor<16x64xf32>
    // becomes
    %m = graph.matmul %x, %w : tensor<16x64xf32>, tensor<64x128xf32> -> tensor<16x128xf32>
    %q = graph.slice %m ["0", "0"] [1, 1] : tensor<16x128xf32> -> tensor<16x64xf32>
    %k = graph.slice %m ["0", "64"] [1, 1] : tensor<16x128xf32> -> tensor<16x64xf32>
    ```
  }];
  let options = [
    Option<"maxColumns", "max-columns", "int64_t", "8192", "columns of a merged weight">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

#endif // CUPOLA_LIB_TRANSFORMS_PRODUCTS_TD
