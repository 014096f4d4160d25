//===- lib/Target/CPU/CpuDialect.cpp - registration, syntax, verifiers ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuDialect.h"
#include "lib/Target/ScheduleAttr.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::cpu;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Nothing, or: , vector 1, vectors 4, chunk 4096
static ParseResult parseVectors(AsmParser &parser, std::optional<int64_t> &vector, int64_t &vectors, int64_t &chunk) {
  vectors = 1;
  chunk = 0;
  if (failed(parser.parseOptionalComma()))
    return success();
  int64_t loop;
  if (parser.parseKeyword("vector") || parser.parseInteger(loop) || parser.parseComma() ||
      parser.parseKeyword("vectors") || parser.parseInteger(vectors) || parser.parseComma() ||
      parser.parseKeyword("chunk") || parser.parseInteger(chunk))
    return failure();
  vector = loop;
  return success();
}

static void printVectors(AsmPrinter &printer, std::optional<int64_t> vector, int64_t vectors, int64_t chunk) {
  if (vector)
    printer << ", vector " << *vector << ", vectors " << vectors << ", chunk " << chunk;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#include "lib/Target/CPU/CpuDialect.cpp.inc"
#include "lib/Target/CPU/CpuEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Target/CPU/CpuAttrs.cpp.inc"

void CpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lib/Target/CPU/CpuAttrs.cpp.inc"
      >();
}

// Reports tell kernels of a CPU apart by what they compute.
StringRef NestAttr::getLabel(graph::KernelKind kind) const { return graph::stringifyKernelKind(kind); }
StringRef ContractionAttr::getLabel(graph::KernelKind kind) const { return graph::stringifyKernelKind(kind); }
StringRef AttentionAttr::getLabel(graph::KernelKind kind) const { return graph::stringifyKernelKind(kind); }

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult NestAttr::verify(EmitError error, int64_t parallel, std::optional<int64_t> vector, int64_t vectors,
                               int64_t chunk) {
  if (parallel < 0 || vector.value_or(0) < 0 || chunk < 0)
    return error() << "has a negative number";
  if (vectors != 1 && vectors != 2 && vectors != 4)
    return error() << vectors << " vectors at a time are none of 1, 2 and 4";
  return success();
}

LogicalResult ContractionAttr::verify(EmitError error, int64_t rows, int64_t columns, int64_t depth, int64_t panel,
                                      OperandForm lhs, OperandForm, int64_t piece) {
  if (failed(verifyPositive(error, {rows, columns, depth, panel})) ||
      failed(verifyDivides(error, "the block's columns", columns, panel)))
    return failure();
  if (lhs == OperandForm::Packed)
    return error() << "a left operand is direct or copied";
  if (piece < 0 || (piece > 0 && lhs != OperandForm::Copied))
    return error() << "pieces are positive numbers of a left operand that is copied";
  return piece == 0 ? success() : verifyDivides(error, "the block's depth", depth, piece);
}

LogicalResult AttentionAttr::verify(EmitError error, int64_t rows, OperandForm keys, OperandForm values) {
  if (failed(verifyPositive(error, {rows})))
    return failure();
  if (keys == OperandForm::Packed || values == OperandForm::Packed)
    return error() << "keys and values are direct or copied";
  return success();
}
