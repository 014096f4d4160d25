//===- GraphAttrs.td - reasons, verdicts, library calls and snippets -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHATTRS_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHATTRS_TD

include "dialects/Graph/GraphEnums.td"

def Graph_ReasonAttr : Graph_Attr<"Reason", "reason"> {
  let summary = "a text for people; no pass reads it";
  let parameters = (ins StringRefParameter<"a sentence">:$text);
  let assemblyFormat = "`<` custom<Text>($text) `>`";
}

def Graph_VerdictAttr : Graph_Attr<"Verdict", "verdict"> {
  let summary = "whether two ops are computed in one kernel, by which rule and why";
  let description = [{
    `rule` names a row of the table of rules (lib/Transforms/Fusion/Rules/Rules.cpp); `views` are
    passed on the way, from the producer on.

    ```mlir
    #graph.verdict<apart hero : loc("scores"("MatMul")) -> loc("probs"("Softmax")) because "a kernel has one hero">
    ```
  }];
  let parameters = (ins "::mlir::LocationAttr":$producer, "::mlir::LocationAttr":$consumer, "bool":$fused,
                        StringRefParameter<"name of a rule">:$rule, "::cupola::graph::ReasonAttr":$reason,
                        OptionalArrayRefParameter<"::mlir::LocationAttr">:$views);
  let genVerifyDecl = 1;
  let assemblyFormat = [{
    `<` custom<Fused>($fused) custom<Name>($rule) `:` $producer `->` $consumer (`through` `[` $views^ `]`)?
    `because` custom<Reason>($reason) `>`
  }];
}

def Graph_KeptAttr : Graph_Attr<"Kept", "kept"> {
  let summary = "an op whose results stayed f32, and why";
  let description = [{
    ```mlir
    #graph.kept<loc("exp_2"("Exp")) because "its results may be huge or tiny">
    ```
  }];
  let parameters = (ins "::mlir::LocationAttr":$node, "::cupola::graph::ReasonAttr":$reason);
  let assemblyFormat = "`<` $node `because` custom<Reason>($reason) `>`";
}

def Graph_CandidateAttr : Graph_Attr<"Candidate", "candidate"> {
  let summary = "a layout that a chain of convolutions may have, and what it costs";
  let description = [{
    `transposes` stand at the border of the chain and move `bytes`; `cost` is in bytes of memory traffic, summed over the targets.

    ```mlir
    #graph.candidate<channels_last transposes 2 bytes 4816896 cost 9633792>
    ```
  }];
  let parameters = (ins EnumParameter<Graph_ConvLayout>:$layout, "int64_t":$transposes, "int64_t":$bytes,
                        "int64_t":$cost);
  let assemblyFormat = "`<` $layout `transposes` $transposes `bytes` $bytes `cost` $cost `>`";
}

def Graph_ChainAttr : Graph_Attr<"Chain", "chain"> {
  let summary = "convolutions of one layout, and what was chosen for them";
  let description = [{
    ```mlir
    #graph.chain<channels_last [loc("conv_1"("Conv")), loc("conv_2"("Conv"))] of
        [#graph.candidate<channels_first transposes 0 bytes 0 cost 800>,
         #graph.candidate<channels_last transposes 2 bytes 200 cost 400>]>
    ```
  }];
  let parameters = (ins EnumParameter<Graph_ConvLayout>:$layout, ArrayRefParameter<"::mlir::LocationAttr">:$nodes,
                        ArrayRefParameter<"::cupola::graph::CandidateAttr">:$candidates);
  let assemblyFormat = "`<` $layout `[` $nodes `]` `of` `[` $candidates `]` `>`";
}

def Graph_PostOpAttr : Graph_Attr<"PostOp", "post_op"> {
  let summary = "what a library does to every element of its result";
  let description = [{ `alpha` and `beta` are f32; both are there unless both are 0. }];
  let parameters = (ins EnumParameter<Graph_PostOpKind>:$kind, OptionalParameter<"::mlir::FloatAttr">:$alpha,
                        OptionalParameter<"::mlir::FloatAttr">:$beta);
  let assemblyFormat = "`<` $kind (`,` $alpha^ `,` $beta)? `>`";
}

def Graph_LibraryCallAttr : Graph_Attr<"LibraryCall", "library_call"> {
  let summary = "what a library may do in place of a kernel";
  let description = [{
    A `format::LibraryCall` (lib/Runtime/Format/LibraryCall.h, which says what the shapes are)
    without its buffers, which are operands in the IR.

    ```mlir
    #graph.library_call<convolution source [1, 56, 56, 64] weights [3, 3, 64, 64] result [1, 56, 56, 64]
                        strides [1, 1] dilations [1, 1] padding [1, 1]
                        post_ops [<add_channel>, <clip, 0.0 : f32, 6.0 : f32>]>
    #graph.library_call<strided_product source [12, 32, 64] weights [12, 64, 32] result [12, 32, 32]
                        of f16 steps [64, 768, 1] and [64, 1, 768] workspace 4194304>
    ```
  }];
  let parameters = (ins EnumParameter<Graph_LibraryCallKind>:$kind, ArrayRefParameter<"int64_t">:$source,
                        ArrayRefParameter<"int64_t">:$weights, ArrayRefParameter<"int64_t">:$result,
                        OptionalArrayRefParameter<"int64_t">:$strides,
                        OptionalArrayRefParameter<"int64_t">:$dilations,
                        OptionalArrayRefParameter<"int64_t">:$padding,
                        OptionalArrayRefParameter<"::cupola::graph::PostOpAttr">:$post_ops,
                        OptionalParameter<"::mlir::Type">:$element,
                        OptionalArrayRefParameter<"int64_t">:$source_strides,
                        OptionalArrayRefParameter<"int64_t">:$weights_strides,
                        DefaultValuedParameter<"int64_t", "0">:$workspace);
  let assemblyFormat = [{
    `<` $kind `source` `[` $source `]` `weights` `[` $weights `]` `result` `[` $result `]`
    (`strides` `[` $strides^ `]`)? (`dilations` `[` $dilations^ `]`)? (`padding` `[` $padding^ `]`)?
    (`post_ops` `[` $post_ops^ `]`)?
    (`of` $element^ `steps` `[` $source_strides `]` `and` `[` $weights_strides `]`)? (`workspace` $workspace^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Source, weights and the operands of post-ops.
    int64_t countInputs();
  }];
}

def Graph_SnippetAttr : Graph_Attr<"Snippet", "snippet"> {
  let summary = "the body of a scalar function in CUDA C++, from an op library";
  let description = [{
    `text` is code of the one who compiles, never of a model. `parameters` are its identifiers, whose types
    are those of the scalars that it is called with; it returns the type of the call's result.

    ```mlir
    #graph.snippet<["x", "alpha"] "return x / (1.0f + expf(-alpha * x));">
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$parameters,
                        StringRefParameter<"statements">:$text);
  let assemblyFormat = "`<` (`[` $parameters^ `]`)? custom<Text>($text) `>`";
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHATTRS_TD
