//===- GraphRowOps.td - reductions and normalisations -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHROWOPS_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHROWOPS_TD

def Graph_ReduceOp : Graph_InferredOp<"reduce", "Reduction", "ByKind"> {
  let summary = "reduces `axes`, which stay with extent 1; f32 accumulation at least";
  let description = [{
    An empty reduction gives 0, 1, -inf or +inf (integers: smallest, largest) and NaN for mean.
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$kind $input $axes attr-dict `:` type($input) `->` type($result)";
}

def Graph_ArgReduceOp : Graph_InferredOp<"arg_reduce", "Reduction", "Never"> {
  let summary = "position (i64) of the largest or smallest element along `axis`, kept with extent 1";
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$input, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$last);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$kind $input `axis` $axis attr-dict `:` type($input) `->` type($result)";
}

def Graph_SoftmaxOp : Graph_InferredOp<"softmax", "RowNormal", "Compute"> {
  let summary = "exp(x - max) / sum along `axis`";
  let description = [{
    `guard`: what a row of -inf becomes.
    `log`: the logarithm of it.
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$axis,
                       DefaultValuedAttr<Graph_SoftmaxGuardAttr, "SoftmaxGuard::None">:$guard,
                       DefaultValuedAttr<BoolAttr, "false">:$log);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)";
}

def Graph_LayerNormOp : Graph_InferredOp<"layer_norm", "RowNormal", "Compute"> {
  let summary = "(x - mean) * rsqrt(variance + epsilon) over the dimensions `axes`";
  let description = [{
    Layer, group and instance normalisation: a row is what `axes` (ascending, at least
    one) span. Scale and bias are ordinary multiplications and additions after it; `rms`
    leaves the mean out (RMSNormalization).

    ```mlir
    // 8 groups of 4 channels, channels last
    graph.layer_norm %x axes [1, 2, 4] {epsilon = 1.0e-5 : f64}
        : tensor<1x16x16x8x4xf32> -> tensor<1x16x16x8x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$axes, F64Attr:$epsilon,
                       DefaultValuedAttr<BoolAttr, "false">:$rms);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input `axes` $axes attr-dict `:` type($input) `->` type($result)";
}

def Graph_MomentsOp : Graph_InferredOp<"moments", "RowNormal", "Compute"> {
  let summary = "mean and variance over the dimensions `axes`, side by side";
  let description = [{
    The reduced dimensions stay with extent 1; a last dimension of 2 holds the mean and the
    mean of squared differences from it, f16 and bf16 as f32.

    ```mlir
    // 4 parts of each of 32 groups
    graph.moments %x axes [2, 3, 4]
        : tensor<1x4x16x64x10x32xf32> -> tensor<1x4x1x1x1x32x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input `axes` $axes attr-dict `:` type($input) `->` type($result)";
}

def Graph_NormalizeOp : Graph_InferredOp<"normalize", "RowNormal", "Compute"> {
  let summary = "layer_norm whose rows come in parts of one size with known moments";
  let description = [{
    `axes` (ascending) span a row, as in graph.layer_norm. Along them `moments` has the
    input's extent where the row comes in parts, and 1 within a part. Mean and variance of
    the row are computed from those of its parts. `two_stages`: why the row was split.

    ```mlir
    graph.normalize %x moments %m axes [1, 2, 3, 4] {epsilon = 1.0e-5 : f64}
        : tensor<1x4x16x64x10x32xf32>, tensor<1x4x1x1x1x32x2xf32> -> tensor<1x4x16x64x10x32xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$moments, DenseI64ArrayAttr:$axes,
                       F64Attr:$epsilon, OptionalAttr<Graph_ReasonAttr>:$two_stages);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $input `moments` $moments `axes` $axes (`because` custom<Reason>($two_stages)^)? attr-dict
    `:` type($input) `,` type($moments) `->` type($result)
  }];
}

def Graph_StatisticsOp : Graph_InferredOp<"statistics", "RowNormal", "Compute"> {
  let summary = "what a norm of rows needs: their mean and inverse deviation, side by side";
  let description = [{
    `moments` are those of parts of one size along `axes` (graph.moments), which stay with extent 1. The last dimension
    then holds the mean of a row and 1 / sqrt(variance + epsilon), or, with `rms`, 1 / sqrt(mean of squares + epsilon).
    Of a row of equal numbers, which less their mean are nothing, the former is 0: so whoever takes the mean off later
    does not multiply roundings by it.

    ```mlir
    graph.statistics %m axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<128x24x1x2xf32> -> tensor<128x1x1x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$moments, DenseI64ArrayAttr:$axes, F64Attr:$epsilon,
                       DefaultValuedAttr<BoolAttr, "false">:$rms);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$moments `axes` $axes attr-dict `:` type($moments) `->` type($result)";
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHROWOPS_TD
