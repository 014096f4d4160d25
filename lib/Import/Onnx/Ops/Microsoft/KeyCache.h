//===- lib/Import/Onnx/Ops/Microsoft/KeyCache.h - keys and values of earlier steps --------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_KEYCACHE_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_KEYCACHE_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import::microsoft {

/// How many tokens count is data, another number in each row of a batch.
struct Tokens {
  Value before; ///< int64 [batch]: those of earlier steps
  Value all;    ///< int64 [batch]: with those of this one
  Expr length;  ///< rows of this step, of which `all - before` count
  Expr total;   ///< at least the largest of `all`
  Expr most;    ///< rows of a cache that grows with the tokens, at least `total`
};

/// Of [batch, heads, rows, size].
struct KeysAndValues {
  Value k, v;
};

struct KeyCache {
  KeysAndValues read;   ///< what queries look at
  KeysAndValues stored; ///< what the next step is given
  /// int64 [batch or 1, rows of `read`]: the token of each; of rows that are none, one behind all.
  Value places;
};

/// int64 [batch, length]: the token of each row of this step.
Value placesOfStep(OpBinder &op, const Tokens &tokens);

/// The rows of this step behind those of operands 3 and 4, which may be absent: row i is that of token i.
KeyCache appended(OpBinder &op, const Tokens &tokens, const KeysAndValues &fresh);
/// Whether results 1 and 2 lie in the memory of operands 3 and 4, of which all rows are tokens then.
bool staysInPlace(OpBinder &op);
/// The same where it does: rows of this step follow those of the operands.
KeyCache joined(OpBinder &op, const Tokens &tokens, const KeysAndValues &fresh);
/// int64 [batch]: `before`, which has to be `rows`; anything else is an error of the run.
Value exactly(OpBinder &op, Value before, const Expr &rows);
/// Operands 3 and 4 have room for a window of so many tokens, or more: what the attribute `sliding_window_cache` of
/// com.microsoft.GroupQueryAttention says.
KeyCache windowed(OpBinder &op, const Tokens &tokens, const KeysAndValues &fresh, int64_t window);

} // namespace cupola::onnx_import::microsoft

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_KEYCACHE_H
