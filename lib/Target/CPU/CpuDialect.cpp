//===- lib/Target/CPU/CpuDialect.cpp - registration and syntax ---===//
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

#include "lib/Target/CPU/CpuAttrInterfaces.cpp.inc"
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
