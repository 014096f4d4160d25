//===- lib/Import/Onnx/Ops/Ml/Ops.h - ops of ai.onnx.ml --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Classic models: trees, linear models and what prepares their features. ONNX gives no formulas for several
// of these ops; where it leaves a choice, the answer is onnxruntime's. Labels and categories are integers or strings.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_ML_OPS_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_ML_OPS_H

#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/SortedKeys.h"

namespace cupola::onnx_import::ml {

// TreeEnsemble.cpp
void importTreeEnsemble(OpBinder &op);
void importTreeEnsembleRegressor(OpBinder &op);
void importTreeEnsembleClassifier(OpBinder &op);

// Linear.cpp
void importLinearRegressor(OpBinder &op);
void importLinearClassifier(OpBinder &op);

// LabelEncoder.cpp
void importLabelEncoder(OpBinder &op);
void importLabelEncoderOfStrings(OpBinder &op); ///< version 1
void importCategoryMapper(OpBinder &op);

// Svm.cpp, SvmClassifier.cpp
void importSvmRegressor(OpBinder &op);
void importSvmClassifier(OpBinder &op);

// ZipMap.cpp
void importZipMap(OpBinder &op);

// Features.cpp
void importArrayFeatureExtractor(OpBinder &op);
void importBinarizer(OpBinder &op);
void importFeatureVectorizer(OpBinder &op);
void importImputer(OpBinder &op);
void importNormalizer(OpBinder &op);
void importOneHotEncoder(OpBinder &op);
void importScaler(OpBinder &op);

// PostTransform.cpp
enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };
/// What the attribute `post_transform` names.
PostTransform namedTransform(OpBinder &op);
/// Of scores [rows, classes].
Value transformed(OpBinder &op, PostTransform transform, Value scores);
/// [rows, 2] of the score of the second of two classes, [rows, 1], after `post_transform`, which is NONE or LOGISTIC.
Value bothOf(OpBinder &op, Value score, bool isProbability);

// Classes.cpp
/// Labels of classes, or categories: integers, or the numbers of strings.
struct ClassLabels {
  Ints numbers;
  bool areStrings = false;
  size_t size() const { return numbers.size(); }
};
/// The attribute `name`, of integers, or `strings`.
ClassLabels classLabels(OpBinder &op, llvm::StringRef name, llvm::StringRef strings);
/// labels[places], int64 or strings.
Tensor labelsAt(OpBinder &op, const ClassLabels &labels, Value places);
/// The numbers of strings.
Ints numbersOf(OpBinder &op, llvm::ArrayRef<std::string> texts);
/// X as rows of features: a vector is one row. In float32 unless it is of float64.
Value rowsOf(OpBinder &op);
/// [1, n], or [rows, columns], of `values`.
Value table(OpBinder &op, llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> shape, Type element);

} // namespace cupola::onnx_import::ml

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_ML_OPS_H
