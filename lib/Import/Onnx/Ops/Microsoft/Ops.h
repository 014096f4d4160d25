//===- lib/Import/Onnx/Ops/Microsoft/Ops.h - ops of com.microsoft ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// What onnxruntime's optimiser, quantiser and builder of decoders write. ONNX has no
// schema of these ops: each function says itself how many inputs there are. Meanings
// and defaults are those of onnxruntime's kernels for CPUs.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_OPS_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_OPS_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import::microsoft {

// Activation.cpp
void importGelu(OpBinder &op);
void importFastGelu(OpBinder &op);
void importBiasGelu(OpBinder &op);
void importQuickGelu(OpBinder &op);
void importBiasAdd(OpBinder &op);
void importBiasSplitGelu(OpBinder &op);
/// value + the operand, or times it, which is a list as long as the last dimension.
Value lastBiased(OpBinder &op, Value value, size_t index, llvm::StringRef name);
Value lastTimes(OpBinder &op, Value value, size_t index, llvm::StringRef name);
/// `count` elements of the last dimension.
Value columns(OpBinder &op, Value value, const Expr &first, const Expr &count);
/// Of the last dimension, whose extent is an even constant; `name` says of what.
std::pair<Value, Value> halves(OpBinder &op, Value value, const std::string &name);
/// What the attribute `activation` names; absent: the value. Parameters that are not given have ONNX's defaults.
Value activated(OpBinder &op, Value value, llvm::ArrayRef<double> parameters);

// Fused.cpp
void importFusedMatMul(OpBinder &op);
void importFusedGemm(OpBinder &op);
void importGemmFastGelu(OpBinder &op);
void importFusedConv(OpBinder &op);

// ChannelsLast.cpp
void importNhwcConv(OpBinder &op);
void importNhwcFusedConv(OpBinder &op);
void importNhwcMaxPool(OpBinder &op);
void importQLinearConv(OpBinder &op);

// Normalization.cpp
void importLayerNormalization(OpBinder &op); ///< of opsets before ONNX had it
void importSimplifiedLayerNormalization(OpBinder &op);
void importSkipLayerNormalization(OpBinder &op);
void importSkipSimplifiedLayerNormalization(OpBinder &op);

// GroupNorm.cpp
void importGroupNorm(OpBinder &op);
void importSkipGroupNorm(OpBinder &op);

// Embedding.cpp
void importEmbedLayerNormalization(OpBinder &op);
void importQEmbedLayerNormalization(OpBinder &op);

// QLinear.cpp
void importQLinearAdd(OpBinder &op);
void importQLinearMul(OpBinder &op);
void importQLinearSigmoid(OpBinder &op);
void importQLinearLeakyRelu(OpBinder &op);
void importQLinearSoftmax(OpBinder &op);
void importQLinearConcat(OpBinder &op);
void importQLinearAveragePool(OpBinder &op);
void importQLinearGlobalAveragePool(OpBinder &op);
void importQLinearWhere(OpBinder &op);
void importQLinearReduceMean(OpBinder &op);
void importQuantizeLinear(OpBinder &op);
void importDequantizeLinear(OpBinder &op);

// Product.cpp
void importQGemm(OpBinder &op);
void importDynamicQuantizeMatMul(OpBinder &op);
void importMatMulIntegerToFloat(OpBinder &op);
/// sums * (scale * operand rightScale) + operand bias, where there is one, in the type of the scales.
Value scaledProduct(OpBinder &op, Value sums, Value scale, size_t rightScale, size_t bias);

// CodebookWeights.cpp
void importMatMulBnb4(OpBinder &op);

// PackedWeights.cpp
void importMatMulNBits(OpBinder &op);
void importGatherBlockQuantized(OpBinder &op);
/// [.., n] bytes -> [.., n * 8 / bits] numbers of `bits` bits, which divide 8.
Value unpacked(OpBinder &op, Value bytes, int64_t bits);

// ../RecurrentCells.cpp
void importDynamicQuantizeLSTM(OpBinder &op);

// Attention.cpp
void importAttention(OpBinder &op);
void importQAttention(OpBinder &op);
void importMultiHeadAttention(OpBinder &op);

// DecoderAttention.cpp
void importDecoderMaskedMultiHeadAttention(OpBinder &op);

// GroupQueryAttention.cpp
void importGroupQueryAttention(OpBinder &op);

// CausalConv.cpp, LinearAttention.cpp
void importCausalConvWithState(OpBinder &op);
void importLinearAttention(OpBinder &op);

// MixtureOfExperts.cpp
void importMoE(OpBinder &op);
void importQMoE(OpBinder &op);

// PositionBias.cpp
void importRelativePositionBias(OpBinder &op);
void importGatedRelativePositionBias(OpBinder &op);

// Rotary.cpp
void importRotaryEmbedding(OpBinder &op);

// Matrix.cpp
void importTrilu(OpBinder &op);
void importCDist(OpBinder &op);

} // namespace cupola::onnx_import::microsoft

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_OPS_H
