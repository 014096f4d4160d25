//===- SimtEnums.td - enumerations of the simt dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_SIMT_SIMTENUMS_TD
#define CUPOLA_DIALECTS_SIMT_SIMTENUMS_TD

include "mlir/IR/EnumAttr.td"

def Simt_MmaOperand : I32EnumAttr<"MmaOperand", "how a fragment lies in shared memory", [
  I32EnumAttrCase<"A", 0, "a">,   // [m][k]
  I32EnumAttrCase<"B", 1, "b">,   // [k][n]
  I32EnumAttrCase<"BT", 2, "bt">, // [n][k]
  I32EnumAttrCase<"AK", 3, "ak">, // [m][k], 16 rows: the tiles of the fragment are neighbours along k
]> {
  let cppNamespace = "::cupola::simt";
  let genSpecializedAttr = 0;
}

def Simt_MmaKind : I32EnumAttr<"MmaKind", "what the matrix units multiply", [
  I32EnumAttrCase<"F16", 0, "f16">, I32EnumAttrCase<"BF16", 1, "bf16">,
  I32EnumAttrCase<"TF32", 2, "tf32">,     // f32, rounded to 11 bits
  I32EnumAttrCase<"TF32x3", 3, "tf32x3">, // f32, of which 22 bits count
  I32EnumAttrCase<"I8", 4, "i8">, I32EnumAttrCase<"UI8", 5, "ui8">,
  I32EnumAttrCase<"UI8I8", 6, "ui8_i8">, I32EnumAttrCase<"I8UI8", 7, "i8_ui8">, // the left one first
  I32EnumAttrCase<"E4M3", 8, "e4m3">, I32EnumAttrCase<"E5M2", 9, "e5m2">, // float8
  I32EnumAttrCase<"E4M3E5M2", 10, "e4m3_e5m2">, I32EnumAttrCase<"E5M2E4M3", 11, "e5m2_e4m3">,
]> {
  let cppNamespace = "::cupola::simt";
  let genSpecializedAttr = 0;
}

#endif // CUPOLA_DIALECTS_SIMT_SIMTENUMS_TD
