//===- GraphContractionOps.td - sums of products -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHCONTRACTIONOPS_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHCONTRACTIONOPS_TD

def Graph_MatMulOp : Graph_InferredOp<"matmul", "Contraction", "Matrix"> {
  let summary = "result[b.., m, n] = sum over k of lhs[b.., m, k] * rhs[b.., k, n]";
  let description = [{
    Both operands and the result have one rank >= 2 and the same batch dimensions
    (broadcasts are explicit). f16 and bf16 accumulate in f32; i16, and i8 or ui8 on the
    left with i8 on the right, in i32, which the result has; f8E4M3FN and f8E5M2, in any pair, in f32, which it has,
    too; f32 may be multiplied as `tf32` says where the target can. `int8_rows` says whether a target may round the rows of
    lhs to bytes, in blocks along k with one scale each (graph-block-products); where nothing is said, it may where rhs
    is made of integers of up to 4 bits.
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs, OptionalAttr<Graph_Tf32Attr>:$tf32, OptionalAttr<Graph_Int8RowsAttr>:$int8_rows);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $lhs `,` $rhs (`tf32` $tf32^)? (`int8_rows` $int8_rows^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Graph_BlockMatMulOp : Graph_InferredOp<"block_matmul", "Contraction", "Never"> {
  let summary = "product of two matrices of bytes, both with a scale per block of the depth";
  let description = [{
    result[m, n] = sum over b of lhs_scales[m, b] * rhs_scales[b, n]
                                 * (start[m, b] + sum over k of block b of lhs[m, k] * rhs[k, n])

    lhs is i8, rhs i8 or ui8; the inner sum is one of i32, with start, and exact. Scales and result are f32, blocks are
    added in ascending order. The extent of the depth is a multiple of that of the blocks, which is static. Where rhs is
    more than its numbers by z, a start of -z times the sum of the row's block takes that back.

    ```mlir
    graph.block_matmul %q, %w start %z scales %s, %t : tensor<16x64xi8>, tensor<64x8xui8>, tensor<16x2xi32>,
        tensor<16x2xf32>, tensor<2x8xf32> -> tensor<16x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs, Graph_Tensor:$start, Graph_Tensor:$lhs_scales,
                       Graph_Tensor:$rhs_scales);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $lhs `,` $rhs `start` $start `scales` $lhs_scales `,` $rhs_scales attr-dict `:` type($lhs) `,` type($rhs) `,`
    type($start) `,` type($lhs_scales) `,` type($rhs_scales) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Neighbours along the depth with one scale.
    int64_t blockSize();
  }];
}

def Graph_ConvOp : Graph_PureOp<"conv", "Contraction", "Matrix"> {
  let summary = "convolution: sums over windows and the channels of a group";
  let description = [{
    result[n, o.., g * O + i] = sum over w.. and c of
        input[n, o * strides + w * dilations.., g * C + c] * weights[w.., c, g * O + i]

    with C input channels and O output channels per group; `weights` is
    [w.., C, groups * O]. So it is channels last, which is not written; with `layout channels_first`
    input, weights and result are [n, c, places..], [groups * O, C, w..] and [n, groups * O, places..].
    All windows lie inside the input (a graph.pad before it makes
    the border). f16 and bf16 accumulate in f32; i16, and i8 or ui8 with weights of i8, in i32, which the result has;
    f8E4M3FN and f8E5M2, in any pair, in f32, which it has, too;
    f32 may be multiplied as `tf32` says where the target can.

    ```mlir
    graph.conv %x, %w strides [2, 2] dilations [1, 1] groups 1
        : tensor<1x230x230x3xf32>, tensor<7x7x3x64xf32> -> tensor<1x112x112x64xf32>
    graph.conv %x, %w layout channels_first strides [2, 2] dilations [1, 1] groups 1
        : tensor<1x3x230x230xf32>, tensor<64x3x7x7xf32> -> tensor<1x64x112x112xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weights,
                       DefaultValuedAttr<Graph_ConvLayoutAttr, "::cupola::graph::ConvLayout::ChannelsLast">:$layout,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       OptionalAttr<Graph_Tf32Attr>:$tf32);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $input `,` $weights (`layout` $layout^)? `strides` $strides `dilations` $dilations `groups` $groups
    (`tf32` $tf32^)? attr-dict `:` type($input) `,` type($weights) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Where dimensions lie: of input and result the channels and the first of the places, of the weights the output
    /// channels, the channels of a group and the first of the window.
    struct Dims {
      int64_t channels, places, columns, depth, window;
    };
    static Dims dimsOf(ConvLayout layout, int64_t rank);
    Dims dims();
    /// `places`: how many windows there are along each dimension.
    static Exprs resultShape(ConvLayout layout, ::llvm::ArrayRef<Expr> input, ::llvm::ArrayRef<Expr> weights,
                             ::llvm::ArrayRef<Expr> places);
    /// More than one tap: it reads elements of its input several times.
    bool hasWindow();
  }];
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHCONTRACTIONOPS_TD
