//===- lib/Import/Onnx/SortedKeys.h - integers found in a table -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Of many keys that are known while compiling, by halving.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SORTEDKEYS_H
#define CUPOLA_LIB_IMPORT_ONNX_SORTEDKEYS_H

#include "lib/Import/Onnx/OpBinder.h"

#include <map>

namespace cupola::onnx_import {

/// A list of integers, [n] of int64.
Value list(OpBinder &op, llvm::ArrayRef<int64_t> values);

/// For each of x, int64, the place of the first of equal `keys` that it is equal to, else that of any key. There is
/// one.
Value placeAmong(OpBinder &op, llvm::ArrayRef<int64_t> keys, Value x);

/// What x, int64, has in `values`, which are some, else `otherwise`.
Value valueOf(OpBinder &op, const std::map<int64_t, int64_t> &values, int64_t otherwise, Value x);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SORTEDKEYS_H
