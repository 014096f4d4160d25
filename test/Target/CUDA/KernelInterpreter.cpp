//===- test/Target/CUDA/KernelInterpreter.cpp - what a kernel means ---===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Target/CUDA/KernelInterpreter.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

namespace cupola::test {

static unsigned bytesOf(Type type) { return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8; }

/// The bits of a float type as a number, and back with rounding.
static double fromBits(uint64_t bits, FloatType type) {
  llvm::APFloat value(type.getFloatSemantics(), llvm::APInt(type.getWidth(), bits));
  bool lossy;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return value.convertToDouble();
}
static uint64_t toBits(double number, FloatType type) {
  llvm::APFloat value(number);
  bool lossy;
  value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return value.bitcastToAPInt().getZExtValue();
}

/// An integer wrapped to its type.
static int64_t wrap(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  llvm::APInt bits(64, static_cast<uint64_t>(value));
  bits = bits.trunc(width);
  bool isUnsigned = type.isUnsignedInteger() || width == 1;
  return isUnsigned ? static_cast<int64_t>(bits.getZExtValue()) : bits.getSExtValue();
}

std::vector<Number> decode(const std::string &bytes, Type element) {
  std::vector<Number> numbers(bytes.size() / bytesOf(element));
  for (size_t i = 0; i < numbers.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * bytesOf(element), bytesOf(element));
    if (auto real = dyn_cast<FloatType>(element))
      numbers[i].real = fromBits(bits, real);
    else
      numbers[i].whole = wrap(static_cast<int64_t>(bits), element);
  }
  return numbers;
}

std::string encode(const std::vector<Number> &numbers, Type element) {
  std::string bytes(numbers.size() * bytesOf(element), '\0');
  for (size_t i = 0; i < numbers.size(); ++i) {
    auto real = dyn_cast<FloatType>(element);
    uint64_t bits = real ? toBits(numbers[i].real, real) : static_cast<uint64_t>(numbers[i].whole);
    std::memcpy(bytes.data() + i * bytesOf(element), &bits, bytesOf(element));
  }
  return bytes;
}

namespace {

class Interpreter {
public:
  Interpreter(FuncOp func, std::vector<std::vector<Number>> &buffers) : func(func), buffers(buffers) {}

  bool run(const std::vector<int64_t> &scalars) {
    for (size_t i = 0; i < scalars.size(); ++i)
      symbols["n" + std::to_string(i)] = scalars[i];
    iterate(func.getPoint(), func.getGrid().getValue(), [&] { block(func.getBody().front()); });
    return raised;
  }

private:
  int64_t value(const Expr &expr, ValueRange indices = {}) {
    for (auto [i, index] : llvm::enumerate(indices))
      symbols["x" + std::to_string(i)] = numbers[index].whole;
    std::optional<int64_t> result = expr.evaluate(symbols);
    if (!result)
      llvm::report_fatal_error("an expression has no value");
    return *result;
  }
  bool holds(ArrayAttr conditions, ValueRange indices) {
    return llvm::all_of(conditions, [&](Attribute e) { return value(graph::exprOf(e), indices) >= 0; });
  }

  void iterate(ValueRange point, ArrayRef<Attribute> extents, llvm::function_ref<void()> body) {
    if (point.empty())
      return body();
    int64_t extent = value(graph::exprOf(extents.front()));
    for (int64_t i = 0; i < extent; ++i) {
      numbers[point.front()].whole = i;
      iterate(point.drop_front(), extents.drop_front(), body);
    }
  }
  /// A loop of one region.
  template <class Loop> void iterate(Loop loop, llvm::function_ref<void()> body) {
    iterate(loop.getBody().getArguments(), loop.getExtents().getValue(), body);
  }

  OperandRange block(Block &ops) {
    for (Operation &op : ops)
      if (!isa<YieldOp>(op))
        execute(&op);
    return ops.empty() ? OperandRange(nullptr, 0) : ops.back().getOperands();
  }

  size_t flat(TileType type, ArrayRef<int64_t> index) {
    size_t position = 0;
    for (auto [extent, i] : llvm::zip_equal(type.getExtents(), index))
      position = position * value(extent.getValue()) + i;
    return position;
  }

  void execute(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ForeachOp it) { iterate(it, [&] { block(it.getBody().front()); }); })
        .Case<MapOp, kernel::ReduceOp, ArgReduceOp, ForOp, DotOp, ExtractOp, LoadOp, StoreOp>([&](auto it) { run(it); })
        .Case([&](kernel::ConstantOp it) {
          Number &n = numbers[it.getResult()];
          if (auto real = dyn_cast<FloatAttr>(it.getValue()))
            n.real = real.getValueAsDouble();
          else
            n.whole =
                wrap(static_cast<int64_t>(cast<IntegerAttr>(it.getValue()).getValue().getZExtValue()), it.getType());
        })
        .Case<IndexOp, ApplyOp>([&](auto it) { numbers[it.getResult()].whole = value(it.getExpr(), it.getIndices()); })
        .Case([&](InRangeOp it) { numbers[it.getResult()].whole = holds(it.getExprs(), it.getIndices()); })
        .Case([&](CheckedIndexOp it) {
          int64_t extent = value(it.getExtent()), i = numbers[it.getValue()].whole;
          raised |= i < -extent || i >= extent;
          i = i < 0 && i >= -extent ? i + extent : i;
          numbers[it.getResult()].whole = std::clamp<int64_t>(i, 0, extent - 1);
        })
        .Case([&](KnownIndexOp it) { numbers[it.getResult()].whole = numbers[it.getValue()].whole; })
        .Case([&](UnaryOp it) { unary(it); })
        .Case([&](BinaryOp it) {
          numbers[it.getResult()] =
              binary(it.getKind(), it.getLhs().getType(), numbers[it.getLhs()], numbers[it.getRhs()]);
        })
        .Case([&](SelectOp it) {
          numbers[it.getResult()] = numbers[numbers[it.getCondition()].whole ? it.getLhs() : it.getRhs()];
        })
        .Case([&](CastOp it) {
          numbers[it.getResult()] = cast_(numbers[it.getInput()], it.getInput().getType(), it.getType());
        })
        .Default([](Operation *) { llvm::report_fatal_error("an op the interpreter does not know"); });
  }

  static Number cast_(Number n, Type from, Type to) {
    bool isReal = isa<FloatType>(from);
    if (auto real = dyn_cast<FloatType>(to))
      return {fromBits(toBits(isReal ? n.real : static_cast<double>(n.whole), real), real), 0};
    if (to.isInteger(1))
      return {0, isReal ? n.real != 0 : n.whole != 0};
    return {0, wrap(isReal ? static_cast<int64_t>(n.real) : n.whole, to)};
  }

  void run(MapOp op) {
    for (Value tile : op.getTiles())
      tiles[tile].clear();
    iterate(op, [&] {
      OperandRange yielded = block(op.getBody().front());
      for (auto [tile, value] : llvm::zip_equal(op.getTiles(), yielded))
        tiles[tile].push_back(numbers[value]);
    });
  }

  static Number neutral(ReduceKind kind, Type type) {
    double infinity = HUGE_VAL;
    unsigned width = type.getIntOrFloatBitWidth();
    bool isUnsigned = type.isUnsignedInteger();
    if (kind == ReduceKind::Max)
      return {-infinity, isUnsigned ? 0 : llvm::APInt::getSignedMinValue(width).getSExtValue()};
    if (kind == ReduceKind::Min)
      return {infinity, isUnsigned ? static_cast<int64_t>(llvm::APInt::getMaxValue(width).getZExtValue())
                                   : llvm::APInt::getSignedMaxValue(width).getSExtValue()};
    return kind == ReduceKind::Prod ? Number{1, 1} : Number{0, 0};
  }

  void run(kernel::ReduceOp op) {
    std::vector<Number> sums;
    std::vector<ReduceKind> kinds;
    for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes())) {
      kinds.push_back(kind.getValue());
      sums.push_back(neutral(kind.getValue(), type));
    }
    iterate(op, [&] {
      OperandRange yielded = block(op.getBody().front());
      for (size_t i = 0; i < sums.size(); ++i) {
        BinaryKind kind = kinds[i] == ReduceKind::Sum    ? BinaryKind::Add
                          : kinds[i] == ReduceKind::Prod ? BinaryKind::Mul
                          : kinds[i] == ReduceKind::Max  ? BinaryKind::Max
                                                         : BinaryKind::Min;
        sums[i] = binary(kind, yielded[i].getType(), sums[i], numbers[yielded[i]]);
      }
    });
    for (auto [result, sum] : llvm::zip_equal(op.getResults(), sums))
      numbers[result] = sum;
  }

  void run(ArgReduceOp op) {
    int64_t position = 0, best = -1;
    Number largest;
    iterate(op, [&] {
      Value yielded = block(op.getBody().front())[0];
      Number n = numbers[yielded];
      bool isReal = isa<FloatType>(yielded.getType());
      bool isMax = op.getKind() == ReduceKind::Max;
      double difference = isReal ? n.real - largest.real : static_cast<double>(n.whole - largest.whole);
      bool better = isMax ? difference > 0 : difference < 0;
      if (best < 0 || better || (op.getLast() && difference == 0)) {
        best = position;
        largest = n;
      }
      ++position;
    });
    numbers[op.getResult()].whole = best;
  }

  void run(DotOp op) {
    std::vector<Number> tile;
    Attribute em = op.getExtents()[0], en = op.getExtents()[1], ek = op.getExtents()[2];
    auto elements = [&](Region &operand, ArrayRef<Attribute> extents) {
      std::vector<Number> result;
      iterate(operand.getArguments(), extents, [&] { result.push_back(numbers[block(operand.front())[0]]); });
      return result;
    };
    const std::vector<Number> a = elements(op.getLhs(), {em, ek}), b = elements(op.getRhs(), {ek, en});
    int64_t m = value(graph::exprOf(em)), n = value(graph::exprOf(en)), k = value(graph::exprOf(ek));
    if (op.getInit())
      tile = tiles[op.getInit()];
    else
      tile.assign(m * n, {});
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < k; ++l)
        for (int64_t j = 0; j < n; ++j) {
          tile[i * n + j].real += a[i * k + l].real * b[l * n + j].real;
          tile[i * n + j].whole += a[i * k + l].whole * b[l * n + j].whole;
        }
    tiles[op.getTile()] = std::move(tile);
  }

  /// Tiles or scalars of `from` become those of `to`, all at once.
  void hand(ValueRange from, ValueRange to) {
    auto read = [&](Value value) { return std::pair(numbers.lookup(value), tiles.lookup(value)); };
    for (auto [value, carried] : llvm::zip_equal(to, llvm::map_to_vector(from, read)))
      std::tie(numbers[value], tiles[value]) = carried;
  }

  void run(ForOp op) {
    int64_t steps = value(op.getSteps());
    hand(op.getInits(), op.getCarried());
    for (int64_t step = 0; step < steps; ++step) {
      numbers[op.getStep()].whole = step;
      hand(block(op.getBody().front()), op.getCarried());
    }
    hand(op.getCarried(), op.getResults());
  }

  void run(ExtractOp op) {
    SmallVector<int64_t> index;
    for (Attribute e : op.getPoint())
      index.push_back(value(graph::exprOf(e), op.getIndices()));
    numbers[op.getResult()] = tiles[op.getTile()].at(flat(op.getTile().getType(), index));
  }

  std::vector<Number> &buffer(Value view) { return buffers[cast<BlockArgument>(view).getArgNumber()]; }
  void run(LoadOp op) {
    Number n = op.getOther() ? numbers[op.getOther()] : Number();
    if (holds(op.getMask(), op.getIndices()))
      n = buffer(op.getView()).at(value(op.getPosition(), op.getIndices()));
    numbers[op.getResult()] = n;
  }
  void run(StoreOp op) {
    if (holds(op.getMask(), op.getIndices()))
      buffer(op.getView()).at(value(op.getPosition(), op.getIndices())) =
          cast_(numbers[op.getValue()], op.getValue().getType(), op.getValue().getType());
  }

  void unary(UnaryOp op) {
    double x = numbers[op.getInput()].real;
    Number &n = numbers[op.getResult()];
    switch (op.getKind()) {
    case UnaryKind::Exp:
      n.real = std::exp(x);
      return;
    case UnaryKind::Rsqrt:
      n.real = 1 / std::sqrt(x);
      return;
    case UnaryKind::Tanh:
      n.real = std::tanh(x);
      return;
    case UnaryKind::Relu:
      n.real = std::max(x, 0.0);
      return;
    case UnaryKind::GeluErf:
      n.real = 0.5 * x * (1 + std::erf(x * std::sqrt(0.5)));
      return;
    case UnaryKind::IsNaN:
      n.whole = std::isnan(x);
      return;
    default:
      llvm::report_fatal_error("a function the interpreter does not know");
    }
  }

  static Number binary(BinaryKind kind, Type type, Number a, Number b) {
    auto real = [](double r) { return Number{r, 0}; };
    auto whole = [&](uint64_t w) { return Number{0, wrap(static_cast<int64_t>(w), type)}; };
    bool isReal = isa<FloatType>(type);
    uint64_t x = a.whole, y = b.whole;
    bool less = isReal ? a.real < b.real : type.isUnsignedInteger() ? x < y : a.whole < b.whole;
    switch (kind) {
    case BinaryKind::Add:
      return isReal ? real(a.real + b.real) : whole(x + y);
    case BinaryKind::Sub:
      return isReal ? real(a.real - b.real) : whole(x - y);
    case BinaryKind::Mul:
      return isReal ? real(a.real * b.real) : whole(x * y);
    case BinaryKind::Div:
      return real(a.real / b.real);
    case BinaryKind::Max:
      return less || std::isnan(b.real) ? b : a;
    case BinaryKind::Min:
      return less || std::isnan(a.real) ? a : b;
    case BinaryKind::Equal:
      return {0, isReal ? a.real == b.real : x == y};
    case BinaryKind::Less:
      return {0, less};
    case BinaryKind::BitwiseAnd:
      return whole(x & y);
    case BinaryKind::ShiftRight: // of what is not negative
      return whole(y < 64 ? x >> y : 0);
    default:
      llvm::report_fatal_error("a function the interpreter does not know");
    }
  }

  FuncOp func;
  std::vector<std::vector<Number>> &buffers;
  std::map<std::string, int64_t> symbols; ///< n0, n1, ..; x0, x1, .. of the op at hand
  llvm::DenseMap<Value, Number> numbers;  ///< indices are whole
  llvm::DenseMap<Value, std::vector<Number>> tiles;
  bool raised = false;
};

} // namespace

bool interpret(FuncOp func, const std::vector<int64_t> &scalars, std::vector<std::vector<Number>> &buffers) {
  return Interpreter(func, buffers).run(scalars);
}

} // namespace cupola::test
