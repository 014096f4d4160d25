//===- dialects/Graph/Graph.h - the graph dialect ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_GRAPH_H
#define CUPOLA_DIALECTS_GRAPH_GRAPH_H

#include "dialects/Graph/ElementTypes.h"
#include "dialects/Graph/Indexing.h"
#include "dialects/Graph/InferType.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cupola::graph {

/// How an op takes part in fusion.
enum class FusionClass {
  Constant,    ///< no kernel
  Pointwise,   ///< inlined anywhere
  View,        ///< composes into addresses
  Join,        ///< no kernel: those of its operands write into it
  Gather,      ///< inlined with one indirect index
  Reduction,   ///< hero of a reduction
  RowNormal,   ///< hero: reduces and maps rows (softmax, layer norm)
  Contraction, ///< hero: matmul
  Control,     ///< no kernel: bodies that have some
};

/// What the precision pass may do with an op.
enum class PrecisionClass {
  Matrix,  ///< 16-bit operands, f32 accumulation
  Compute, ///< 16-bit storage, f32 arithmetic
  Keep,    ///< f32 storage: the result may be far larger or smaller than the operands
  Never,   ///< integers, positions
};

} // namespace cupola::graph

#include "dialects/Graph/GraphDialect.h.inc"
#include "dialects/Graph/GraphEnums.h.inc"
#include "dialects/Graph/GraphInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Graph/GraphAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Graph/GraphOps.h.inc"

namespace cupola::graph {

/// The result of a comparison, is_nan or is_inf is bool (i1).
bool isComparison(BinaryKind kind);
bool isPredicate(UnaryKind kind);
PrecisionClass precisionOf(UnaryKind kind);
PrecisionClass precisionOf(BinaryKind kind);
PrecisionClass precisionOf(ReduceKind kind);
/// Whether the kind tells neighbouring operands apart however large they are: angles, and what becomes a position.
bool needsExactOperands(UnaryKind kind);
bool needsExactOperands(BinaryKind kind);
/// How a reduction takes in one more element; a mean is the quotient of a sum.
BinaryKind combiningKind(ReduceKind kind);

//===--- Syntax: custom<Text>, custom<Name> and custom<Fused> of attributes, custom<Reason> of ops, too ---===//

mlir::ParseResult parseText(mlir::AsmParser &parser, std::string &text);
void printText(mlir::AsmPrinter &printer, llvm::StringRef text);
mlir::ParseResult parseName(mlir::AsmParser &parser, std::string &name);
void printName(mlir::AsmPrinter &printer, llvm::StringRef name);
mlir::ParseResult parseFused(mlir::AsmParser &parser, bool &fused);
void printFused(mlir::AsmPrinter &printer, bool fused);
mlir::ParseResult parseReason(mlir::AsmParser &parser, ReasonAttr &reason);
void printReason(mlir::AsmPrinter &printer, ReasonAttr reason);
void printReason(mlir::OpAsmPrinter &printer, mlir::Operation *op, ReasonAttr reason);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_GRAPH_H
