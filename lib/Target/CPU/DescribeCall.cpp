//===- lib/Target/CPU/DescribeCall.cpp - a fusion in a library's words ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/DescribeCall.h"

#include "lib/Transforms/Match.h"

#include <cstring>
#include <limits>

using namespace mlir;

namespace cupola::cpu {
namespace {

using format::LibraryCall;
using format::LibraryCallKind;
using format::PostOp;
using format::PostOpKind;
using graph::BinaryKind;
using graph::UnaryKind;

/// The functions that a post-op computes as the graph does.
struct FunctionRow {
  UnaryKind unary;
  PostOpKind postOp;
  bool takesAlpha;
};
constexpr FunctionRow functions[] = {
    {UnaryKind::Relu, PostOpKind::Relu, false},       {UnaryKind::Sigmoid, PostOpKind::Sigmoid, false},
    {UnaryKind::Silu, PostOpKind::Silu, true},        {UnaryKind::HardSwish, PostOpKind::HardSwish, false},
    {UnaryKind::GeluErf, PostOpKind::GeluErf, false}, {UnaryKind::GeluTanh, PostOpKind::GeluTanh, false},
    {UnaryKind::Tanh, PostOpKind::Tanh, false},
};

uint32_t bitsOf(double number) {
  float value = static_cast<float>(number);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

class OneDnnDescriber : public CallDescriber {
public:
  using CallDescriber::CallDescriber;

private:
  bool describeHero() override {
    for (Value value : {hero->getOperand(0), hero->getOperand(1), Value(hero->getResult(0))})
      if (!graph::elementOf(value).isF32() || !graph::typeOf(value).hasStaticShape())
        return refuse("the shapes are not static or the elements not f32: a library compiles for numbers");
    auto conv = dyn_cast<graph::ConvOp>(hero);
    if (!(conv ? describeConvolution(conv) : describeProduct(cast<graph::MatMulOp>(hero))))
      return false;
    auto weights = inputOf(hero->getOperand(1));
    if (!weights || !fusion.getInputs()[*weights].getDefiningOp<graph::ConstantOp>())
      return refuse("the weights are no constant in their own layout");
    made.inputs.push_back(*weights);
    return true;
  }

  bool describeConvolution(graph::ConvOp conv) {
    if (conv.getLayout() != graph::ConvLayout::ChannelsLast)
      return refuse("its layout is channels first");
    if (graph::rankOf(conv.getInput()) != 4 || conv.getGroups() != 1)
      return refuse("a convolution of one group in two dimensions is needed");
    Value source = conv.getInput();
    std::vector<int64_t> padding{0, 0};
    if (auto pad = source.getDefiningOp<graph::PadOp>()) {
      if (!readPadding(pad, padding))
        return refuse("the border is not of zeros around height and width");
      source = pad.getInput();
    }
    auto input = inputOf(source);
    if (!input)
      return refuse("the source is computed or does not lie channels last");
    made.inputs.push_back(*input);
    LibraryCall &call = made.call;
    call.kind = LibraryCallKind::Convolution;
    call.source = staticShape(source);
    call.weights = staticShape(conv.getWeights());
    call.result = staticShape(conv.getResult());
    call.strides = conv.getStrides().vec();
    call.dilations = conv.getDilations().vec();
    call.padding = padding;
    if (call.weights[0] * call.weights[1] == 1 && call.source == staticShape(conv.getInput()) &&
        call.strides == std::vector<int64_t>{1, 1})
      makeProduct(call);
    return true;
  }

  /// Every place is a row.
  static void makeProduct(LibraryCall &call) {
    int64_t rows = call.source[0] * call.source[1] * call.source[2];
    call = {LibraryCallKind::MatrixProduct,
            {rows, call.source[3]},
            {call.source[3], call.result[3]},
            {rows, call.result[3]},
            {},
            {},
            {},
            {},
            {}};
  }

  static bool readPadding(graph::PadOp pad, std::vector<int64_t> &padding) {
    auto value = dyn_cast<FloatAttr>(pad.getValue());
    if (pad.getMode() != graph::PadMode::Constant || !value || !value.getValue().isZero() ||
        !graph::typeOf(pad.getInput()).hasStaticShape())
      return false;
    std::vector<int64_t> before = staticShape(pad.getInput()), after = staticShape(pad.getResult());
    for (auto [dim, text] : llvm::enumerate(graph::exprsOf(pad.getLow()))) {
      std::optional<int64_t> low = text.constant();
      // Cropping, in front or behind, is no padding.
      if (!low || *low < 0 || *low + before[dim] > after[dim])
        return false;
      if (dim == 1 || dim == 2)
        padding[dim - 1] = *low;
      else if (before[dim] != after[dim])
        return false;
    }
    return true;
  }

  bool describeProduct(graph::MatMulOp matmul) {
    std::vector<int64_t> lhs = staticShape(matmul.getLhs()), rhs = staticShape(matmul.getRhs());
    for (size_t i = 0; i + 2 < lhs.size(); ++i)
      if (lhs[i] != 1 || rhs[i] != 1)
        return refuse("one matrix is needed, not a batch of them");
    auto input = inputOf(matmul.getLhs());
    if (!input)
      return refuse("the left matrix is computed or transposed");
    made.inputs.push_back(*input);
    int64_t rows = lhs[lhs.size() - 2], depth = lhs.back(), columns = rhs.back();
    made.call = {LibraryCallKind::MatrixProduct, {rows, depth}, {depth, columns}, {rows, columns}, {}, {}, {}, {}, {}};
    return true;
  }

  bool addPostOp(Operation *op, Value current) override {
    if (auto unary = dyn_cast<graph::UnaryOp>(op))
      return addFunction(unary);
    auto binary = dyn_cast<graph::BinaryOp>(op);
    return binary && addBound(binary.getKind(), binary.getLhs() == current ? binary.getRhs() : binary.getLhs());
  }

  bool addFunction(graph::UnaryOp unary) {
    for (const FunctionRow &row : functions)
      if (row.unary == unary.getKind()) {
        made.call.postOps.push_back({row.postOp, row.takesAlpha ? bitsOf(unary.getAlpha().convertToDouble()) : 0, 0});
        return true;
      }
    return false;
  }

  /// max(x, number) and min(x, number); both of them become one clip.
  bool addBound(BinaryKind kind, Value other) {
    std::optional<double> number = match::splatOf(other);
    if ((kind != BinaryKind::Max && kind != BinaryKind::Min) || !number)
      return false;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    PostOp clip{PostOpKind::Clip, bitsOf(-infinity), bitsOf(infinity)};
    std::vector<PostOp> &ops = made.call.postOps;
    if (kind == BinaryKind::Min && !ops.empty() && ops.back().kind == PostOpKind::Clip &&
        ops.back().beta == clip.beta) {
      clip = ops.back(); // oneDNN takes the maximum first
      ops.pop_back();
    }
    (kind == BinaryKind::Max ? clip.alpha : clip.beta) = bitsOf(*number);
    ops.push_back(clip);
    return true;
  }
};

} // namespace

CallDescription describeCall(graph::FusionOp fusion, Operation *hero) {
  return OneDnnDescriber(fusion, hero).describe();
}

} // namespace cupola::cpu
