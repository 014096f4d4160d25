//===- lib/Runtime/BoundInterface.h - A package's tensors at one set of input shapes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_BOUNDINTERFACE_H
#define CUPOLA_LIB_RUNTIME_BOUNDINTERFACE_H

#include "lib/Runtime/ShapeBinding.h"

#include <map>
#include <vector>

namespace cupola::runtime {

/// Immutable.
struct BoundInterface {
  SymbolValues values;                           ///< of all but run symbols
  std::vector<Shape> inputShapes, outputShapes;  ///< -1: known after a run
  std::vector<uint64_t> inputBytes, outputBytes; ///< of the memory they lie in; 0 of open outputs
  std::vector<bool> isOpen;                      ///< outputs whose shape is known only after a run
  std::map<size_t, Strides> sharedStrides;       ///< of outputs in the memory of an input
};

/// The shapes do not fit: Code::Usage; a size leaves its type: Code::Limit.
Result<BoundInterface> bindInterface(const format::Package &package, const ParsedInterface &parsed,
                                     const std::vector<Shape> &inputs, const std::vector<Strides> &strides = {},
                                     const std::vector<Elements> &elements = {});

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_BOUNDINTERFACE_H
