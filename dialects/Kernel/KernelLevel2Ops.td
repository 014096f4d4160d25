//===- KernelLevel2Ops.td - level 2 of the kernel dialect (GPU) -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Included by KernelOps.td. How a GPU runs a kernel: distribution over threads,
// shared memory, copies, barriers, fragments. At this level a kernel.func carries
// `launch`, its body is the program of one thread, and expressions may also use
//   t  the thread of the block      b  the block of the grid
// and what `let` and `for` define. Loads, stores and scalars are those of level 1.
// One op is one statement or one call of a device header.

#ifndef CUPOLA_DIALECTS_KERNEL_KERNELLEVEL2OPS_TD
#define CUPOLA_DIALECTS_KERNEL_KERNELLEVEL2OPS_TD

//===----------------------------------------------------------------------===//
// Types and the launch attribute
//===----------------------------------------------------------------------===//

def Kernel_RegistersType : Kernel_Type<"Registers", "registers"> {
  let summary = "an array in registers of one thread; with `vector`, of short vectors";
  let description = [{
    `!kernel.registers<2x4xf32>` is eight floats, `!kernel.registers<f32>` a variable,
    `!kernel.registers<2xf32, vector 4>` two vectors of four, each loaded by one access.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$extents, "::mlir::Type":$element,
                        "int64_t":$vector);
  let hasCustomAssemblyFormat = 1;
}

def Kernel_SmemType : Kernel_Type<"Smem", "smem"> {
  let summary = "elements in the block's shared memory";
  let parameters = (ins "int64_t":$count, "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
}

def Kernel_LaunchAttr : AttrDef<Kernel_Dialect, "Launch"> {
  let mnemonic = "launch";
  let summary = "threads of a block, blocks of the grid, whether the grid may be larger";
  let description = [{
    `blocks` is an expression over n0, n1, ..  Where a plan may launch more blocks than
    that, those beyond leave at once.
  }];
  let parameters = (ins "int64_t":$threads, "::cupola::graph::ExprAttr":$blocks);
  let assemblyFormat = "`<` $threads `,` custom<Expr>($blocks) `>`";
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

class Kernel_BodyOp<string mnemonic>
    : Kernel_Op<mnemonic, [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Kernel_LetOp : Kernel_Op<"let", [MemoryEffects<[MemWrite]>]> {
  let summary = "names the value of an expression for the rest of the block";
  let description = [{
    `below` bounds the values for which the rest of the block uses the name: guards keep
    the others away from memory.
  }];
  let arguments = (ins StrAttr:$name, Graph_Expr:$expr, Variadic<I64>:$indices, Graph_Expr:$extent);
  let assemblyFormat = [{
    $name `=` custom<Expr>($expr) (`indices` `(` $indices^ `)`)? `below` custom<Expr>($extent) attr-dict
  }];
  let hasVerifier = 1;
}

def Kernel_ForOp : Kernel_BodyOp<"for"> {
  let summary = "a loop of one thread";
  let arguments = (ins StrAttr:$name, Graph_Expr:$from, Graph_Expr:$to, Graph_Expr:$step,
                       UnitAttr:$unroll);
  let assemblyFormat = [{
    $name `=` custom<Expr>($from) `to` custom<Expr>($to) `step` custom<Expr>($step) (`unroll` $unroll^)? attr-dict-with-keyword $body
  }];
}

def Kernel_GuardOp : Kernel_BodyOp<"guard"> {
  let summary = "runs its region where every expression is >= 0";
  let arguments = (ins Graph_ExprArray:$exprs);
  let assemblyFormat = "custom<Exprs>($exprs) attr-dict-with-keyword $body";
}

def Kernel_TileLoopOp : Kernel_Op<"tile_loop",
    [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "the main loop of a product over tiles of k, before pipelining";
  let description = [{
    Iteration `name` of `trips` brings its tiles to buffer `stage` (a variable, below
    `stages`) of shared memory and computes with them. `fetch` starts the transfer: to
    registers, or, with `async`, to shared memory. `store` moves registers to shared
    memory. The regions are independent but for registers declared before the loop.
    PipelineCopies makes a `for` of it.
  }];
  let arguments = (ins StrAttr:$name, Graph_Expr:$trips, StrAttr:$stage, I64Attr:$stages,
                       UnitAttr:$async);
  let regions = (region SizedRegion<1>:$fetch, SizedRegion<1>:$store, SizedRegion<1>:$compute);
  let assemblyFormat = [{
    $name `to` custom<Expr>($trips) `stage` $stage `of` $stages (`async` $async^)? attr-dict-with-keyword
    `fetch` $fetch `store` $store `compute` $compute
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def Kernel_RegistersOp : Kernel_Op<"registers", [MemoryEffects<[MemAlloc]>]> {
  let summary = "declares registers: unset, all zero, or a variable with a first value";
  let arguments = (ins UnitAttr:$zero, Optional<Kernel_Scalar>:$init);
  let results = (outs Kernel_RegistersType:$registers);
  let assemblyFormat = [{
    (`zero` $zero^)? (`init` $init^ `:` type($init))? attr-dict `:` type($registers)
  }];
  let hasVerifier = 1;
}

def Kernel_GetOp : Kernel_Op<"get", [MemoryEffects<[MemRead]>]> {
  let summary = "a register; a vector's element is the last index";
  let arguments = (ins Kernel_RegistersType:$registers, Graph_ExprArray:$index);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$registers custom<Exprs>($index) attr-dict `:` type($result) `from` type($registers)";
  let hasVerifier = 1;
}

def Kernel_SetOp : Kernel_Op<"set", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a register";
  let arguments = (ins Kernel_Scalar:$value, Kernel_RegistersType:$registers,
                       Graph_ExprArray:$index);
  let assemblyFormat = [{
    $value `,` $registers custom<Exprs>($index) attr-dict `:` type($value) `to` type($registers)
  }];
  let hasVerifier = 1;
}

def Kernel_AccumulateOp : Kernel_Op<"accumulate", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combines a value into a register";
  let arguments = (ins Graph_ReduceKindAttr:$kind, Kernel_Scalar:$value,
                       Kernel_RegistersType:$registers, Graph_ExprArray:$index);
  let assemblyFormat = [{
    $kind $value `,` $registers custom<Exprs>($index) attr-dict `:` type($value) `to` type($registers)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// A place that vectors are loaded from and stored to.
def Kernel_Memory : AnyTypeOf<[Kernel_ViewType, Kernel_SmemType]>;

def Kernel_LoadVectorOp : Kernel_Op<"load_vector", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fills one vector of the registers by one access, `other` where the mask fails";
  let arguments = (ins Kernel_Memory:$memory, Graph_Expr:$position, Variadic<I64>:$indices,
                       DefaultValuedAttr<Graph_ExprArray, "{}">:$mask, Optional<Kernel_Scalar>:$other,
                       Kernel_RegistersType:$registers, Graph_ExprArray:$index);
  let assemblyFormat = [{
    $memory `[` custom<Expr>($position) `]` (`indices` `(` $indices^ `)`)? (`mask` custom<Exprs>($mask)^)?
    (`else` $other^ `:` type($other))? `to` $registers custom<Exprs>($index) attr-dict
    `:` type($memory) `to` type($registers)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$memory, "const ::cupola::Expr &":$position,
                                 "::mlir::Value":$registers,
                                 "::llvm::ArrayRef<::cupola::Expr>":$index)>];
  let hasVerifier = 1;
}

def Kernel_StoreVectorOp : Kernel_Op<"store_vector", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "writes one vector of the registers by one access";
  let arguments = (ins Kernel_RegistersType:$registers, Graph_ExprArray:$index,
                       Kernel_Memory:$memory, Graph_Expr:$position);
  let assemblyFormat = [{
    $registers custom<Exprs>($index) `,` $memory `[` custom<Expr>($position) `]` attr-dict
    `:` type($registers) `to` type($memory)
  }];
  let hasVerifier = 1;
}

def Kernel_SmemOp : Kernel_Op<"smem", [MemoryEffects<[MemAlloc]>]> {
  let summary = "reserves shared memory; PlaceShared sets its byte offset";
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Kernel_SmemType:$smem);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($smem)";
  let hasVerifier = 1;
}

def Kernel_LoadSharedOp : Kernel_Op<"load_shared", [MemoryEffects<[MemRead]>]> {
  let summary = "an element of shared memory";
  let arguments = (ins Kernel_SmemType:$smem, Graph_Expr:$position);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$smem `[` custom<Expr>($position) `]` attr-dict `:` type($result) `from` type($smem)";
  let hasVerifier = 1;
}

def Kernel_StoreSharedOp : Kernel_Op<"store_shared", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes an element of shared memory";
  let arguments = (ins Kernel_Scalar:$value, Kernel_SmemType:$smem, Graph_Expr:$position);
  let assemblyFormat = [{
    $value `,` $smem `[` custom<Expr>($position) `]` attr-dict `:` type($value) `to` type($smem)
  }];
  let hasVerifier = 1;
}

def Kernel_AsyncCopyOp : Kernel_Op<"async_copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "starts a copy of `bytes` bytes to shared memory; zeros where the mask fails";
  let arguments = (ins Kernel_ViewType:$view, Graph_Expr:$position, Kernel_SmemType:$smem,
                       Graph_Expr:$target, I64Attr:$bytes,
                       DefaultValuedAttr<Graph_ExprArray, "{}">:$mask);
  let assemblyFormat = [{
    $view `[` custom<Expr>($position) `]` `to` $smem `[` custom<Expr>($target) `]` `bytes` $bytes (`mask` custom<Exprs>($mask)^)? attr-dict
    `:` type($view) `to` type($smem)
  }];
  let hasVerifier = 1;
}

def Kernel_AsyncCommitOp : Kernel_Op<"async_commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "closes the group of copies started since the last commit";
  let assemblyFormat = "attr-dict";
}

def Kernel_AsyncWaitOp : Kernel_Op<"async_wait", [MemoryEffects<[MemWrite]>]> {
  let summary = "waits until at most `pending` of the newest groups are under way";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

def Kernel_BarrierOp : Kernel_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block meet; orders their accesses";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Kernel_WarpReduceOp : Kernel_Op<"warp_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the lanes' values combined, in every lane";
  let arguments = (ins Graph_ReduceKindAttr:$kind, Kernel_Scalar:$value);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kernel_BlockReduceOp : Kernel_Op<"block_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the threads' values combined, in every thread; `scratch` holds one per warp";
  let arguments = (ins Graph_ReduceKindAttr:$kind, Kernel_Scalar:$value, Kernel_SmemType:$scratch);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = [{
    $kind $value `,` $scratch attr-dict `:` type($value) `,` type($scratch) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def Kernel_LoadFragmentOp : Kernel_Op<"load_fragment", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fills a register array with vectors `stride` elements apart in shared memory";
  let arguments = (ins Kernel_SmemType:$smem, Graph_Expr:$position, I64Attr:$width, I64Attr:$stride,
                       Kernel_RegistersType:$fragment);
  let assemblyFormat = [{
    $smem `[` custom<Expr>($position) `]` `width` $width `stride` $stride `to` $fragment attr-dict
    `:` type($smem) `to` type($fragment)
  }];
  let hasVerifier = 1;
}

def Kernel_FmaTileOp : Kernel_Op<"fma_tile", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "acc[i][j] += a[i] * b[j]";
  let arguments = (ins Kernel_RegistersType:$acc, Kernel_RegistersType:$a,
                       Kernel_RegistersType:$b);
  let assemblyFormat = "$acc `,` $a `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)";
  let hasVerifier = 1;
}

def Kernel_MmaOperandAttr : EnumAttr<Kernel_Dialect, Kernel_MmaOperand, "mma_operand">;

def Kernel_MmaLoadOp : Kernel_Op<"mma_load", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "loads the fragments of a warp tile; rows of shared memory are `stride` apart";
  let arguments = (ins Kernel_MmaOperandAttr:$operand, Kernel_SmemType:$smem, Graph_Expr:$position,
                       I64Attr:$stride, Kernel_RegistersType:$fragment);
  let assemblyFormat = [{
    $operand $smem `[` custom<Expr>($position) `]` `stride` $stride `to` $fragment attr-dict
    `:` type($smem) `to` type($fragment)
  }];
  let hasVerifier = 1;
}

def Kernel_MmaOp : Kernel_Op<"mma", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "acc += a * b by the warp's matrix unit; f32 accumulators";
  let arguments = (ins Kernel_RegistersType:$acc, Kernel_RegistersType:$a,
                       Kernel_RegistersType:$b, UnitAttr:$bf16);
  let assemblyFormat = [{
    $acc `,` $a `,` $b (`bf16` $bf16^)? attr-dict `:` type($acc) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
}

#endif // CUPOLA_DIALECTS_KERNEL_KERNELLEVEL2OPS_TD
