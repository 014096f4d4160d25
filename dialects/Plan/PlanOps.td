//===- PlanOps.td - the plan dialect: the host program -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// One op per kind of runtime step and per kind of record of lib/Runtime/Format/Plan.h.

#ifndef CUPOLA_DIALECTS_PLAN_PLANOPS_TD
#define CUPOLA_DIALECTS_PLAN_PLANOPS_TD

include "dialects/Graph/GraphAttrs.td"
include "dialects/Plan/PlanEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::cupola::plan";
  let summary = "what the runtime does: buffers, launches, copies, checks";
  let dependentDialects = ["::cupola::graph::GraphDialect"];
  let description = [{
    A `plan.program` is the host program of one variant, in total order. Sizes, grids and
    offsets are expressions over the model's symbols, evaluated when shapes are bound.
    The printed form is what `--emit=plan` shows; the package stores the same records.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def Plan_BufferType : TypeDef<Plan_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "bytes on the program's device";
}

def Plan_TensorMapAttr : AttrDef<Plan_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "a part of a launch's buffer for a GPU's tensor-copy instruction";
  let description = [{
    A `format::TensorMap` (lib/Runtime/Format/Plan.h): `buffer` is a position among the launch's
    buffers, extents, strides (bytes, of all dimensions but the innermost) and box start with the
    innermost dimension. With a window a copy takes `box[1]` of its places (`format::TensorWindow`).

    ```mlir
    #plan.tensor_map<buffer 0 at "0" f16 extents ["s1", "s0"] strides ["2*s1"] box [64, 128] swizzle 128>
    #plan.tensor_map<buffer 0 at "0" f16 extents ["64", "56", "56", "s0"] strides ["128", "7168", "401408"]
      box [64, 128, 1, 1] swizzle 128 window from [-1, -1] to [-1, -1] by [1, 1]>
    ```
  }];
  let parameters = (ins "uint32_t":$buffer, "::cupola::graph::ExprAttr":$offset, "::mlir::Type":$element,
                        ArrayRefParameter<"::cupola::graph::ExprAttr">:$extents,
                        ArrayRefParameter<"::cupola::graph::ExprAttr">:$strides,
                        ArrayRefParameter<"uint32_t">:$box, "uint32_t":$swizzle,
                        OptionalArrayRefParameter<"int64_t">:$lower, OptionalArrayRefParameter<"int64_t">:$upper,
                        OptionalArrayRefParameter<"uint32_t">:$steps);
  let genVerifyDecl = 1;
  let assemblyFormat = [{
    `<` `buffer` $buffer `at` custom<Expr>($offset) $element `extents` custom<ExprArray>($extents)
    `strides` custom<ExprArray>($strides) `box` ` ` `[` $box `]` `swizzle` $swizzle
    (`window` `from` ` ` `[` $lower^ `]` `to` ` ` `[` $upper `]` `by` ` ` `[` $steps `]`)? `>`
  }];
}
def Plan_TensorMapArray : TypedArrayAttrBase<Plan_TensorMapAttr, "tensor maps">;

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

def Plan_ProgramOp : Plan_Op<"program", [Symbol, IsolatedFromAbove, NoTerminator]> {
  let summary = "the steps of one variant; init launches run once per executable, before all else";
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target, StrAttr:$arch,
                       DefaultValuedAttr<I64Attr, "-1">:$arena_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $target $arch attr-dict-with-keyword $body";
}

def Plan_BufferOp : Plan_Op<"buffer", [Pure]> {
  let summary = "an input, output, weight, or bytes in the arena or of the init steps";
  let description = [{
    `index` is the position among inputs, outputs or weights, among what a step hands to its body
    (parameter), or among what the init steps write. `offset` is the place in the arena where the
    plan is static, else -1. A size that is known only in a body that gets the buffer is printed
    as `?`; growing memory is made as large as it is needed then. All bodies have the same counters: zeros, which every
    launch leaves as it found them.
  }];
  let arguments = (ins Plan_BufferKindAttr:$kind, I64Attr:$index, OptionalAttr<Graph_ExprAttr>:$bytes,
                       DefaultValuedAttr<I64Attr, "-1">:$offset);
  let results = (outs Plan_BufferType:$buffer);
  let assemblyFormat = "$kind $index custom<Size>($bytes) attr-dict";
}

def Plan_LaunchOp : Plan_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "runs a kernel over `grid`";
  let description = [{
    `grid` counts iterations (cpu), or blocks along x, y and z (cuda): one number, or a list of
    up to three. `scalars` are the values of the kernel's n0, n1, ..; `init` launches run once
    per executable. `maps` are the tensor maps that the kernel gets behind its scalars (cuda).
    `call` is what a library may do instead: its buffers are source, weights, operands of the
    post-ops, result, and the workspace if it has one.

    ```mlir
    plan.launch @k0(%x, %packed, %b, %y) grid "1" scalars []
        call(%x, %w, %b, %y) <product source [5, 48] weights [48, 8] result [5, 8] post_ops [<add_channel>]>
    plan.launch @k1(%x, %y) grid ["ceildiv(s0, 128)", "8"] scalars ["s0"]
        maps [#plan.tensor_map<buffer 0 at "0" f16 extents ["64", "s0"] strides ["128"] box [64, 64] swizzle 128>]
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Plan_BufferType>:$buffers,
                       Graph_ExprArray:$grid, Graph_ExprArray:$scalars, UnitAttr:$init,
                       OptionalAttr<Plan_TensorMapArray>:$maps,
                       Variadic<Plan_BufferType>:$callBuffers, OptionalAttr<Graph_LibraryCallAttr>:$call);
  let hasVerifier = 1;
  let assemblyFormat = [{
    (`init` $init^)? $kernel `(` $buffers `)` `grid` custom<Grid>($grid) `scalars` custom<Exprs>($scalars)
    (`maps` $maps^)? (`call` `(` $callBuffers^ `)` $call)? attr-dict
  }];
}

def Plan_CopyOp : Plan_Op<"copy"> {
  let summary = "copies bytes between buffers";
  let arguments = (ins Plan_BufferType:$source, Plan_BufferType:$target, Graph_Expr:$bytes);
  let assemblyFormat = "$source `to` $target `bytes` custom<Expr>($bytes) attr-dict";
}

def Plan_HostOp : Plan_Op<"host", [AttrSizedOperandSegments]> {
  let summary = "the host computes `outputs` of `inputs`: format::HostCall";
  let arguments = (ins StrAttr:$function, StrArrayAttr:$parameters, Variadic<Plan_BufferType>:$inputs,
                       Variadic<Plan_BufferType>:$outputs);
  let assemblyFormat = "$function $parameters `(` $inputs `)` `to` `(` $outputs `)` attr-dict";
}

def Plan_AssertOp : Plan_Op<"assert"> {
  let summary = "what has to hold when the body is entered; `reason` is the error";
  let arguments = (ins Graph_Expr:$lhs, Graph_RelationAttr:$relation, Graph_Expr:$rhs, Graph_ReasonAttr:$reason);
  let assemblyFormat = [{
    custom<Expr>($lhs) $relation custom<Expr>($rhs) `because` custom<Reason>($reason) attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// A step that enters bodies. They hold what plan.program holds; what they get are their
/// parameters, by position.
class Plan_ControlOp<string mnemonic>
    : Plan_Op<mnemonic, [IsolatedFromAbove, SingleBlock, NoTerminator, AttrSizedOperandSegments]> {
  let hasVerifier = 1;
}

def Plan_IfOp : Plan_ControlOp<"if"> {
  let summary = "enters one of two bodies";
  let description = [{
    format::Branch (lib/Runtime/Format/Plan.h). The bodies' parameters are `captures`, which they
    read, and `results`, which they write. When a branch is left, `symbols` get its values.
  }];
  let arguments = (ins Plan_BufferType:$condition, Variadic<Plan_BufferType>:$captures,
                       Variadic<Plan_BufferType>:$results, FlatSymbolRefArrayAttr:$symbols,
                       Graph_ExprArray:$then_values, Graph_ExprArray:$else_values,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$arena_bytes);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition `(` $captures `)` `to` `(` $results `)` `symbols` $symbols custom<Exprs>($then_values)
    custom<Exprs>($else_values) attr-dict-with-keyword $thenRegion `else` $elseRegion
  }];
}

def Plan_CallOp : Plan_ControlOp<"call"> {
  let summary = "enters a body: the rest of one whose sizes are known from here on";
  let arguments = (ins Variadic<Plan_BufferType>:$captures, Variadic<Plan_BufferType>:$results,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$arena_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $captures `)` `to` `(` $results `)` attr-dict-with-keyword $body";
}

def Plan_WhileOp : Plan_ControlOp<"while"> {
  let summary = "enters a body again and again";
  let description = [{
    format::Loop (lib/Runtime/Format/Plan.h). The body's parameters are `captures`, the carried values
    of the iteration before, those that it computes, a row of each of `rows`, and `proceed`. Carried
    extents: the symbol in the body, its value before the loop and after an iteration, and the symbol
    that has the last value.
  }];
  let arguments = (ins Optional<Plan_BufferType>:$trip, Optional<Plan_BufferType>:$condition,
                       Optional<Plan_BufferType>:$proceed, Variadic<Plan_BufferType>:$captures,
                       Variadic<Plan_BufferType>:$initial, Variadic<Plan_BufferType>:$results,
                       Variadic<Plan_BufferType>:$spare, Variadic<Plan_BufferType>:$row,
                       Variadic<Plan_BufferType>:$rows, OptionalAttr<Graph_ExprAttr>:$limit,
                       OptionalAttr<FlatSymbolRefAttr>:$index, OptionalAttr<FlatSymbolRefAttr>:$count,
                       FlatSymbolRefArrayAttr:$symbols, Graph_ExprArray:$first_values,
                       Graph_ExprArray:$next_values, FlatSymbolRefArrayAttr:$last_symbols,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$arena_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`limit` custom<Expr>($limit)^)? (`trip` $trip^)? (`if` $condition^)? (`while` $proceed^)? `(` $captures `)`
    `carries` `(` $initial `)` `to` `(` $results `)` `(` $spare `)` `rows` `(` $row `)` `to` `(` $rows `)`
    (`index` $index^)? (`count` $count^)? `symbols` $symbols custom<Exprs>($first_values)
    custom<Exprs>($next_values) $last_symbols attr-dict-with-keyword $body
  }];
}

#endif // CUPOLA_DIALECTS_PLAN_PLANOPS_TD
