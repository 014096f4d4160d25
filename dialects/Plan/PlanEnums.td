//===- PlanEnums.td - enumerations of the plan dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0

#ifndef CUPOLA_DIALECTS_PLAN_PLANENUMS_TD
#define CUPOLA_DIALECTS_PLAN_PLANENUMS_TD

include "mlir/IR/EnumAttr.td"

def Plan_BufferKindAttr : I32EnumAttr<"BufferKind", "where a buffer lives", [
  I32EnumAttrCase<"Arena", 1, "arena">, I32EnumAttrCase<"Weight", 2, "weight">,
  I32EnumAttrCase<"Input", 3, "input">, I32EnumAttrCase<"Output", 4, "output">,
  I32EnumAttrCase<"Init", 6, "init">, I32EnumAttrCase<"Parameter", 7, "parameter">,
  I32EnumAttrCase<"Growing", 8, "growing">, I32EnumAttrCase<"Counters", 9, "counters">,
]> {
  let cppNamespace = "::cupola::plan";
}

#endif // CUPOLA_DIALECTS_PLAN_PLANENUMS_TD
