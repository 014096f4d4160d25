//===- GraphInterfaces.td - what passes ask of an op -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHINTERFACES_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHINTERFACES_TD

include "mlir/IR/OpBase.td"

def Graph_ClassInterface : OpInterface<"ClassInterface"> {
  let cppNamespace = "::cupola::graph";
  let description = [{ Passes work by class, never by op name. }];
  let methods = [
    InterfaceMethod<"How the op takes part in fusion.", "::cupola::graph::FusionClass",
                    "getFusionClass">,
    InterfaceMethod<"What the precision pass may do with the op.",
                    "::cupola::graph::PrecisionClass", "getPrecisionClass">,
  ];
}

def Graph_IndexingInterface : OpInterface<"IndexingInterface"> {
  let cppNamespace = "::cupola::graph";
  let description = [{
    Views and pointwise ops map an index of their result to an index of each operand.
    Indices are `cupola::Expr` over iteration variables and symbols.
  }];
  let methods = [
    InterfaceMethod<[{
      The element of operand `operand` that element `index` of the result is made of.
      `ranges` bounds the variables in `index`.
    }], "::cupola::graph::OperandIndex", "mapIndex",
    (ins "unsigned":$operand, "::llvm::ArrayRef<::cupola::Expr>":$index,
         "const ::cupola::Ranges &":$ranges)>,
    InterfaceMethod<[{
      The inverse for views that are bijections: the place in the result where element
      `index` of operand 0 lands. Nothing where the op is no bijection.
    }], "::std::optional<::llvm::SmallVector<::cupola::Expr>>", "mapIndexForward",
    (ins "::llvm::ArrayRef<::cupola::Expr>":$index, "const ::cupola::Ranges &":$ranges),
    "", "return ::std::nullopt;">,
  ];
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHINTERFACES_TD
