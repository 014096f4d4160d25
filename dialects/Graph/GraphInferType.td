//===- GraphInferType.td - result types that follow from operands and attributes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHINFERTYPE_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHINFERTYPE_TD

include "mlir/IR/OpBase.td"

/// The type of the one result follows: `inferResult` is the rule. Upstream's InferTypeOpInterface has types go
/// in and come out, before verify(): here the importer knows more of extents than the types of operands say,
/// and looks at those of the result before they become a type.
def Graph_InferType : NativeOpTrait<"InferType", [], [{
  using InferAdaptor = GenericAdaptor<::llvm::ArrayRef<::cupola::graph::TensorComponents>>;
  static ::cupola::graph::TensorComponents inferResult(InferAdaptor adaptor);
}]> {
  let cppNamespace = "::cupola::graph";
}

class Graph_Parameter<Constraint argument> {
  string type = !cond(!isa<Variadic>(argument) : "::mlir::ValueRange",
                      !isa<OptionalAttr>(argument) : !cast<Attr>(argument).storageType,
                      !isa<Attr>(argument) : !cast<Attr>(argument).returnType,
                      true : "::mlir::Value");
}

/// `create` without the type of the result.
class Graph_InferringBuilder<dag arguments> {
  list<int> places = !range(!size(arguments));
  list<string> names = !foreach(i, places, !getdagname(arguments, i));
  list<string> types = !foreach(i, places, Graph_Parameter<!getdagarg<Constraint>(arguments, i)>.type);
  OpBuilder builder = OpBuilder<!dag(ins, types, names), [{
    build($_builder, $_state, ::mlir::Type(), }] # !interleave(names, ", ") # [{);
    auto operands = ::cupola::graph::componentsOf($_state.operands);
    $_state.types.front() = ::cupola::graph::tensorType(inferFor($_state, operands));
  }]>;
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHINFERTYPE_TD
