//===- dialects/Graph/Syntax.cpp - custom parts of the graph dialect's syntax ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Graph.h"

using namespace mlir;

namespace cupola::graph {

ParseResult parseText(AsmParser &parser, std::string &text) { return parser.parseString(&text); }

/// With escapes: names of a model may hold any byte.
void printText(AsmPrinter &printer, StringRef text) { printer.printString(text); }

/// A keyword, or in quotes where it is none.
ParseResult parseName(AsmParser &parser, std::string &name) { return parser.parseKeywordOrString(&name); }

void printName(AsmPrinter &printer, StringRef name) { printer.printKeywordOrString(name); }

ParseResult parseFused(AsmParser &parser, bool &fused) {
  fused = succeeded(parser.parseOptionalKeyword("fused"));
  return fused ? success() : parser.parseKeyword("apart");
}

void printFused(AsmPrinter &printer, bool fused) { printer << (fused ? "fused" : "apart"); }

/// The text alone.
ParseResult parseReason(AsmParser &parser, ReasonAttr &reason) {
  std::string text;
  if (parser.parseString(&text))
    return failure();
  reason = ReasonAttr::get(parser.getContext(), text);
  return success();
}

void printReason(AsmPrinter &printer, ReasonAttr reason) { printText(printer, reason.getText()); }

void printReason(OpAsmPrinter &printer, Operation *, ReasonAttr reason) { printText(printer, reason.getText()); }

} // namespace cupola::graph
