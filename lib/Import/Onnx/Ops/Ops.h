//===- lib/Import/Onnx/Ops/Ops.h - the import functions of all ops ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// One function per op and form; OpTable.cpp says which versions have which form.
// A function reads its node, whose number of inputs is as ONNX has it, through OpBinder, makes graph ops and sets
// results.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_OPS_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_OPS_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

// Elementwise.cpp
void importUnary(OpBinder &op, UnaryKind kind, bool floatsOnly);
void importBinary(OpBinder &op, BinaryKind kind); ///< of any elements
void importArithmetic(OpBinder &op, BinaryKind kind);
void importVariadic(OpBinder &op, BinaryKind kind, bool mean);
template <UnaryKind kind> void floatUnary(OpBinder &op) { importUnary(op, kind, true); }
template <UnaryKind kind> void numberUnary(OpBinder &op) { importUnary(op, kind, false); }
template <BinaryKind kind> void arithmetic(OpBinder &op) { importArithmetic(op, kind); }
template <BinaryKind kind> void variadic(OpBinder &op) { importVariadic(op, kind, false); }
void importMean(OpBinder &op);
void importModOfIntegers(OpBinder &op); ///< up to opset 27; floats with fmod alone
void importMod(OpBinder &op);
void importPow(OpBinder &op);
void importClipAttributes(OpBinder &op); ///< up to opset 10
void importClip(OpBinder &op);
void importBitShift(OpBinder &op);
void importBitwiseNot(OpBinder &op);
void importBitwise(OpBinder &op, BinaryKind kind);
template <BinaryKind kind> void bitwise(OpBinder &op) { importBitwise(op, kind); }

// Compare.cpp
void importCompare(OpBinder &op, BinaryKind kind);
void importLogical(OpBinder &op, BinaryKind kind);
template <BinaryKind kind> void compare(OpBinder &op) { importCompare(op, kind); }
template <BinaryKind kind> void logical(OpBinder &op) { importLogical(op, kind); }
void importNot(OpBinder &op);
void importIsNaN(OpBinder &op);
void importIsInf(OpBinder &op);
void importWhere(OpBinder &op);

// Activation.cpp
void importLeakyRelu(OpBinder &op);
void importElu(OpBinder &op);
void importSelu(OpBinder &op);
void importCelu(OpBinder &op);
void importHardSigmoid(OpBinder &op);
void importThresholdedRelu(OpBinder &op);
void importShrink(OpBinder &op);
void importGelu(OpBinder &op);
void importSwish(OpBinder &op);
void importPRelu(OpBinder &op);

// Cast.cpp
void importCast1(OpBinder &op); ///< up to opset 5: the type by name
void importBitCast(OpBinder &op);
void importCast(OpBinder &op);
void importCastLike(OpBinder &op);

// Reduction.cpp: axes as an attribute (`Attribute`) or as an input.
enum class Reduction { Sum, Mean, Prod, Max, Min, L1, L2, LogSum, LogSumExp, SumSquare };
void importReduceAttribute(OpBinder &op, Reduction reduction);
void importReduceInput(OpBinder &op, Reduction reduction);
template <Reduction r> void reduceAttribute(OpBinder &op) { importReduceAttribute(op, r); }
template <Reduction r> void reduceInput(OpBinder &op) { importReduceInput(op, r); }
void importArgReduce(OpBinder &op, ReduceKind kind);
template <ReduceKind kind> void argReduce(OpBinder &op) { importArgReduce(op, kind); }
void importCumulative(OpBinder &op, ReduceKind kind);
template <ReduceKind kind> void cumulative(OpBinder &op) { importCumulative(op, kind); }
void importGlobalPool(OpBinder &op, ReduceKind kind);
template <ReduceKind kind> void globalPool(OpBinder &op) { importGlobalPool(op, kind); }

// Normalization.cpp
void importSoftmaxFlattened(OpBinder &op); ///< up to opset 12: over all dimensions from axis on
void importSoftmax(OpBinder &op);
void importLogSoftmaxFlattened(OpBinder &op);
void importLogSoftmax(OpBinder &op);
void importHardmaxFlattened(OpBinder &op); ///< up to opset 12
void importHardmax(OpBinder &op);
void importLpNormalization(OpBinder &op);
void importLayerNormalization(OpBinder &op);
void importRMSNormalization(OpBinder &op);
void importInstanceNormalization(OpBinder &op);
void importGroupNormalization(OpBinder &op);
void importBatchNormalization(OpBinder &op);
void importMeanVarianceNormalization(OpBinder &op);

// Attention.cpp, Heads.cpp
void importAttention(OpBinder &op);
void importRotaryEmbedding(OpBinder &op);

// Einsum.cpp
void importEinsum(OpBinder &op);

// Conv.cpp, ConvTranspose.cpp
void importConv(OpBinder &op);
void importConvTranspose(OpBinder &op);

// Pool.cpp
void importMaxPool(OpBinder &op);
void importAveragePool(OpBinder &op);
void importLpPool1(OpBinder &op); ///< opset 1: the power is a float
void importLpPool(OpBinder &op);
void importGlobalLpPool1(OpBinder &op); ///< opset 1
void importGlobalLpPool(OpBinder &op);
void importLRN(OpBinder &op);

// Resize.cpp
void importUpsampleAttribute(OpBinder &op); ///< up to opset 8
void importResize10(OpBinder &op);          ///< and Upsample 9
void importResize(OpBinder &op);

// MatMul.cpp
void importMatMul(OpBinder &op);
void importGemm(OpBinder &op);

// Quantize.cpp
void importQuantizeLinear(OpBinder &op);
void importDequantizeLinear(OpBinder &op);
void importDynamicQuantizeLinear(OpBinder &op);

// IntegerProduct.cpp
void importMatMulInteger(OpBinder &op);
void importQLinearMatMul(OpBinder &op);
void importConvInteger(OpBinder &op);
void importQLinearConv(OpBinder &op);

// Shape.cpp
void importShape(OpBinder &op);
void importSize(OpBinder &op);
void importReshape(OpBinder &op);
void importSqueezeAttribute(OpBinder &op); ///< up to opset 12
void importSqueeze(OpBinder &op);
void importUnsqueezeAttribute(OpBinder &op); ///< up to opset 12
void importUnsqueeze(OpBinder &op);
void importFlatten(OpBinder &op);
void importExpand(OpBinder &op);
void importTranspose(OpBinder &op);
void importDepthToSpace(OpBinder &op);
void importSpaceToDepth(OpBinder &op);

// Slice.cpp
void importSliceAttributes(OpBinder &op); ///< up to opset 9
void importSlice(OpBinder &op);
void importSplitAttribute(OpBinder &op); ///< up to opset 12
void importSplit(OpBinder &op);
void importConcat1(OpBinder &op); ///< up to opset 3: an axis of 1 where none is given
void importConcat(OpBinder &op);
void importTile(OpBinder &op);
void importTrilu(OpBinder &op);

// Pad.cpp
void importPadAttributes(OpBinder &op); ///< up to opset 10
void importPad(OpBinder &op);

// Gather.cpp
void importGather(OpBinder &op);
void importGatherElements(OpBinder &op);
void importGatherND(OpBinder &op);
void importReverseSequence(OpBinder &op);

// ScatterElements.cpp
void importScatterElements(OpBinder &op);

// ScatterND.cpp
void importScatterND(OpBinder &op);

// Fourier.cpp
void importDFTAttribute(OpBinder &op); ///< up to opset 19
void importDFT(OpBinder &op);
void importSTFT(OpBinder &op);

// Col2Im.cpp
void importCol2Im(OpBinder &op);

// TensorScatter.cpp
void importTensorScatter(OpBinder &op);

// AffineGrid.cpp
void importAffineGrid(OpBinder &op);

// Det.cpp
void importDet(OpBinder &op);

// MelWeightMatrix.cpp
void importMelWeightMatrix(OpBinder &op);

// TfIdfVectorizer.cpp
void importTfIdfVectorizer(OpBinder &op);

// Strings.cpp
void importStringConcat(OpBinder &op);
void importStringNormalizer(OpBinder &op);
void importStringSplit(OpBinder &op);
void importRegexFullMatch(OpBinder &op);

// Unpool.cpp
void importBernoulli(OpBinder &op);
void importMultinomial(OpBinder &op);
void importRandomNormal(OpBinder &op);
void importRandomNormalLike(OpBinder &op);
void importRandomUniform(OpBinder &op);
void importRandomUniformLike(OpBinder &op);
void importMaxUnpool(OpBinder &op);

// Optimizer.cpp
void importAdagrad(OpBinder &op);
void importAdam(OpBinder &op);
void importMomentum(OpBinder &op);

// Sample.cpp
void importGridSample(OpBinder &op);

// Region.cpp
void importRoiAlign10(OpBinder &op); ///< up to opset 15: coordinates of middles
void importRoiAlign(OpBinder &op);
void importMaxRoiPool(OpBinder &op);

// Sample.cpp, too
void importDeformConv(OpBinder &op);

// Sized.cpp
void importNonZero(OpBinder &op);
void importCompress(OpBinder &op);

// NonMaxSuppression.cpp
void importNonMaxSuppression(OpBinder &op);

// Unique.cpp
void importUnique(OpBinder &op);

// Sort.cpp
void importTopKAttribute(OpBinder &op); ///< up to opset 9
void importTopK(OpBinder &op);

// Sequence.cpp
void importSequenceConstruct(OpBinder &op);
void importSequenceEmpty(OpBinder &op);
void importSequenceInsert(OpBinder &op);
void importSequenceErase(OpBinder &op);
void importSequenceAt(OpBinder &op);
void importSequenceLength(OpBinder &op);

// SequenceParts.cpp
void importSplitToSequence(OpBinder &op);
void importConcatFromSequence(OpBinder &op);
void importSequenceMap(OpBinder &op);

// Optional.cpp
void importOptional(OpBinder &op);
void importOptionalHasElement(OpBinder &op);
void importOptionalGetElement(OpBinder &op);

// Control.cpp
void importIf(OpBinder &op);
void importImageDecoder(OpBinder &op);

// Loop.cpp
void importLoop(OpBinder &op);

// Scan.cpp
void importOldScan(OpBinder &op); ///< up to opset 8
void importScan(OpBinder &op);

// OldOpsets.cpp: up to opset 6
void alignOperand(OpBinder &op); ///< of an op of two operands, as the attributes `broadcast` and `axis` say
template <void (*import)(OpBinder &)> void aligned(OpBinder &op) { alignOperand(op), import(op); }
void alignSlope(OpBinder &op);
template <void (*import)(OpBinder &)> void alignedSlope(OpBinder &op) { alignSlope(op), import(op); }
void requireWholeBias(OpBinder &op);
template <void (*import)(OpBinder &)> void wholeBias(OpBinder &op) { requireWholeBias(op), import(op); }
void requireTest(OpBinder &op); ///< the attribute `is_test`
template <void (*import)(OpBinder &)> void tested(OpBinder &op) { requireTest(op), import(op); }
void importSelu1(OpBinder &op);
void importReshape1(OpBinder &op);
void importPad1(OpBinder &op);
void importTile1(OpBinder &op);
void importSplit1(OpBinder &op);
void importUpsample1(OpBinder &op);

// RecurrentCells.cpp
void importLSTM(OpBinder &op);
void importGRU(OpBinder &op);
void importRNN(OpBinder &op);

// Constant.cpp
void importConstant(OpBinder &op);
void importConstantOfShape(OpBinder &op);
void importRange(OpBinder &op);
void importIdentity(OpBinder &op);
void importDropout(OpBinder &op);
void dropAtRandom(OpBinder &op, Value ratio); ///< Dropout while training
void importOneHot(OpBinder &op);
void importEyeLike(OpBinder &op);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_OPS_H
