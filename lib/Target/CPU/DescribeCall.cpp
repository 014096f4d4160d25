//===- lib/Target/CPU/DescribeCall.cpp - a fusion in a library's words ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/DescribeCall.h"

#include "dialects/Graph/Placement.h"
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

/// The elements in another grouping of the dimensions: the same bytes.
Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

class Describer {
public:
  Describer(graph::FusionOp fusion, Operation *hero) : fusion(fusion), hero(hero) {}

  CallDescription describe() {
    if (!describeHero() || !describeEpilogue() || !isAllDense())
      return {{}, {}, std::move(made.refused)};
    // What the package may not say, a description says neither.
    made.call.buffers.resize(made.inputs.size() + 1);
    if (Status status = checkLibraryCall(made.call); status.failed())
      return {{}, {}, status.message()};
    made.call.buffers.clear();
    return std::move(made);
  }

private:
  bool isAllDense() {
    bool isDense =
        llvm::all_of(made.inputs, [&](int64_t input) { return graph::isDense(fusion.getInputs()[input]); }) &&
        llvm::all_of(fusion.getResults(), graph::isDense);
    return isDense || refuse("an operand or the result is a part of a joined tensor");
  }

  bool refuse(const Twine &why) {
    made.refused = why.str();
    return false;
  }

  /// The position of an input of the fusion whose bytes `value` is.
  std::optional<int64_t> inputOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(throughReshapes(value));
    return argument ? std::optional<int64_t>(argument.getArgNumber()) : std::nullopt;
  }

  static std::vector<int64_t> staticShape(Value value) { return graph::typeOf(value).getShape().vec(); }

  bool describeHero() {
    if (fusion.getKind() == graph::KernelKind::Attention)
      return refuse("attention is a kernel of its own, no library does all of it");
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

  /// Follows the hero's result to the fusion's.
  bool describeEpilogue() {
    Value current = hero->getResult(0);
    while (true) {
      if (!current.hasOneUse())
        return refuse("a value of the epilogue is used twice");
      Operation *user = *current.getUsers().begin();
      if (isa<graph::YieldOp>(user))
        return fusion.getNumResults() == 1 || refuse("there are several results");
      if (!isa<graph::ReshapeOp>(user) && !addPostOp(user, current))
        return refuse("no post-op does what " + user->getName().getStringRef() + " does here");
      current = user->getResult(0);
    }
  }

  bool addPostOp(Operation *op, Value current) {
    if (auto unary = dyn_cast<graph::UnaryOp>(op))
      return addFunction(unary);
    auto binary = dyn_cast<graph::BinaryOp>(op);
    if (!binary || !graph::elementOf(binary.getResult()).isF32())
      return false;
    Value other = binary.getLhs() == current ? binary.getRhs() : binary.getLhs();
    if (binary.getKind() == BinaryKind::Add)
      return addTensor(other, graph::typeOf(current));
    return addBound(binary.getKind(), other);
  }

  bool addFunction(graph::UnaryOp unary) {
    for (const FunctionRow &row : functions)
      if (row.unary == unary.getKind()) {
        made.call.postOps.push_back({row.postOp, row.takesAlpha ? bitsOf(unary.getAlpha().convertToDouble()) : 0, 0});
        return true;
      }
    return false;
  }

  /// A tensor of the result's shape, or a vector along its last dimension.
  bool addTensor(Value other, RankedTensorType type) {
    PostOpKind kind = PostOpKind::AddTensor;
    if (auto broadcast = other.getDefiningOp<graph::BroadcastOp>()) {
      other = broadcast.getInput();
      ArrayRef<int64_t> shape = graph::typeOf(other).getShape();
      if (!graph::typeOf(other).hasStaticShape() || shape.back() != type.getShape().back() ||
          type.getShape().back() != made.call.result.back() || graph::typeOf(other).getNumElements() != shape.back())
        return false;
      kind = PostOpKind::AddChannel;
    }
    auto input = inputOf(other);
    if (!input)
      return false;
    made.inputs.push_back(*input);
    made.call.postOps.push_back({kind, 0, 0});
    return true;
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

  graph::FusionOp fusion;
  Operation *hero;
  CallDescription made;
};

} // namespace

CallDescription describeCall(graph::FusionOp fusion, Operation *hero) { return Describer(fusion, hero).describe(); }

} // namespace cupola::cpu
