//===- Passes.td - passes from graph to graph -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Every optional pass may be left out (--disable-pass=NAME) and the answer stays right.

#ifndef CUPOLA_LIB_TRANSFORMS_PASSES_TD
#define CUPOLA_LIB_TRANSFORMS_PASSES_TD

include "lib/Transforms/Layout/Passes.td"
include "lib/Transforms/Precision/Passes.td"
include "lib/Transforms/Products.td"
include "lib/Transforms/Quantized/Passes.td"
include "mlir/Pass/PassBase.td"

def Simplify : Pass<"graph-simplify", "::mlir::func::FuncOp"> {
  let summary = "drop what does nothing, merge views, move ops to where they fuse";
  let description = [{
    Identity views and neutral arithmetic go, chains of one kind of view become one,
    views of a splat constant become that constant, gathers at constant places slices, constants side by side in a concat
    one constant. Views move down and arithmetic up:
    a pointwise op whose only tensor is a reshape or transpose moves before it, rows
    that were split into batch and position stay flat as long as ops treat all rows
    alike. A constant factor of a contraction's operand moves to its result (in f32 and
    f64; narrower types only powers of two). Dead ops go.

    ```mlir
    %0 = graph.transpose %q [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
    %1 = graph.binary <mul> %0, %eighth : ... -> tensor<64x16xf32>
    %2 = graph.matmul %k, %1 : tensor<16x64xf32>, tensor<64x16xf32> -> tensor<16x16xf32>
    // becomes
    %0 = graph.transpose %q [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
    %1 = graph.matmul %k, %0 : tensor<16x64xf32>, tensor<64x16xf32> -> tensor<16x16xf32>
    %2 = graph.binary <mul> %1, %eighth : ... -> tensor<16x16xf32>
    ```
  }];
  let options = [
    Option<"motion", "motion", "bool", "true", "move ops to where they fuse">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def GraphCse : Pass<"graph-cse", "::mlir::func::FuncOp"> {
  let summary = "equal ops are computed once";
  let description = [{
    The op that stays carries the nodes of both in its location. Splat constants and
    their views stay apart, but count as equal where they are operands.

    ```mlir
    %1 = graph.unary <exp> %0 : ...
    %2 = graph.unary <exp> %0 : ...
    %3 = graph.binary <add> %1, %2 : ...
    // becomes
    %1 = graph.unary <exp> %0 : ...
    %3 = graph.binary <add> %1, %1 : ...
    ```
  }];
}

def RecognizeGelu : Pass<"graph-recognize-gelu", "::mlir::func::FuncOp"> {
  let summary = "written-out GELU becomes one op";
  let description = [{
    `0.5 * x * (1 + erf(x / sqrt(2)))` and
    `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`, the factors in any order,
    by multiplication or division, also distributed over the sum, with the sign or the
    constants inside, and as `x * sigmoid(..)`. Constants agree to 1e-6 relative, in half
    precision as far as it holds them. Casts between float types in between go: the whole
    function is computed in f32.

    ```mlir
    %1 = graph.binary <div> %x, %sqrt2 : ...
    %2 = graph.unary <erf> %1 : ...
    %3 = graph.binary <add> %2, %one : ...
    %4 = graph.binary <mul> %x, %3 : ...
    %5 = graph.binary <mul> %4, %half : ...
    // becomes
    %5 = graph.unary <gelu_erf> %x : ...
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def RecognizeSilu : Pass<"graph-recognize-silu", "::mlir::func::FuncOp"> {
  let summary = "x * sigmoid(x) and x * hard_sigmoid(x) become one op";
  let description = [{
    SiLU, QuickGELU (`x * sigmoid(1.702 * x)`, which is `silu` with another alpha), and
    hard swish from HardSigmoid or from `x * min(max(x + 3, 0), 6) / 6`, factors and bounds
    in any order. `1 / (1 + exp(-x))` is a sigmoid. Casts between float types in between go.

    ```mlir
    %1 = graph.unary <sigmoid> %x : ...
    %2 = graph.binary <mul> %x, %1 : ...
    // becomes
    %2 = graph.unary <silu> %x {alpha = 1.0 : f64} : ...
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def RecognizeLayerNorm : Pass<"graph-recognize-layer-norm", "::mlir::func::FuncOp"> {
  let summary = "written-out layer norm and RMS norm become one op";
  let description = [{
    `d / sqrt(mean(d^2) + epsilon)` over any dimensions, also by rsqrt, reciprocal or
    pow; with `d = x - mean(x)` it is a layer norm of x, else an RMS norm of d. Other
    factors may have been multiplied in before. So may the mean: `x * s + (.. - mean(x) * s)`
    with `s = 1 / sqrt(variance + epsilon)`. The variance may be `mean(x^2) - mean(x)^2`.
    Scale and bias stay as they are.

    Exporters of half precision compute all, some or none of it in f32. Casts between float
    types in between go: the norm reads and writes the types of the model and sums up in
    f32, so what they rounded is rounded less often.

    ```mlir
    %1 = graph.binary <mul> %x, %x : ...
    %2 = graph.reduce <mean> %1 [1] : tensor<4x64xf32> -> tensor<4x1xf32>
    %3 = graph.binary <add> %2, %epsilon : ...
    %4 = graph.unary <rsqrt> %3 : ...
    %5 = graph.broadcast %4 : tensor<4x1xf32> -> tensor<4x64xf32>
    %6 = graph.binary <mul> %x, %5 : ...
    // becomes
    %6 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64, rms = true} : ...
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def RecognizeGroupNorm : Pass<"graph-recognize-group-norm", "::mlir::func::FuncOp"> {
  let summary = "groups of channels that were flattened to rows keep their dimensions";
  let description = [{
    Exporters write a group norm as a normalisation of [N, groups, rest] between two
    reshapes. Over [N, groups, channels, spatial..] it stays channels last, and what
    follows joins its kernel without divisions.

    ```mlir
    %1 = graph.reshape %x : tensor<1x32x8x8xf32> -> tensor<1x4x512xf32>
    %2 = graph.layer_norm %1 axes [2] {epsilon = 1.0e-5 : f64} : ...
    %3 = graph.reshape %2 : tensor<1x4x512xf32> -> tensor<1x32x8x8xf32>
    // becomes
    %1 = graph.reshape %x : tensor<1x32x8x8xf32> -> tensor<1x4x8x8x8xf32>
    %2 = graph.layer_norm %1 axes [2, 3, 4] {epsilon = 1.0e-5 : f64} : ...
    %3 = graph.reshape %2 : tensor<1x4x8x8x8xf32> -> tensor<1x32x8x8xf32>
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def RecognizeSoftmax : Pass<"graph-recognize-softmax", "::mlir::func::FuncOp"> {
  let summary = "guarded and written-out softmax become one op";
  let description = [{
    `Where(IsNaN(s), 0, s)` and `Where(all(x == -inf), 0, s)` of a softmax s of x that
    nothing else reads become its `guard`, also of a cast of it. `exp(x - max(x)) / sum(exp(x - max(x)))` over one axis becomes a softmax,
    `x - max(x) - log(sum(exp(x - max(x))))` its logarithm.

    ```mlir
    %1 = graph.softmax %x axis 1 : ...
    %2 = graph.unary <is_nan> %1 : ...
    %3 = graph.select %2, %zero, %1 : ...
    // becomes
    %3 = graph.softmax %x axis 1 {guard = #graph<softmax_guard nan>} : ...
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def FoldScales : Pass<"graph-fold-scales", "::mlir::func::FuncOp"> {
  let summary = "a constant scale per channel becomes part of the weights before it";
  let description = [{
    Batch normalisation after a convolution, depthwise or not, or after a contraction with
    a weight: the scale multiplies the weights and the bias, which `fold-constants` then
    computes. Only where nothing else reads what is scaled.

    ```mlir
    %1 = graph.conv %x, %w ... -> tensor<1x8x8x16xf32>
    %2 = graph.broadcast %scale : tensor<1x1x1x16xf32> -> tensor<1x8x8x16xf32>
    %3 = graph.binary <mul> %1, %2 : ...
    // becomes
    %1 = graph.broadcast %scale : tensor<1x1x1x16xf32> -> tensor<3x3x8x16xf32>
    %2 = graph.binary <mul> %w, %1 : ...
    %3 = graph.conv %x, %2 ... -> tensor<1x8x8x16xf32>
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def FoldConstants : Pass<"graph-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "compute what is made of constants alone";
  let description = [{
    The values become constants of the package; what they were made of goes where nothing
    else reads it. Computed by the reference interpreter. Left alone: results above
    `max-bytes`, and results with more elements than the constants they are made of
    together, unless they are small (4096 bytes) or a table (8 MiB) of what costs much
    to make, as sines of positions: repeating a constant is cheaper in a kernel than in
    memory.

    ```mlir
    %0 = graph.unary <sqrt> %variance : tensor<384xf32> -> tensor<384xf32>
    %1 = graph.reshape %0 : tensor<384xf32> -> tensor<1x384xf32>
    // becomes, if nothing else reads %0
    %1 = graph.constant dense_resource<folded> : tensor<1x384xf32>
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "64 << 20", "the largest result to compute">,
    Option<"keepQuantized", "keep-quantized", "bool", "false", "not what makes right operands of quantised products">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def ChooseCalls : Pass<"graph-choose-calls", "::mlir::func::FuncOp"> {
  let summary = "snippets of an op library and what the host can do stay calls, or become the ops that say the same";
  let description = [{
    Runs for one variant. A call either loses its operand `same`, and what is computed for it alone goes, or, with
    `by-ops`, becomes that operand; one without it stays (requireCallable() in lib/Pipelines says so beforehand).
    A graph.host keeps its function with `by-host`, and else becomes its operand `same`.

    ```mlir
    %1 = graph.binary mul %0, %0 : ...
    %2 = graph.call #graph.snippet<["x"] "return x * x;">(%0 : tensor<8xf32>) same %1 : tensor<8xf32> -> tensor<8xf32>
    // becomes
    %1 = graph.call #graph.snippet<["x"] "return x * x;">(%0 : tensor<8xf32>) -> tensor<8xf32>
    // with by-ops
    %1 = graph.binary mul %0, %0 : ...
    ```
  }];
  let options = [
    Option<"byOps", "by-ops", "bool", "false", "no snippets">,
    Option<"byHost", "by-host", "bool", "false", "the host does what it does faster than kernels">,
  ];
}

def FoldEmpty : Pass<"graph-fold-empty", "::mlir::func::FuncOp"> {
  let summary = "what has no elements, and what is made of none, becomes a splat";
  let description = [{
    A tensor with an extent of 0 is a constant whatever computes it. Reductions over an
    empty axis are their neutral element, contractions without depth 0, pads of nothing
    their fill; operands of concats without elements go. So no schedule has to make tiles
    of nothing. Extents that are 0 only when shapes are bound are not seen here: there loops
    do not run, and launches without blocks are skipped.

    ```mlir
    %0 = graph.matmul %a, %b : tensor<3x0xf32>, tensor<0x4xf32> -> tensor<3x4xf32>
    // becomes
    %0 = graph.constant dense<0.0> : tensor<3x4xf32>
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def SplitNorms : Pass<"graph-split-norms", "::mlir::func::FuncOp"> {
  let summary = "few long rows are normalised in two stages";
  let description = [{
    A program per row leaves a GPU idle where an image has few groups or channels. Where the
    rows are at most half of the `multiprocessors` and longer than the `kept-elements` that a
    program reads once and keeps, one kernel computes mean and variance of equal parts of
    each row and another one combines them and normalises. As many parts as occupy the GPU
    are wanted, at most 64, of the outermost static dimension of a row that divides into
    them, else of the one that divides into most. Where that is less than 4, or symbols
    without bounds leave a number open, the norm stays; so do RMS norms. The reason is in
    the second op (`because`), and becomes the verdict of the edge between the two.

    ```mlir
    %1 = graph.layer_norm %x axes [1, 2, 3] {epsilon = 1.0e-5 : f64} : tensor<32x64x64x10xf32> -> ..
    // becomes, for 108 multiprocessors
    %1 = graph.reshape %x : tensor<32x64x64x10xf32> -> tensor<32x4x16x64x10xf32>
    %2 = graph.moments %1 axes [2, 3, 4] : tensor<32x4x16x64x10xf32> -> tensor<32x4x1x1x1x2xf32>
    %3 = graph.normalize %1 moments %2 axes [1, 2, 3, 4] {epsilon = 1.0e-5 : f64} : ...
    %4 = graph.reshape %3 : tensor<32x4x16x64x10xf32> -> tensor<32x64x64x10xf32>
    ```
  }];
  let options = [
    Option<"multiprocessors", "multiprocessors", "int64_t", "0", "of the device; 0: norms stay">,
    Option<"keptElements", "kept-elements", "int64_t", "16384", "longest row that is read once">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def SplitWindows : Pass<"graph-split-windows", "::mlir::func::FuncOp"> {
  let summary = "large windows are reduced one dimension after the other";
  let description = [{
    The largest element of 5 by 5 is the largest of 5, of which each is the largest of 5: 10 are read, not 25. Maxima,
    minima, sums and means of windows become one reduction for each dimension, where that saves more elements than the
    ones in between cost. Depthwise convolutions, whose windows are multiplied first, stay.

    ```mlir
    %1 = graph.window %x axis 1 sizes [5, 5] strides [1, 1] dilations [1, 1] : tensor<1x24x24x16xf32> -> tensor<1x20x20x5x5x16xf32>
    %2 = graph.reduce max %1 [3, 4] : tensor<1x20x20x5x5x16xf32> -> tensor<1x20x20x1x1x16xf32>
    // becomes, with reshapes
    %1 = graph.window %x axis 1 sizes [5] strides [1] dilations [1] : tensor<1x24x24x16xf32> -> tensor<1x20x5x24x16xf32>
    %2 = graph.reduce max %1 [2] : tensor<1x20x5x24x16xf32> -> tensor<1x20x1x24x16xf32>
    %3 = graph.window %2 axis 2 sizes [5] strides [1] dilations [1] : tensor<1x20x24x16xf32> -> tensor<1x20x20x5x16xf32>
    %4 = graph.reduce max %3 [3] : tensor<1x20x20x5x16xf32> -> tensor<1x20x20x1x16xf32>
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def ColumnNorms : Pass<"graph-column-norms", "::mlir::func::FuncOp"> {
  let summary = "rows that lie in short pieces are normalised by columns";
  let description = [{
    Where channels lie last, a row of a group or instance norm has a few elements side by side, and the next ones a whole
    pixel further on. Vectors along the channels read all rows at once: means of columns along the innermost dimension
    of rows, and the means of those, for each column that of its row; the same of the squared differences from them. What
    normalises is pointwise then. Rows whose pieces are longer than `longest-piece` stay, and so do small norms.

    ```mlir
    %1 = graph.layer_norm %x axes [1, 2, 4] {epsilon = 1.0e-5 : f64} : tensor<1x16x16x32x2xf32> -> ..
    // becomes, by reshapes and broadcasts
    %1 = graph.reduce mean %x [2] : tensor<1x16x16x64xf32> -> tensor<1x16x1x64xf32>
    %2 = graph.reduce mean %1 [1, 5] : tensor<1x16x1x32x2x2xf32> -> tensor<1x1x1x32x2x1xf32>
    %3 = .. the same of (%x - %2)^2
    %4 = (%x - %2) * rsqrt(%3 + epsilon)
    ```
  }];
  let options = [
    Option<"longestPiece", "longest-piece", "int64_t", "64", "elements of a row that lie side by side">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def JoinParts : Pass<"graph-join-parts", "::mlir::func::FuncOp"> {
  let summary = "many computed parts are written where they stand in their concat";
  let description = [{
    A concat of more than four parts, those of concats in it counted, each of which ends a
    kernel of its own (a contraction, norm or reduction, with its arithmetic), becomes
    graph.join. Concats that begin with the parts of an earlier one take that one as their
    beginning, so that the growing list of a dense block is one memory. Fewer parts stay
    a concat, which readers look into; so do parts that are views, inputs, constants or
    results of the model, whose copies would be kernels, and arithmetic that its reader
    computes. With a part that is interpolated, arithmetic on what several gathers find, the
    concat becomes graph.join in any case.

    ```mlir
    %0 = graph.concat %a, %b, %c axis 3 : ...
    %1 = graph.concat %a, %b, %c, %d, %e axis 3 : ...
    // becomes, where convolutions give %a to %e,
    %0 = graph.join %a, %b, %c axis 3 : ...
    %1 = graph.join %0, %d, %e axis 3 : ...
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def TurnConcats : Pass<"graph-turn-concats", "::mlir::func::FuncOp"> {
  let summary = "a concat that windows read transposed is transposed part by part";
  let description = [{
    A convolution of several taps reads a concat from memory (graph-form-fusions), once per
    tap. Where all read it through one transpose, paddings and slices between, the parts are
    transposed instead, so that the channels lie together in what is written.

    ```mlir
    %0 = graph.concat %a, %b axis 1 : ...
    %1 = graph.pad %0 [..] ..
    %2 = graph.transpose %1 [0, 2, 3, 1] : ...
    %3 = graph.conv %2, %weights ..
    // becomes
    %4 = graph.transpose %a [0, 2, 3, 1] : ...
    %5 = graph.transpose %b [0, 2, 3, 1] : ...
    %0 = graph.concat %4, %5 axis 3 : ...
    %2 = graph.pad %0 [..] ..
    %3 = graph.conv %2, %weights ..
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def CutConcats : Pass<"graph-cut-concats", "::mlir::func::FuncOp"> {
  let summary = "concats of very many parts are written piece by piece";
  let description = [{
    A kernel that reads a concat tests for every element which part it is in. Where that
    takes more tests than `mostTests`, those of concats in it counted, the concat becomes
    graph.join of pieces that take no more: the size of a kernel has a bound, and pieces
    alike are one kernel, told where its part begins.

    ```mlir
    %0 = graph.concat %a, %b, %c, %d, %e axis 0 : ...
    // becomes, with mostTests = 2,
    %1 = graph.concat %a, %b axis 0 : ...
    %2 = graph.concat %c, %d axis 0 : ...
    %0 = graph.join %1, %2, %e axis 0 : ...
    ```
  }];
  let options = [
    Option<"mostTests", "most-tests", "int64_t", "32", "tests that one kernel may make">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def FormFusions : Pass<"graph-form-fusions", "::mlir::ModuleOp"> {
  let summary = "group ops into graph.fusion, one kernel each";
  let description = [{
    Heroes (contractions, softmax, layer norm, reductions) take the pointwise ops and
    bijective views that follow as an epilogue; the remaining pointwise ops and gathers
    are computed inside their one consumer where that does not repeat costly work, inside
    two where that moves and keeps no more bytes than storing what they make, else form
    fusions of their own. An operand of a contraction is computed for its tiles only where
    it is a product with a gate and the columns few. Two products with a softmax of rows
    and only pointwise ops between them are one kernel that keeps no scores in memory; it
    computes its queries, and keys and values, too, if few rows read them and the model
    returns them: they are further results. Reductions of the same values along the same axes
    are one kernel with as many results, each with what follows. Views seldom become kernels: every consumer gets
    its own copy, and they compose into addresses. With `window-bytes` a transpose is
    written where a convolution would gather channels through it, with `mixed-channels` what is interpolated or reduced before a
    transpose. Each edge between two ops
    gets a #graph.verdict in graph.verdicts, which stands in front of the function.
    A fusion that only moves elements makes a result of the model and says in `copies`
    why nothing that computes writes them there: `joined` (several values side by side),
    `part` (of a value), `shared` (the value is made, or read, too, in its own layout) or
    `uncomputed` (a view of an input or a constant).

    With `epilogues=false prologues=false attention=false` every op is a kernel.

    ```mlir
    %0 = graph.matmul %a, %w : tensor<16x384xf32>, tensor<384x384xf32> -> tensor<16x384xf32>
    %1 = graph.binary <add> %0, %r : ... -> tensor<16x384xf32>
    // becomes
    %1 = graph.fusion gemm(%a, %w, %r) : (...) -> tensor<16x384xf32> {
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
    Option<"attention", "attention", "bool", "true", "compute both products of an attention in one kernel">,
    Option<"mostKept", "most-kept", "int64_t", "9223372036854775807", "elements of returned keys that attention writes, at most">,
    Option<"fewRows", "few-rows", "int64_t", "0", "products of at most so many rows that meet, and a norm before, are one kernel">,
    Option<"windowBytes", "window-bytes", "int64_t", "0",
           "images of so many bytes an element, at most, that windows read transposed are written first">,
    Option<"windowChannels", "window-channels", "int64_t", "1", "and of so many channels, at least">,
    Option<"shortRuns", "short-runs", "bool", "false", "not of all windows, but of taps that find little side by side">,
    Option<"mixedChannels", "mixed-channels", "int64_t", "0",
           "what is interpolated or reduced, of so many channels, at least, is written before they are turned outward; 0: never">,
    Option<"mirrored", "mirrored", "bool", "false",
           "images whose borders are made of their insides are written before windows read them">,
    Option<"byteKeys", "byte-keys", "bool", "false",
           "keys and values that are bytes become numbers where an attention reads them">,
    Option<"scaledByteKeys", "scaled-byte-keys", "bool", "false", "so do those that are computed of bytes and constants">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def OrderExtents : Pass<"graph-order-extents", "::mlir::func::FuncOp"> {
  let summary = "what knows its extents earlier comes earlier";
  let description = [{
    A branch or a loop may find extents: how many elements a mask lets through, how often a loop ran. The plan puts what
    uses them into a body of its own, which is entered when they are known. Where several are found that do not
    follow from each other, those ops come first, side by side, and what uses the extents behind all of them: one
    body, not one in another for each. Else the order stays.

    ```mlir
    %0 = graph.loop .. count @s1        // how many of %x are positive
    %1 = graph.fusion .. tensor<?xf32, #graph.shape<"s1">>
    %2 = graph.loop .. count @s2        // how many of %y are
    // becomes
    %0 = graph.loop .. count @s1
    %2 = graph.loop .. count @s2
    %1 = graph.fusion .. tensor<?xf32, #graph.shape<"s1">>
    ```
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

def FoldNorms : Pass<"graph-fold-norms", "::mlir::func::FuncOp"> {
  let summary = "a norm between products is no kernel: they share its work";
  let description = [{
    The kernel of a product whose rows are normalised next leaves mean and variance of parts of each row, as a second
    result. Those of products that read the norm, as their left operand, multiply the rows as they are with weights that
    its factor has scaled; what its mean, scale and shift are to the sums comes behind. Kernels that add the norm's
    result compute their elements of it. It pays where launches count, of up to `most-rows` rows.

    Nothing changes where something else reads the norm, rows or weights have not 16 bits, weights are no constants, or
    columns are no whole number of parts.

    ```mlir
    %1 = graph.fusion gemm(%a, %u) .. -> tensor<128x768xf16>
    %2 = graph.fusion row_reduction(%1, %f, %s) { .. graph.layer_norm .. } -> tensor<128x768xf16>
    %3 = graph.fusion gemm(%2, %w, %b) { %m = graph.matmul .. } -> tensor<128x3072xf16>
    // becomes
    %1:2 = graph.fusion gemm(%a, %u) { .. graph.moments .. } -> tensor<128x768xf16>, tensor<128x24x1x2xf32>
    %3 = graph.fusion gemm(%1#0, %fw, %b_and_sw, %1#1, %sums_of_fw) {
      %r = graph.statistics %moments axes [1, 2] ..
      %m = graph.matmul ..                              // (%m - mean * sums) * scale
    } -> tensor<128x3072xf16>
    ```
  }];
  let options = [
    Option<"part", "part", "int64_t", "32", "columns of a part">,
    Option<"leastRows", "least-rows", "int64_t", "8", "with so many rows, and less, norms stay">,
    Option<"mostRows", "most-rows", "int64_t", "1024", "and with more than these">,
    Option<"bf16", "bf16", "bool", "true", "the target's matrix units multiply bf16">,
  ];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
}

#endif // CUPOLA_LIB_TRANSFORMS_PASSES_TD
