//===- lib/Import/Onnx/SortedKeys.h - integers found in a table -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Of many keys that are known while compiling, by halving.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SORTEDKEYS_H
#define CUPOLA_LIB_IMPORT_ONNX_SORTEDKEYS_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

/// For each of x, int64, the place of the first of equal `keys` that it is equal to, else that of any key. There is
/// one.
Value placeAmong(OpBinder &op, llvm::ArrayRef<int64_t> keys, Value x);

/// values[i] where x is keys[i], else `otherwise`. A key has one value.
Value valueOf(OpBinder &op, llvm::ArrayRef<int64_t> keys, llvm::ArrayRef<int64_t> values, int64_t otherwise, Value x);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SORTEDKEYS_H
