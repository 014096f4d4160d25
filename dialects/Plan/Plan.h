//===- dialects/Plan/Plan.h - the plan dialect ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_PLAN_PLAN_H
#define CUPOLA_DIALECTS_PLAN_PLAN_H

#include "dialects/Graph/Graph.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cupola::plan {
// The syntax of expressions (dialects/Graph/ExprAttr.h).
using graph::parseExprs;
using graph::printExprs;
} // namespace cupola::plan

#include "dialects/Plan/PlanDialect.h.inc"
#include "dialects/Plan/PlanEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Plan/PlanTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.h.inc"

#endif // CUPOLA_DIALECTS_PLAN_PLAN_H
