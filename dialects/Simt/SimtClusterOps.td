//===- SimtClusterOps.td - clusters, mbarriers, tensor copies, wgmma -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What sm_90a has beyond sm_80; the device headers cluster.cuh, tensor_copy.cuh and wgmma.cuh say what
// each call does. Included by SimtOps.td.

#ifndef CUPOLA_DIALECTS_SIMT_SIMTCLUSTEROPS_TD
#define CUPOLA_DIALECTS_SIMT_SIMTCLUSTEROPS_TD

// Neither moved nor merged: what orders the work of threads and copies.
class Simt_OrderingOp<string mnemonic, list<Trait> traits = []>
    : Simt_Op<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>]>;

//===----------------------------------------------------------------------===//
// Clusters and launches
//===----------------------------------------------------------------------===//

def Simt_ClusterRankOp : Simt_Op<"cluster_rank", [Pure, Kernel_Defines]> {
  let summary = "which block of its cluster this is";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Simt_WarpgroupOp : Simt_Op<"warpgroup", [Pure, Kernel_Defines]> {
  let summary = "which warpgroup of its block this is, as a value that all lanes of a warp are known to share";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Simt_ClusterBarrierOp : Simt_OrderingOp<"cluster_barrier"> {
  let summary = "all threads of all blocks of the cluster meet; orders their accesses";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Simt_LoadClusterOp : Simt_OrderingOp<"load_cluster", [Kernel_Position]> {
  let summary = "fills the registers, 16 bytes, from the same place in shared memory of block `rank` of the cluster";
  let arguments = (ins Simt_SmemType:$smem, Simt_RegistersType:$registers, Graph_Expr:$position, Graph_Expr:$rank,
                       Variadic<Index>:$indices);
  let assemblyFormat = [{
    $smem `to` $registers custom<PlaceOf>($position, $rank, $indices) attr-dict `:` type($smem) `to` type($registers)
  }];
  let hasVerifier = 1;
}

def Simt_GridWaitOp : Simt_OrderingOp<"grid_wait"> {
  let summary = "until the work queued before the kernel has ended: the launch may begin earlier";
  let assemblyFormat = "attr-dict";
}

def Simt_GridReleaseOp : Simt_OrderingOp<"grid_release"> {
  let summary = "where all blocks have come here, the kernel queued behind may begin";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// mbarriers: eight bytes of shared memory each
//===----------------------------------------------------------------------===//

def Simt_MbarrierInitOp : Simt_OrderingOp<"mbarrier_init", [Kernel_Position]> {
  let summary = "a barrier whose phases end with so many arrivals";
  let arguments = (ins Simt_SmemType:$barriers, Graph_Expr:$position, Variadic<Index>:$indices, I64Attr:$arrivals);
  let assemblyFormat = [{
    $barriers `` custom<Place>($position, $indices) `arrivals` $arrivals attr-dict `:` type($barriers)
  }];
  let hasVerifier = 1;
}

def Simt_MbarrierInitFenceOp : Simt_OrderingOp<"mbarrier_init_fence"> {
  let summary = "copies and other blocks of the cluster see the barriers made before";
  let assemblyFormat = "attr-dict";
}

def Simt_MbarrierExpectOp : Simt_OrderingOp<"mbarrier_expect", [Kernel_Position]> {
  let summary = "one arrival, and bytes that copies bring before the phase ends";
  let arguments = (ins Simt_SmemType:$barriers, Graph_Expr:$position, Variadic<Index>:$indices, I64Attr:$bytes);
  let assemblyFormat = [{
    $barriers `` custom<Place>($position, $indices) `bytes` $bytes attr-dict `:` type($barriers)
  }];
  let hasVerifier = 1;
}

def Simt_MbarrierArriveOp : Simt_OrderingOp<"mbarrier_arrive", [Kernel_Position]> {
  let summary = "one arrival, at the barrier of block `rank` of the cluster";
  let arguments = (ins Simt_SmemType:$barriers, Graph_Expr:$position, Graph_Expr:$rank, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $barriers custom<PlaceOf>($position, $rank, $indices) attr-dict `:` type($barriers)
  }];
  let hasVerifier = 1;
}

def Simt_MbarrierWaitOp : Simt_OrderingOp<"mbarrier_wait", [Kernel_Position]> {
  let summary = "until the phase of this parity has ended: 0 for the first, 1 for the second, ..";
  let arguments = (ins Simt_SmemType:$barriers, Graph_Expr:$position, Graph_Expr:$parity, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $barriers custom<PlaceOf>($position, $parity, $indices) attr-dict `:` type($barriers)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

def Simt_TensorMapAcquireOp : Simt_OrderingOp<"tensor_map_acquire"> {
  let summary = "before a thread's first copies with a map of the function";
  let arguments = (ins I64Attr:$map);
  let assemblyFormat = "$map attr-dict";
  let hasVerifier = 1;
}

def Simt_TensorCopyOp : Simt_OrderingOp<"tensor_copy", [Kernel_Position]> {
  let summary = "starts the copy of a box to shared memory, whose bytes an mbarrier counts";
  let description = [{
    `coordinates` of the box, innermost first; elements outside of the tensor are zeros. With `blocks`, the box goes to
    the same place in every block of the cluster whose bit is set, and counts at the barriers there. Of a map with a
    window they are those of the first place, and each place's elements lie `taps` behind it.

    ```mlir
    simt.tensor_copy 0 to %a for %full at [64*%kt, 128*%b] to [8192*%s] for [%s] blocks 3 : ..
    simt.tensor_copy 0 to %a for %full at [64*%c, %x, %y, %n] tap [%kx, %ky] to [8192*%s] for [%s] : ..
    ```
  }];
  let arguments = (ins I64Attr:$map, Simt_SmemType:$smem, Simt_SmemType:$barriers, Graph_ExprArray:$coordinates,
                       Graph_Expr:$target, Graph_Expr:$barrier, Variadic<Index>:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$blocks,
                       DefaultValuedAttr<Graph_ExprArray, "{}">:$taps);
  let assemblyFormat = [{
    $map `to` $smem `for` $barriers `at` custom<TensorCopy>($coordinates, $taps, $target, $barrier, $indices)
    (`blocks` $blocks^)? attr-dict `:` type($smem) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// wgmma: products of a warpgroup, under way until they are waited for
//===----------------------------------------------------------------------===//

def Simt_WgmmaFenceOp : Simt_OrderingOp<"wgmma_fence"> {
  let summary = "before the first product, and whenever the thread itself used the accumulators or wrote the fragments";
  let arguments = (ins Simt_RegistersType:$acc, Optional<Simt_RegistersType>:$fragments);
  let assemblyFormat = "$acc (`,` $fragments^)? attr-dict `:` type($acc) (`,` type($fragments)^)?";
  let hasVerifier = 1;
}

def Simt_WgmmaOp : Simt_OrderingOp<"wgmma", [Kernel_Position]> {
  let summary = "starts acc += a * b for 64 rows and a k of 16 in each of so many steps; f32 accumulators";
  let description = [{
    Operands lie in shared memory swizzled over 128 bytes, `a` at its position in rows [m][64 k], `b` in rows [n][64 k];
    with `group` in rows [k][64 n], and `group` elements from one such tile to that of the next 64 n.
  }];
  let arguments = (ins Simt_RegistersType:$acc, Simt_SmemType:$a, Simt_SmemType:$b, Graph_Expr:$positionA,
                       Graph_Expr:$positionB, Variadic<Index>:$indices, DefaultValuedAttr<I64Attr, "1">:$steps,
                       DefaultValuedAttr<I64Attr, "0">:$group);
  let assemblyFormat = [{
    $acc `,` $a `,` $b `at` custom<PlaceOf>($positionA, $positionB, $indices) (`steps` $steps^)? (`group` $group^)?
    attr-dict
    `:` type($acc) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
}

def Simt_WgmmaFragmentsOp : Simt_OrderingOp<"wgmma_fragments", [Kernel_Position]> {
  let summary = "starts acc += a * b, or acc = a * b where it `sets`, with a in registers: fragments of so many times 16 k";
  let description = [{
    `b` lies in shared memory swizzled over 128 bytes, in rows [n][64 k], and `group` elements from one such tile to that
    of the next 64 k; `transposed`, in rows [k][64 n], and `group` elements to the next 64 n.
  }];
  let arguments = (ins Simt_RegistersType:$acc, Simt_RegistersType:$a, Simt_SmemType:$b, Graph_Expr:$position,
                       Variadic<Index>:$indices, I64Attr:$group, UnitAttr:$transposed, UnitAttr:$sets);
  let assemblyFormat = [{
    $acc `,` $a `,` $b `` custom<Place>($position, $indices) `group` $group (`transposed` $transposed^)? (`sets` $sets^)?
    attr-dict `:` type($acc) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
}

def Simt_WgmmaPackOp : Simt_Op<"wgmma_pack", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "accumulators of a product, rounded, as the left fragments of the next";
  let arguments = (ins Simt_RegistersType:$acc, Simt_RegistersType:$fragments, UnitAttr:$bf16);
  let assemblyFormat = "$acc `to` $fragments (`bf16` $bf16^)? attr-dict `:` type($acc) `to` type($fragments)";
  let hasVerifier = 1;
}

def Simt_WgmmaCommitOp : Simt_OrderingOp<"wgmma_commit"> {
  let summary = "closes the group of products since the last commit";
  let assemblyFormat = "attr-dict";
}

def Simt_WgmmaWaitOp : Simt_OrderingOp<"wgmma_wait"> {
  let summary = "until at most `pending` of the newest groups are under way; at 0 the accumulators may be used";
  let arguments = (ins I64Attr:$pending, Simt_RegistersType:$acc);
  let assemblyFormat = "$pending $acc attr-dict `:` type($acc)";
}

#endif // CUPOLA_DIALECTS_SIMT_SIMTCLUSTEROPS_TD
