//===- KernelOps.td - ops of the kernel dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_KERNEL_KERNELOPS_TD
#define CUPOLA_DIALECTS_KERNEL_KERNELOPS_TD

include "dialects/Graph/GraphAttrs.td"
include "dialects/Kernel/KernelDialect.td"
include "dialects/Kernel/KernelInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// A scalar: a float, a signed or unsigned integer, or bool (i1).
def Kernel_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger, AnyUnsignedInteger]>;

// What an ordered loop hands from one step to the next.
def Kernel_Carried : AnyTypeOf<[Kernel_Scalar, Kernel_TileType]>;

def Kernel_Position : DeclareOpInterfaceMethods<Kernel_PositionInterface>;
def Kernel_Defines : DeclareOpInterfaceMethods<Kernel_IndexInterface>;

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_FuncOp : Kernel_Op<"func", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
                                       Kernel_Defines]> {
  let summary = "a kernel: its body runs for every point of the grid";
  let description = [{
    The region's arguments are the buffer parameters and, after them, the point of the grid.
    `grid` holds its extents, row-major; no extents: one point. `scalars` describes n0, n1,
    .. `kind` says what it computes; `schedule` how a target runs it, once that is chosen.

    ```mlir
    kernel.func @k0 row_reduction grid (%g0) in [16*n0] scalars [#kernel.scalar<1, 0, 1>]
        (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
      %x = kernel.map (%d0) in [384] {
        %v = kernel.load %in0[384*%g0 + %d0] : f32 from !kernel.view<f32, read>
        kernel.yield %v : f32
      } : !kernel.tile<f32, "384">
      ...
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Graph_KernelKindAttr:$kind, Graph_ExprArray:$grid,
                       TypedArrayAttrBase<Kernel_ScalarAttr, "scalar parameters">:$scalars,
                       OptionalAttr<Kernel_ScheduleInterface>:$schedule,
                       OptionalAttr<TypedArrayAttrBase<Kernel_PackedAttr, "packed parameters">>:$packed);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The buffer parameters.
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getViews() {
      return getBody().getArguments().drop_back(getGrid().size());
    }
    /// The point of the grid, one index per extent.
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getPoint() {
      return getBody().getArguments().take_back(getGrid().size());
    }
    /// Those of getPacked(), none where there is none.
    ::llvm::SmallVector<PackedAttr> getPackedOperands();
    /// The one of them that is this parameter; null: it is none.
    PackedAttr getPackedOperand(unsigned parameter);
    bool isPacked(unsigned parameter) { return static_cast<bool>(getPackedOperand(parameter)); }
  }];
}

// The region's arguments are the point; the first extent is that of the outermost loop.
class Kernel_LoopOp<string mnemonic, list<Trait> traits = []>
    : Kernel_Op<mnemonic, !listconcat([SingleBlock, Kernel_Defines], traits)> {
  let hasVerifier = 1;
}

def Kernel_ForeachOp : Kernel_LoopOp<"foreach", [NoTerminator, RecursiveMemoryEffects]> {
  let summary = "runs its region for every point, in any order";
  let arguments = (ins Graph_ExprArray:$extents);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Loop>($extents, $body) attr-dict-with-keyword";
}

def Kernel_MapOp : Kernel_LoopOp<"map", [RecursiveMemoryEffects,
                                         SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "one tile element per point, kept for later iterations over the same space";
  let arguments = (ins Graph_ExprArray:$extents);
  let results = (outs Variadic<Kernel_TileType>:$tiles);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Loop>($extents, $body) attr-dict-with-keyword (`:` type($tiles)^)?";
}

def Kernel_ReduceOp : Kernel_LoopOp<"reduce", [RecursiveMemoryEffects,
                                               SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "combines what its region yields over all points (sum, prod, max or min)";
  let description = [{
    Result i is combined by kinds[i] in its own type, starting from the neutral element
    (0, 1, -inf or the smallest integer, +inf or the largest). Max and min let NaN win.
  }];
  let arguments = (ins TypedArrayAttrBase<Graph_ReduceKindAttr, "kinds">:$kinds,
                       Graph_ExprArray:$extents);
  let results = (outs Variadic<Kernel_Scalar>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kinds custom<Loop>($extents, $body) attr-dict-with-keyword (`:` type($results)^)?
  }];
}

def Kernel_ArgReduceOp : Kernel_LoopOp<"arg_reduce", [RecursiveMemoryEffects,
                                                      SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "the linear position (i64) of the largest or smallest value; ties: first or last";
  let arguments = (ins Graph_ReduceKindAttr:$kind, BoolAttr:$last, Graph_ExprArray:$extents);
  let results = (outs Kernel_Scalar:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind `last` $last custom<Loop>($extents, $body) attr-dict-with-keyword `:` type($result)
  }];
}

def Kernel_ForOp : Kernel_Op<"for", [RecursiveMemoryEffects, Kernel_Defines,
                                     SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "steps in order, which carry tiles and scalars from one to the next";
  let description = [{
    The region's arguments are the step, below `steps`, and what is carried: `inits` at the
    first step, then what the step before yielded. The results are what the last one
    yielded, `inits` where there are no steps.

    A second region says that parts of the steps, each from `inits` on, give what all of them give
    one after the other: from what comes of the steps before and what comes of those behind it
    yields what comes of both. A schedule may use it; nothing else runs it.

    `visible` says of an element of the carried tiles whose first index is `row` that steps before
    the first and from the second expression on leave it as it is. A schedule may leave them out.
    Neither decreases as `row` grows.

    ```mlir
    %sum = kernel.for (%j) below ceildiv(n0, 64) carry (%s = %zero) : !kernel.tile<f32, "16"> {
      ...
      kernel.yield %next : !kernel.tile<f32, "16">
    } meet (%before) (%behind) {
      ...
      kernel.yield %both : !kernel.tile<f32, "16">
    }
    ```
  }];
  let arguments = (ins Graph_Expr:$steps, Variadic<Kernel_Carried>:$inits,
                       OptionalAttr<Graph_ExprArray>:$visible);
  let results = (outs Variadic<Kernel_Carried>:$results);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$meet);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getStep() { return getBody().getArgument(0); }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getCarried() { return getBody().getArguments().drop_front(); }
    /// The states of `meet`, which is there.
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getBefore() {
      return getMeet().getArguments().take_front(getNumResults());
    }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getBehind() {
      return getMeet().getArguments().drop_front(getNumResults());
    }
    YieldOp getYield();
    /// What `visible` calls the first index.
    static constexpr const char *rowSymbol = "row";
    /// All steps that rows from `first` to `last`, in any symbols, need: from the first to before the second.
    std::pair<Expr, Expr> stepsOfRows(const Expr &first, const Expr &last);
  }];
}

def Kernel_DotOp : Kernel_Op<"dot", [RecursiveMemoryEffects, Kernel_Defines]> {
  let summary = "tile[m, n] = init[m, n] + sum over k of lhs(m, k) * rhs(k, n)";
  let description = [{
    `extents` are those of m, n and k; the regions yield one scalar each, `lhs` at its
    arguments m and k, `rhs` at its arguments k and n. The tile's type accumulates; without
    `init` it begins with 0.
    A region that only loads one element is a plain operand: it may be copied
    asynchronously or read where it lies; any other is a computed prologue.
    f32 operands may be multiplied as `tf32` says where the target can.
    With `blocks` the depth falls into blocks of so many elements: the products of i8 by i8 or ui8 in block b are
    summed in i32, from start(m, b) on, and the sum over blocks, in f32, is one of these times the scales of (m, b) and
    of (b, n).

    ```mlir
    %t = kernel.dot [40, 64, 96] lhs (%m, %k) { .. } rhs (%k, %n) { .. } : !kernel.tile<f32, "40", "64">
    %u = kernel.dot [40, 64, 96] lhs (%m, %k) { .. } rhs (%k, %n) { .. }
        blocks 32 start (%m, %b) { .. } scales (%m, %b) { .. } by (%b, %n) { .. } : !kernel.tile<f32, "40", "64">
    ```
  }];
  let arguments = (ins Graph_ExprArray:$extents, Optional<Kernel_TileType>:$init,
                       OptionalAttr<Graph_Tf32Attr>:$tf32, OptionalAttr<I64Attr>:$block);
  let results = (outs Kernel_TileType:$tile);
  let regions = (region SizedRegion<1>:$lhs, SizedRegion<1>:$rhs, VariadicRegion<SizedRegion<1>>:$parts);
  let assemblyFormat = [{
    custom<Extents>($extents) (`init` $init^ `:` type($init))? (`tf32` $tf32^)? attr-dict-with-keyword `lhs` custom<Body>($lhs)
    `rhs` custom<Body>($rhs) custom<DepthBlocks>($block, $parts) `:` type($tile)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Of blocks: yield at (m, b), (m, b) and (b, n).
    ::mlir::Region &getStart() { return getParts()[0]; }
    ::mlir::Region &getLhsScale() { return getParts()[1]; }
    ::mlir::Region &getRhsScale() { return getParts()[2]; }
  }];
}

def Kernel_YieldOp : Kernel_Op<"yield", [Terminator, Pure, ReturnLike,
    ParentOneOf<["MapOp", "ReduceOp", "ArgReduceOp", "DotOp", "ForOp"]>]> {
  let summary = "the scalars of one point, or what a step hands to the next";
  let arguments = (ins Variadic<Kernel_Carried>:$values);
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

def Kernel_LoadOp : Kernel_Op<"load", [AttrSizedOperandSegments, Kernel_Position,
    MemoryEffects<[MemRead]>]> {
  let summary = "the element at `position` of a buffer, or `other` where the mask fails";
  let description = [{
    The load happens only where every expression of `mask` is >= 0. Loads from `read`
    buffers may move freely.
  }];
  let arguments = (ins Kernel_ViewType:$view, Graph_Expr:$position,
                       DefaultValuedAttr<Graph_ExprArray, "{}">:$mask, Variadic<Index>:$indices,
                       Optional<Kernel_Scalar>:$other);
  let results = (outs Kernel_Scalar:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $view `` custom<Access>($position, $mask, $indices) (`else` $other^ `:` type($other))? attr-dict
    `:` type($result) `from` type($view)
  }];
}

def Kernel_StoreOp : Kernel_Op<"store", [Kernel_Position, MemoryEffects<[MemWrite]>]> {
  let summary = "writes an element where the mask holds";
  let arguments = (ins Kernel_Scalar:$value, Kernel_ViewType:$view, Graph_Expr:$position,
                       DefaultValuedAttr<Graph_ExprArray, "{}">:$mask, Variadic<Index>:$indices);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $value `,` $view `` custom<Access>($position, $mask, $indices) attr-dict
    `:` type($value) `to` type($view)
  }];
}

def Kernel_ExtractOp : Kernel_Op<"extract", [Pure, Kernel_Position]> {
  let summary = "the element of a tile at a point";
  let arguments = (ins Kernel_TileType:$tile, Graph_ExprArray:$point, Variadic<Index>:$indices);
  let results = (outs Kernel_Scalar:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $tile custom<Positions>($point, $indices) attr-dict `:` type($result) `from` type($tile)
  }];
}

def Kernel_IndexOp : Kernel_Op<"index", [Pure, Kernel_Position]> {
  let summary = "the value of an expression as a scalar";
  let arguments = (ins Graph_Expr:$expr, Variadic<Index>:$indices);
  let results = (outs I64:$result);
  let assemblyFormat = "custom<Position>($expr, $indices) attr-dict";
}

def Kernel_ApplyOp : Kernel_Op<"apply", [Pure, Kernel_Position, Kernel_Defines]> {
  let summary = "the value of an expression as an index";
  let description = [{
    `below` bounds the values for which the result is used: guards keep the others away
    from memory. The location may name the result; printers of sources use the name.
  }];
  let arguments = (ins Graph_Expr:$expr, Graph_Expr:$below, Variadic<Index>:$indices);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Position>($expr, $indices) `below` custom<Extent>($below) attr-dict";
}

def Kernel_InRangeOp : Kernel_Op<"in_range", [Pure, Kernel_Position]> {
  let summary = "whether every expression is >= 0";
  let arguments = (ins Graph_ExprArray:$exprs, Variadic<Index>:$indices);
  let results = (outs I1:$result);
  let assemblyFormat = "custom<Positions>($exprs, $indices) attr-dict";
}

def Kernel_CheckedIndexOp : Kernel_Op<"checked_index", [Kernel_Defines, MemoryEffects<[MemWrite]>]> {
  let summary = "a model's index made safe: negative counts from the end; out of range raises";
  let description = [{
    i in [-extent, extent) becomes i or i + extent. Any other i is clamped and raises the
    step's flag, which fails the run after it (DESIGN of the kernel ABI), but where `condition` is false: there nothing
    is read, and an axis without elements has no index that is right.
  }];
  let arguments = (ins Kernel_Scalar:$value, Graph_Expr:$extent, Optional<I1>:$condition);
  let results = (outs Index:$result);
  let assemblyFormat = "$value `below` custom<Extent>($extent) (`if` $condition^)? attr-dict `:` type($value)";
}

def Kernel_KnownIndexOp : Kernel_Op<"known_index", [Kernel_Defines, Pure]> {
  let summary = "an index that is known to lie in [0, extent): nothing is checked";
  let arguments = (ins Kernel_Scalar:$value, Graph_Expr:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = "$value `below` custom<Extent>($extent) attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

def Kernel_ConstantOp : Kernel_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a number";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Kernel_Scalar:$result);
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::TypedAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let assemblyFormat = "$value attr-dict";
}

def Kernel_UnaryOp : Kernel_Op<"unary", [Pure]> {
  let summary = "graph.unary of a scalar";
  let description = [{
    `coarse`: what reads the result needs no more than 16 bits of it, so that a target may take the
    faster of its functions; exp of f32 alone has two.
  }];
  let arguments = (ins Graph_UnaryKindAttr:$kind, Kernel_Scalar:$input,
                       DefaultValuedAttr<F64Attr, "0.0">:$alpha,
                       DefaultValuedAttr<F64Attr, "0.0">:$beta, UnitAttr:$coarse);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$kind (`coarse` $coarse^)? $input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Kernel_BinaryOp : Kernel_Op<"binary", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "graph.binary of two scalars";
  let arguments = (ins Graph_BinaryKindAttr:$kind, Kernel_Scalar:$lhs, Kernel_Scalar:$rhs);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def Kernel_SelectOp : Kernel_Op<"select", [Pure, AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "condition ? lhs : rhs";
  let arguments = (ins I1:$condition, Kernel_Scalar:$lhs, Kernel_Scalar:$rhs);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$condition `,` $lhs `,` $rhs attr-dict `:` type($result)";
}

def Kernel_CastOp : Kernel_Op<"cast", [Pure]> {
  let summary = "graph.cast of a scalar";
  let arguments = (ins Kernel_Scalar:$input);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Kernel_BitcastOp : Kernel_Op<"bitcast", [Pure]> {
  let summary = "graph.bitcast of a scalar";
  let arguments = (ins Kernel_Scalar:$input);
  let results = (outs Kernel_Scalar:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Kernel_CallOp : Kernel_Op<"call", [Pure]> {
  let summary = "graph.call of scalars";
  let arguments = (ins Graph_SnippetAttr:$snippet, Variadic<Kernel_Scalar>:$inputs);
  let results = (outs Kernel_Scalar:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$snippet `(` ($inputs^ `:` type($inputs))? `)` attr-dict `->` type($result)";
}

#endif // CUPOLA_DIALECTS_KERNEL_KERNELOPS_TD
