//===- SimtEnums.td - enumerations of the simt dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_SIMT_SIMTENUMS_TD
#define CUPOLA_DIALECTS_SIMT_SIMTENUMS_TD

include "mlir/IR/EnumAttr.td"

def Simt_MmaOperand : I32EnumAttr<"MmaOperand", "how a fragment lies in shared memory", [
  I32EnumAttrCase<"A", 0, "a">,   // [m][k]
  I32EnumAttrCase<"B", 1, "b">,   // [k][n]
  I32EnumAttrCase<"BT", 2, "bt">, // [n][k]
]> {
  let cppNamespace = "::cupola::simt";
  let genSpecializedAttr = 0;
}

#endif // CUPOLA_DIALECTS_SIMT_SIMTENUMS_TD
