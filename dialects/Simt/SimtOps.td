//===- SimtOps.td - ops of the simt dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_SIMT_SIMTOPS_TD
#define CUPOLA_DIALECTS_SIMT_SIMTOPS_TD

include "dialects/Kernel/KernelOps.td"
include "dialects/Simt/SimtDialect.td"

class Simt_Op<string mnemonic, list<Trait> traits = []> : Op<Simt_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

def Simt_FuncOp : Simt_Op<"func", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
                                   Kernel_Defines]> {
  let summary = "a kernel as the program of one thread";
  let description = [{
    The region's arguments are the buffer parameters and, after them, the block of the grid,
    along one to three axes, and the thread of the block. Where a plan may launch more than
    `blocks` blocks, those beyond leave at once. `cluster` neighbouring blocks along the first
    axis run together; 0: each alone. `maps` describe boxes of buffers for tensor copies. The last
    parameters are memory of a launch alone where `workspace` has so many elements for each: sums
    (f32), and counters (ui32), which are 0 before the launch and after it.

    ```mlir
    simt.func @k0 block %b of n0 thread %t of 128 scalars [#kernel.scalar<1, 0, 1>]
        (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
      ...
    }
    simt.func @k1 block %x of 2*n0, %y of 16 cluster 2 thread %t of 384 scalars [..]
        maps [#simt.tensor_map<0 ..>] (..) {
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Graph_ExprArray:$blocks, I64Attr:$threads,
                       TypedArrayAttrBase<Kernel_ScalarAttr, "scalar parameters">:$scalars,
                       DefaultValuedAttr<I64Attr, "0">:$cluster,
                       DefaultValuedAttr<TypedArrayAttrBase<Simt_TensorMapAttr, "tensor maps">, "{}">:$maps,
                       DefaultValuedAttr<Graph_ExprArray, "{}">:$workspace);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The buffer parameters, the workspace among them.
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getViews() {
      return getBody().getArguments().drop_back(getBlocks().size() + 1);
    }
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getBlockIndices() {
      return getBody().getArguments().drop_back().take_back(getBlocks().size());
    }
    ::mlir::BlockArgument getThreadIndex() { return getBody().getArguments().back(); }
    /// Whether all of its blocks have to run at once: they meet.
    bool isCooperative();
  }];
}

def Simt_ForOp : Simt_Op<"for", [SingleBlock, NoTerminator, RecursiveMemoryEffects,
                                 Kernel_Position, Kernel_Defines]> {
  let summary = "a loop of one thread";
  let description = [{
    With `ring`, arguments behind the index count around: from one iteration to the next by one, from the ring's last
    number to 0. Such a loop is never unrolled.

    ```mlir
    simt.for %kt = 0 to 24 step 1 ring 3 (%s = 0, %next = 1) { .. }
    ```
  }];
  let arguments = (ins Graph_Expr:$from, Graph_Expr:$to, Graph_Expr:$step,
                       Variadic<Index>:$indices, UnitAttr:$unroll, DefaultValuedAttr<I64Attr, "0">:$ring,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$starts);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getIndex() { return getBody().getArgument(0); }
    /// Those that count around.
    ::llvm::ArrayRef<::mlir::BlockArgument> getCounters() { return getBody().getArguments().drop_front(); }
  }];
}

def Simt_GuardOp : Simt_Op<"guard", [SingleBlock, NoTerminator, RecursiveMemoryEffects,
                                     Kernel_Position]> {
  let summary = "runs its region where every expression is >= 0";
  let arguments = (ins Graph_ExprArray:$exprs, Variadic<Index>:$indices);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Positions>($exprs, $indices) attr-dict-with-keyword $body";
}

def Simt_LastBlockOp : Simt_Op<"last_block", [SingleBlock, NoTerminator, Kernel_Position,
                                              MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "runs its region in the block that comes here last of so many";
  let description = [{
    They count at an element of the workspace. What the others wrote before is visible in the region.

    ```mlir
    simt.last_block %io1[%b] of [4] scratch %s { .. } : <ui32, readwrite>, <1xui32>
    ```
  }];
  let arguments = (ins Kernel_ViewType:$counters, Graph_Expr:$position, Graph_Expr:$blocks, Simt_SmemType:$scratch,
                       Variadic<Index>:$indices);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $counters `` custom<PlaceOf>($position, $blocks, $indices) `scratch` $scratch attr-dict-with-keyword $body
    `:` type($counters) `,` type($scratch)
  }];
  let hasVerifier = 1;
}

def Simt_GridBarrierOp : Simt_Op<"grid_barrier", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of all blocks meet, which run at once; orders their accesses";
  let description = [{
    They count at the first element of `counters`, of the workspace: `arrivals` of blocks there have been when this
    barrier is complete, those at the barriers before it included. A launch with one is cooperative.

    ```mlir
    simt.grid_barrier %counters arrivals[16*%t + 16] : <ui32, readwrite>
    ```
  }];
  let arguments = (ins Kernel_ViewType:$counters, Graph_Expr:$arrivals, Variadic<Index>:$indices);
  let assemblyFormat = "$counters `arrivals` `` custom<Place>($arrivals, $indices) attr-dict `:` type($counters)";
  let hasVerifier = 1;
}

def Simt_GridLeaveOp : Simt_Op<"grid_leave", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "behind the last barrier of the grid: the block that comes last sets the counter to 0";
  let description = "`arrivals` as at one more barrier.";
  let arguments = (ins Kernel_ViewType:$counters, Graph_Expr:$arrivals, Variadic<Index>:$indices);
  let assemblyFormat = "$counters `arrivals` `` custom<Place>($arrivals, $indices) attr-dict `:` type($counters)";
  let hasVerifier = 1;
}

def Simt_RoleOp : Simt_Op<"role", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "what some warps of the block do; warpgroups may have registers of their own";
  let description = [{
    The threads from `from` on, below `to`, run the region; each has `registers` registers there. Where all roles of the
    block have as many, no thread gives or takes any, and a multiprocessor has room for as many blocks as that leaves.

    ```mlir
    simt.role threads 0 to 128 registers 40 { .. }
    simt.role threads 128 to 384 registers 232 { .. }
    ```
  }];
  let arguments = (ins I64Attr:$from, I64Attr:$to, I64Attr:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`threads` $from `to` $to `registers` $registers attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether that is fewer than threads of the block have before: equal shares of all.
    bool givesRegisters();
    /// Whether roles beside it have other numbers of them.
    bool exchangesRegisters();
    /// Blocks that a multiprocessor has registers for.
    int64_t residentBlocks();
  }];
}

def Simt_TileLoopOp : Simt_Op<"tile_loop", [SingleBlock, NoTerminator, RecursiveMemoryEffects,
                                            Kernel_Defines]> {
  let summary = "the main loop of a product over tiles of k, before pipelining";
  let description = [{
    Each region's arguments are the tile, below `trips`, and the buffer of shared memory that
    it is in, below `stages`. `fetch` starts the transfer: to registers, or, with `async`, to
    shared memory. `store` moves registers to shared memory; with `async` what no copy brings,
    and loads the next tile into them, whose first one is there before the loop. `load` and
    `compute` have a third argument, the step of the tile, below `steps`: `load` fills fragments
    from shared memory, which `compute` uses. The regions are independent but for registers
    declared before the loop. Without `load`, which `async` needs, `compute` does both. What is
    done once, `beside` the first transfers, is known to all threads of the block behind the loop.
    PipelineCopies makes a `for` of it.
  }];
  let arguments = (ins Graph_Expr:$trips, I64Attr:$stages, DefaultValuedAttr<I64Attr, "1">:$steps, UnitAttr:$async);
  let regions = (region SizedRegion<1>:$fetch, SizedRegion<1>:$store, SizedRegion<1>:$load, SizedRegion<1>:$compute,
                        AnyRegion:$beside);
  let assemblyFormat = [{
    `to` custom<Extent>($trips) `stages` $stages (`steps` $steps^)? (`async` $async^)? attr-dict-with-keyword
    `fetch` custom<Body>($fetch) `store` custom<Body>($store) `load` custom<Body>($load) `compute` custom<Body>($compute)
    custom<Beside>($beside)
  }];
  let extraClassDeclaration = [{
    /// Whether steps load their fragments apart from the arithmetic.
    bool loadsFragments() { return !getLoad().front().empty(); }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def Simt_RegistersOp : Simt_Op<"registers", [MemoryEffects<[MemAlloc]>]> {
  let summary = "declares registers: unset, all zero, or a variable with a first value";
  let arguments = (ins UnitAttr:$zero, Optional<Kernel_Scalar>:$init);
  let results = (outs Simt_RegistersType:$registers);
  let assemblyFormat = [{
    (`zero` $zero^)? (`init` $init^ `:` type($init))? attr-dict `:` type($registers)
  }];
  let hasVerifier = 1;
}

def Simt_GetOp : Simt_Op<"get", [Kernel_Position, MemoryEffects<[MemRead]>]> {
  let summary = "a register; a vector's element is the last index";
  let arguments = (ins Simt_RegistersType:$registers, Graph_ExprArray:$index, Variadic<Index>:$indices);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = [{
    $registers custom<Positions>($index, $indices) attr-dict `:` type($result) `from` type($registers)
  }];
  let hasVerifier = 1;
}

def Simt_SetOp : Simt_Op<"set", [Kernel_Position, MemoryEffects<[MemWrite]>]> {
  let summary = "writes a register";
  let arguments = (ins Kernel_Scalar:$value, Simt_RegistersType:$registers,
                       Graph_ExprArray:$index, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $value `,` $registers custom<Positions>($index, $indices) attr-dict
    `:` type($value) `to` type($registers)
  }];
  let hasVerifier = 1;
}

def Simt_AccumulateOp : Simt_Op<"accumulate", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combines a value into a register";
  let arguments = (ins Graph_ReduceKindAttr:$kind, Kernel_Scalar:$value,
                       Simt_RegistersType:$registers, Graph_ExprArray:$index, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $kind $value `,` $registers custom<Positions>($index, $indices) attr-dict
    `:` type($value) `to` type($registers)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// A place that vectors are loaded from and stored to.
def Simt_Memory : AnyTypeOf<[Kernel_ViewType, Simt_SmemType]>;

def Simt_AdvanceOp : Simt_Op<"advance", [Pure, Kernel_Position, AllTypesMatch<["view", "result"]>]> {
  let summary = "a buffer from one of its elements on, for positions that are relative to it";
  let arguments = (ins Kernel_ViewType:$view, Graph_Expr:$position, Variadic<Index>:$indices);
  let results = (outs Kernel_ViewType:$result);
  let assemblyFormat = "$view `` custom<Place>($position, $indices) attr-dict `:` type($view)";
}

def Simt_LoadVectorOp : Simt_Op<"load_vector", [AttrSizedOperandSegments, Kernel_Position,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fills one vector of the registers by one access, `other` where the mask fails";
  let arguments = (ins Simt_Memory:$memory, Simt_RegistersType:$registers, Graph_Expr:$position,
                       DefaultValuedAttr<Graph_ExprArray, "{}">:$mask, Graph_ExprArray:$index,
                       Variadic<Index>:$indices, Optional<Kernel_Scalar>:$other);
  let assemblyFormat = [{
    $memory `to` $registers custom<VectorAccess>($position, $mask, $index, $indices)
    (`else` $other^ `:` type($other))? attr-dict `:` type($memory) `to` type($registers)
  }];
  let hasVerifier = 1;
}

def Simt_StoreVectorOp : Simt_Op<"store_vector", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "writes one vector of the registers by one access";
  let arguments = (ins Simt_RegistersType:$registers, Simt_Memory:$memory, Graph_ExprArray:$index,
                       Graph_Expr:$position, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $registers `to` $memory custom<VectorStore>($index, $position, $indices) attr-dict
    `:` type($registers) `to` type($memory)
  }];
  let hasVerifier = 1;
}

def Simt_SmemOp : Simt_Op<"smem", [MemoryEffects<[MemAlloc]>]> {
  let summary = "reserves shared memory; PlaceShared sets its byte offset";
  let description = "`over`: where another lies that nobody uses any more, and in it.";
  let arguments = (ins Optional<Simt_SmemType>:$over, OptionalAttr<I64Attr>:$offset);
  let results = (outs Simt_SmemType:$smem);
  let assemblyFormat = "(`over` $over^ `:` type($over) `as`)? (`at` $offset^)? attr-dict `:` type($smem)";
  let hasVerifier = 1;
}

def Simt_LoadSharedOp : Simt_Op<"load_shared", [Kernel_Position, MemoryEffects<[MemRead]>]> {
  let summary = "an element of shared memory";
  let arguments = (ins Simt_SmemType:$smem, Graph_Expr:$position, Variadic<Index>:$indices);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = [{
    $smem `` custom<Place>($position, $indices) attr-dict `:` type($result) `from` type($smem)
  }];
  let hasVerifier = 1;
}

def Simt_StoreSharedOp : Simt_Op<"store_shared", [Kernel_Position, MemoryEffects<[MemWrite]>]> {
  let summary = "writes an element of shared memory";
  let arguments = (ins Kernel_Scalar:$value, Simt_SmemType:$smem, Graph_Expr:$position,
                       Variadic<Index>:$indices);
  let assemblyFormat = [{
    $value `,` $smem `` custom<Place>($position, $indices) attr-dict `:` type($value) `to` type($smem)
  }];
  let hasVerifier = 1;
}

def Simt_PrefetchOp : Simt_Op<"prefetch", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "asks for the bytes around an element, so that they are nearer when they are read";
  let arguments = (ins Kernel_ViewType:$view, Graph_Expr:$position, Variadic<Index>:$indices);
  let assemblyFormat = "$view `` custom<Place>($position, $indices) attr-dict `:` type($view)";
}

def Simt_AsyncCopyOp : Simt_Op<"async_copy", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "starts a copy of `bytes` bytes to shared memory; zeros where the mask fails";
  let arguments = (ins Kernel_ViewType:$view, Simt_SmemType:$smem, Graph_Expr:$position,
                       Graph_Expr:$target, DefaultValuedAttr<Graph_ExprArray, "{}">:$mask,
                       Variadic<Index>:$indices, I64Attr:$bytes);
  let assemblyFormat = [{
    $view `to` $smem custom<Copy>($position, $target, $mask, $indices) `bytes` $bytes attr-dict
    `:` type($view) `to` type($smem)
  }];
  let hasVerifier = 1;
}

def Simt_AsyncPairOp : Simt_Op<"async_pair", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "starts a copy of the first `count` of two elements of 16 bits; zeros for the others";
  let description = "Two or more: both of them. None where the mask fails, or `count` is not above 0.";
  let arguments = (ins Kernel_ViewType:$view, Simt_SmemType:$smem, Graph_Expr:$position,
                       Graph_Expr:$target, Graph_Expr:$count, DefaultValuedAttr<Graph_ExprArray, "{}">:$mask,
                       Variadic<Index>:$indices);
  let assemblyFormat = [{
    $view `to` $smem custom<PairCopy>($position, $target, $count, $mask, $indices) attr-dict
    `:` type($view) `to` type($smem)
  }];
  let hasVerifier = 1;
}

def Simt_AsyncCommitOp : Simt_Op<"async_commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "closes the group of copies started since the last commit";
  let assemblyFormat = "attr-dict";
}

def Simt_AsyncWaitOp : Simt_Op<"async_wait", [MemoryEffects<[MemWrite]>]> {
  let summary = "waits until at most `pending` of the newest groups are under way";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

def Simt_BarrierOp : Simt_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block meet; orders their accesses";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Simt_WarpBarrierOp : Simt_Op<"warp_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all lanes of the warp meet; orders their accesses";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Simt_WarpReduceOp : Simt_Op<"warp_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the values of groups of `lanes` neighbouring lanes combined, in every lane of the group";
  let arguments = (ins Graph_ReduceKindAttr:$kind, Kernel_Scalar:$value,
                       DefaultValuedAttr<I64Attr, "32">:$lanes);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$kind $value (`over` $lanes^)? attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_BlockReduceOp : Simt_Op<"block_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the threads' values combined, in every thread; `scratch` holds one per warp";
  let arguments = (ins Graph_ReduceKindAttr:$kind, Kernel_Scalar:$value, Simt_SmemType:$scratch);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = [{
    $kind $value `,` $scratch attr-dict `:` type($value) `,` type($scratch) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Simt_WidenOp : Simt_Op<"widen", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the elements of a vector of bytes, in order, as those of vectors of a float that has them all";
  let arguments = (ins Simt_RegistersType:$bytes, Simt_RegistersType:$out);
  let assemblyFormat = "$bytes `to` $out attr-dict `:` type($bytes) `to` type($out)";
  let hasVerifier = 1;
}

def Simt_UnpackOp : Simt_Op<"unpack", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "out[e] = ((bytes[e] >> shift & 15) + offset) * scale, rounded once";
  let description = "A vector of numbers of four bits, half of each of the bytes; `shift` is 0 or 4.";
  let arguments = (ins Simt_RegistersType:$bytes, UI8:$shift, I8:$offset, Kernel_Scalar:$scale, Simt_RegistersType:$out);
  let assemblyFormat = [{
    $bytes `shift` $shift `offset` $offset `scale` $scale `to` $out attr-dict
    `:` type($bytes) `by` type($scale) `to` type($out)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def Simt_LoadFragmentOp : Simt_Op<"load_fragment", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fills a register array with vectors `stride` elements apart in shared memory";
  let arguments = (ins Simt_SmemType:$smem, Graph_Expr:$position, Variadic<Index>:$indices,
                       I64Attr:$width, I64Attr:$stride, Simt_RegistersType:$fragment);
  let assemblyFormat = [{
    $smem `` custom<Place>($position, $indices) `width` $width `stride` $stride `to` $fragment attr-dict
    `:` type($smem) `to` type($fragment)
  }];
  let hasVerifier = 1;
}

def Simt_FmaTileOp : Simt_Op<"fma_tile", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "acc[i][j] += a[i] * b[j]";
  let arguments = (ins Simt_RegistersType:$acc, Simt_RegistersType:$a,
                       Simt_RegistersType:$b);
  let assemblyFormat = "$acc `,` $a `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)";
  let hasVerifier = 1;
}

def Simt_MmaOperandAttr : EnumAttr<Simt_Dialect, Simt_MmaOperand, "mma_operand">;
def Simt_MmaKindAttr : EnumAttr<Simt_Dialect, Simt_MmaKind, "mma_kind">;

def Simt_MmaLoadOp : Simt_Op<"mma_load", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "loads the fragments of a warp tile; rows of shared memory are `stride` apart";
  let arguments = (ins Simt_MmaOperandAttr:$operand, Simt_SmemType:$smem, Graph_Expr:$position,
                       Variadic<Index>:$indices, I64Attr:$stride, Simt_RegistersType:$fragment);
  let assemblyFormat = [{
    $operand $smem `` custom<Place>($position, $indices) `stride` $stride `to` $fragment attr-dict
    `:` type($smem) `to` type($fragment)
  }];
  let hasVerifier = 1;
}

def Simt_MmaLoadPairOp : Simt_Op<"mma_load_pair", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one register of a fragment, two neighbours in shared memory, each zero where its conditions fail";
  let arguments = (ins Simt_SmemType:$smem, Graph_Expr:$position, Graph_ExprArray:$first, Graph_ExprArray:$second,
                       Graph_ExprArray:$index, Variadic<Index>:$indices, Simt_RegistersType:$fragment);
  let assemblyFormat = [{
    $smem `` custom<Pair>($position, $first, $second, $index, $indices) `of` $fragment attr-dict
    `:` type($smem) `to` type($fragment)
  }];
  let hasVerifier = 1;
}

def Simt_MmaOp : Simt_Op<"mma", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "acc += a * b by the warp's matrix unit; f32 accumulators, of integers i32";
  let description = "With fewer tiles of columns in b than in acc: to those from tile `first` on, of one tile of rows.";
  let arguments = (ins Simt_RegistersType:$acc, Simt_RegistersType:$a,
                       Simt_RegistersType:$b,
                       DefaultValuedAttr<Simt_MmaKindAttr, "::cupola::simt::MmaKind::F16">:$kind,
                       DefaultValuedAttr<I64Attr, "0">:$first);
  let assemblyFormat = [{
    $acc `,` $a `,` $b (`as` $kind^)? (`first` $first^)? attr-dict `:` type($acc) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
}

def Simt_MmaPackOp : Simt_Op<"mma_pack", [Kernel_Position, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "accumulators of a product as the left fragments of the next, for its step of k";
  let arguments = (ins Simt_RegistersType:$acc, Graph_Expr:$step, Variadic<Index>:$indices,
                       Simt_RegistersType:$fragment, UnitAttr:$bf16);
  let assemblyFormat = [{
    $acc `` custom<Place>($step, $indices) `to` $fragment (`bf16` $bf16^)? attr-dict
    `:` type($acc) `to` type($fragment)
  }];
  let hasVerifier = 1;
}

include "dialects/Simt/SimtClusterOps.td"

#endif // CUPOLA_DIALECTS_SIMT_SIMTOPS_TD
