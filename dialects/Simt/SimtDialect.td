//===- SimtDialect.td - the simt dialect and its types -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_SIMT_SIMTDIALECT_TD
#define CUPOLA_DIALECTS_SIMT_SIMTDIALECT_TD

include "dialects/Kernel/KernelDialect.td"
include "dialects/Simt/SimtEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::cupola::simt";
  let summary = "the program of one thread of a GPU";
  let description = [{
    How a GPU runs a kernel: iterations distributed over threads, registers, shared memory,
    copies, barriers, fragments. Loads, stores, scalars and positions are those of the
    kernel dialect. One op is one statement or one call of a device header; the CUDA
    printer prints it.
  }];
  let dependentDialects = ["::cupola::kernel::KernelDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Simt_Type<string typeName, string typeMnemonic> : TypeDef<Simt_Dialect, typeName> {
  let mnemonic = typeMnemonic;
}

def Simt_RegistersType : Simt_Type<"Registers", "registers"> {
  let summary = "an array in registers of one thread; with `vector`, of short vectors";
  let description = [{
    `!simt.registers<2x4xf32>` is eight floats, `!simt.registers<f32>` a variable,
    `!simt.registers<2xf32, vector 4>` two vectors of four, each loaded by one access.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$extents, "::mlir::Type":$element,
                        "int64_t":$vector);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Simt_SmemType : Simt_Type<"Smem", "smem"> {
  let summary = "elements in the block's shared memory";
  let description = [{
    `!simt.smem<4096xf32>`. With `swizzle`, rows of so many bytes follow each other, whose pieces of sixteen bytes
    are permuted: `!simt.smem<8192xf16, swizzle 128>`. Positions are those without it; what reads and writes the memory
    permutes them (device/swizzle.cuh), as tensor copies and wgmma do.
  }];
  let parameters = (ins "int64_t":$count, "::mlir::Type":$element, DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Bytes. A swizzle depends on the address, by groups of eight rows.
    int64_t getAlignment() const { return getSwizzle() ? 8 * getSwizzle() : 16; }
  }];
  let genVerifyDecl = 1;
}

def Simt_TensorMapAttr : AttrDef<Simt_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "a tensor in a buffer parameter, and the box of it that one tensor copy takes";
  let description = [{
    The tensor begins at element `offset` of the parameter `view`. `extents`, `strides` and `box` are in
    elements, innermost first; the innermost stride is 1. Expressions are over the kernel's n0, n1, ..
    With a window (`format::TensorWindow`) one copy takes not a box but `box[1]` places, in their order.

    ```mlir
    #simt.tensor_map<0 offset "0" extents ["256", "n0"] strides ["1", "256"] box [64, 128] swizzle 128>
    #simt.tensor_map<0 offset "0" extents ["64", "56", "56", "n0"] strides ["1", "64", "3584", "200704"]
      box [64, 128, 1, 1] swizzle 128 window from [-1, -1] to [-1, -1] by [1, 1]>
    ```
  }];
  let parameters = (ins "unsigned":$view, "::cupola::graph::ExprAttr":$offset,
                        ArrayRefParameter<"::cupola::graph::ExprAttr">:$extents,
                        ArrayRefParameter<"::cupola::graph::ExprAttr">:$strides,
                        ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle,
                        OptionalArrayRefParameter<"int64_t">:$lower, OptionalArrayRefParameter<"int64_t">:$upper,
                        OptionalArrayRefParameter<"int64_t">:$steps);
  let builders = [AttrBuilder<(ins "unsigned":$view, "::cupola::graph::ExprAttr":$offset,
                                   "::llvm::ArrayRef<::cupola::graph::ExprAttr>":$extents,
                                   "::llvm::ArrayRef<::cupola::graph::ExprAttr>":$strides,
                                   "::llvm::ArrayRef<int64_t>":$box, "int64_t":$swizzle),
                              [{ return $_get($_ctxt, view, offset, extents, strides, box, swizzle,
                                              ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>(),
                                              ::llvm::ArrayRef<int64_t>()); }]>];
  let assemblyFormat = [{
    `<` $view `offset` custom<Expr>($offset) `extents` ` ` `[` custom<ExprList>($extents) `]`
    `strides` ` ` `[` custom<ExprList>($strides) `]` `box` ` ` `[` $box `]` `swizzle` $swizzle
    (`window` `from` ` ` `[` $lower^ `]` `to` ` ` `[` $upper `]` `by` ` ` `[` $steps `]`)? `>`
  }];
  let extraClassDeclaration = [{
    bool hasWindow() const { return !getSteps().empty(); }
  }];
  let genVerifyDecl = 1;
}

#endif // CUPOLA_DIALECTS_SIMT_SIMTDIALECT_TD
