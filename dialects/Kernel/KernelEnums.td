//===- KernelEnums.td - enumerations of the kernel dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_KERNEL_KERNELENUMS_TD
#define CUPOLA_DIALECTS_KERNEL_KERNELENUMS_TD

include "mlir/IR/EnumAttr.td"

def Kernel_Access : I32EnumAttr<"Access", "what a kernel does with a buffer", [
  I32EnumAttrCase<"Read", 0, "read">, I32EnumAttrCase<"Write", 1, "write">,
  I32EnumAttrCase<"ReadWrite", 2, "readwrite">, // in place, element by element
]> {
  let cppNamespace = "::cupola::kernel";
  let genSpecializedAttr = 0;
}

#endif // CUPOLA_DIALECTS_KERNEL_KERNELENUMS_TD
