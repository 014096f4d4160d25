//===- dialects/Kernel/Syntax.cpp - positions in the syntax of ops ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Kernel/Syntax.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using cupola::graph::ExprAttr;

namespace cupola::kernel {
namespace {

/// sum     := '-'? product (('+' | '-') product)*
/// product := factor ('*' factor)*
/// factor  := integer | %index | n0 | '(' sum ')' | function '(' sum ',' sum ')'
class PositionParser {
public:
  PositionParser(OpAsmParser &parser, Indices *indices) : parser(parser), indices(indices) {}

  ParseResult parse(ExprAttr &attr) {
    SMLoc where = parser.getCurrentLocation();
    Expr expr;
    if (sum(expr))
      return failure();
    if (expr.overflowed())
      return parser.emitError(where, "this leaves the range of 64 bits");
    attr = graph::ExprAttr::get(parser.getContext(), expr);
    return success();
  }

private:
  ParseResult sum(Expr &expr) {
    bool isNegative = succeeded(parser.parseOptionalMinus());
    if (product(expr))
      return failure();
    if (isNegative)
      expr = -expr;
    while (true) {
      bool plus = succeeded(parser.parseOptionalPlus());
      if (!plus && failed(parser.parseOptionalMinus()))
        return success();
      Expr next;
      if (product(next))
        return failure();
      expr = plus ? expr + next : expr - next;
    }
  }

  ParseResult product(Expr &expr) {
    if (factor(expr))
      return failure();
    while (succeeded(parser.parseOptionalStar())) {
      Expr next;
      if (factor(next))
        return failure();
      expr *= next;
    }
    return success();
  }

  ParseResult factor(Expr &expr) {
    int64_t number = 0;
    if (OptionalParseResult found = parser.parseOptionalInteger(number); found.has_value()) {
      expr = number;
      return *found;
    }
    OpAsmParser::UnresolvedOperand operand;
    if (OptionalParseResult found = parser.parseOptionalOperand(operand); found.has_value())
      return failed(*found) ? failure() : index(operand, expr);
    if (succeeded(parser.parseOptionalLParen()))
      return failure(sum(expr) || parser.parseRParen());
    SMLoc where = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseOptionalKeyword(&word))
      return parser.emitError(where, "expected an expression");
    if (function(word))
      return call(function(word), expr);
    if (!Expr::isSymbolName(std::string_view(word.data(), word.size())))
      return parser.emitError(where) << "'" << word << "' is no symbol";
    expr = Expr::symbol(word.str());
    return success();
  }

  ParseResult index(const OpAsmParser::UnresolvedOperand &operand, Expr &expr) {
    if (!indices)
      return parser.emitError(operand.location, "an extent is made of constants of the launch");
    auto same = [&](const auto &other) { return other.name == operand.name && other.number == operand.number; };
    size_t place = llvm::find_if(*indices, same) - indices->begin();
    if (place == indices->size())
      indices->push_back(operand);
    expr = Expr::symbol("x" + std::to_string(place));
    return success();
  }

  using Function = Expr (*)(const Expr &, const Expr &);
  static Function function(StringRef word) {
    return llvm::StringSwitch<Function>(word)
        .Case("floordiv", cupola::floorDiv)
        .Case("ceildiv", cupola::ceilDiv)
        .Case("mod", cupola::mod)
        .Case("min", cupola::min)
        .Case("max", cupola::max)
        .Default(nullptr);
  }
  ParseResult call(Function apply, Expr &expr) {
    Expr lhs, rhs;
    if (parser.parseLParen() || sum(lhs) || parser.parseComma() || sum(rhs) || parser.parseRParen())
      return failure();
    expr = apply(lhs, rhs);
    return success();
  }

  OpAsmParser &parser;
  Indices *indices;
};

/// Texts of sub-expressions (see buildExpr); `isSum`: needs parentheses as a factor.
struct TextBuilder {
  struct Text {
    std::string text;
    bool isSum = false;
  };
  OpAsmPrinter &printer;
  ValueRange indices;

  Text constant(int64_t value) { return {std::to_string(value)}; }
  Text symbol(const std::string &name) {
    unsigned place = 0;
    if (name[0] != 'x' || StringRef(name).drop_front().getAsInteger(10, place) || place >= indices.size())
      return {name};
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer.printOperand(indices[place], stream);
    return {text};
  }
  static std::string factor(const Text &text) { return text.isSum ? "(" + text.text + ")" : text.text; }
  Text binary(ExprOp op, const Text &a, const Text &b) {
    static constexpr const char *functions[] = {"", "", "", "floordiv", "ceildiv", "mod", "min", "max"};
    switch (op) {
    case ExprOp::Add:
      return {a.text + " + " + b.text, true};
    case ExprOp::Sub:
      return {a.text + " - " + factor(b), true};
    case ExprOp::Mul:
      return {a.text == "-1" ? "-" + factor(b) : factor(a) + "*" + factor(b)};
    default:
      return {std::string(functions[static_cast<int>(op)]) + "(" + a.text + ", " + b.text + ")"};
    }
  }
};

void print(OpAsmPrinter &printer, const Expr &expr, ValueRange indices) {
  TextBuilder builder{printer, indices};
  printer << buildExpr(expr, builder).text;
}

ParseResult parseList(OpAsmParser &parser, ArrayAttr &list, Indices *indices) {
  SmallVector<Attribute> exprs;
  ParseResult done = parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    ExprAttr expr;
    if (PositionParser(parser, indices).parse(expr))
      return failure();
    exprs.push_back(expr);
    return success();
  });
  list = ArrayAttr::get(parser.getContext(), exprs);
  return done;
}

void printList(OpAsmPrinter &printer, ArrayAttr list, ValueRange indices) {
  printer << '[';
  llvm::interleaveComma(graph::exprsOf(list), printer, [&](const Expr &e) { print(printer, e, indices); });
  printer << ']';
}

ParseResult parseArguments(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = parser.getBuilder().getIndexType();
  return success();
}

void printArguments(OpAsmPrinter &printer, Region &body) {
  printer << '(';
  llvm::interleaveComma(body.getArguments(), printer, [&](BlockArgument argument) { printer.printOperand(argument); });
  printer << ") ";
}

} // namespace

ParseResult parsePosition(OpAsmParser &parser, ExprAttr &position, Indices &indices) {
  return PositionParser(parser, &indices).parse(position);
}
void printPosition(OpAsmPrinter &printer, Operation *, ExprAttr position, OperandRange indices) {
  print(printer, position.getValue(), indices);
}

ParseResult parsePlace(OpAsmParser &parser, ExprAttr &position, Indices &indices) {
  return failure(parser.parseLSquare() || parsePosition(parser, position, indices) || parser.parseRSquare());
}
void printPlace(OpAsmPrinter &printer, Operation *op, ExprAttr position, OperandRange indices) {
  printer << '[';
  printPosition(printer, op, position, indices);
  printer << ']';
}

ParseResult parsePositions(OpAsmParser &parser, ArrayAttr &positions, Indices &indices) {
  return parseList(parser, positions, &indices);
}
void printPositions(OpAsmPrinter &printer, Operation *, ArrayAttr positions, OperandRange indices) {
  printList(printer, positions, indices);
}

ParseResult parseMask(OpAsmParser &parser, ArrayAttr &mask, Indices &indices) {
  if (succeeded(parser.parseOptionalKeyword("mask")))
    return parsePositions(parser, mask, indices);
  mask = parser.getBuilder().getArrayAttr({});
  return success();
}
void printMask(OpAsmPrinter &printer, Operation *op, ArrayAttr mask, OperandRange indices) {
  if (mask.empty())
    return;
  printer << " mask ";
  printPositions(printer, op, mask, indices);
}

ParseResult parseAccess(OpAsmParser &parser, ExprAttr &position, ArrayAttr &mask, Indices &indices) {
  return failure(parsePlace(parser, position, indices) || parseMask(parser, mask, indices));
}
void printAccess(OpAsmPrinter &printer, Operation *op, ExprAttr position, ArrayAttr mask, OperandRange indices) {
  printPlace(printer, op, position, indices);
  printMask(printer, op, mask, indices);
}

ParseResult parseExtent(OpAsmParser &parser, ExprAttr &extent) { return PositionParser(parser, nullptr).parse(extent); }
void printExtent(OpAsmPrinter &printer, Operation *, ExprAttr extent) { print(printer, extent.getValue(), {}); }

ParseResult parseExtents(OpAsmParser &parser, ArrayAttr &extents) { return parseList(parser, extents, nullptr); }
void printExtents(OpAsmPrinter &printer, Operation *, ArrayAttr extents) { printList(printer, extents, {}); }

ParseResult parseRegion(OpAsmParser &parser, Region &body, ArrayRef<OpAsmParser::Argument> arguments) {
  if (parser.parseRegion(body, arguments))
    return failure();
  if (body.empty()) {
    Block &block = body.emplaceBlock();
    for (const OpAsmParser::Argument &argument : arguments)
      block.addArgument(argument.type, parser.getEncodedSourceLoc(argument.ssaName.location));
  }
  return success();
}

ParseResult parseBody(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parseArguments(parser, arguments) || parseRegion(parser, body, arguments));
}
void printBody(OpAsmPrinter &printer, Operation *op, Region &body) {
  printArguments(printer, body);
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

static constexpr StringLiteral kParts[] = {"start", "scales", "by"};

ParseResult parseDepthBlocks(OpAsmParser &parser, IntegerAttr &size, SmallVectorImpl<std::unique_ptr<Region>> &parts) {
  if (failed(parser.parseOptionalKeyword("blocks")))
    return success();
  if (parser.parseAttribute(size, parser.getBuilder().getI64Type()))
    return failure();
  for (StringRef part : kParts) {
    parts.push_back(std::make_unique<Region>());
    if (parser.parseKeyword(part) || parseBody(parser, *parts.back()))
      return failure();
  }
  return success();
}
void printDepthBlocks(OpAsmPrinter &printer, Operation *op, IntegerAttr size, RegionRange parts) {
  if (!size)
    return;
  printer << "blocks " << size.getInt();
  for (auto [name, part] : llvm::zip(kParts, parts)) {
    printer << ' ' << name << ' ';
    printBody(printer, op, *part);
  }
}

ParseResult parseLoop(OpAsmParser &parser, ArrayAttr &extents, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parseArguments(parser, arguments) || parser.parseKeyword("in") || parseExtents(parser, extents) ||
                 parseRegion(parser, body, arguments));
}
void printLoop(OpAsmPrinter &printer, Operation *op, ArrayAttr extents, Region &body) {
  printArguments(printer, body);
  printer << "in ";
  printExtents(printer, op, extents);
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

} // namespace cupola::kernel
