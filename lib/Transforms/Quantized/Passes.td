//===- Passes.td - passes on products of quantised operands -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_PASSES_TD
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_PASSES_TD

include "mlir/Pass/PassBase.td"

def IntegerProducts : Pass<"graph-integer-products", "::mlir::func::FuncOp"> {
  let summary = "contractions of dequantised bytes become products of integers";
  let description = [{
    Where both operands of a contraction in f32 are `(q - zero) * scale` of bytes, the left one with one scale and the
    right one with one per column, the sums of products of integers are exact in i32 and both scales come behind. For
    targets that have integer products worth it; others fold the right operand to f32.

    ```mlir
    %a = graph.binary mul %left, %s : ...      // %left, %right: f32, made of bytes
    %b = graph.binary mul %right, %t : ...
    %c = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    // becomes
    %0 = graph.matmul %l, %r : tensor<4x8xi16>, tensor<8x4xi16> -> tensor<4x4xi32>
    %1 = graph.cast %0 : tensor<4x4xi32> -> tensor<4x4xf32>
    %2 = graph.binary mul %1, %st : ...
    ```
  }];
}

def ByteProducts : Pass<"graph-byte-products", "::mlir::func::FuncOp"> {
  let summary = "products of i16 read bytes where both sides are some";
  let description = [{
    The left operand is made of ui8, less one zero point for all, and the right one is a constant that i8 holds. The zero
    point comes behind: its share of a sum is itself times the sum of the weights of the column, which is a constant. A
    border of zeros before a convolution becomes one of zero points, where that is a number.

    ```mlir
    %0 = graph.cast %q : tensor<4x8xui8> -> tensor<4x8xi16>
    %1 = graph.binary sub %0, %zero : ...
    %2 = graph.matmul %1, %w : tensor<4x8xi16>, tensor<8x4xi16> -> tensor<4x4xi32>
    // becomes
    %2 = graph.matmul %q, %w : tensor<4x8xui8>, tensor<8x4xi8> -> tensor<4x4xi32>
    %3 = graph.binary mul %zeros, %sums_of_columns : ...
    %4 = graph.binary sub %2, %3 : ...
    ```
  }];
}

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_PASSES_TD
