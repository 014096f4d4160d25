//===- Passes.td - passes on products of quantised operands -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_PASSES_TD
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_PASSES_TD

include "mlir/Pass/PassBase.td"

def IntegerProducts : Pass<"graph-integer-products", "::mlir::func::FuncOp"> {
  let summary = "contractions of dequantised bytes become products of integers or of float8";
  let description = [{
    Where both operands of a contraction in f32 are `(q - zero) * scale` of bytes, the left one with one scale and the
    right one with one per column, the sums of products of integers are exact in i32 and both scales come behind. For
    targets that have such products worth it; of the others the right operand is folded to f32.

    So do those of float8, whose products are exact in f32 and whose sums are as those of f32; the operands are bytes
    again.

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
    The left operand is made of ui8 (or i8, `signed-left`), less zero points that are the same along the depth, and the
    right one is a constant, which is laid along its depth, as fragments of matrix units want it, and read through a
    transpose: one constant in a package for all targets. The zero points come behind:
    their share of a sum is themselves times the sum of the weights of the column, which is a constant. A border of
    zeros before a convolution becomes one of zero points. Weights that i8 does not hold, as those of ui8 less a zero
    point, are i8 plus a number for each column, if it is less than 256 from its least to its largest; that share of a
    sum is the number times the sum of the row of bytes, or of the window. Weights of float8 are laid along their depth,
    too.

    ```mlir
    %0 = graph.cast %q : tensor<4x8xui8> -> tensor<4x8xi16>
    %1 = graph.binary sub %0, %zero : ...
    %2 = graph.matmul %1, %w : tensor<4x8xi16>, tensor<8x4xi16> -> tensor<4x4xi32>
    // becomes
    %w = graph.transpose %bytes [1, 0] : tensor<4x8xi8> -> tensor<8x4xi8>
    %2 = graph.matmul %q, %w : tensor<4x8xui8>, tensor<8x4xi8> -> tensor<4x4xi32>
    %3 = graph.binary mul %zeros, %sums_of_columns : ...
    %4 = graph.binary sub %2, %3 : ...
    ```
  }];
  let options = [
    Option<"signedLeft", "signed-left", "bool", "false", "left operands of i8, too">,
  ];
}

def PackWeights : Pass<"graph-pack-weights", "::mlir::func::FuncOp"> {
  let summary = "weights of a few bits are taken apart where a product reads them";
  let description = [{
    The right operand of a product is `integers * scale`, made of constants alone, the scale the same in blocks of the
    depth of at least 16, and four bits hold how far the integers of a block, or all of them, lie apart. They become
    half as many bytes: of 32 neighbours along the depth the first 16 in the low bits, so that neighbours stay
    neighbours in memory. The multiplication and what comes after it are as they were, and so is the result. With
    `rounded-to-bytes`, as where only the CPU is compiled for, integers of products whose rows `graph-block-products` will
    round become bytes, which that pass multiplies, where all blocks share one offset.

    ```mlir
    %0 = graph.cast %q : tensor<64x8xi8> -> tensor<64x8xf32>           // numbers from -8 to 7
    %1 = graph.binary mul %0, %scale : ...
    %2 = graph.matmul %a, %1 : ...
    // becomes
    %0 = graph.broadcast %bytes : tensor<8x2x1x16xui8> -> tensor<8x2x2x16xui8>
    %1 = graph.binary shift_right %0, %shift : ...                     // by 0, by 4
    %2 = graph.binary bitwise_and %1, %15 : ...
    %3 = graph.cast %2 : tensor<8x2x2x16xui8> -> tensor<8x2x2x16xf32>
    %4 = graph.reshape %3 : tensor<8x2x2x16xf32> -> tensor<8x1x64xf32>
    %5 = graph.binary add %4, %offset : ...
    %6 = graph.binary mul %5, %scale : ...
    %7 = graph.reshape %6 : tensor<8x1x64xf32> -> tensor<8x64xf32>
    %8 = graph.transpose %7 [1, 0] : tensor<8x64xf32> -> tensor<64x8xf32>
    %9 = graph.matmul %a, %8 : ...
    ```
  }];
  let options = [Option<"roundedToBytes", "rounded-to-bytes", "bool", "false", "where rows become bytes, so do integers">,
                 Option<"threads", "threads", "unsigned", "1", "at most, which take parts of a matrix">];
}

def AllowInt8Rows : Pass<"graph-allow-int8-rows", "::mlir::func::FuncOp"> {
  let summary = "products with weights of up to 8 bits may, or may not, round their rows to bytes";
  let description = [{
    Marks products whose right operand constants make, bytes among them: what `--int8-rows` says of a whole model and the
    attribute accuracy_level of MatMulNBits of one product.

    ```mlir
    %2 = graph.matmul %x, %w : ...             // %w: bytes times scales
    // becomes
    %2 = graph.matmul %x, %w int8_rows always : ...
    ```
  }];
  let options = [Option<"never", "never", "bool", "false", "they may not">];
}

def BlockProducts : Pass<"graph-block-products", "::mlir::func::FuncOp"> {
  let summary = "products that may round their rows multiply bytes in blocks of the depth";
  let description = [{
    Of products with a right operand of constants, `integers * scale` with one scale per block of the depth and column,
    and `int8_rows always`, or that say nothing and whose integers less their zero points are between -15 and 15, as of
    weights of 4 bits. Blocks are the longest of up to 128, and at least 16, elements that have one. Of each block of a
    row the largest magnitude is 127 times its scale, and elements are rounded to the nearest multiple of that, halves
    to even, after a multiplication by its inverse. Weights reach the product without a sign, 8 more where four bits
    hold them, else 128; `start` takes that off again. Where blocks need offsets for that, as those of weights with zero
    points do, a product of f32 adds what offsets times scales make of the scaled sums of rows. A product whose integers
    of a block lie 256 apart, or whose depth is not whole blocks, stays.

    ```mlir
    %2 = graph.matmul %x, %w int8_rows always : tensor<16x64xf32>, tensor<64x8xf32> -> tensor<16x8xf32>
    // becomes
    %3 = graph.reduce max %magnitudes [2] : tensor<16x2x32xi32> -> tensor<16x2x1xi32>
    %4 = graph.binary div %most, %127 : ...
    %5 = graph.binary mul %blocks, %inverse : ...
    %6 = graph.binary add %5, %c : ...          // 1.5 * 2^23: rounds, and the byte is the last one
    %7 = graph.bitcast %6 : ...
    %8 = graph.cast %7 : tensor<16x2x32xi32> -> tensor<16x2x32xi8>
    %9 = graph.reduce sum %integers [2] : tensor<16x2x32xi32> -> tensor<16x2x1xi32>
    %z = graph.binary mul %9, %-8 : ...
    %2 = graph.block_matmul %8, %nibbles start %z scales %4, %t : ..
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
  let options = [Option<"threads", "threads", "unsigned", "1", "at most, which take parts of a matrix">];
}

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_PASSES_TD
