//===- lib/Target/CUDA/PrintScalar.cpp - types, literals, scalar functions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Print.h"

#include <charconv>

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

std::string cuda::typeName(Type type) { return graph::elementTypeOf(type).name; }

/// The shortest decimal that reads back as the same value.
template <class T> static std::string decimal(T value) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

static std::string floatLiteral(const llvm::APFloat &value, Type type) {
  std::string name = cuda::typeName(type);
  bool isF32 = type.isF32();
  if ((isF32 || type.isF64()) && value.isFinite())
    return isF32 ? decimal(value.convertToFloat()) + "f" : decimal(value.convertToDouble());
  llvm::SmallString<32> digits;
  value.bitcastToAPInt().toStringUnsigned(digits, 16);
  return name + "_bits(0x" + digits.str().lower() + (type.isF64() ? "ull)" : "u)");
}

std::string cuda::literal(TypedAttr value) {
  Type type = value.getType();
  if (auto real = dyn_cast<FloatAttr>(value))
    return floatLiteral(real.getValue(), type);
  llvm::APInt number = cast<IntegerAttr>(value).getValue();
  if (type.isInteger(1))
    return number.isZero() ? "false" : "true";
  bool isUnsigned = type.isUnsignedInteger();
  unsigned width = number.getBitWidth();
  // The smallest number has no literal of its own.
  if (!isUnsigned && number.isMinSignedValue())
    return "cu_lowest<" + typeName(type) + ">()";
  llvm::SmallString<24> digits;
  number.toString(digits, 10, !isUnsigned);
  std::string text = digits.str().str();
  if (width == 64)
    return text + (isUnsigned ? "ull" : "ll");
  if (width == 32)
    return text + (isUnsigned ? "u" : "");
  return typeName(type) + "(" + text + ")";
}

namespace {

using Operand = llvm::function_ref<std::string(Value)>;

/// How many of alpha and beta a function takes.
unsigned parameterCount(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::LeakyRelu:
  case UnaryKind::Elu:
  case UnaryKind::Celu:
  case UnaryKind::ThresholdedRelu:
  case UnaryKind::Silu:
    return 1;
  case UnaryKind::Selu:
  case UnaryKind::HardSigmoid:
  case UnaryKind::Shrink:
  case UnaryKind::IsInf:
    return 2;
  default:
    return 0;
  }
}

/// Parameters have the type the function computes in: f64 for f64, else f32.
std::string parameter(const llvm::APFloat &value, Type input) {
  Type type = input.isF64() ? input : Float32Type::get(input.getContext());
  llvm::APFloat converted = value;
  bool lossy;
  converted.convert(cast<FloatType>(type).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return floatLiteral(converted, type);
}

std::string unary(UnaryOp op, Operand operand) {
  std::string text = "cu_" + graph::stringifyUnaryKind(op.getKind()).str() + (op.getCoarse() ? "_coarse(" : "(") +
                     operand(op.getInput());
  unsigned count = parameterCount(op.getKind());
  Type type = op.getInput().getType();
  if (count > 0)
    text += ", " + parameter(op.getAlpha(), type);
  if (count > 1)
    text += ", " + parameter(op.getBeta(), type);
  return text + ")";
}

/// Operators that mean the same in C++ and in the graph; integers wrap by functions.
const char *infix(BinaryKind kind, Type type) {
  bool real = isa<FloatType>(type);
  switch (kind) {
  case BinaryKind::Add:
    return real ? "+" : nullptr;
  case BinaryKind::Sub:
    return real ? "-" : nullptr;
  case BinaryKind::Mul:
    return real ? "*" : nullptr;
  case BinaryKind::Div:
    return real ? "/" : nullptr;
  case BinaryKind::Equal:
    return "==";
  case BinaryKind::Less:
    return "<";
  case BinaryKind::LessEqual:
    return "<=";
  case BinaryKind::Greater:
    return ">";
  case BinaryKind::GreaterEqual:
    return ">=";
  case BinaryKind::And:
    return "&&";
  case BinaryKind::Or:
    return "||";
  case BinaryKind::Xor:
    return "!=";
  default:
    return nullptr;
  }
}

std::string binary(BinaryKind kind, Type type, const std::string &a, const std::string &b) {
  if (const char *symbol = infix(kind, type))
    return a + " " + symbol + " " + b;
  return "cu_" + graph::stringifyBinaryKind(kind).str() + "(" + a + ", " + b + ")";
}

/// A constant, or an integer as a float.
bool isSmall(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return value.getDefiningOp<kernel::ConstantOp>() || (cast && cast.getInput().getType().isInteger());
}

/// Whether all that becomes of a rounded number, perhaps with zero points added, are integers of up to 32 bits, which
/// saturate.
bool becomesInteger(Value number) {
  return llvm::all_of(number.getUsers(), [&](Operation *user) {
    if (auto cast = dyn_cast<CastOp>(user))
      return cast.getType().isInteger() && !cast.getType().isInteger(1) && cast.getType().getIntOrFloatBitWidth() <= 32;
    auto sum = dyn_cast<BinaryOp>(user);
    return sum && sum.getKind() == BinaryKind::Add && isSmall(sum.getLhs() == number ? sum.getRhs() : sum.getLhs()) &&
           becomesInteger(sum);
  });
}

/// A known divisor of what is rounded to an integer: see cu_quotient.
std::optional<float> roundedDivisor(BinaryOp op) {
  auto constant = op.getRhs().getDefiningOp<kernel::ConstantOp>();
  if (op.getKind() != BinaryKind::Div || !op.getType().isF32() || !constant)
    return std::nullopt;
  const float divisor = cast<FloatAttr>(constant.getValue()).getValue().convertToFloat();
  const bool isRounded = llvm::all_of(op->getUsers(), [](Operation *user) {
    auto round = dyn_cast<UnaryOp>(user);
    return round && round.getKind() == UnaryKind::Round && becomesInteger(round);
  });
  return isRounded && divisor >= 0x1p-60F && divisor <= 0x1p60F ? std::optional(divisor) : std::nullopt;
}

std::string binary(BinaryOp op, Operand operand) {
  const std::string lhs = operand(op.getLhs());
  if (const std::optional<float> divisor = roundedDivisor(op))
    return "cu_quotient(" + lhs + ", " + decimal(*divisor) + "f, " + decimal(1.0F / *divisor) + "f)";
  return binary(op.getKind(), op.getLhs().getType(), lhs, operand(op.getRhs()));
}

} // namespace

std::string cuda::scalarText(Operation *op, Operand operand) {
  if (auto it = dyn_cast<UnaryOp>(op))
    return unary(it, operand);
  if (auto it = dyn_cast<BinaryOp>(op))
    return binary(it, operand);
  if (auto it = dyn_cast<CastOp>(op))
    return "cu_cast<" + typeName(it.getType()) + ">(" + operand(it.getInput()) + ")";
  if (auto it = dyn_cast<BitcastOp>(op))
    return "cu_bitcast<" + typeName(it.getType()) + ">(" + operand(it.getInput()) + ")";
  auto select = cast<SelectOp>(op);
  return operand(select.getCondition()) + " ? " + operand(select.getLhs()) + " : " + operand(select.getRhs());
}

std::string cuda::combineText(ReduceKind kind, Type type, const std::string &a, const std::string &b) {
  if (kind == ReduceKind::Max || kind == ReduceKind::Min)
    return (kind == ReduceKind::Max ? "cu_larger(" : "cu_smaller(") + a + ", " + b + ")";
  return binary(graph::combiningKind(kind), type, a, b);
}
