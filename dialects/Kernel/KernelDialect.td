//===- KernelDialect.td - the kernel dialect, its types and attributes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_KERNEL_KERNELDIALECT_TD
#define CUPOLA_DIALECTS_KERNEL_KERNELDIALECT_TD

include "dialects/Kernel/KernelEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::cupola::kernel";
  let summary = "one fused kernel as a program over a grid";
  let description = [{
    What is computed, for every target: a `kernel.func` is one program that runs for every
    point of its grid; inside, `foreach`, `map` and `reduce` iterate a scalar region, and
    `dot` contracts. There is no memory space, no thread and no barrier. The CPU target
    lowers from here; the GPU targets make programs of threads of it (the simt dialect).

    Positions are expressions (`#graph.expr`) over index values: points of the grid and of
    loops, checked indices, the results of `kernel.apply`. In the attribute they are x0, x1,
    .. , the operands `indices` of the op; its syntax names the values themselves:

    ```mlir
    %v = kernel.load %in0[384*%g0 + %d0] ..   // position = #graph.expr<"384*x0 + x1">
    ```

    Scalar parameters of the kernel are the constants n0, n1, .. of all its expressions.
    Extents use nothing else, so that they may stand in types.

    Scalars keep the signedness of their element type (ui8 is unsigned); kinds of scalar
    functions are those of the graph dialect and mean the same.
  }];
  let dependentDialects = ["::cupola::graph::GraphDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Kernel_Type<string typeName, string typeMnemonic> : TypeDef<Kernel_Dialect, typeName> {
  let mnemonic = typeMnemonic;
}

def Kernel_ViewType : Kernel_Type<"View", "view"> {
  let summary = "a buffer parameter: elements at linear positions; noalias";
  let parameters = (ins "::mlir::Type":$element, EnumParameter<Kernel_Access>:$access);
  let assemblyFormat = "`<` $element `,` $access `>`";
}

def Kernel_TileType : Kernel_Type<"Tile", "tile"> {
  let summary = "values of a map or dot, one per iteration; extents are expressions";
  let parameters = (ins "::mlir::Type":$element, OptionalArrayRefParameter<"::cupola::graph::ExprAttr">:$extents);
  let assemblyFormat = "`<` $element (`,` custom<ExprList>($extents)^)? `>`";
}

def Kernel_ScalarAttr : AttrDef<Kernel_Dialect, "Scalar"> {
  let mnemonic = "scalar";
  let summary = "what is known of a scalar parameter: min, max (0: unbounded), divisor";
  let parameters = (ins "int64_t":$min, "int64_t":$max, "int64_t":$divisor);
  let assemblyFormat = "`<` $min `,` $max `,` $divisor `>`";
}

def Kernel_PackedAttr : AttrDef<Kernel_Dialect, "Packed"> {
  let mnemonic = "packed";
  let summary = "a buffer parameter that holds its operand in another order";
  let description = [{
    The copy of `bytes` bytes, over the kernel's n0, n1, .. , is made once per executable by
    the kernel `packer`, whose parameters are the operand and the copy. An operand that is
    computed is made of the `others`, too, which come behind it. `nibbles`: the copy has four bits of each
    element, how is the target's matter.

    ```mlir
    #kernel.packed<1 bytes <"36864"> by @p0>
    #kernel.packed<1 with 2, 3 bytes <"36864"> by @p0>
    #kernel.packed<1 bytes <"18432"> by @p0 nibbles true>
    ```
  }];
  let parameters = (ins "unsigned":$parameter, OptionalArrayRefParameter<"unsigned">:$others,
                        "::cupola::graph::ExprAttr":$bytes, "::mlir::FlatSymbolRefAttr":$packer,
                        DefaultValuedParameter<"bool", "false">:$nibbles);
  let assemblyFormat = "`<` $parameter (`with` $others^)? `bytes` $bytes `by` $packer (`nibbles` $nibbles^)? `>`";
  let extraClassDeclaration = [{
    /// All that the packer reads, in the order of its parameters.
    ::llvm::SmallVector<unsigned> getParameters() const {
      ::llvm::SmallVector<unsigned> all{getParameter()};
      all.append(getOthers().begin(), getOthers().end());
      return all;
    }
  }];
}

#endif // CUPOLA_DIALECTS_KERNEL_KERNELDIALECT_TD
