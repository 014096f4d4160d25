//===- lib/Import/Onnx/Ops/Microsoft/CacheFormat.h - how a cache has its numbers ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Keys and values of earlier steps are numbers, or `integer * scale` of signed integers of 8 or 4 bits, or of
// float8e4m3fn. Of 4 bits two neighbours of a row share a byte, the first one in its low bits, each 8 more than it is.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_CACHEFORMAT_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_CACHEFORMAT_H

#include "lib/Import/Onnx/Ops/Microsoft/KeyCache.h"

namespace cupola::onnx_import::microsoft {

struct CacheFormat {
  Type element;         ///< as the model declares it; null: keys and values as they are
  int64_t bits = 8;     ///< of a number
  KeysAndValues scales; ///< f32, [] or [1, heads, 1, size]
};

/// What operands 3, 4, 12 and 13 and the attributes of com.microsoft.GroupQueryAttention say. `rows`: of this step.
CacheFormat cacheFormat(OpBinder &op, const KeysAndValues &rows);

/// Rows as the cache has them, and the numbers of what it has, in `type`, which are not multiplied with their scales.
KeysAndValues encoded(OpBinder &op, const CacheFormat &format, const KeysAndValues &rows);
KeysAndValues numbers(OpBinder &op, const CacheFormat &format, const KeysAndValues &cached, Type type);
/// A scale is the same for all rows of a cache: queries [batch, heads, sequence, size] are multiplied with those of
/// keys, and what `attend` gives, [batch, sequence, heads * size], with those of values.
Value withScalesOfKeys(OpBinder &op, const CacheFormat &format, Value q);
Value withScalesOfValues(OpBinder &op, const CacheFormat &format, Value result, const Expr &heads);

} // namespace cupola::onnx_import::microsoft

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_CACHEFORMAT_H
