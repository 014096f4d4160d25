//===- GraphDialect.td - the graph dialect and its attributes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHDIALECT_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::cupola::graph";
  let summary = "tensors with value semantics, the level at which models are optimised";
  let description = [{
    Ops follow ONNX where names and semantics coincide. An op exists when fusion,
    precision, layout or a schedule must see it whole; everything else is decomposed
    by the importer.

    Tensor types are builtin. A tensor with a dynamic dimension carries its shape as
    `#graph.shape<"s0", "16", "384*s1">`: one canonical `cupola::Expr` per dimension.
    A static tensor has no encoding. Equal expressions are equal dimensions; different
    ones are unknown. Names of the model stay in locations.

    Broadcasting is explicit: operands of pointwise ops have the shape of the result.

    What a pass tells a later one is declared: an attribute of an op, an op of the module
    (`graph.provenance`, `graph.verdicts`), or one of the attributes that the function's
    arguments and results may have:

    | attribute | on | value |
    |---|---|---|
    | `graph.name` | arguments, results | the model's name of the input or output |
    | `graph.dims` | arguments | extents that bind symbols (dialects/Graph/Interface.h) |
    | `graph.element` | arguments, results | the name of an element type of the interface alone: `"f8e4m3fn"` (dialects/Graph/Interface.h) |
    | `graph.storage` | arguments, results | shape of the memory (dialects/Graph/Placement.h) |
    | `graph.alias` | results | number of the argument that shares the memory |

    No pass reads a text: sentences for people are `#graph.reason`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class Graph_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Graph_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
}

def Graph_ExprParameter : AttrOrTypeParameter<"::cupola::Expr", "canonical"> {
  let cppAccessorType = "const ::cupola::Expr &";
}

def Graph_ExprAttr : Graph_Attr<"Expr", "expr"> {
  let summary = "an integer expression, canonical and unique (`cupola::Expr`)";
  let parameters = (ins Graph_ExprParameter:$value);
  let assemblyFormat = "`<` custom<ExprText>($value) `>`";
}

// An expression of an op: read and built as a `cupola::Expr`.
def Graph_Expr : Attr<CPred<"::cupola::graph::isExpr($_self)">, "expression within 64 bits"> {
  let storageType = "::cupola::graph::ExprAttr";
  let returnType = "const ::cupola::Expr &";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::cupola::graph::ExprAttr::get($_builder.getContext(), $0)";
}
def Graph_ExprArray : TypedArrayAttrBase<Graph_Expr, "expressions within 64 bits">;

def Graph_ShapeAttr : Graph_Attr<"Shape", "shape",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the symbolic shape of a tensor, one canonical expression per dimension";
  let parameters = (ins ArrayRefParameter<"::cupola::graph::ExprAttr">:$dims);
  let assemblyFormat = "`<` custom<ExprList>($dims) `>`";
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHDIALECT_TD
