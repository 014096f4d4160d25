//===- GraphControlOps.td - branches and loops -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Their regions, called bodies, are isolated: what a body reads of the values around it are operands
// (`captures`), constants but for those, which each body has for itself. So no pass meets a value of
// another body, and a body becomes a part of the plan with parameters as it stands.

#ifndef CUPOLA_DIALECTS_GRAPH_GRAPHCONTROLOPS_TD
#define CUPOLA_DIALECTS_GRAPH_GRAPHCONTROLOPS_TD

/// Names of graph.symbol ops.
def Graph_SymbolRefs : TypedArrayAttrBase<FlatSymbolRefAttr, "symbols"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

class Graph_ControlOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([IsolatedFromAbove, SingleBlock, DeclareOpInterfaceMethods<Graph_ClassInterface>,
                                      DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::cupola::graph::FusionClass $cppClass::getFusionClass() { return ::cupola::graph::FusionClass::Control; }
    ::cupola::graph::PrecisionClass $cppClass::getPrecisionClass() { return ::cupola::graph::PrecisionClass::Never; }
    /// Without results that are read it is dead unless something reads the symbols that it gives values.
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      if (givesSymbols())
        effects.emplace_back(::mlir::MemoryEffects::Write::get());
    }
  }];
}

def Graph_IfOp : Graph_ControlOp<"if"> {
  let summary = "one of two bodies, chosen by one element of data";
  let description = [{
    Both bodies have the captures as arguments. An extent in which they differ is one of `symbols` in
    the type of the result: a run symbol, which gets its value from the branch that was taken.

    ```mlir
    %y = graph.if %c captures(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    } else {
    ^bb0(%a: tensor<4xf32>):
      %n = graph.unary neg %a : tensor<4xf32> -> tensor<4xf32>
      graph.yield %n : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Graph_Tensor:$condition, Variadic<Graph_Tensor>:$captures,
                       DefaultValuedAttr<Graph_SymbolRefs, "{}">:$symbols);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let extraClassDeclaration = [{
    bool givesSymbols() { return !getSymbols().empty(); }
  }];
  let assemblyFormat = [{
    $condition (`captures` `(` $captures^ `)`)? (`symbols` $symbols^)? attr-dict `:`
    functional-type(operands, results) $thenRegion `else` $elseRegion
  }];
}

def Graph_LoopOp : Graph_ControlOp<"loop", [AttrSizedOperandSegments]> {
  let summary = "a body that is computed again and again, each time from what the time before made";
  let description = [{
    An iteration follows while there were fewer than `limit` (an expression) and than `trip` (one
    int64), and the condition holds: `while` says whether to begin, and with `proceeds` the first value
    that the body yields whether to go on. What is not there sets no limit.

    The body has the captures and the carried values as arguments. It yields the carried values, which
    are the first results, and a row of each further result, which has all rows, the first one first.

    `index` is a run symbol of the body, the iteration counted from 0; `count` one that is known
    afterwards: how many there were. A body that does nothing counts nothing: with nothing but a `trip`
    the count is that number, which is how a number of data becomes a symbol.

    `symbols` come in pairs. An extent of a carried value that changes is the first of a pair in the
    body's argument, and the second in the result. An extent of all rows that is known only in the body
    is the second of a pair in the result; the first stands nowhere.

    ```mlir
    %s, %all = graph.loop limit "8" carried(%x) captures(%w) index @s1
        : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    ^bb0(%b: tensor<4xf32>, %a: tensor<4xf32>):
      %n = graph.binary add %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      graph.yield %n, %n : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Optional<Graph_Tensor>:$trip, Optional<Graph_Tensor>:$condition,
                       Variadic<Graph_Tensor>:$carried, Variadic<Graph_Tensor>:$captures,
                       OptionalAttr<Graph_ExprAttr>:$limit, UnitAttr:$proceeds,
                       OptionalAttr<FlatSymbolRefAttr>:$index, OptionalAttr<FlatSymbolRefAttr>:$count,
                       DefaultValuedAttr<Graph_SymbolRefs, "{}">:$symbols);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    bool givesSymbols() { return !getSymbols().empty() || getCount(); }
    /// What the body yields of the carried values, and of the rows.
    ::mlir::ValueRange getYieldedCarried();
    ::mlir::ValueRange getYieldedRows();
    ::mlir::Block::BlockArgListType getCarriedArguments() {
      return getBody().getArguments().drop_front(getCaptures().size());
    }
  }];
  let assemblyFormat = [{
    (`limit` custom<Expr>($limit)^)? (`trip` $trip^)? (`while` $condition^)? (`proceeds` $proceeds^)?
    (`carried` `(` $carried^ `)`)? (`captures` `(` $captures^ `)`)? (`index` $index^)? (`count` $count^)?
    (`symbols` $symbols^)? attr-dict `:` functional-type(operands, results) $body
  }];
}

#endif // CUPOLA_DIALECTS_GRAPH_GRAPHCONTROLOPS_TD
