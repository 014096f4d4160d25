//===- GraphOps.td - ops of the graph dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHOPS_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHOPS_TD

include "dialects/Graph/GraphAttrs.td"
include "dialects/Graph/GraphInferType.td"
include "dialects/Graph/GraphInterfaces.td"
include "dialects/Graph/GraphModuleOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Elements : TensorOf<[AnyFloat, AnySignlessInteger, AnyUnsignedInteger]>;
def Graph_HasShape : CPred<[{
  ::llvm::isa_and_nonnull<::cupola::graph::ShapeAttr>(::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())
}]>;

/// Its extents are numbers, or all of them expressions.
def Graph_Tensor : Type<And<[Graph_Elements.predicate, HasRankPred, Or<[HasStaticShapePred, Graph_HasShape]>]>,
                        Graph_Elements.summary # " with a shape", "::mlir::TensorType">;

/// An op on tensors without side effects that declares its classes; that of precision may be "ByKind".
class Graph_PureOp<string mnemonic, string fusionClass, string precisionClass,
                   list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<Graph_ClassInterface>],
                                     traits)> {
  let extraClassDefinition = [{
    ::cupola::graph::FusionClass $cppClass::getFusionClass() {
      return ::cupola::graph::FusionClass::}] # fusionClass # [{;
    }
    ::cupola::graph::PrecisionClass $cppClass::getPrecisionClass() {
      return ::cupola::graph::}] # !if(!eq(precisionClass, "ByKind"), "precisionOf(getKind())",
                                       "PrecisionClass::" # precisionClass) # [{;
    }
  }];
}

class Graph_ViewOp<string mnemonic, list<string> methods = []>
    : Graph_PureOp<mnemonic, "View", "Compute",
                   [DeclareOpInterfaceMethods<Graph_IndexingInterface, methods>]>;

/// An op whose result type follows: `create` needs none.
class Graph_InferredOp<string mnemonic, string fusionClass, string precisionClass, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, fusionClass, precisionClass, !listconcat(traits, [Graph_InferType])> {
  let builders = [Graph_InferringBuilder<arguments>.builder];
}
class Graph_PointwiseOp<string mnemonic, string precisionClass = "Compute">
    : Graph_InferredOp<mnemonic, "Pointwise", precisionClass, [DeclareOpInterfaceMethods<Graph_IndexingInterface>]>;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

def Graph_ConstantOp : Graph_PureOp<"constant", "Constant", "Compute", [ConstantLike]> {
  let summary = "a constant tensor; big ones are resources backed by the blob store";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, ::llvm::cast<::mlir::RankedTensorType>(value.getShapedType()), value);
  }]>];
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Graph_DimsOp : Graph_PureOp<"dims", "Pointwise", "Never",
    [DeclareOpInterfaceMethods<Graph_IndexingInterface>]> {
  let summary = "a small integer tensor whose elements are expressions over symbols";
  let arguments = (ins Graph_ExprArray:$exprs);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "custom<Exprs>($exprs) attr-dict `:` type($result)";
}

def Graph_IotaOp : Graph_PureOp<"iota", "Pointwise", "Never",
    [DeclareOpInterfaceMethods<Graph_IndexingInterface>]> {
  let summary = "an integer tensor that holds the index along `axis`";
  let arguments = (ins I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

def Graph_UnaryOp : Graph_PointwiseOp<"unary", "ByKind"> {
  let summary = "a scalar function of every element";
  let arguments = (ins Graph_UnaryKindAttr:$kind, Graph_Tensor:$input,
                       DefaultValuedAttr<F64Attr, "0.0">:$alpha,
                       DefaultValuedAttr<F64Attr, "0.0">:$beta);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $input attr-dict `:` type($input) `->` type($result)";
}

def Graph_BinaryOp : Graph_PointwiseOp<"binary", "ByKind"> {
  let summary = "a scalar function of pairs of elements";
  let arguments = (ins Graph_BinaryKindAttr:$kind, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Graph_SelectOp : Graph_PointwiseOp<"select"> {
  let summary = "condition ? lhs : rhs";
  let arguments = (ins Graph_Tensor:$condition, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $condition `,` $lhs `,` $rhs attr-dict `:` type($condition) `,` type($lhs) `,` type($rhs)
    `->` type($result)
  }];
}

def Graph_CastOp : Graph_PureOp<"cast", "Pointwise", "Compute",
    [DeclareOpInterfaceMethods<Graph_IndexingInterface>]> {
  let summary = "conversion of the element type";
  let description = [{
    Float to integer truncates and saturates; NaN becomes 0. To bool: not equal to 0. The numbers of f8E4M3FN and
    f8E5M2, exactly, to other floats alone; nothing becomes float8.

    Kernels compute f16 and bf16 in f32, and round what they store. `rounded`: the result has the digits of its type
    within a kernel, too, as a Cast of the model says.
  }];
  let arguments = (ins Graph_Tensor:$input, UnitAttr:$rounded);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input (`rounded` $rounded^)? attr-dict `:` type($input) `->` type($result)";
}

def Graph_BitcastOp : Graph_PureOp<"bitcast", "Pointwise", "Keep",
    [DeclareOpInterfaceMethods<Graph_IndexingInterface>]> {
  let summary = "the same bits as an element of another type of as many";
  let description = [{
    Not of bool, which has one bit and takes a byte. Bytes of float8 are ui8 until a bitcast says which numbers they are.
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Graph_CallOp : Graph_PureOp<"call", "Pointwise", "Keep",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Graph_IndexingInterface>]> {
  let summary = "a scalar function in CUDA C++ of the elements of its operands";
  let description = [{
    `same` is what graph ops make of the same inputs: what the reference computes, and targets whose code no
    CUDA C++ can be part of. The pass graph-choose-calls decides, once per variant.

    ```mlir
    %y = graph.call #graph.snippet<["x"] "return x * x;">(%x : tensor<8xf32>) same %square : tensor<8xf32>
        -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_SnippetAttr:$snippet, Variadic<Graph_Tensor>:$inputs, Optional<Graph_Tensor>:$same);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $snippet `(` ($inputs^ `:` type($inputs))? `)` (`same` $same^ `:` type($same))? attr-dict `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Views: no arithmetic, they compose into addresses
//===----------------------------------------------------------------------===//

def Graph_ReshapeOp : Graph_ViewOp<"reshape", ["mapIndexForward"]> {
  let summary = "the same elements in row-major order under another shape";
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Graph_TransposeOp : Graph_InferredOp<"transpose", "View", "Compute",
    [DeclareOpInterfaceMethods<Graph_IndexingInterface, ["mapIndexForward"]>]> {
  let summary = "result dimension i is input dimension perm[i]";
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input $perm attr-dict `:` type($input) `->` type($result)";
}

def Graph_BroadcastOp : Graph_ViewOp<"broadcast"> {
  let summary = "repeats dimensions of extent 1; input and result have one rank";
  let description = [{
    Where neither extent is provably 1 nor both provably equal, an input extent of 1
    is decided when shapes are bound: the input index is min(i, extent - 1).
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Graph_SliceOp : Graph_ViewOp<"slice"> {
  let summary = "result[i] = input[starts + i * steps]; sizes come from the result type";
  let arguments = (ins Graph_Tensor:$input, Graph_ExprArray:$starts, DenseI64ArrayAttr:$steps);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input custom<Exprs>($starts) $steps attr-dict `:` type($input) `->` type($result)";
}

def Graph_PadOp : Graph_ViewOp<"pad"> {
  let summary = "result[i] = input[i - low], outside of it what `mode` says";
  let description = [{
    `low` may be negative (cropping). `value` is the constant of mode `constant`.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_ExprArray:$low, Graph_PadModeAttr:$mode,
                       TypedAttrInterface:$value);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $input custom<Exprs>($low) $mode $value attr-dict `:` type($input) `->` type($result)
  }];
}

def Graph_ConcatOp : Graph_InferredOp<"concat", "View", "Compute",
    [DeclareOpInterfaceMethods<Graph_IndexingInterface>]> {
  let summary = "operands one after the other along `axis`";
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)";
}

def Graph_JoinOp : Graph_InferredOp<"join", "Join", "Compute"> {
  let summary = "a concat that no kernel computes: its operands are written where they stand in it";
  let description = [{
    The value is that of graph.concat. The kernels that compute the operands write straight
    into the memory of the result (`placementOf`), so that what lies there already, as the
    past of a key-value cache, stays where it is. Outside of graph.fusion only. After fusion
    every operand is the result of a fusion, another join, or an argument of the function
    whose memory is that of the result.

    ```mlir
    %present = graph.join %past, %new axis 2
        : tensor<1x4x?x64xf32, ..>, tensor<1x4x1x64xf32> -> tensor<1x4x?x64xf32, ..>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)";
}

def Graph_WindowOp : Graph_ViewOp<"window"> {
  let summary = "every element becomes the window that begins at it";
  let description = [{
    The dimensions from `axis` on, one per entry of `sizes`, become places of a window, and
    the dimensions of the window follow directly after them:

    result[a.., o.., w.., b..] = input[a.., o * strides + w * dilations.., b..]

    How many places there are comes from the result type; all windows lie inside the
    input (pad before where they do not).

    ```mlir
    // 3x3 windows over a padded 8x8 image of 16 channels, channels last
    graph.window %x axis 1 sizes [3, 3] strides [1, 1] dilations [1, 1]
        : tensor<1x10x10x16xf32> -> tensor<1x8x8x3x3x16xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$axis, DenseI64ArrayAttr:$sizes,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $input `axis` $axis `sizes` $sizes `strides` $strides `dilations` $dilations attr-dict
    `:` type($input) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// `places`: how many windows there are along each dimension.
    static Exprs resultShape(::llvm::ArrayRef<Expr> input, int64_t axis, ::llvm::ArrayRef<int64_t> sizes,
                             ::llvm::ArrayRef<Expr> places);
  }];
}

//===----------------------------------------------------------------------===//
// Gather: one indirect dimension
//===----------------------------------------------------------------------===//

def Graph_GatherOp : Graph_InferredOp<"gather", "Gather", "Compute"> {
  let summary = "result[a.., i.., b..] = data[a.., indices[i..], b..]";
  let description = [{
    Negative indices count from the end. An index out of range is an error of the run, which `in_range` says that
    there is none of, and no negative one: then nothing is checked.
    ONNX Gather; the first `batch_dims` dimensions are common to data and indices.
  }];
  let arguments = (ins Graph_Tensor:$data, Graph_Tensor:$indices, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims, UnitAttr:$in_range);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $data `,` $indices `axis` $axis attr-dict `:` type($data) `,` type($indices) `->` type($result)
  }];
}

def Graph_GatherElementsOp : Graph_InferredOp<"gather_elements", "Gather", "Compute"> {
  let summary = "result[i] = data[i with i[axis] = indices[i]]";
  let arguments = (ins Graph_Tensor:$data, Graph_Tensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $data `,` $indices `axis` $axis attr-dict `:` type($data) `,` type($indices) `->` type($result)
  }];
}

def Graph_GatherNDOp : Graph_InferredOp<"gather_nd", "Gather", "Compute"> {
  let summary = "the last dimension of indices holds whole coordinates of data";
  let arguments = (ins Graph_Tensor:$data, Graph_Tensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $data `,` $indices attr-dict `:` type($data) `,` type($indices) `->` type($result)
  }];
}

include "dialects/Graph/GraphRowOps.td"

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

def Graph_FusionOp : Graph_Op<"fusion", [IsolatedFromAbove, Pure,
    SingleBlockImplicitTerminator<"YieldOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "ops that become one kernel";
  let description = [{
    The region's arguments are the operands. `kind` is that of the kernel which it becomes;
    the hero is the one op in the region that is neither pointwise nor view (none for
    pointwise fusions). Later passes add:

    - `copies`: it only moves elements, and why nothing that computes writes them there
    - `library`: what a library may do instead of the kernel. `library_inputs` are the inputs
      that are its source, weights and operands of post-ops; the one result is the call's.
    - `library_refused`: why the fusion's contraction is left to the kernel
    - `kernel`: the kernel.func that computes it, and `scalars`: its n0, n1, ..

    ```mlir
    %1 = graph.fusion gemm(%a, %w) kernel @k0 []
        library <product source [16, 384] weights [384, 384] result [16, 384]> inputs [0, 1]
        : (tensor<16x384xf32>, tensor<384x384xf32>) -> tensor<16x384xf32> { .. }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, Graph_KernelKindAttr:$kind,
                       OptionalAttr<Graph_CopyReasonAttr>:$copies,
                       OptionalAttr<Graph_LibraryCallAttr>:$library,
                       OptionalAttr<DenseI64ArrayAttr>:$library_inputs,
                       OptionalAttr<Graph_ReasonAttr>:$library_refused,
                       OptionalAttr<FlatSymbolRefAttr>:$kernel, OptionalAttr<Graph_ExprArray>:$scalars);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs,
                                 "::cupola::graph::KernelKind":$kind), [{
    build($_builder, $_state, results, inputs, kind, /*copies=*/nullptr, /*library=*/nullptr,
          /*library_inputs=*/nullptr, /*library_refused=*/nullptr, /*kernel=*/nullptr, /*scalars=*/nullptr);
  }]>];
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kind `(` $inputs `)` (`kernel` $kernel^ custom<Exprs>($scalars))? (`copies` $copies^)?
    (`library` $library^ `inputs` $library_inputs)? (`refused` custom<Reason>($library_refused)^)?
    attr-dict-with-keyword `:` functional-type($inputs, $results) $body
  }];
}

def Graph_YieldOp : Graph_Op<"yield", [Terminator, Pure, ReturnLike, ParentOneOf<["FusionOp", "IfOp", "LoopOp"]>]> {
  let summary = "what a region hands out";
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

include "dialects/Graph/GraphContractionOps.td"
include "dialects/Graph/GraphControlOps.td"

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

def Graph_HostOp : Graph_PureOp<"host", "Control", "Never", [AttrSizedOperandSegments]> {
  let summary = "what the host computes of tensors in memory: an op that looks into strings, an order, a scatter";
  let description = [{
    `function` is a row of lib/Runtime/Format/HostOps.h. Strings are numbers of a table (module attribute
    `graph.strings`, to which a run adds its own), so that a tensor of them has elements of i64.

    `same` is what graph ops make of the same inputs: what the reference computes, and devices with a memory of
    their own. The pass graph-choose-calls decides, once per variant.

    ```mlir
    %y = graph.host "string_concat" [] (%a, %b) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins StrAttr:$function, StrArrayAttr:$parameters, Variadic<Graph_Tensor>:$inputs,
                       Optional<Graph_Tensor>:$same);
  let results = (outs Graph_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let assemblyFormat = [{
    $function $parameters `(` $inputs `)` (`same` $same^ `:` type($same))? attr-dict `:`
    functional-type($inputs, $result)
  }];
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHOPS_TD
