//===- CudaOps.td - launches of several kernels -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_LIB_TARGET_CUDA_CUDAOPS_TD
#define CUPOLA_LIB_TARGET_CUDA_CUDAOPS_TD

include "dialects/Graph/GraphDialect.td"
include "lib/Target/CUDA/CudaDialect.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Cuda_HorizontalOp : Op<Cuda_Dialect, "horizontal", [Symbol]> {
  let summary = "kernels that are launched as one: each has blocks of its own";
  let description = [{
    `inputs` says how many of the parameters of each are operands of its fusion. The parameters of all are those of the
    launch: first the operands of each, then the results, then the workspace; so are the scalars.

    ```mlir
    cuda.horizontal @k1_k2 [@k1, @k2] inputs [3, 2]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefArrayAttr:$parts, DenseI64ArrayAttr:$inputs);
  let assemblyFormat = "$sym_name $parts `inputs` $inputs attr-dict";
  let hasVerifier = 1;
}

def Cuda_TwinOp : Op<Cuda_Dialect, "twin"> {
  let summary = "a kernel for some extents, launched with the operands of the one for the others";
  let description = [{
    `share` is 1 where `kernel` does the work and 0 where `other` does, over n0, n1, .. of both: their blocks are
    multiplied by it and by what is left of 1.

    ```mlir
    cuda.twin @k0_token of @k0 share <"-min(max(-n0, n0 - 2), 0)">
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, FlatSymbolRefAttr:$other, Graph_ExprAttr:$share);
  let assemblyFormat = "$kernel `of` $other `share` $share attr-dict";
}

#endif // CUPOLA_LIB_TARGET_CUDA_CUDAOPS_TD
