//===- lib/Import/Onnx/OpTable.cpp - which function imports which op -------===//
// SPDX-License-Identifier: Apache-2.0
//
// A row per op and form; a test holds the versions against ONNX's own list.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/OpTable.h"

#include "lib/Import/Onnx/Ops/Ops.h"

#include <algorithm>
#include <tuple>

namespace cupola::onnx_import {
namespace {

// clang-format off
constexpr OpRow rows[] = {
    {"", "Abs", {6, 13}, numberUnary<UnaryKind::Abs>},
    {"", "Acos", {7, 22}, floatUnary<UnaryKind::Acos>},
    {"", "Acosh", {9, 22}, floatUnary<UnaryKind::Acosh>},
    {"", "Add", {7, 13, 14}, arithmetic<BinaryKind::Add>},
    {"", "And", {7}, logical<BinaryKind::And>},
    {"", "ArgMax", {1, 11, 12, 13}, argReduce<ReduceKind::Max>},
    {"", "ArgMin", {1, 11, 12, 13}, argReduce<ReduceKind::Min>},
    {"", "Asin", {7, 22}, floatUnary<UnaryKind::Asin>},
    {"", "Asinh", {9, 22}, floatUnary<UnaryKind::Asinh>},
    {"", "Atan", {7, 22}, floatUnary<UnaryKind::Atan>},
    {"", "Atanh", {9, 22}, floatUnary<UnaryKind::Atanh>},
    {"", "Attention", {23, 24, 25}, importAttention},
    {"", "AveragePool", {7, 10, 11, 19, 22}, importAveragePool},
    {"", "BatchNormalization", {7, 9, 14, 15}, importBatchNormalization},
    {"", "BitShift", {11, 28}, importBitShift},
    {"", "BitwiseAnd", {18}, bitwise<BinaryKind::BitwiseAnd>},
    {"", "BitwiseNot", {18}, importBitwiseNot},
    {"", "BitwiseOr", {18}, bitwise<BinaryKind::BitwiseOr>},
    {"", "BitwiseXor", {18}, bitwise<BinaryKind::BitwiseXor>},
    {"", "Cast", {6, 9, 13, 19, 21, 23, 24, 25, 28}, importCast},
    {"", "CastLike", {15, 19, 21, 23, 24, 25}, importCastLike},
    {"", "Ceil", {6, 13}, floatUnary<UnaryKind::Ceil>},
    {"", "Celu", {12, 28}, importCelu},
    {"", "Clip", {6}, importClipAttributes},
    {"", "Clip", {11, 12, 13}, importClip},
    {"", "Concat", {4, 11, 13}, importConcat},
    {"", "Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, importConstant},
    {"", "ConstantOfShape", {9, 20, 21, 23, 24, 25}, importConstantOfShape},
    {"", "Conv", {1, 11, 22}, importConv},
    {"", "ConvTranspose", {1, 11, 22}, importConvTranspose},
    {"", "Cos", {7, 22}, floatUnary<UnaryKind::Cos>},
    {"", "Cosh", {9, 22}, floatUnary<UnaryKind::Cosh>},
    {"", "CumSum", {11, 14}, importCumSum},
    {"", "DepthToSpace", {1, 11, 13, 28}, importDepthToSpace},
    {"", "Div", {7, 13, 14}, arithmetic<BinaryKind::Div>},
    {"", "Dropout", {7, 10, 12, 13, 22}, importDropout},
    {"", "Einsum", {12, 28}, importEinsum},
    {"", "Elu", {6, 22}, importElu},
    {"", "Equal", {7, 11, 13, 19}, compare<BinaryKind::Equal>},
    {"", "Erf", {9, 13}, floatUnary<UnaryKind::Erf>},
    {"", "Exp", {6, 13}, floatUnary<UnaryKind::Exp>},
    {"", "Expand", {8, 13}, importExpand},
    {"", "EyeLike", {9, 22}, importEyeLike},
    {"", "Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, importFlatten},
    {"", "Floor", {6, 13}, floatUnary<UnaryKind::Floor>},
    {"", "GRU", {7, 14, 22}, importGRU},
    {"", "Gather", {1, 11, 13}, importGather},
    {"", "GatherElements", {11, 13}, importGatherElements},
    {"", "GatherND", {11, 12, 13}, importGatherND},
    {"", "Gelu", {20}, importGelu},
    {"", "Gemm", {7, 9, 11, 13}, importGemm},
    {"", "GlobalAveragePool", {1, 22}, globalPool<ReduceKind::Mean>},
    {"", "GlobalLpPool", {2, 22}, importGlobalLpPool},
    {"", "GlobalMaxPool", {1, 22}, globalPool<ReduceKind::Max>},
    {"", "Greater", {7, 9, 13}, compare<BinaryKind::Greater>},
    {"", "GreaterOrEqual", {12, 16}, compare<BinaryKind::GreaterEqual>},
    {"", "GridSample", {16, 20, 22}, importGridSample},
    {"", "GroupNormalization", {21}, importGroupNormalization},
    {"", "HardSigmoid", {6, 22}, importHardSigmoid},
    {"", "HardSwish", {14, 22}, floatUnary<UnaryKind::HardSwish>},
    {"", "Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, importIdentity},
    {"", "If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, importIf},
    {"", "InstanceNormalization", {6, 22}, importInstanceNormalization},
    {"", "IsInf", {10, 20}, importIsInf},
    {"", "IsNaN", {9, 13, 20}, importIsNaN},
    {"", "LRN", {1, 13}, importLRN},
    {"", "LSTM", {7, 14, 22}, importLSTM},
    {"", "LayerNormalization", {17}, importLayerNormalization},
    {"", "LeakyRelu", {6, 16}, importLeakyRelu},
    {"", "Less", {7, 9, 13}, compare<BinaryKind::Less>},
    {"", "LessOrEqual", {12, 16}, compare<BinaryKind::LessEqual>},
    {"", "Log", {6, 13}, floatUnary<UnaryKind::Log>},
    {"", "LogSoftmax", {1, 11}, importLogSoftmaxFlattened},
    {"", "LogSoftmax", {13}, importLogSoftmax},
    {"", "Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, importLoop},
    {"", "LpPool", {2, 11, 18, 22}, importLpPool},
    {"", "MatMul", {1, 9, 13}, importMatMul},
    {"", "Max", {6, 8, 12, 13}, variadic<BinaryKind::Max>},
    {"", "MaxPool", {1, 8, 10, 11, 12, 22}, importMaxPool},
    {"", "Mean", {6, 8, 13}, importMean},
    {"", "MeanVarianceNormalization", {9, 13}, importMeanVarianceNormalization},
    {"", "Min", {6, 8, 12, 13}, variadic<BinaryKind::Min>},
    {"", "Mish", {18, 22}, floatUnary<UnaryKind::Mish>},
    {"", "Mod", {10, 13}, importModOfIntegers},
    {"", "Mod", {28}, importMod},
    {"", "Mul", {7, 13, 14}, arithmetic<BinaryKind::Mul>},
    {"", "Neg", {6, 13}, numberUnary<UnaryKind::Neg>},
    {"", "NonZero", {9, 13}, importNonZero},
    {"", "Not", {1}, importNot},
    {"", "OneHot", {9, 11, 28}, importOneHot},
    {"", "Or", {7}, logical<BinaryKind::Or>},
    {"", "PRelu", {7, 9, 16}, importPRelu},
    {"", "Pad", {2}, importPadAttributes},
    {"", "Pad", {11, 13, 18, 19, 21, 23, 24, 25}, importPad},
    {"", "Pow", {7, 12, 13, 15}, importPow},
    {"", "RMSNormalization", {23}, importRMSNormalization},
    {"", "RNN", {7, 14, 22}, importRNN},
    {"", "Range", {11, 27}, importRange},
    {"", "Reciprocal", {6, 13}, floatUnary<UnaryKind::Reciprocal>},
    {"", "ReduceL1", {1, 11, 13}, reduceAttribute<Reduction::L1>},
    {"", "ReduceL1", {18}, reduceInput<Reduction::L1>},
    {"", "ReduceL2", {1, 11, 13}, reduceAttribute<Reduction::L2>},
    {"", "ReduceL2", {18}, reduceInput<Reduction::L2>},
    {"", "ReduceLogSum", {1, 11, 13}, reduceAttribute<Reduction::LogSum>},
    {"", "ReduceLogSum", {18, 28}, reduceInput<Reduction::LogSum>},
    {"", "ReduceLogSumExp", {1, 11, 13}, reduceAttribute<Reduction::LogSumExp>},
    {"", "ReduceLogSumExp", {18, 28}, reduceInput<Reduction::LogSumExp>},
    {"", "ReduceMax", {1, 11, 12, 13}, reduceAttribute<Reduction::Max>},
    {"", "ReduceMax", {18, 20}, reduceInput<Reduction::Max>},
    {"", "ReduceMean", {1, 11, 13}, reduceAttribute<Reduction::Mean>},
    {"", "ReduceMean", {18}, reduceInput<Reduction::Mean>},
    {"", "ReduceMin", {1, 11, 12, 13}, reduceAttribute<Reduction::Min>},
    {"", "ReduceMin", {18, 20}, reduceInput<Reduction::Min>},
    {"", "ReduceProd", {1, 11, 13}, reduceAttribute<Reduction::Prod>},
    {"", "ReduceProd", {18}, reduceInput<Reduction::Prod>},
    {"", "ReduceSum", {1, 11}, reduceAttribute<Reduction::Sum>},
    {"", "ReduceSum", {13}, reduceInput<Reduction::Sum>},
    {"", "ReduceSumSquare", {1, 11, 13}, reduceAttribute<Reduction::SumSquare>},
    {"", "ReduceSumSquare", {18}, reduceInput<Reduction::SumSquare>},
    {"", "Relu", {6, 13, 14}, numberUnary<UnaryKind::Relu>},
    {"", "Reshape", {5, 13, 14, 19, 21, 23, 24, 25}, importReshape},
    {"", "Resize", {10}, importResize10},
    {"", "Resize", {11, 13, 18, 19}, importResize},
    {"", "RotaryEmbedding", {23}, importRotaryEmbedding},
    {"", "Round", {11, 22}, floatUnary<UnaryKind::Round>},
    {"", "Scan", {8}, importOldScan},
    {"", "Scan", {9, 11, 16, 19, 21, 23, 24, 25}, importScan},
    {"", "Scatter", {9}, importScatterElements},
    {"", "ScatterElements", {11, 13, 16, 18}, importScatterElements},
    {"", "ScatterND", {11, 13, 16, 18}, importScatterND},
    {"", "Selu", {6, 22}, importSelu},
    {"", "Shape", {1, 13, 15, 19, 21, 23, 24, 25}, importShape},
    {"", "Shrink", {9}, importShrink},
    {"", "Sigmoid", {6, 13}, floatUnary<UnaryKind::Sigmoid>},
    {"", "Sign", {9, 13}, numberUnary<UnaryKind::Sign>},
    {"", "Sin", {7, 22}, floatUnary<UnaryKind::Sin>},
    {"", "Sinh", {9, 22}, floatUnary<UnaryKind::Sinh>},
    {"", "Size", {1, 13, 19, 21, 23, 24, 25}, importSize},
    {"", "Slice", {1}, importSliceAttributes},
    {"", "Slice", {10, 11, 13}, importSlice},
    {"", "Softmax", {1, 11}, importSoftmaxFlattened},
    {"", "Softmax", {13}, importSoftmax},
    {"", "Softplus", {1, 22}, floatUnary<UnaryKind::Softplus>},
    {"", "Softsign", {1, 22}, floatUnary<UnaryKind::Softsign>},
    {"", "SpaceToDepth", {1, 13, 28}, importSpaceToDepth},
    {"", "Split", {2, 11}, importSplitAttribute},
    {"", "Split", {13, 18}, importSplit},
    {"", "Sqrt", {6, 13}, floatUnary<UnaryKind::Sqrt>},
    {"", "Squeeze", {1, 11}, importSqueezeAttribute},
    {"", "Squeeze", {13, 21, 23, 24, 25}, importSqueeze},
    {"", "Sub", {7, 13, 14}, arithmetic<BinaryKind::Sub>},
    {"", "Sum", {6, 8, 13}, variadic<BinaryKind::Add>},
    {"", "Swish", {24}, importSwish},
    {"", "Tan", {7, 22}, floatUnary<UnaryKind::Tan>},
    {"", "Tanh", {6, 13}, floatUnary<UnaryKind::Tanh>},
    {"", "ThresholdedRelu", {10, 22}, importThresholdedRelu},
    {"", "Tile", {6, 13}, importTile},
    {"", "TopK", {1}, importTopKAttribute},
    {"", "TopK", {10, 11, 24}, importTopK},
    {"", "Transpose", {1, 13, 21, 23, 24, 25}, importTranspose},
    {"", "Trilu", {14}, importTrilu},
    {"", "Unsqueeze", {1, 11}, importUnsqueezeAttribute},
    {"", "Unsqueeze", {13, 21, 23, 24, 25}, importUnsqueeze},
    {"", "Upsample", {7}, importUpsampleAttribute},
    {"", "Upsample", {9}, importResize10},
    {"", "Where", {9, 16}, importWhere},
    {"", "Xor", {7}, logical<BinaryKind::Xor>},
};
// clang-format on

bool isBefore(const OpRow &row, const std::tuple<std::string_view, std::string_view, int64_t> &key) {
  return std::tuple(row.domain, row.op, row.versions[0]) < key;
}

} // namespace

llvm::ArrayRef<OpRow> allOps() { return rows; }

const OpRow *findOp(std::string_view domain, std::string_view op, int64_t opset) {
  // The last row that is not newer than the opset.
  const auto behind = std::lower_bound(std::begin(rows), std::end(rows), std::tuple(domain, op, opset + 1), isBefore);
  if (behind == std::begin(rows))
    return nullptr;
  const OpRow &row = *(behind - 1);
  return row.domain == domain && row.op == op ? &row : nullptr;
}

bool isKnownOp(const std::string &domain, const std::string &op, int64_t version) {
  return findOp(domain, op, version) != nullptr;
}

} // namespace cupola::onnx_import
