//===- dialects/Kernel/Syntax.h - positions in the syntax of ops ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The custom<..> directives of the kernel and simt dialects. An expression is written with
// the names of its operands: `384*%g0 + %d0`. All expressions of an op share one list of
// operands, which is why each directive reads all that an op has.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_KERNEL_SYNTAX_H
#define CUPOLA_DIALECTS_KERNEL_SYNTAX_H

#include "dialects/Graph/Graph.h"

namespace cupola::kernel {

using Indices = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;

/// position
mlir::ParseResult parsePosition(mlir::OpAsmParser &parser, graph::ExprAttr &position, Indices &indices);
void printPosition(mlir::OpAsmPrinter &printer, mlir::Operation *op, graph::ExprAttr position,
                   mlir::OperandRange indices);
/// [position]
mlir::ParseResult parsePlace(mlir::OpAsmParser &parser, graph::ExprAttr &position, Indices &indices);
void printPlace(mlir::OpAsmPrinter &printer, mlir::Operation *op, graph::ExprAttr position, mlir::OperandRange indices);
/// [position, ..]
mlir::ParseResult parsePositions(mlir::OpAsmParser &parser, mlir::ArrayAttr &positions, Indices &indices);
void printPositions(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr positions,
                    mlir::OperandRange indices);
/// (mask [condition, ..])?
mlir::ParseResult parseMask(mlir::OpAsmParser &parser, mlir::ArrayAttr &mask, Indices &indices);
void printMask(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr mask, mlir::OperandRange indices);
/// [position] (mask [condition, ..])?
mlir::ParseResult parseAccess(mlir::OpAsmParser &parser, graph::ExprAttr &position, mlir::ArrayAttr &mask,
                              Indices &indices);
void printAccess(mlir::OpAsmPrinter &printer, mlir::Operation *op, graph::ExprAttr position, mlir::ArrayAttr mask,
                 mlir::OperandRange indices);

/// An expression of constants of the launch alone, and several.
mlir::ParseResult parseExtent(mlir::OpAsmParser &parser, graph::ExprAttr &extent);
void printExtent(mlir::OpAsmPrinter &printer, mlir::Operation *op, graph::ExprAttr extent);
mlir::ParseResult parseExtents(mlir::OpAsmParser &parser, mlir::ArrayAttr &extents);
void printExtents(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr extents);

/// A body with these arguments, which an empty one has, too.
mlir::ParseResult parseRegion(mlir::OpAsmParser &parser, mlir::Region &body,
                              llvm::ArrayRef<mlir::OpAsmParser::Argument> arguments);
/// (%index, ..) {body}
mlir::ParseResult parseBody(mlir::OpAsmParser &parser, mlir::Region &body);
void printBody(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Region &body);
/// (blocks size start body scales body by body)?
mlir::ParseResult parseDepthBlocks(mlir::OpAsmParser &parser, mlir::IntegerAttr &size,
                                   llvm::SmallVectorImpl<std::unique_ptr<mlir::Region>> &parts);
void printDepthBlocks(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr size,
                      mlir::RegionRange parts);
/// (%index, ..) in [extent, ..] {body}
mlir::ParseResult parseLoop(mlir::OpAsmParser &parser, mlir::ArrayAttr &extents, mlir::Region &body);
void printLoop(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr extents, mlir::Region &body);

} // namespace cupola::kernel

#endif // CUPOLA_DIALECTS_KERNEL_SYNTAX_H
