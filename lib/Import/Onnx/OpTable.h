//===- lib/Import/Onnx/OpTable.h - which function imports which op ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// The only place that knows opsets: a row per domain, op and form of it, sorted. A node of
// opset n is imported by the row with the largest first version <= n.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPTABLE_H
#define CUPOLA_LIB_IMPORT_ONNX_OPTABLE_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <string_view>

namespace cupola::onnx_import {

class OpBinder;

struct OpRow {
  std::string_view domain; ///< empty: ai.onnx
  std::string_view op;
  int64_t versions[12]; ///< ONNX's since-versions that are of this form, ascending; 0 behind the last
  void (*import)(OpBinder &);
};

llvm::ArrayRef<OpRow> allOps();
/// Null when the op is unknown, or newer than `opset`.
const OpRow *findOp(std::string_view domain, std::string_view op, int64_t opset);
/// Whether any op of the domain is known.
bool hasOpsOf(std::string_view domain);
/// Whether there is such a row or ONNX itself makes the op of others (SchemaFunctions.h): LoadModel.h's OpKnown.
bool isKnownOp(const std::string &domain, const std::string &op, int64_t version);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPTABLE_H
