//===- GraphModuleOps.td - what a module holds beside its function -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHMODULEOPS_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHMODULEOPS_TD

include "dialects/Graph/GraphAttrs.td"
include "mlir/IR/SymbolInterfaces.td"

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits>;

def Graph_SymbolOp : Graph_Op<"symbol", [Symbol]> {
  let summary = "a dimension whose extent is known when shapes are bound, or while running";
  let description = [{
    `max` 0 means unbounded. The location names the model's dimension (for people only). A `run`
    symbol has no value then: a branch or a loop gives it one, when it is left or at each iteration.

    A symbol may also be an element of an input (`graph.elements` of the argument lists those), which
    is any number where `min` is -2^63, or what its `definition` says of symbols before it.

    ```mlir
    graph.symbol @s0 {min = 1 : i64, max = 0 : i64, divisor = 1 : i64}
    graph.symbol run @s1 {min = 0 : i64}
    graph.symbol @s2 = "max(0, s1)" {min = 0 : i64}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DefaultValuedAttr<I64Attr, "1">:$min,
                       DefaultValuedAttr<I64Attr, "0">:$max,
                       DefaultValuedAttr<I64Attr, "1">:$divisor, UnitAttr:$run,
                       OptionalAttr<Graph_ExprAttr>:$definition);
  let assemblyFormat = "(`run` $run^)? $sym_name (`=` custom<Expr>($definition)^)? attr-dict";
}

def Graph_AssumeOp : Graph_Op<"assume"> {
  let summary = "a fact about extents that the model forces; checked when shapes are bound";
  let description = [{
    `reason` says, with the names of both inputs, who forces it. In a body it is about run
    symbols, and checked once those have values that the ops after it read.

    ```mlir
    graph.assume "s1" equal "s0" because "dimension 1 ('L') of input 'b' and dimension ..."
    ```
  }];
  let arguments = (ins Graph_Expr:$lhs, Graph_RelationAttr:$relation, Graph_Expr:$rhs,
                       Graph_ReasonAttr:$reason);
  let assemblyFormat = [{
    custom<Expr>($lhs) $relation custom<Expr>($rhs) `because` custom<Reason>($reason) attr-dict
  }];
}

def Graph_NodeName : ConfinedAttr<StrArrayAttr, [ArrayCount<2>]>;

def Graph_ProvenanceOp : Graph_Op<"provenance", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "the nodes of the imported model, and which of them no op need name";
  let description = [{
    `nodes` are [name, op] of every node of the inlined model, in order; names are unique.
    `folded` nodes have results that the compiler knows, `dead` ones computed nothing that is
    needed (graph::Fate). Every other node is in the location of an op (ProvenanceAudit).
    A module with this op has one function, whose passes write here.

    ```mlir
    graph.provenance nodes [["size", "Shape"], ["copy", "Identity"], ["exp", "Exp"]] folded ["size"] dead ["copy"]
    ```
  }];
  let arguments = (ins TypedArrayAttrBase<Graph_NodeName, "names and op types of nodes">:$nodes,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$folded,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$dead);
  let builders = [OpBuilder<(ins "::mlir::ArrayAttr":$nodes), [{
    build($_builder, $_state, nodes, $_builder.getArrayAttr({}), $_builder.getArrayAttr({}));
  }]>];
  let assemblyFormat = "`nodes` $nodes (`folded` $folded^)? (`dead` $dead^)? attr-dict";
}

def Graph_VerdictsOp : Graph_Op<"verdicts", [HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "what was decided about every edge of a function that became fusions";
  let description = [{
    For reports. Edges between ops that stood in the function then, by their locations.

    ```mlir
    graph.verdicts @main [#graph.verdict<fused view : loc("a") -> loc("b") because "composes into addresses">]
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$function,
                       TypedArrayAttrBase<Graph_VerdictAttr, "verdicts">:$verdicts);
  let assemblyFormat = "$function $verdicts attr-dict";
}

def Graph_PrecisionOp : Graph_Op<"precision", [HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the type that f32 values of a function were narrowed to, or are multiplied as, and what stayed f32";
  let description = [{
    For reports. `kept` are the ops whose results stayed f32 although ops of their kind may be
    narrowed, by their locations, in program order. Of tf32, `narrowed` counts the contractions.

    ```mlir
    graph.precision @main f16 narrowed 74 kept [#graph.kept<loc("exp_2"("Exp")) because "its results may be huge or tiny">]
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$function, TypeAttrOf<AnyTypeOf<[F16, BF16, TF32]>>:$element, I64Attr:$narrowed,
                       TypedArrayAttrBase<Graph_KeptAttr, "ops that stayed f32">:$kept);
  let assemblyFormat = "$function $element `narrowed` $narrowed `kept` $kept attr-dict";
}

def Graph_LayoutsOp : Graph_Op<"layouts", [HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the layouts that were chosen for the convolutions of a function";
  let description = [{
    For reports. In program order of the first convolution of each chain.

    ```mlir
    graph.layouts @main [#graph.chain<channels_last [loc("conv_1"("Conv"))] of
        [#graph.candidate<channels_first transposes 0 bytes 0 cost 800>,
         #graph.candidate<channels_last transposes 2 bytes 200 cost 400>]>]
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$function, TypedArrayAttrBase<Graph_ChainAttr, "chains">:$chains);
  let assemblyFormat = "$function $chains attr-dict";
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHMODULEOPS_TD
