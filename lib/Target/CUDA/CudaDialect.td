//===- CudaDialect.td - how a GPU runs a kernel: one attribute per schedule -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TARGET_CUDA_CUDADIALECT_TD
#define CUPOLA_LIB_TARGET_CUDA_CUDADIALECT_TD

include "dialects/Kernel/KernelInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

def Cuda_Dialect : Dialect {
  let name = "cuda";
  let cppNamespace = "::cupola::cuda";
  let summary = "how a GPU runs a kernel";
  let description = [{
    Schedules of kernels as attributes of `kernel.func`. All numbers are positive; a block has
    whole warps of 32 threads, at most 1024 threads in all.

    A `kernel.func` or `simt.func` with `cuda.constants` says which of its buffer parameters nobody writes while the
    model is loaded, in ascending order: weights.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def Cuda_ScheduleInterface : AttrInterface<"ScheduleInterface", [Kernel_ScheduleInterface]> {
  let cppNamespace = "::cupola::cuda";
  let description = [{
    A schedule with its parameters. Its file in Schedules/ has these methods, its verifier and
    the list of its candidates for a kernel.
  }];
  let methods = [
    InterfaceMethod<[{
      An estimate of the time, lower is better, to compare schedules of one kernel on one target.
      Of a kernel with a product: what the busiest multiprocessor does per multiply-add or step of
      the depth (Tiles.h). Of any other: the time of an access to memory, relative to one that
      reads nothing in vain while the multiprocessors have all threads they need (Cost.h).
    }], "double", "cost", (ins "const ::cupola::cuda::KernelFacts &":$facts,
                               "const ::cupola::GpuArchitecture &":$target)>,
    InterfaceMethod<"adds the simt.func of a kernel before it; the kernel is left as it is",
                    "::llvm::LogicalResult", "lower", (ins "::cupola::kernel::FuncOp":$func)>,
    InterfaceMethod<"whether the source takes so long to compile that it is worth a module of its own", "bool",
                    "compilesAlone", (ins), "", "return false;">,
  ];
}

class Cuda_Schedule<string attrName, string attrMnemonic, list<string> overridden = []>
    : AttrDef<Cuda_Dialect, attrName, [DeclareAttrInterfaceMethods<Cuda_ScheduleInterface, overridden>]> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
  code methods = "";
  let extraClassDeclaration = [{
    /// With every choice of parameters that may be good; none where it cannot run the kernel.
    static ::cupola::cuda::Candidates candidates(::cupola::cuda::KernelFacts &facts,
                                                 const ::cupola::GpuArchitecture &target);
  }] # methods;
}

def Cuda_PointwiseAttr : Cuda_Schedule<"Pointwise", "pointwise"> {
  let summary = "one thread per vector of a foreach, or per vector of several rows";
  let description = [{
    With `rows` a thread does so many of the axis along which most loads stay where they are, as those of a bias, and has
    them in registers meanwhile.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector, DefaultValuedParameter<"int64_t", "1">:$rows);
  let assemblyFormat = "`<` `threads` $threads `,` `vector` $vector (`,` `rows` $rows^)? `>`";
  let methods = [{
    /// Gathers are pointwise kernels with an indirect index; reports tell them apart.
    ::llvm::StringRef getLabel(::cupola::graph::KernelKind kind) const;
  }];
}

def Cuda_TransposeAttr : Cuda_Schedule<"Transpose", "transpose"> {
  let summary = "loads and stores along different axes, tiles in shared memory";
  let parameters = (ins "int64_t":$threads, "int64_t":$vector);
  let assemblyFormat = "`<` `threads` $threads `,` `vector` $vector `>`";
}

def Cuda_RowReductionAttr : Cuda_Schedule<"RowReduction", "row_reduction"> {
  let summary = "a warp or a block per grid point, or several blocks";
  let description = [{
    `row` of the block's threads share a grid point: a warp of them or all. With `split` so many blocks share a long row,
    and the last one puts together what each has found. Rows that are `peeled` begin anywhere: what lies before the first
    whole vector, and behind the last, comes element by element.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$row, "int64_t":$vector,
                        DefaultValuedParameter<"int64_t", "1">:$split, DefaultValuedParameter<"bool", "false">:$peeled);
  let assemblyFormat = [{
    `<` `threads` $threads `,` `row` $row `,` `vector` $vector (`peeled` $peeled^)? (`,` `split` $split^)? `>`
  }];
}

def Cuda_ColumnReductionAttr : Cuda_Schedule<"ColumnReduction", "column_reduction"> {
  let summary = "a lane per grid point, the warps share its loops";
  let parameters = (ins "int64_t":$threads);
  let assemblyFormat = "`<` `threads` $threads `>`";
}

def Cuda_ReductionAttr : Cuda_Schedule<"Reduction", "reduction"> {
  let summary = "one thread per vector of grid points, which runs its loops alone";
  let parameters = (ins "int64_t":$threads, "int64_t":$vector);
  let assemblyFormat = "`<` `threads` $threads `,` `vector` $vector `>`";
}

def Cuda_WindowAttr : Cuda_Schedule<"Window", "window"> {
  let summary = "a thread goes down the windows of an image, whose rows stay in registers";
  let description = [{
    It computes `rows` by `columns` neighbouring points, of each a vector along the axis on which results lie in memory.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$vector);
  let assemblyFormat = "`<` `rows` $rows `,` `columns` $columns `,` `vector` $vector `>`";
}

def Cuda_GemmAttr : Cuda_Schedule<"Gemm", "gemm", ["compilesAlone"]> {
  let summary = "tiles of a product through shared memory, arithmetic of f32 or i32";
  let description = [{
    A block computes m by n with tiles of k; a thread threadM by threadN of it, over one of
    `slices` of each tile's k.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k, "int64_t":$threadM, "int64_t":$threadN,
                        "int64_t":$slices);
  let assemblyFormat = [{
    `<` `tile` custom<Dims>($m, $n, $k) `,` `thread` custom<Dims>($threadM, $threadN) `,` `slices` $slices `>`
  }];
  let methods = [{
    int64_t getThreads() const { return getM() / getThreadM() * (getN() / getThreadN()) * getSlices(); }
  }];
}

def Cuda_GemmMmaAttr : Cuda_Schedule<"GemmMma", "gemm_mma", ["compilesAlone"]> {
  let summary = "tiles of a product through shared memory, by the warps' matrix units";
  let description = [{
    warpsM by warpsN warps share a tile, or one of `slices` of its k. `mma_k` is the depth of one
    mma; `async`: tiles come by cp.async where their layout allows, in so many `stages`; two
    otherwise. `split` blocks share the depth of a tile of the result.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k, "int64_t":$warpsM, "int64_t":$warpsN,
                        "int64_t":$slices, "int64_t":$stages, "int64_t":$mmaK, "bool":$async,
                        DefaultValuedParameter<"int64_t", "1">:$split);
  let assemblyFormat = [{
    `<` `tile` custom<Dims>($m, $n, $k) `,` `warps` custom<Dims>($warpsM, $warpsN) `,` `slices` $slices `,`
    `stages` $stages `,` `mma_k` $mmaK `,` `async` $async (`,` `split` $split^)? `>`
  }];
  let methods = [{
    int64_t getThreads() const { return getWarpsM() * getWarpsN() * getSlices() * 32; }
  }];
}

def Cuda_ConvPatchAttr : Cuda_Schedule<"ConvPatch", "conv_patch", ["compilesAlone"]> {
  let summary = "a convolution of few channels by the warps' matrix units, from patches of its image";
  let description = [{
    A tile has `rows` rows of 16 places of the result, a quarter of them in each of four warps, and
    `columns`. A block goes through `tiles` neighbouring tiles, and loads its weights once.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$tiles);
  let assemblyFormat = "`<` `rows` $rows `,` `columns` $columns `,` `tiles` $tiles `>`";
  let methods = [{
    int64_t getThreads() const { return 128; }
  }];
}

def Cuda_GemmWgmmaAttr : Cuda_Schedule<"GemmWgmma", "gemm_wgmma", ["compilesAlone"]> {
  let summary = "tiles of a product by warpgroups, which another brings by tensor copies";
  let description = [{
    A tile has m by n elements, 64 rows of it for each warpgroup that multiplies; k is 64 at a time,
    `stages` of them under way. `cluster` blocks with neighbouring rows share their columns, or `split` blocks of
    a cluster the depth of a tile of 64 rows. There are at most `blocks` blocks, each with several tiles of the
    result where these are more; with a split each has one.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$stages, "int64_t":$cluster, "int64_t":$blocks,
                        DefaultValuedParameter<"int64_t", "1">:$split);
  let assemblyFormat = [{
    `<` `tile` custom<Dims>($m, $n) `,` `stages` $stages `,` `cluster` $cluster `,` `blocks` $blocks
    (`,` `split` $split^)? `>`
  }];
  let methods = [{
    /// With one warpgroup that multiplies a warp copies, else another warpgroup.
    static int64_t threadsOf(int64_t m) { return m == 64 ? 160 : (m / 64 + 1) * 128; }
    int64_t getThreads() const { return threadsOf(getM()); }
  }];
}

def Cuda_MatvecAttr : Cuda_Schedule<"Matvec", "matvec"> {
  let summary = "a product with few rows, which reads its weights once";
  let description = [{
    A thread reads `vector` neighbouring columns at a time; the `warps` of a block, which has 32 `columns` or
    16, share their depth.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$vector, "int64_t":$warps,
                        DefaultValuedParameter<"int64_t", "32">:$columns);
  let assemblyFormat = [{
    `<` `rows` $rows `,` `vector` $vector `,` `warps` $warps (`,` `columns` $columns^)? `>`
  }];
}

def Cuda_RowMatvecAttr : Cuda_Schedule<"RowMatvec", "row_matvec"> {
  let summary = "products of few rows whose weights are neighbours along the depth";
  let description = [{
    `split` warps share the depth of `columns` columns; a lane reads `vector` weights of each at a time, and of the rows
    `lhsVector` elements.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$vector, "int64_t":$lhsVector, "int64_t":$warps,
                        "int64_t":$split);
  let assemblyFormat = [{
    `<` `rows` $rows `,` `columns` $columns `,` `vector` $vector `by` $lhsVector `,` `warps` $warps `,` `split` $split
    `>`
  }];
}

def Cuda_RecurrenceAttr : Cuda_Schedule<"Recurrence", "recurrence", ["compilesAlone"]> {
  let summary = "all steps of a loop over states, whose weights stay in the registers of blocks that run at once";
  let description = [{
    A block has `units` elements of every state, `rows` at a time; `split` lanes share the depth of a column of weights.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$units, "int64_t":$split, "int64_t":$warps);
  let assemblyFormat = "`<` `rows` $rows `,` `units` $units `,` `split` $split `,` `warps` $warps `>`";
}

def Cuda_AttentionAttr : Cuda_Schedule<"Attention", "attention", ["compilesAlone"]> {
  let summary = "rows of queries through all keys, f32 arithmetic";
  let description = "A block has `rows` queries, four in each group of sixteen threads.";
  let parameters = (ins "int64_t":$rows);
  let assemblyFormat = "`<` `rows` $rows `>`";
  let methods = [{
    int64_t getThreads() const { return getRows() * 4; }
  }];
}

def Cuda_AttentionMmaAttr : Cuda_Schedule<"AttentionMma", "attention_mma", ["compilesAlone"]> {
  let summary = "rows of queries through all keys, by the warps' matrix units";
  let description = [{
    A block has `rows` queries, the same number, 16 or 32, in each of its `warps`; several `groups`
    are so many warps with all rows, each with a part of the keys. `async`: keys and values come by
    cp.async where their layout allows. `split`: so many blocks at most share the keys of their rows.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$warps, "int64_t":$groups, "bool":$async,
                        DefaultValuedParameter<"int64_t", "1">:$split);
  let assemblyFormat = [{
    `<` `rows` $rows `,` `warps` $warps `,` `groups` $groups `,` `async` $async (`,` `split` $split^)? `>`
  }];
  let methods = [{
    int64_t getThreads() const { return getWarps() * getGroups() * 32; }
  }];
}

def Cuda_AttentionWgmmaAttr : Cuda_Schedule<"AttentionWgmma", "attention_wgmma", ["compilesAlone"]> {
  let summary = "rows of queries through all keys by warpgroups, for which another brings keys and values";
  let description = [{
    A block has `rows` queries, 64 for each warpgroup that multiplies; `stages` steps of keys and values are under way.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$stages);
  let assemblyFormat = "`<` `rows` $rows `,` `stages` $stages `>`";
  let methods = [{
    int64_t getThreads() const { return (getRows() / 64 + 1) * 128; }
  }];
}

#endif // CUPOLA_LIB_TARGET_CUDA_CUDADIALECT_TD
